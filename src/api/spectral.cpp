// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/spectral.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/request.hpp"
#include "comm/agreement.hpp"
#include "comm/collectives.hpp"
#include "kallima/error.hpp"

namespace kallima {

namespace {

/// The largest |k| of a spectrum.
double largest_wavenumber(const Spectrum& spectrum) {
  double sum = 0.0;
  for (std::size_t a = 0; a < spectrum.positions().size(); ++a) {
    // Frequencies grow from either end, and along an r2c axis from the first.
    double most = 0.0;
    const Index n = spectrum.frequencies_along(a);
    for (const Index at : {Index{0}, (n - 1) / 2, n / 2, n - 1}) {
      MultiIndex index;
      index[a] = at;
      most = std::max(most, std::abs(spectrum.wavenumber(index).component(a)));
    }
    sum += most * most;
  }
  return std::sqrt(sum);
}

}  // namespace

template <class T>
std::vector<Shell> power_spectrum(MPI_Comm comm, const View<T>& frequencies, double width) {
  const std::shared_ptr<const comm::Communicator> communicator = comm::Communicator::of(comm);
  const comm::Call call(*communicator, "power spectrum", 0.);
  std::vector<Shell> mine;  // sums, until all are added up
  std::vector<Shell> all;
  std::string ask;
  comm::Verdict verdict = comm::Verdict::of([&] {
    constexpr double most_shells = 1 << 24;
    const double shells = std::round(largest_wavenumber(frequencies.spectrum()) / width) + 1.;
    if (!(width > 0.) || !(shells <= most_shells)) {
      throw InvalidOption(fmt::format(
          "shells of {} would be {}; give a width above 0, and for at most 2^24 of them", width,
          shells));
    }
    ask = fmt::format("shape {}\nwidth {}\nshells {}\n",
                      fmt::join(frequencies.spectrum().positions(), "x"), width, shells);
    mine.resize(static_cast<std::size_t>(shells));
    all.resize(mine.size() * static_cast<std::size_t>(communicator->size));
    for (const auto& row : frequencies.rows()) {
      for (Index i = 0; i < row.size(); ++i) {
        const Wavenumber k = row.wavenumber(i);
        const double length = std::sqrt(k.squared());
        const auto number = static_cast<std::size_t>(std::lround(length / width));
        Shell& shell = mine[std::min(number, mine.size() - 1)];
        shell.k += k.weight() * length;
        shell.power += k.weight() * static_cast<double>(std::norm(row[i]));
        shell.modes += k.weight();
      }
    }
  });
  const std::string root = comm::broadcast(*communicator, ask);
  verdict.and_then([&] {
    if (!root.empty()) require_same(ask, root, communicator->rank);
  });
  agree(*communicator, verdict);
  // Added up in the order of ranks, so that all have the same bits.
  comm::all_gather_bytes(*communicator, mine.data(), mine.size() * sizeof(Shell), all.data());
  std::vector<Shell> result(mine.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    Shell& shell = result[i % result.size()];
    shell.k += all[i].k;
    shell.power += all[i].power;
    shell.modes += all[i].modes;
  }
  for (Shell& shell : result) {
    if (shell.modes == 0) continue;
    shell.k /= static_cast<double>(shell.modes);
    shell.power /= static_cast<double>(shell.modes);
  }
  return result;
}

template std::vector<Shell> power_spectrum(MPI_Comm, const View<float>&, double);
template std::vector<Shell> power_spectrum(MPI_Comm, const View<double>&, double);

}  // namespace kallima
