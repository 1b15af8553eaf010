// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/engine.hpp"

namespace kallima {

bool has_engine(LineEngine engine) {
#if defined(KALLIMA_WITHOUT_FFTW)
  return engine != LineEngine::fftw;
#else
  return engine <= LineEngine::kernels;
#endif
}

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
