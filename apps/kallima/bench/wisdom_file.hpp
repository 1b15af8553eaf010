// SPDX-License-Identifier: BSD-3-Clause
//
// Wisdom between launches: a rival that flips between plans from run to run cannot be compared
// with.
#pragma once

#include <string>

#include "session.hpp"

namespace kallima::cli {

/// A file that is read at the beginning and written at the end; none where the path is empty.
class WisdomFile {
 public:
  /// Reads it on every rank, once all engines are set up: wisdom for a part of FFTW that is not
  /// there would be refused. One that is not there yet will be.
  WisdomFile(const Session& session, std::string path);

  /// Writes what all ranks have learnt. Collective.
  void keep() const;

 private:
  Session session_;
  std::string path_;
};

}  // namespace kallima::cli
