// SPDX-License-Identifier: BSD-3-Clause
//
// In place of fftw_*.cpp where the library is built without FFTW: no plan has lines of it then, but
// one from elsewhere.
#include "fft/engine.hpp"
#include "kallima/error.hpp"

namespace kallima::fft {

template <class T>
FftwLines<T>::FftwLines(const Batch& /*batch*/, int /*sign*/, Effort /*effort*/,
                        bool /*only_wisdom*/, std::complex<T>* /*from*/, std::complex<T>* /*to*/) {
  throw EngineFailure(
      "lines are to be transformed by FFTW, without which this Kallima was built; plan them with "
      "kernels, or build it with -DKALLIMA_FFTW=ON");
}

template <class T>
FftwLines<T>::~FftwLines() = default;

template <class T>
void FftwLines<T>::run(const std::complex<T>* /*from*/, std::complex<T>* /*to*/) const {}

template <class T>
bool FftwLines<T>::aligned(const std::complex<T>* /*data*/) {
  return true;
}

template class FftwLines<float>;
template class FftwLines<double>;

template <class T>
std::string export_wisdom() {
  return {};
}

template <class T>
bool import_wisdom(const std::string& /*wisdom*/) {
  return false;
}

template std::string export_wisdom<float>();
template std::string export_wisdom<double>();
template bool import_wisdom<float>(const std::string&);
template bool import_wisdom<double>(const std::string&);

}  // namespace kallima::fft
