// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/wisdom.hpp"

#include <fftw3.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/text.hpp"
#include "fft/engine.hpp"
#include "kallima/buffer.hpp"
#include "kallima/error.hpp"

namespace kallima {
namespace {

namespace fs = std::filesystem;

class Wisdom : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("kallima_wisdom_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    learn<float>();
    learn<double>();
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

  template <class T>
  static void learn() {
    const fft::Batch batch{16, 4, {4, 1}, {4, 1}, true};
    const Buffer memory(host_memory(), 16 * 4 * static_cast<Index>(2 * sizeof(T)), "batch");
    auto* const data = reinterpret_cast<std::complex<T>*>(memory.view().data);
    const fft::FftwLines<T> engine(batch, -1, Effort::measure, false, data, data);
  }

  static std::string read(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
  }

  static void write(const std::string& name, const std::string& content) {
    std::ofstream file(name, std::ios::binary);
    file << content;
  }

  /// Loads `content` as a file: a warning is due, and the engine has learnt nothing.
  void expect_ignored(const std::string& content, const std::string& why) const {
    const std::string name = path("damaged");
    write(name, content);
    const std::string floats = fft::export_wisdom<float>();
    const std::string doubles = fft::export_wisdom<double>();
    std::string warning;
    ASSERT_NO_THROW(warning = load_wisdom(name));
    ASSERT_NE(warning.find("wisdom of " + name + " ignored: "), std::string::npos) << warning;
    ASSERT_NE(warning.find(why), std::string::npos) << warning;
    ASSERT_NE(warning.find("plans are made anew"), std::string::npos) << warning;
    ASSERT_EQ(fft::export_wisdom<float>(), floats);
    ASSERT_EQ(fft::export_wisdom<double>(), doubles);
  }

  /// A file with a right checksum, whatever is in it.
  static std::string sealed(const std::string& body) {
    return "kallima wisdom 1 " + text::hex(text::hash(body)) + "\n" + body;
  }

 private:
  fs::path folder_;
};

TEST_F(Wisdom, what_is_saved_can_be_loaded) {
  save_wisdom(path("good"));
  EXPECT_EQ(read(path("good")).rfind("kallima wisdom 1 ", 0), 0U);
  EXPECT_EQ(load_wisdom(path("good")), "");
}

TEST_F(Wisdom, loading_restores_what_the_process_forgot) {
  save_wisdom(path("good"));
  const std::string floats = fft::export_wisdom<float>();
  const std::string doubles = fft::export_wisdom<double>();
  fftw_forget_wisdom();
  fftwf_forget_wisdom();
  ASSERT_NE(fft::export_wisdom<double>(), doubles);
  EXPECT_EQ(load_wisdom(path("good")), "");
  EXPECT_EQ(fft::export_wisdom<float>().size(), floats.size());
  EXPECT_EQ(fft::export_wisdom<double>().size(), doubles.size());
}

TEST_F(Wisdom, loading_adds_and_never_clears) {
  fftw_forget_wisdom();
  fftwf_forget_wisdom();
  save_wisdom(path("little"));
  learn<double>();
  const std::string before = fft::export_wisdom<double>();
  EXPECT_EQ(load_wisdom(path("little")), "");
  EXPECT_EQ(fft::export_wisdom<double>(), before);
}

TEST_F(Wisdom, saving_again_replaces_the_file_and_leaves_no_other) {
  save_wisdom(path("good"));
  save_wisdom(path("good"));
  EXPECT_EQ(load_wisdom(path("good")), "");
  Index files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(path("good")).parent_path())) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 1);
}

TEST_F(Wisdom, a_file_that_cannot_be_written_is_an_error_with_the_fix) {
  try {
    save_wisdom(path("no/such/folder"));
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("check that its folder exists and is writable"),
              std::string::npos);
  }
}

TEST_F(Wisdom, a_file_that_cannot_be_put_in_place_leaves_nothing_behind) {
  fs::create_directories(path("folder/inside"));
  EXPECT_THROW(save_wisdom(path("folder")), FileError);
  EXPECT_FALSE(fs::exists(path("folder.new")));
}

TEST_F(Wisdom, a_file_that_is_not_there_is_a_warning) {
  EXPECT_NE(load_wisdom(path("missing")).find("the file cannot be read"), std::string::npos);
  EXPECT_NE(load_wisdom("").find("ignored"), std::string::npos);
}

TEST_F(Wisdom, a_folder_is_a_warning) {
  fs::create_directories(path("folder"));
  EXPECT_NE(load_wisdom(path("folder")).find("ignored"), std::string::npos);
}

TEST_F(Wisdom, empty_and_foreign_files_are_ignored) {
  const std::string why = "not a wisdom file of this version";
  expect_ignored("", why);
  expect_ignored("\n", why);
  expect_ignored("kallima", why);
  expect_ignored("kallima wisdom 1 ", why);
  expect_ignored("(fftw-3.3.10 fftw_wisdom #x0 #x0 #x0 #x0\n)\n", why);
  std::mt19937 random(1);
  std::string noise;
  for (int i = 0; i < 10000; ++i) noise += static_cast<char>(random() & 0xffU);
  expect_ignored(noise, why);
  expect_ignored(std::string(5000, '\0'), why);
  expect_ignored("kallima wisdom 1 " + noise, "ignored");
}

TEST_F(Wisdom, other_versions_are_ignored) {
  save_wisdom(path("good"));
  std::string content = read(path("good"));
  content.replace(0, std::string("kallima wisdom 1 ").size(), "kallima wisdom 2 ");
  expect_ignored(content, "not a wisdom file of this version");
}

TEST_F(Wisdom, a_file_that_was_cut_anywhere_is_ignored) {
  save_wisdom(path("good"));
  const std::string content = read(path("good"));
  const std::size_t step = 1 + content.size() / 150;
  for (std::size_t size = 0; size < content.size(); size += step) {
    expect_ignored(content.substr(0, size), "ignored");
    ASSERT_FALSE(HasFatalFailure()) << "cut at " << size;
  }
  expect_ignored(content.substr(0, content.size() - 1), "it is damaged");
  expect_ignored(content + "x", "it is damaged");
}

TEST_F(Wisdom, a_file_with_a_flipped_byte_anywhere_is_ignored) {
  save_wisdom(path("good"));
  const std::string content = read(path("good"));
  const std::size_t step = 1 + content.size() / 150;
  for (std::size_t at = 0; at < content.size(); at += step) {
    std::string damaged = content;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    expect_ignored(damaged, "ignored");
    ASSERT_FALSE(HasFatalFailure()) << "flipped at " << at;
  }
}

TEST_F(Wisdom, sections_that_lie_under_a_right_checksum_are_ignored) {
  expect_ignored(sealed(""), "it is incomplete");
  expect_ignored(sealed("f32\n"), "it is incomplete");
  expect_ignored(sealed("f64 0\n\n"), "it is incomplete");
  expect_ignored(sealed("f32 1\n"), "it is incomplete");
  expect_ignored(sealed("f32 9\nabc\nf64 0\n\n"), "it is incomplete");
  expect_ignored(sealed("f32 -1\n\nf64 0\n\n"), "non-negative integer");
  expect_ignored(sealed("f32 9223372036854775807\n\nf64 0\n\n"), "it is incomplete");
  expect_ignored(sealed("f32 99999999999999999999\n\nf64 0\n\n"), "does not fit 64 bits");
  expect_ignored(sealed("f32 0\n\n"), "it is incomplete");
}

TEST_F(Wisdom, text_that_the_engine_refuses_is_ignored) {
  const std::string why = "another version of the FFT engine";
  expect_ignored(sealed("f32 0\n\nf64 0\n\n"), why);
  expect_ignored(sealed("f32 3\nabc\nf64 3\nabc\n"), why);
  expect_ignored(sealed("f32 30\n(fftw-9.9.9 fftwf_wisdom #x0 #\nf64 3\nabc\n"), why);
  const std::string zeros(64, '\0');
  expect_ignored(sealed("f32 64\n" + zeros + "\nf64 64\n" + zeros + "\n"), why);
}

TEST_F(Wisdom, good_singles_do_not_hide_bad_doubles) {
  const std::string floats = fft::export_wisdom<float>();
  expect_ignored(sealed("f32 " + std::to_string(floats.size()) + "\n" + floats + "\nf64 3\nabc\n"),
                 "another version of the FFT engine");
}

}  // namespace
}  // namespace kallima
