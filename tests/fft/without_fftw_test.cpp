// SPDX-License-Identifier: BSD-3-Clause
//
// What a library says that is built without FFTW.
#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <vector>

#include "fft/engine.hpp"
#include "kallima/error.hpp"
#include "kallima/wisdom.hpp"

namespace kallima {
namespace {

TEST(WithoutFftw, there_are_kernels_alone) {
  EXPECT_FALSE(has_engine(LineEngine::fftw));
  EXPECT_TRUE(has_engine(LineEngine::kernels));
}

TEST(WithoutFftw, there_is_no_wisdom) {
  EXPECT_NE(load_wisdom("some file").find("without which this Kallima was built"),
            std::string::npos);
  EXPECT_THROW(save_wisdom("some file"), InvalidOption);
}

TEST(WithoutFftw, lines_of_it_are_refused) {
  std::vector<std::complex<double>> line(8);
  const fft::Batch batch{8, 1, {1, 8}, {1, 8}, true};
  EXPECT_THROW(fft::FftwLines<double>(batch, -1, Effort::estimate, false, line.data(), line.data()),
               EngineFailure);
}

}  // namespace
}  // namespace kallima
