// SPDX-License-Identifier: BSD-3-Clause
#include "fft/engine.hpp"

namespace kallima::fft {

template <class T>
Engine<T>::Engine(const Batch& batch, int sign, const EngineSetup& setup, std::complex<T>* from,
                  std::complex<T>* to)
    : by_([&]() -> std::variant<FftwLines<T>, AnyLines<T>> {
        if (batch.engine == LineEngine::kernels) return AnyLines<T>(batch, sign, setup.vectors);
        return FftwLines<T>(batch, sign, setup.effort, setup.only_wisdom, from, to);
      }()) {}

template class Engine<float>;
template class Engine<double>;

}  // namespace kallima::fft
