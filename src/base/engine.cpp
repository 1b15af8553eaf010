// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/engine.hpp"

namespace kallima {

std::string_view name_of(LineEngine engine) {
  switch (engine) {
    case LineEngine::any:
      return "any";
    case LineEngine::fftw:
      return "fftw";
    case LineEngine::kernels:
      return "kernels";
  }
  return "unknown";
}

}  // namespace kallima
