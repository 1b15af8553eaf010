// SPDX-License-Identifier: BSD-3-Clause
//
// Transforms forward and back, in every manner that pieces travel.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "kallima/kallima.hpp"

namespace kallima::test {

using Elements = std::vector<std::complex<double>>;

/// How pieces travel.
struct Manner {
  ExchangeMethod method = ExchangeMethod::point_to_point;
  Index chunks = 1;
  bool progress_thread = false;

  [[nodiscard]] std::string to_text() const {
    return std::string(name_of(method)) + (chunks > 1 ? " in chunks" : "") +
           (progress_thread ? " with a thread" : "");
  }
  [[nodiscard]] Options options() const {
    Options result;
    result.method = method;
    result.chunks = chunks;
    result.progress_thread = progress_thread;
    return result;
  }
};

inline const std::vector<Manner>& manners() {
  static const std::vector<Manner> all = {
      {ExchangeMethod::point_to_point, 1},       {ExchangeMethod::point_to_point, 4},
      {ExchangeMethod::point_to_point, 4, true}, {ExchangeMethod::alltoallv, 1},
      {ExchangeMethod::shared_memory, 1},        {ExchangeMethod::node_aggregated, 1},
      {ExchangeMethod::node_aggregated, 4},      {ExchangeMethod::bruck, 1}};
  return all;
}

/// A transform with its memory, forward and back.
class RoundTrip {
 public:
  RoundTrip(MPI_Comm comm, Index extent, const Options& options)
      : RoundTrip(Transform<double>(comm, {extent, extent, extent}, options)) {}
  explicit RoundTrip(const Transform<double>& fft)
      : fft_(fft),
        u_(memory(size())),
        u_k_(memory(size())),
        back_(memory(size())),
        forward_(fft_.bind(Direction::forward, u_, u_k_)),
        backward_(fft_.bind(Direction::backward, u_k_, back_)) {
    for (std::size_t i = 0; i < u_.size(); ++i) {
      const auto phase = static_cast<double>(i) + 100.0 * fft_.rank();
      u_[i] = {std::sin(0.1 * phase), std::cos(0.3 * phase)};
    }
  }

  /// Runs what is bound; returns the largest error.
  double run() {
    forward_.run();
    backward_.run();
    return error();
  }
  /// The same, binding each time.
  double bind_and_run() {
    fft_.forward(u_, u_k_);
    fft_.backward(u_k_, back_);
    return error();
  }
  void run_forward() { forward_.run(); }
  [[nodiscard]] const Transform<double>& fft() const { return fft_; }

 private:
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(fft_.in_place_size()); }
  [[nodiscard]] double error() const {
    double worst = 0;
    const auto held = static_cast<std::size_t>(fft_.input_layout().local_size(fft_.rank()));
    for (std::size_t i = 0; i < held; ++i) worst = std::max(worst, std::abs(u_[i] - back_[i]));
    return worst;
  }

  /// Memory that stays: where a call has failed, MPI may still read and write it.
  static Elements& memory(std::size_t size) {
    static std::vector<std::unique_ptr<Elements>> all;
    all.push_back(std::make_unique<Elements>(size));
    return *all.back();
  }

  Transform<double> fft_;
  Elements& u_;
  Elements& u_k_;
  Elements& back_;
  Bound<double> forward_;
  Bound<double> backward_;
};

}  // namespace kallima::test
