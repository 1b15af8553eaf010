// SPDX-License-Identifier: BSD-3-Clause
#include "rivals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "kallima/error.hpp"

namespace kallima::cli {

namespace {

struct Rival {
  const char* name = "";
  Contenders (*make)(const Session&, const Task&) = nullptr;  ///< null where it is not built in
  const char* remedy = "";                                    ///< how to have it built in
  bool reals = false;                                         ///< asked to transform them too
};

constexpr std::array rivals = {
#ifdef KALLIMA_WITH_BARE
    Rival{"bare", make_bare, "", true},
#else
    Rival{"bare", nullptr, "build with -DKALLIMA_FFTW=ON"},
#endif
    Rival{copy_name, make_copy, "", true},
#ifdef KALLIMA_WITH_FFTW_THREADS
    Rival{"fftw-threads", make_fftw_threads, ""},
#else
    Rival{"fftw-threads", nullptr, "install FFTW with its threads library"},
#endif
#ifdef KALLIMA_WITH_FFTW_MPI
    Rival{"fftw-mpi", make_fftw_mpi, "", true},
#else
    Rival{"fftw-mpi", nullptr, "install FFTW's MPI library, built for the MPI in use"},
#endif
#ifdef KALLIMA_WITH_SPFFT
    Rival{"spfft", make_spfft, ""},
#else
    Rival{"spfft", nullptr, "install SpFFT, built for the MPI in use"},
#endif
#ifdef KALLIMA_WITH_HEFFTE
    Rival{"heffte", make_heffte, ""},
#else
    Rival{"heffte", nullptr, "install heFFTe with FFTW, built for the MPI in use"},
#endif
#ifdef KALLIMA_WITH_2DECOMP
    Rival{"2decomp", make_2decomp, ""},
#else
    Rival{"2decomp", nullptr, "install 2DECOMP&FFT 2.1, built for the MPI in use"},
#endif
};

const Rival& rival_called(const std::string& name) {
  const auto* const found = std::find_if(rivals.begin(), rivals.end(),
                                         [&](const Rival& rival) { return rival.name == name; });
  if (found == rivals.end()) {
    throw InvalidOption(
        fmt::format("--against: there is no rival '{}'; use some of {}", name, known_rivals()));
  }
  if (found->make == nullptr) {
    throw InvalidOption(
        fmt::format("--against: {} is not built in; {} and configure again", name, found->remedy));
  }
  return *found;
}

}  // namespace

Contenders make_rivals(const Session& session, const Task& task,
                       const std::vector<std::string>& names) {
  Contenders result;
  for (const std::string& name : names) {
    const Rival& rival = rival_called(name);
    if (task.request.problem.real() && !rival.reals) {
      throw InvalidOption(
          fmt::format("--against: {} is built in for complex data only; leave it out", name));
    }
    if (!task.request.problem.axes.empty()) {
      throw InvalidOption(fmt::format(
          "--against: {} is built in for axes that are all Fourier; leave it out", name));
    }
    for (auto& contender : rival.make(session, task)) {
      result.push_back(std::move(contender));
    }
  }
  return result;
}

void gather_rivals_wisdom([[maybe_unused]] const Session& session) {
#ifdef KALLIMA_WITH_FFTW_MPI
  gather_fftw_mpi_wisdom(session);
#endif
}

std::string known_rivals() {
  std::vector<std::string> names;
  for (const Rival& rival : rivals) {
    if (rival.make != nullptr) names.emplace_back(rival.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace kallima::cli
