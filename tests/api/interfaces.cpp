// SPDX-License-Identifier: BSD-3-Clause
#include "api/interfaces.hpp"

#include <cstring>
#include <stdexcept>

#include "kallima/error.hpp"

namespace kallima::test {

namespace {

class PlannedInCpp final : public Planned {
 public:
  PlannedInCpp(MPI_Comm comm, const Ask& ask) {
    if (ask.kind == Kind::r2c) {
      made<RealTransform<double>>(comm, ask);
    } else if (ask.single) {
      made<Transform<float>>(comm, ask);
    } else {
      fft_ = made<Transform<double>>(comm, ask);
    }
  }
  [[nodiscard]] std::size_t in_size() const override {
    return static_cast<std::size_t>(fft_->input_layout().local_size(fft_->rank()));
  }
  [[nodiscard]] std::size_t out_size() const override {
    return static_cast<std::size_t>(fft_->output_layout().local_size(fft_->rank()));
  }
  [[nodiscard]] std::function<void()> bind(Direction direction, In in, Out out) const override {
    return [bound = fft_->bind(direction, in, out)]() mutable { bound.run(); };
  }
  void forward(In in, Out out) const override { fft_->forward(in, out); }
  void backward(In in, Out out) const override { fft_->backward(in, out); }
  void make_array(bool input) const override {
    const Array<double> u = input ? fft_->make_input() : fft_->make_output();
  }

 private:
  template <class Fft>
  static Fft made(MPI_Comm comm, const Ask& ask) {
    if (!ask.in_text && !ask.out_text && !ask.make) return {comm, ask.shape, ask.options};
    return Fft::with(comm, [&] {
      Arguments arguments{ask.shape, ask.options};
      if (ask.in_text) arguments.options.in = *ask.in_text;
      if (ask.out_text) arguments.options.out = *ask.out_text;
      if (ask.make) ask.make(arguments);
      return arguments;
    });
  }

  std::optional<Transform<double>> fft_;
};

/// What a rank gives of its own, for C.
class BoxesInC {
 public:
  explicit BoxesInC(const LayoutChoice& choice) {
    if (!choice.own()) return;
    const OwnBoxes& own = *choice.own();
    for (const Box& box : own.boxes) {
      bounds_.insert(bounds_.end(), box.low.begin(), box.low.end());
      bounds_.insert(bounds_.end(), box.high.begin(), box.high.end());
    }
    order_ = own.order;
    for (const Margin& margin : own.margins) {
      margins_.insert(margins_.end(), {margin.below, margin.above});
    }
    boxes_ = {sizeof boxes_, static_cast<int>(own.boxes.size()), bounds_.data(),
              order_.empty() ? nullptr : order_.data(),
              margins_.empty() ? nullptr : margins_.data()};
  }
  [[nodiscard]] const kallima_boxes* get() const { return boxes_.size > 0 ? &boxes_ : nullptr; }

 private:
  std::vector<int64_t> bounds_;
  std::vector<int> order_;
  std::vector<int64_t> margins_;
  kallima_boxes boxes_{};
};

class PlannedInC final : public Planned {
 public:
  PlannedInC(MPI_Comm comm, const Ask& ask) : memory_(ask.options.memory) {
    kallima_options options;
    kallima_options_init(&options, sizeof options);
    const std::optional<std::string> in = text_of(ask.in_text, ask.options.in);
    const std::optional<std::string> out = text_of(ask.out_text, ask.options.out);
    options.precision = ask.single ? KALLIMA_F32 : KALLIMA_F64;
    options.scaling = static_cast<int>(ask.options.scaling);
    options.engine_effort = static_cast<int>(ask.options.engine_effort);
    options.method = static_cast<int>(ask.options.method);
    options.large_counts = ask.options.large_counts ? 1 : 0;
    options.in_layout = in ? in->c_str() : nullptr;
    options.out_layout = out ? out->c_str() : nullptr;
    const BoxesInC in_boxes(ask.options.in);
    const BoxesInC out_boxes(ask.options.out);
    options.in_boxes = in_boxes.get();
    options.out_boxes = out_boxes.get();
    options.lengths = ask.options.lengths.empty() ? nullptr : ask.options.lengths.data();
    options.tile_bytes = ask.options.tile_bytes;
    options.threads = ask.options.threads;
    options.message_bytes = ask.options.message_bytes;
    options.chunks = ask.options.chunks;
    options.progress_thread = ask.options.progress_thread ? 1 : 0;
    options.kind = static_cast<int>(ask.kind);
    std::vector<int> axes;
    for (const AxisKind kind : ask.options.axes) axes.push_back(static_cast<int>(kind));
    if (!axes.empty()) options.axes = axes.data();
    if (!ask.options.keep.empty()) options.keep = ask.options.keep.data();
    options.r2c_axis = ask.options.r2c_axis;
    options.padded = ask.options.padded ? 1 : 0;
    if (memory_) {
      options.allocate = [](size_t bytes, void* source) {
        return static_cast<MemorySource*>(source)->allocate(bytes);
      };
      options.release = [](void* data, size_t bytes, void* source) {
        static_cast<MemorySource*>(source)->release(data, bytes);
      };
      options.memory_context = memory_.get();
    }
    kallima_error error;
    auto* made = no_handle<kallima_transform>();
    const int code = kallima_create(comm, static_cast<int>(ask.shape.size()), ask.shape.data(),
                                    &options, &made, &error);
    if (code != KALLIMA_OK && made != nullptr) {
      throw std::logic_error("kallima_create fails and leaves a handle");
    }
    require_ok(code, error);
    fft_.reset(made);
  }
  [[nodiscard]] std::size_t in_size() const override { return size_of(KALLIMA_INPUT); }
  [[nodiscard]] std::size_t out_size() const override { return size_of(KALLIMA_OUTPUT); }
  [[nodiscard]] std::function<void()> bind(Direction direction, In in, Out out) const override {
    kallima_error error;
    auto* made = no_handle<kallima_bound>();
    const int code = kallima_bind(fft_.get(), static_cast<int>(direction), in.data(),
                                  static_cast<int64_t>(in.size()), out.data(),
                                  static_cast<int64_t>(out.size()), &made, &error);
    if (code != KALLIMA_OK && made != nullptr) {
      throw std::logic_error("kallima_bind fails and leaves a handle");
    }
    require_ok(code, error);
    const std::shared_ptr<kallima_bound> bound(made, kallima_bound_destroy);
    return [bound] {
      kallima_error failure;
      const int result = kallima_run(bound.get(), &failure);
      require_ok(result, failure);
    };
  }
  void forward(In in, Out out) const override { once(kallima_forward, in, out); }
  void backward(In in, Out out) const override { once(kallima_backward, in, out); }
  void make_array(bool) const override { throw std::logic_error("C makes no arrays"); }

 private:
  static std::optional<std::string> text_of(const std::optional<std::string>& text,
                                            const LayoutChoice& layout) {
    if (text || !layout || layout.own()) return text;
    return layout->to_text();
  }
  [[nodiscard]] std::size_t size_of(int side) const {
    int64_t elements = -1;
    if (kallima_allocated_size(fft_.get(), side, &elements) != KALLIMA_OK) {
      throw std::logic_error("kallima_allocated_size fails");
    }
    return static_cast<std::size_t>(elements);
  }
  void once(decltype(kallima_forward)* call, In in, Out out) const {
    kallima_error error;
    const int code = call(fft_.get(), in.data(), static_cast<int64_t>(in.size()), out.data(),
                          static_cast<int64_t>(out.size()), &error);
    require_ok(code, error);
  }

  std::shared_ptr<MemorySource> memory_;  // outlives the transform
  std::unique_ptr<kallima_transform, void (*)(kallima_transform*)> fft_{nullptr, kallima_destroy};
};

template <class Kind>
class InterfaceOf final : public Interface {
 public:
  [[nodiscard]] std::unique_ptr<Planned> plan(MPI_Comm comm, const Ask& ask) const override {
    return std::make_unique<Kind>(comm, ask);
  }
};

}  // namespace

bool can_be_said_in_c(const Ask& ask) {
  const Options& options = ask.options;
  if (ask.make || options.threads == 0 || options.plan) return false;
  if (!options.lengths.empty() && options.lengths.size() != ask.shape.size()) return false;
  if (!options.axes.empty() && options.axes.size() != ask.shape.size()) return false;
  if (!options.keep.empty() && options.keep.size() != ask.shape.size()) return false;
  const Problem problem{ask.shape, Precision::f64, ask.kind, -1, {}, options.keep};
  return (!options.in || options.in->shape() == ask.shape) &&
         (!options.out || options.out->shape() == problem.frequency_shape());
}

const Interface& through_cpp() {
  static const InterfaceOf<PlannedInCpp> interface;
  return interface;
}

const Interface& through_c() {
  static const InterfaceOf<PlannedInC> interface;
  return interface;
}

void require_ok(int code, const kallima_error& error) {
  if (error.code != code) throw std::logic_error("kallima_error has another code than returned");
  const std::size_t length = strnlen(error.text, sizeof error.text);
  if (length == sizeof error.text) throw std::logic_error("an error text without an end");
  if (code != KALLIMA_OK) throw_error(static_cast<ErrorCode>(code), error.text);
  if (length > 0) throw std::logic_error("success with the error text " + std::string(error.text));
}

std::string cut_for_c(const std::string& text) {
  return text.substr(0, sizeof(kallima_error::text) - 1);
}

}  // namespace kallima::test
