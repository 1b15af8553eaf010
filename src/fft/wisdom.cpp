// SPDX-License-Identifier: BSD-3-Clause
//
// File form: "kallima wisdom 1 CHECKSUM" on the first line, then two sections "f32 BYTES" and
// "f64 BYTES", each followed by so many bytes of the engine's own text. The checksum covers all
// behind the first line.
#include "kallima/wisdom.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "fft/engine.hpp"
#include "kallima/error.hpp"

namespace kallima {

namespace {

constexpr const char* head = "kallima wisdom 1 ";

std::string section(const char* name, const std::string& wisdom) {
  return std::string(name) + " " + std::to_string(wisdom.size()) + "\n" + wisdom + "\n";
}

/// Takes one section off the front of `rest`; false where it is not there.
bool take_section(std::string_view& rest, const char* name, std::string& wisdom) {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) return false;
  const std::vector<std::string> words = text::words(rest.substr(0, end));
  if (words.size() != 2 || words[0] != name) return false;
  const auto size = static_cast<std::size_t>(text::parse_count(words[1], "size of a section"));
  rest.remove_prefix(end + 1);
  if (size >= rest.size()) return false;
  wisdom = rest.substr(0, size);
  rest.remove_prefix(size + 1);
  return true;
}

}  // namespace

void save_wisdom(const std::string& path) {
  if (!has_engine(LineEngine::fftw)) {
    throw InvalidOption(
        "wisdom is FFTW's, without which this Kallima was built, so there is none "
        "to save in " +
        path + "; leave it out, or build Kallima with -DKALLIMA_FFTW=ON");
  }
  const std::string body =
      section("f32", fft::export_wisdom<float>()) + section("f64", fft::export_wisdom<double>());
  write_file(path, head + text::hex(text::hash(body)) + "\n" + body);
}

std::string load_wisdom(const std::string& path) {
  const auto ignored = [&](const std::string& why) {
    return "wisdom of " + path + " ignored: " + why + "; plans are made anew";
  };
  if (!has_engine(LineEngine::fftw)) {
    return ignored("it is FFTW's, without which this Kallima was built");
  }
  std::string all;
  try {
    all = text_of_file(path);
  } catch (const FileError&) {
    return ignored("the file cannot be read");
  }
  const std::size_t end = all.find('\n');
  if (end == std::string::npos || !all.starts_with(head)) {
    return ignored("it is not a wisdom file of this version");
  }
  const std::string_view body = std::string_view(all).substr(end + 1);
  const std::string_view sum = std::string_view(all).substr(std::string_view(head).size(),
                                                            end - std::string_view(head).size());
  if (sum != text::hex(text::hash(body)))
    return ignored("its checksum does not fit, it is damaged");
  std::string_view rest = body;
  std::string singles;
  std::string doubles;
  try {
    if (!take_section(rest, "f32", singles) || !take_section(rest, "f64", doubles)) {
      return ignored("it is incomplete");
    }
  } catch (const Error& error) {
    return ignored(error.what());
  }
  if (!fft::import_wisdom<float>(singles) || !fft::import_wisdom<double>(doubles)) {
    return ignored("it is from another version of the FFT engine");
  }
  return {};
}

}  // namespace kallima
