// SPDX-License-Identifier: BSD-3-Clause
#include "wisdom_file.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "comm/agreement.hpp"
#include "kallima/wisdom.hpp"
#include "rivals/rivals.hpp"

namespace kallima::cli {

WisdomFile::WisdomFile(const Session& session, std::string path)
    : session_(session), path_(std::move(path)) {
  if (path_.empty() || !std::filesystem::exists(path_)) return;
  const std::string warning = load_wisdom(path_);
  if (!warning.empty() && session_.speaks()) fmt::print(stderr, "kallima: {}\n", warning);
}

void WisdomFile::keep() const {
  if (path_.empty()) return;
  gather_rivals_wisdom(session_);
  agree(*comm::Communicator::of(session_.comm), comm::Verdict::of([&] {
    if (session_.speaks()) save_wisdom(path_);
  }));
}

}  // namespace kallima::cli
