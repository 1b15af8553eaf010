// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/steps.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "steps/digits.hpp"

namespace kallima {

Index radix_of(const State& state, std::size_t digit) {
  const Index whole = state.digits[digit].whole;
  return whole > 0 ? whole : state.layout.shape()[digit];
}

Kernel kernel_of(AxisKind kind, Direction direction) {
  const bool forward = direction == Direction::forward;
  switch (kind) {
    case AxisKind::fourier:
      return Kernel::fourier;
    case AxisKind::real:
      return Kernel::real;
    case AxisKind::cosine_1:
      return Kernel::cosine_1;
    case AxisKind::cosine_2:
      return forward ? Kernel::cosine_2 : Kernel::cosine_3;
    case AxisKind::cosine_3:
      return forward ? Kernel::cosine_3 : Kernel::cosine_2;
    case AxisKind::cosine_4:
      return Kernel::cosine_4;
    case AxisKind::sine_1:
      return Kernel::sine_1;
    case AxisKind::sine_2:
      return forward ? Kernel::sine_2 : Kernel::sine_3;
    case AxisKind::sine_3:
      return forward ? Kernel::sine_3 : Kernel::sine_2;
    case AxisKind::sine_4:
      return Kernel::sine_4;
    case AxisKind::none:
    case AxisKind::batch:
      break;
  }
  return Kernel::none;
}

std::string_view name_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::none:
      return "copy";
    case Kernel::fourier:
      return "fourier";
    case Kernel::real:
      return "real-fourier";
    case Kernel::cosine_1:
      return "cosine-1";
    case Kernel::cosine_2:
      return "cosine-2";
    case Kernel::cosine_3:
      return "cosine-3";
    case Kernel::cosine_4:
      return "cosine-4";
    case Kernel::sine_1:
      return "sine-1";
    case Kernel::sine_2:
      return "sine-2";
    case Kernel::sine_3:
      return "sine-3";
    case Kernel::sine_4:
      return "sine-4";
    case Kernel::compare:
      return "compare";
    case Kernel::chirp:
      return "chirp";
    case Kernel::real_chirp:
      return "real-chirp";
  }
  return "";
}

std::vector<std::string> State::names() const {
  int axes = 0;
  for (const Digit& digit : digits) axes = std::max(axes, digit.axis + 1);
  const std::vector<std::string> of_axes = axis_names(static_cast<std::size_t>(axes));
  std::vector<std::string> result;
  for (const Digit& digit : digits) {
    const std::string& name = of_axes[static_cast<std::size_t>(digit.axis)];
    Index of_axis = 0;
    Index lighter = 0;
    for (const Digit& other : digits) {
      of_axis += other.axis == digit.axis ? 1 : 0;
      lighter +=
          other.axis == digit.axis && other.kind == digit.kind && other.weight < digit.weight;
    }
    result.push_back((digit.kind == DigitKind::frequency ? "k" : "") + name +
                     (of_axis > 1 ? std::to_string(lighter) : ""));
  }
  return result;
}

std::vector<int> State::twiddle_digits(int digit) const {
  const Digit& swept = digits[static_cast<std::size_t>(digit)];
  std::vector<int> result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool itself = static_cast<int>(i) == digit;
    if (!itself && digits[i].axis == swept.axis && digits[i].kind == DigitKind::position) {
      result.push_back(static_cast<int>(i));
    }
  }
  return result;
}

Index State::twiddle_modulus(int digit) const {
  Index modulus = 1;
  for (const int i : twiddle_digits(digit)) modulus *= layout.shape()[static_cast<std::size_t>(i)];
  return modulus == 1 ? 0 : modulus * radix_of(*this, static_cast<std::size_t>(digit));
}

Traffic Exchange::message_traffic() const {
  const Index parts = chunks.parts();
  Traffic result = traffic;
  result.messages = checked_mul(traffic.messages, parts, "messages of an exchange");
  result.most_messages_sent *= parts;
  result.most_messages_received *= parts;
  return result;
}

const Exchange* StepList::exchange_at(std::size_t step) const {
  return step < steps_.size() ? std::get_if<Exchange>(&steps_[step]) : nullptr;
}

const Sweep* StepList::sweep_at(std::size_t step) const {
  return step < steps_.size() ? std::get_if<Sweep>(&steps_[step]) : nullptr;
}

std::optional<std::size_t> StepList::turn() const {
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    const Sweep* const sweep = sweep_at(step);
    if (sweep != nullptr && sweep->turns) return step;
  }
  return std::nullopt;
}

bool StepList::convolves() const { return points() > 0; }

Index StepList::points() const {
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    const Sweep* const sweep = sweep_at(step);
    if (sweep == nullptr || !is_chirp(sweep->kernel)) continue;
    return std::max(sweep->points, states_[step].layout.shape()[0]);
  }
  return 0;
}

Direction StepList::direction_at(std::size_t step) const {
  const Sweep* const sweep = sweep_at(step);
  if (sweep != nullptr && is_chirp(sweep->kernel)) return direction_;
  const std::optional<std::size_t> turned = turn();
  if (turned && step > *turned) return Direction::backward;
  return convolves() ? Direction::forward : direction_;
}

Chunks StepList::chunks_at(std::size_t step) const {
  const Exchange* const exchange = exchange_at(step);
  return exchange == nullptr ? Chunks{} : exchange->chunks;
}

Index StepList::exchanges() const {
  return std::count_if(steps_.begin(), steps_.end(),
                       [](const Step& step) { return std::holds_alternative<Exchange>(step); });
}

bool StepList::goes_by(ExchangeMethod method) const {
  return exchanges() > 0 && std::all_of(steps_.begin(), steps_.end(), [method](const Step& step) {
           const auto* const exchange = std::get_if<Exchange>(&step);
           return exchange == nullptr || exchange->method == method;
         });
}

CommVolume StepList::total_volume() const {
  CommVolume sum;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto* const exchange = std::get_if<Exchange>(&steps_[i]);
    if (exchange == nullptr) continue;
    const Traffic moved = exchange->message_traffic();
    const Index bytes = states_[i].element.bytes();
    const auto add_bytes = [&](Index& to, Index elements) {
      constexpr const char* what = "bytes of all exchanges";
      to = checked_add(to, checked_mul(elements, bytes, what), what);
    };
    add_bytes(sum.bytes, moved.elements);
    add_bytes(sum.most_bytes_sent, moved.most_sent);
    add_bytes(sum.most_bytes_received, moved.most_received);
    sum.messages += moved.messages;
    sum.most_messages_sent += moved.most_messages_sent;
    sum.most_messages_received += moved.most_messages_received;
  }
  return sum;
}

Index StepList::largest_local_size() const {
  Index largest = 0;
  for (const State& state : states_) {
    largest = std::max(largest, in_complex(state.layout.largest_allocated_size(), state.element));
  }
  return largest;
}

}  // namespace kallima
