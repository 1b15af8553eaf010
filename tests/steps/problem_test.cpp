// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/problem.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "kallima/error.hpp"

namespace kallima {
namespace {

TEST(Problem, texts_mean_what_the_header_says) {
  struct Case {
    const char* text;
    Shape shape;
    Precision precision;
    const char* normal;
  };
  const std::vector<Case> cases = {
      {"c2c:512x512x512", {512, 512, 512}, Precision::f64, "c2c:512x512x512:f64"},
      {"c2c:256^3:f32", {256, 256, 256}, Precision::f32, "c2c:256x256x256:f32"},
      {"c2c:2^30", {Index{1} << 30}, Precision::f64, "c2c:1073741824:f64"},
      {"c2c:2^10x48", {1024, 48}, Precision::f64, "c2c:1024x48:f64"},
      {"c2c:2^10^3", {1024, 1024, 1024}, Precision::f64, "c2c:1024x1024x1024:f64"},
      {"c2c:2", {2}, Precision::f64, "c2c:2:f64"},
      {"c2c:2^0", {1}, Precision::f64, "c2c:1:f64"},
      {"c2c:1^6", {1, 1, 1, 1, 1, 1}, Precision::f64, "c2c:1x1x1x1x1x1:f64"},
      {"c2c:7x3^2x5:f64", {7, 3, 3, 5}, Precision::f64, "c2c:7x3x3x5:f64"},
      {"  c2c:8x8 \n", {8, 8}, Precision::f64, "c2c:8x8:f64"},
      {"c2c:2^62", {max_elements}, Precision::f64, "c2c:4611686018427387904:f64"},
      {"c2c:2^31^2",
       {Index{1} << 31, Index{1} << 31},
       Precision::f64,
       "c2c:2147483648x2147483648:f64"},
  };
  for (const Case& good : cases) {
    const Problem problem = Problem::parse(good.text);
    EXPECT_EQ(problem.shape, good.shape) << good.text;
    EXPECT_EQ(problem.precision, good.precision) << good.text;
    EXPECT_EQ(problem.to_text(), good.normal);
    EXPECT_EQ(Problem::parse(problem.to_text()), problem);
    EXPECT_EQ(problem.elements(), volume(good.shape));
  }
}

TEST(Problem, of_words_has_no_precision_and_powers_of_two) {
  const std::vector<std::pair<const char*, Kind>> kinds = {
      {"ntt:1024x16", Kind::ntt}, {"walsh:1024x16", Kind::walsh}, {"sort:1024", Kind::sort}};
  for (const auto& [text, kind] : kinds) {
    const Problem problem = Problem::parse(text);
    EXPECT_EQ(problem.kind, kind);
    EXPECT_TRUE(problem.of_words());
    EXPECT_FALSE(problem.real());
    EXPECT_EQ((Element{true, problem.precision}.bytes()), 8);
    EXPECT_EQ(problem.to_text(), text);
    Problem longer = problem;
    longer.precision = Precision::f64;
    EXPECT_THROW(longer.validate(), InvalidOption);
  }
  EXPECT_NE(Problem::parse("ntt:1024"), Problem::parse("walsh:1024"));
  EXPECT_NE(Problem::parse("ntt:1024"), Problem::parse("c2c:1024:f32"));
}

TEST(Problem, bad_texts_are_refused_with_the_fix) {
  struct Case {
    const char* text;
    ErrorCode code;
    const char* fragment;
  };
  constexpr ErrorCode parse = ErrorCode::parse_error;
  constexpr ErrorCode shape = ErrorCode::invalid_shape;
  constexpr ErrorCode overflow = ErrorCode::overflow;
  constexpr ErrorCode option = ErrorCode::invalid_option;
  const std::vector<Case> cases = {
      {"", parse, "should read KIND:SHAPE[:PRECISION]; write for instance c2c:512x512x512"},
      {"c2c", parse, "should read KIND:SHAPE"},
      {"8x8", parse, "should read KIND:SHAPE"},
      {"c2c:8x8:f64:f64", parse, "should read KIND:SHAPE"},
      {"fft:8x8", parse, "kind 'fft' is not known, c2c, r2c and r2r are, and ntt, walsh and sort"},
      {"C2C:8x8", parse, "kind 'C2C' is not known"},
      {"ntt:16:f32", parse, "elements of ntt have 64 bits; leave 'f32' out"},
      {"walsh/x:16", parse, "'x' should be AXIS=KIND, or KIND for all axes; axes are x"},
      {"walsh/x=none:16", option, "axis x of walsh is none; only transforms of complex or real"},
      {"ntt:16x12", shape, "12 is no power of two; pad the array"},
      {"sort:16x16", shape, "keys of 2 axes; sort them along one"},
      {"c2c/x:8x8", parse, "'x' should be AXIS=KIND, or KIND for all axes; axes are y x"},
      {"r2c/z:8x8", parse, "'z' should be AXIS=KIND, or KIND for all axes, or the r2c AXIS"},
      {"r2c/:8x8", parse, "'' should be AXIS=KIND"},
      {"c2c/x=cos:8x8", parse, "'x=cos' should be AXIS=KIND"},
      {"c2c/z=none:8x8", parse, "'z=none' should be AXIS=KIND"},
      {"c2c/x=real:8x8", option,
       "axis x is real, and the r2c axis is none; of r2c one axis is real"},
      {"r2c/x=none:8x8", option, "axis x is the r2c axis, and none; make it fourier"},
      {"r2r:8x8", option, "axis y of r2r is fourier; give it a cosine or sine kind, or none"},
      {"r2r/cosine-1:8x1", shape, "axis x has 1 element, and cosine-1 needs 2 at least"},
      {"c2c:8x8*", parse, "batch of problem 'c2c:8x8*': expected"},
      {"c2c:8x8*0", shape, "has extent 0"},
      {"c2c:8x8:f16", parse, "precision 'f16' is neither f32 nor f64"},
      {"c2c:8x8:u8", option, "axis y of bytes is fourier; they are moved only: make it c2c"},
      {"r2r/none:8:u8", option, "axis x of bytes is none; they are moved only: make it c2c"},
      {"c2c:8x8:", parse, "precision '' is neither"},
      {"c2c:", parse, "extent '': expected a non-negative integer, found ''"},
      {"c2c:8x", parse, "extent '': expected"},
      {"c2c:8xx8", parse, "extent '': expected"},
      {"c2c:8X8", parse, "use x between extents, as in c2c:512x512x512"},
      {"r2c:8,8,8", parse, "use x between extents, as in r2c:512x512x512"},
      {"c2c:8 8", parse, "use x between extents"},
      {"c2c:-8x8", parse, "found '-8'"},
      {"c2c:8.5", parse, "found '8.5'"},
      {"c2c:8^", parse, "extent '8^': expected"},
      {"c2c:8^0", parse, "N^D repeats an axis of N, D from 1 to 6"},
      {"c2c:8^7", parse, "N^D repeats an axis of N, D from 1 to 6"},
      {"c2c:8^2^2", parse, "N^D repeats an axis"},
      {"c2c:2^3^2^2", parse, "N^D repeats an axis"},
      {"c2c:2^63", parse, "2^63 is beyond 2^62"},
      {"c2c:99999999999999999999", parse, "does not fit 64 bits"},
      {"c2c:0", shape, "has extent 0; every extent is at least 1"},
      {"c2c:8x0x8", shape, "shape 8x0x8 has extent 0"},
      {"c2c:2x2x2x2x2x2x2", shape, "1 to 6 axes, this one has 7"},
      {"c2c:8^4x8^4", shape, "1 to 6 axes, this one has 8"},
      {"c2c:2^62x2^62", overflow, "does not fit 64 bits"},
      {"c2c:4611686018427387905", overflow, "more than 2^62 elements; use a smaller one"},
  };
  for (const Case& bad : cases) {
    try {
      Problem::parse(bad.text);
      ADD_FAILURE() << "accepted: '" << bad.text << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), bad.code) << bad.text << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(bad.fragment), std::string::npos)
          << "'" << bad.fragment << "' is not in: " << error.what();
    }
  }
}

TEST(Problem, of_reals_half_the_frequencies_are_kept) {
  struct Case {
    const char* text;
    Shape frequencies;
    const char* normal;
  };
  const std::vector<Case> cases = {
      {"r2c:8x6", {8, 4}, "r2c:8x6:f64"},     {"r2c/x:8x6", {8, 4}, "r2c:8x6:f64"},
      {"r2c/y:8x6", {5, 6}, "r2c/y:8x6:f64"}, {"r2c:7:f32", {4}, "r2c:7:f32"},
      {"r2c:5x1", {5, 1}, "r2c:5x1:f64"},     {"r2c:4x2", {4, 2}, "r2c:4x2:f64"},
  };
  for (const Case& good : cases) {
    const Problem problem = Problem::parse(good.text);
    EXPECT_TRUE(problem.real());
    EXPECT_EQ(problem.frequency_shape(), good.frequencies) << good.text;
    EXPECT_EQ(problem.to_text(), good.normal);
    EXPECT_EQ(Problem::parse(problem.to_text()), problem);
  }
  EXPECT_FALSE(Problem::parse("c2c:8x6").real());
  EXPECT_EQ(Problem::parse("c2c:8x6").frequency_shape(), (Shape{8, 6}));
}

TEST(Problem, kinds_of_axes_have_a_text) {
  struct Case {
    const char* text;
    std::vector<AxisKind> axes;
    const char* normal;
  };
  using enum AxisKind;
  const std::vector<Case> cases = {
      {"c2c/x=cosine-1:64x65", {fourier, cosine_1}, "c2c/x=cosine-1:64x65:f64"},
      {"c2c/x=fourier:64x65", {fourier, fourier}, "c2c:64x65:f64"},
      {"c2c/none:64x65", {none, none}, "c2c/none:64x65:f64"},
      {"c2c/none:8x9*3:u8", {batch, none, none}, "c2c/none:8x9*3:u8"},
      {"c2c/none,x=batch:8x9", {none, batch}, "c2c/none,x=batch:8x9:f64"},
      {"r2r/cosine-2:4^3:f32", {cosine_2, cosine_2, cosine_2}, "r2r/cosine-2:4x4x4:f32"},
      {"r2r/sine-1,x=none:9x7", {sine_1, none}, "r2r/sine-1,x=none:9x7:f64"},
      {"r2r/x=sine-4,y=sine-3:9x7", {sine_3, sine_4}, "r2r/sine-3,x=sine-4:9x7:f64"},
      {"r2c/z,x=cosine-1:8x9x5", {real, fourier, cosine_1}, "r2c/z,x=cosine-1:8x9x5:f64"},
      {"c2c:16x16*8", {batch, fourier, fourier}, "c2c:16x16*8:f64"},
      {"c2c/y=batch:16x16", {batch, fourier}, "c2c:16*16:f64"},
      {"c2c/x=batch:16x3", {fourier, batch}, "c2c/x=batch:16x3:f64"},
      {"r2r/cosine-3:5*2", {batch, cosine_3}, "r2r/cosine-3:5*2:f64"},
      {"r2c/y,x=sine-2:8x6*4", {batch, real, sine_2}, "r2c/y,x=sine-2:8x6*4:f64"},
  };
  for (const Case& good : cases) {
    const Problem problem = Problem::parse(good.text);
    ASSERT_EQ(problem.shape.size(), good.axes.size());
    for (std::size_t a = 0; a < good.axes.size(); ++a) {
      EXPECT_EQ(problem.axis_kind(a), good.axes[a]) << good.text;
    }
    EXPECT_EQ(problem.to_text(), good.normal);
    EXPECT_EQ(Problem::parse(problem.to_text()), problem) << good.text;
  }
}

TEST(Problem, frequencies_to_keep_have_a_text) {
  struct Case {
    const char* text;
    Shape frequencies;
    const char* normal;
  };
  const std::vector<Case> cases = {
      {"c2c/k=5:16^3", {11, 11, 11}, "c2c/k=5:16x16x16:f64"},
      {"r2c/k=5:16^3", {11, 11, 6}, "r2c/k=5:16x16x16:f64"},
      {"c2c/kz=5,kx=2:16^3", {11, 16, 5}, "c2c/kz=5,kx=2:16x16x16:f64"},
      {"c2c/k=0:3x4", {1, 1}, "c2c/k=0:3x4:f64"},
      {"c2c/k=8:16x17x18", {16, 17, 17}, "c2c/k=8:16x17x18:f64"},
      {"c2c/ky=3,kx=3:7x16", {7, 7}, "c2c/k=3:7x16:f64"},
      {"c2c/kx=3:8x16", {8, 7}, "c2c/kx=3:8x16:f64"},
      {"c2c/k=8:16^2", {16, 16}, "c2c:16x16:f64"},
      {"r2c/z,k=2:8^3", {3, 5, 5}, "r2c/z,k=2:8x8x8:f64"},
      {"c2c/y=cosine-1,k=2:8x9x8", {5, 9, 5}, "c2c/y=cosine-1,k=2:8x9x8:f64"},
      {"r2c/k=1:8^2*4", {4, 3, 2}, "r2c/k=1:8x8*4:f64"},
  };
  for (const Case& good : cases) {
    const Problem problem = Problem::parse(good.text);
    EXPECT_EQ(problem.frequency_shape(), good.frequencies) << good.text;
    EXPECT_EQ(problem.to_text(), good.normal);
    EXPECT_EQ(Problem::parse(problem.to_text()), problem);
  }
  EXPECT_NE(Problem::parse("c2c/k=2:8^3"), Problem::parse("c2c/k=3:8^3"));
  EXPECT_EQ(Problem::parse("c2c/k=4:8^3"), Problem::parse("c2c:8^3"));
  for (const char* const bad : {"c2c/k=:8^2", "c2c/k=-1:8^2", "c2c/kq=1:8^2", "c2c/k:8^2",
                                "c2c/x=cosine-2,kx=1:8^2", "ntt/k=1:8", "c2c/k=1.5:8^2"}) {
    EXPECT_THROW(Problem::parse(bad), Error) << bad;
  }
  Problem problem = Problem::parse("c2c:8x8");
  problem.keep = {1};
  EXPECT_THROW(problem.validate(), InvalidOption);
  problem.keep = {1, std::numeric_limits<Index>::max()};
  EXPECT_EQ(problem.frequency_shape(), (Shape{3, 8}));
}

TEST(Problem, logical_sizes_are_those_of_FFTW) {
  EXPECT_EQ(Problem::parse("c2c:8x6").logical_size(), 48);
  EXPECT_EQ(Problem::parse("r2c:8x6*5").logical_size(), 48);
  EXPECT_EQ(Problem::parse("c2c/x=none:8x6").logical_size(), 8);
  EXPECT_EQ(Problem::parse("r2r/cosine-1:5x9").logical_size(), 8 * 16);
  EXPECT_EQ(Problem::parse("r2r/sine-1:5x9").logical_size(), 12 * 20);
  for (const char* const kind :
       {"cosine-2", "cosine-3", "cosine-4", "sine-2", "sine-3", "sine-4"}) {
    EXPECT_EQ(Problem::parse(std::string("r2r/") + kind + ":5x9").logical_size(), 10 * 18) << kind;
  }
}

TEST(Problem, kinds_of_axes_must_be_as_many_as_axes) {
  Problem problem = Problem::parse("c2c:8x6");
  problem.axes = {AxisKind::none};
  EXPECT_THROW(problem.validate(), InvalidOption);
  problem.axes = {AxisKind::none, static_cast<AxisKind>(77)};
  EXPECT_THROW(problem.validate(), InvalidOption);
}

TEST(Problem, elements_have_the_size_of_their_parts) {
  EXPECT_EQ((Element{true, Precision::f64}.bytes()), 16);
  EXPECT_EQ((Element{true, Precision::f32}.bytes()), 8);
  EXPECT_EQ((Element{false, Precision::f64}.bytes()), 8);
  EXPECT_EQ((Element{false, Precision::f32}.bytes()), 4);
  EXPECT_EQ(precision_of<float>, Precision::f32);
  EXPECT_EQ(precision_of<double>, Precision::f64);
}

}  // namespace
}  // namespace kallima
