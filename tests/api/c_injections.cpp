// SPDX-License-Identifier: BSD-3-Clause
//
// What can go wrong in C alone: pointers that are NULL, structs of another size, numbers that are
// no enumerators, texts longer than their memory.
#include <array>
#include <climits>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "api/injections.hpp"

#include "kallima/error.hpp"

namespace kallima::test {

namespace {

#define KALLIMA_SAME_CODE(code, name, NAME, type, meaning) \
  static_assert(KALLIMA_##NAME == static_cast<int>(ErrorCode::name));
KALLIMA_ERROR_TABLE(KALLIMA_SAME_CODE)
#undef KALLIMA_SAME_CODE

/// Arguments of kallima_create.
struct Creation {
  int axes = 3;
  const int64_t* shape = base_shape.data();
  kallima_options options = {};
  bool anywhere = true;  ///< there is a place for the handle
};

/// Throws what it returns. Without a kallima_error the text is the meaning of the code.
void create(MPI_Comm comm, const Creation& with, bool words = true) {
  kallima_error error;
  auto* fft = no_handle<kallima_transform>();
  const int code = kallima_create(comm, with.axes, with.shape, &with.options,
                                  with.anywhere ? &fft : nullptr, words ? &error : nullptr);
  if (code == KALLIMA_OK) kallima_destroy(fft);
  if (code != KALLIMA_OK && with.anywhere && fft != nullptr) {
    throw std::logic_error("kallima_create fails and leaves a handle");
  }
  if (words) {
    require_ok(code, error);
  } else if (code != KALLIMA_OK) {
    throw_error(static_cast<ErrorCode>(code), kallima_code_meaning(code));
  }
}

Injection creation(const std::string& name, ErrorCode expected,
                   const std::function<void(Creation&)>& spoil, bool words = true) {
  return {"kallima_create, " + name,
          expected,
          false,
          [=](const Interface&, MPI_Comm comm, int variant) {
            Creation with;
            kallima_options_init(&with.options, sizeof with.options);
            if (variant > 0) spoil(with);
            create(comm, with, words);
          },
          false,
          true};
}

void creations(std::vector<Injection>& list) {
  const auto add = [&](const std::string& name, ErrorCode expected,
                       const std::function<void(Creation&)>& spoil) {
    list.push_back(creation(name, expected, spoil));
  };
  const auto option = [&](const std::string& name,
                          const std::function<void(kallima_options&)>& spoil) {
    add(name, ErrorCode::invalid_option, [=](Creation& c) { spoil(c.options); });
  };
  add("no place for the handle", ErrorCode::invalid_option,
      [](Creation& c) { c.anywhere = false; });
  add("no shape", ErrorCode::invalid_shape, [](Creation& c) { c.shape = nullptr; });
  add("no shape and no axes", ErrorCode::invalid_shape, [](Creation& c) {
    c.axes = 0;
    c.shape = nullptr;
  });
  for (const int axes : {-1, INT_MIN, 7, 1000000, INT_MAX}) {
    add(std::to_string(axes) + " axes", ErrorCode::invalid_shape,
        [axes](Creation& c) { c.axes = axes; });
  }
  for (const std::size_t size :
       {std::size_t{0}, sizeof(std::size_t) - 1, sizeof(kallima_options) + 1, ~std::size_t{0}}) {
    option("options of " + std::to_string(size) + " bytes",
           [size](kallima_options& o) { o.size = size; });
  }
  for (const int value : {-1, 2, INT_MIN, INT_MAX}) {
    option("precision " + std::to_string(value),
           [value](kallima_options& o) { o.precision = value; });
  }
  // 256 would be 0 if it were cut to the byte that the enumerators take.
  for (const int value : {-1, 256, INT_MIN}) {
    const std::string text = std::to_string(value);
    option("scaling " + text, [value](kallima_options& o) { o.scaling = value; });
    option("effort " + text, [value](kallima_options& o) { o.engine_effort = value; });
    option("method " + text, [value](kallima_options& o) { o.method = value; });
  }
  option("kind 2 without axes", [](kallima_options& o) { o.kind = 2; });
  option("kind 3", [](kallima_options& o) { o.kind = 3; });
  static const std::array<int, 6> no_kinds = {-1, 12, 99, 0, 0, 0};
  option("kinds of axes that there are not", [](kallima_options& o) { o.axes = no_kinds.data(); });
  option("half of a complex spectrum", [](kallima_options& o) { o.r2c_axis = 0; });
  option("padded complex rows", [](kallima_options& o) { o.padded = 1; });
  option("half of no axis", [](kallima_options& o) {
    o.kind = KALLIMA_R2C;
    o.r2c_axis = 7;
  });
  add("a plan without sweeps", ErrorCode::parse_error, [](Creation& c) {
    const Shape shape = {6, 4, 5};
    static const std::string text =
        Plan({shape}, Direction::forward, 1, {}, Layout::slab(shape, 1), {}).to_text();
    c.options.plan = text.c_str();
  });
  add("a plan that is no text of one", ErrorCode::parse_error,
      [](Creation& c) { c.options.plan = "plan"; });
  option("allocate without release",
         [](kallima_options& o) { o.allocate = [](size_t, void*) -> void* { return nullptr; }; });
  option("release without allocate",
         [](kallima_options& o) { o.release = [](void*, size_t, void*) {}; });
  // Whose options cannot be read takes part all the same, whatever precision the others have.
  list.push_back({"kallima_create, options of 0 bytes among single precision",
                  ErrorCode::invalid_option, false,
                  [](const Interface&, MPI_Comm comm, int variant) {
                    Creation with;
                    kallima_options_init(&with.options, sizeof with.options);
                    with.options.precision = KALLIMA_F32;
                    if (variant > 0) with.options.size = 0;
                    create(comm, with);
                  },
                  false, true});
  list.push_back(creation(
      "a negative extent, nobody wants words", ErrorCode::invalid_shape,
      [](Creation& c) {
        static const int64_t bad[] = {6, -4, 5};
        c.shape = bad;
      },
      false));
  // What is no error: programs that know less of the struct, layouts in other words.
  for (const std::size_t size :
       {sizeof(std::size_t), offsetof(kallima_options, scaling),
        offsetof(kallima_options, in_layout), offsetof(kallima_options, allocate)}) {
    add("a shorter struct of " + std::to_string(size) + " bytes", ErrorCode::ok,
        [size](Creation& c) {
          std::memset(&c.options, 0xff, sizeof c.options);
          kallima_options_init(&c.options, size);
        });
  }
  list.push_back({"kallima_create, one layout in other words", ErrorCode::ok, false,
                  [](const Interface&, MPI_Comm comm, int variant) {
                    Creation with;
                    kallima_options_init(&with.options, sizeof with.options);
                    with.options.in_layout = variant == 0 ? "z:block/2 y:all x:all"
                                                          : " z:block/2:balanced\ty:all x:all\n";
                    create(comm, with);
                  },
                  false, true});
}

void bindings(std::vector<Injection>& list, int ranks) {
  /// Arguments of kallima_bind.
  struct Binding {
    int direction;
    int64_t in_elements = 100;
    int64_t out_elements = 100;
    bool anywhere = true;
  };
  const auto add = [&](const std::string& name, ErrorCode expected,
                       const std::function<void(Binding&)>& spoil) {
    for (const int direction : {KALLIMA_FORWARD, KALLIMA_BACKWARD}) {
      list.push_back(
          {"kallima_bind " + std::to_string(direction) + ", " + name, expected, false,
           [=](const Interface&, MPI_Comm comm, int variant) {
             kallima_options options;
             kallima_options_init(&options, sizeof options);
             const Ask ask = Fixture::made_of(ranks);
             const std::string in = ask.options.in->to_text();
             const std::string out = ask.options.out->to_text();
             options.in_layout = in.c_str();
             options.out_layout = out.c_str();
             kallima_transform* made = nullptr;
             kallima_error error;
             require_ok(kallima_create(comm, 2, ask.shape.data(), &options, &made, &error), error);
             const std::unique_ptr<kallima_transform, void (*)(kallima_transform*)> fft(
                 made, kallima_destroy);
             Binding with{direction};
             if (variant > 0) spoil(with);
             std::vector<std::complex<double>> memory(200);
             auto* bound = no_handle<kallima_bound>();
             const int code = kallima_bind(made, with.direction, memory.data(), with.in_elements,
                                           memory.data() + 100, with.out_elements,
                                           with.anywhere ? &bound : nullptr, &error);
             if (code == KALLIMA_OK) kallima_bound_destroy(bound);
             if (code != KALLIMA_OK && with.anywhere && bound != nullptr) {
               throw std::logic_error("kallima_bind fails and leaves a handle");
             }
             require_ok(code, error);
           },
           false, true});
    }
  };
  add("no place for the handle", ErrorCode::invalid_option, [](Binding& b) { b.anywhere = false; });
  for (const int value : {-1, 256, INT_MIN, INT_MAX}) {
    add("direction " + std::to_string(value), ErrorCode::invalid_option,
        [value](Binding& b) { b.direction = value; });
  }
  for (const int64_t count : {int64_t{-1}, int64_t{INT64_MIN}}) {
    add("an input of " + std::to_string(count), ErrorCode::invalid_buffer,
        [count](Binding& b) { b.in_elements = count; });
    add("an output of " + std::to_string(count), ErrorCode::invalid_buffer,
        [count](Binding& b) { b.out_elements = count; });
  }
}

/// Arguments of kallima_halo_create.
struct HaloCreation {
  int axes = 2;
  std::vector<int64_t> shape = {8, 6};
  std::string layout;
  std::vector<int64_t> widths = {1, 1, 0, 2};
  std::vector<int> periodic = {1, 0};
  int64_t element_bytes = 8;
  bool anywhere = true;   ///< there is a place for the handle
  bool has_shape = true;  ///< likewise
  bool has_layout = true;
};

void halos(std::vector<Injection>& list, int ranks) {
  const auto add = [&](const std::string& name, ErrorCode expected,
                       const std::function<void(HaloCreation&, int)>& spoil) {
    list.push_back(
        {"kallima_halo_create, " + name, expected, expected == ErrorCode::mismatched_arguments,
         [=](const Interface&, MPI_Comm comm, int variant) {
           HaloCreation with;
           with.layout = "y:block/" + std::to_string(ranks) + "~2 x:all~2";
           if (variant > 0) spoil(with, variant);
           kallima_error error;
           auto* halo = no_handle<kallima_halo>();
           const int code = kallima_halo_create(
               comm, with.axes, with.has_shape ? with.shape.data() : nullptr,
               with.has_layout ? with.layout.c_str() : nullptr, with.widths.data(),
               with.periodic.data(), with.element_bytes, with.anywhere ? &halo : nullptr, &error);
           if (code == KALLIMA_OK) kallima_halo_destroy(halo);
           if (code != KALLIMA_OK && with.anywhere && halo != nullptr) {
             throw std::logic_error("kallima_halo_create fails and leaves a handle");
           }
           require_ok(code, error);
         },
         false, true});
  };
  add("no place for the handle", ErrorCode::invalid_option,
      [](HaloCreation& c, int) { c.anywhere = false; });
  add("no shape", ErrorCode::invalid_shape, [](HaloCreation& c, int) { c.has_shape = false; });
  for (const int axes : {-1, 0, 7, INT_MIN, INT_MAX}) {
    add(std::to_string(axes) + " axes", ErrorCode::invalid_shape,
        [axes](HaloCreation& c, int) { c.axes = axes; });
  }
  add("an extent of 0", ErrorCode::invalid_shape, [](HaloCreation& c, int) { c.shape[1] = 0; });
  add("no layout", ErrorCode::invalid_layout, [](HaloCreation& c, int) { c.has_layout = false; });
  add("a layout that is none", ErrorCode::parse_error,
      [](HaloCreation& c, int) { c.layout = "y:blocks x:all"; });
  add("a layout of too many ranks", ErrorCode::too_few_ranks,
      [](HaloCreation& c, int) { c.layout = "y:block/7~2 x:all~2"; });
  add("a cyclic layout", ErrorCode::invalid_layout,
      [](HaloCreation& c, int) { c.layout = "y:cyclic/2~2 x:all~2"; });
  add("boxes with a gap", ErrorCode::invalid_layout,
      [](HaloCreation& c, int) { c.layout = "boxes y~2 x~2 | 0:8 0:5"; });
  add("several boxes on a rank", ErrorCode::invalid_layout,
      [](HaloCreation& c, int) { c.layout = "boxes y~2 x~2 | 0:4 0:6 & 4:8 0:6"; });
  for (const int64_t width : {int64_t{-1}, int64_t{3}, INT64_MIN, INT64_MAX}) {
    for (const std::size_t side : {std::size_t{0}, std::size_t{3}}) {
      add("width " + std::to_string(width) + " at " + std::to_string(side),
          ErrorCode::invalid_layout, [=](HaloCreation& c, int) { c.widths[side] = width; });
    }
  }
  for (const int64_t bytes : {int64_t{0}, int64_t{-1}, INT64_MIN}) {
    add("elements of " + std::to_string(bytes) + " bytes", ErrorCode::invalid_option,
        [bytes](HaloCreation& c, int) { c.element_bytes = bytes; });
  }
  add("other elements", ErrorCode::mismatched_arguments,
      [](HaloCreation& c, int variant) { c.element_bytes += variant; });
  add("another shape", ErrorCode::mismatched_arguments,
      [](HaloCreation& c, int variant) { c.shape[1] += variant; });
  add("other widths", ErrorCode::mismatched_arguments, [](HaloCreation& c, int variant) {
    c.widths = {0, variant > 1 ? 0 : 1, 0, variant > 2 ? 1 : 2};
  });
  add("other periodic axes", ErrorCode::mismatched_arguments, [](HaloCreation& c, int variant) {
    c.periodic = {variant == 1 ? 0 : 1, variant == 2 ? 1 : 0};
    if (variant == 3) c.periodic = {0, 1};
  });
  add("truth in another number", ErrorCode::ok, [](HaloCreation& c, int) { c.periodic[0] = -7; });
}

using Calls = std::vector<LocalCall>;

/// `call` must return this code.
void returns(Calls& list, const std::string& name, int code,
             const std::function<int(kallima_transform*)>& call) {
  list.push_back({name, [=](Complaints& complaints, kallima_transform* fft) {
                    const int is = call(fft);
                    complaints.expect(is == code, std::string("returns ") + kallima_code_name(is) +
                                                      " and not " + kallima_code_name(code));
                  }});
}

/// A call whose handle is NULL, and that has words for it: all ranks make it, each for itself.
void refuses(Calls& list, const std::string& name, const std::function<int(kallima_error*)>& call) {
  list.push_back({name, [=](Complaints& complaints, kallima_transform*) {
                    kallima_error error;
                    std::memset(&error, 0xff, sizeof error);
                    const int code = call(&error);
                    complaints.expect(code == KALLIMA_INVALID_OPTION, "is not refused");
                    complaints.expect(error.code == code, "kallima_error has another code");
                    const std::size_t length = strnlen(error.text, sizeof error.text);
                    complaints.expect(length > 20 && length < sizeof error.text,
                                      "the text names no fix, or does not end");
                    complaints.expect(call(nullptr) == code, "another code without words");
                  }});
}

void null_handles(Calls& list) {
  refuses(list, "kallima_create on no communicator", [](kallima_error* error) {
    auto* fft = no_handle<kallima_transform>();
    const int code = kallima_create(MPI_COMM_NULL, 3, base_shape.data(), nullptr, &fft, error);
    return fft == nullptr ? code : KALLIMA_INTERNAL_ERROR;
  });
  refuses(list, "kallima_forward of NULL", [](kallima_error* error) {
    return kallima_forward(nullptr, nullptr, 0, nullptr, 0, error);
  });
  refuses(list, "kallima_backward of NULL", [](kallima_error* error) {
    return kallima_backward(nullptr, nullptr, 0, nullptr, 0, error);
  });
  refuses(list, "kallima_bind of NULL", [](kallima_error* error) {
    auto* bound = no_handle<kallima_bound>();
    const int code = kallima_bind(nullptr, KALLIMA_FORWARD, nullptr, 0, nullptr, 0, &bound, error);
    return bound == nullptr ? code : KALLIMA_INTERNAL_ERROR;
  });
  refuses(list, "kallima_run of NULL",
          [](kallima_error* error) { return kallima_run(nullptr, error); });
  refuses(list, "kallima_halo_create on no communicator", [](kallima_error* error) {
    auto* halo = no_handle<kallima_halo>();
    const int code = kallima_halo_create(MPI_COMM_NULL, 3, base_shape.data(), "z:all~1 y:all x:all",
                                         nullptr, nullptr, 8, &halo, error);
    return halo == nullptr ? code : KALLIMA_INTERNAL_ERROR;
  });
  refuses(list, "kallima_halo_run of NULL",
          [](kallima_error* error) { return kallima_halo_run(nullptr, nullptr, 0, error); });
  list.push_back({"destroying NULL", [](Complaints&, kallima_transform*) {
                    kallima_destroy(nullptr);
                    kallima_bound_destroy(nullptr);
                    kallima_halo_destroy(nullptr);
                  }});
}

/// Every pointer that a question needs is NULL in turn, every number outside its range.
void questions(Calls& list) {
  const auto bad = [&](const std::string& name,
                       const std::function<int(kallima_transform*)>& call) {
    returns(list, name, KALLIMA_INVALID_OPTION, call);
  };
  const auto good = [&](const std::string& name,
                        const std::function<int(kallima_transform*)>& call) {
    returns(list, name, KALLIMA_OK, call);
  };
  static int64_t number = 0;
  static int rank = 0;
  static const std::array<int64_t, 2> index = {4, 6};

  bad("kallima_local_size of NULL",
      [](auto*) { return kallima_local_size(nullptr, KALLIMA_INPUT, &number); });
  bad("kallima_local_size to NULL",
      [](auto* fft) { return kallima_local_size(fft, KALLIMA_INPUT, nullptr); });
  bad("kallima_allocated_size of NULL",
      [](auto*) { return kallima_allocated_size(nullptr, KALLIMA_INPUT, &number); });
  bad("kallima_allocated_size to NULL",
      [](auto* fft) { return kallima_allocated_size(fft, KALLIMA_INPUT, nullptr); });
  bad("kallima_in_place_size of NULL",
      [](auto*) { return kallima_in_place_size(nullptr, &number); });
  bad("kallima_in_place_size to NULL",
      [](auto* fft) { return kallima_in_place_size(fft, nullptr); });
  bad("kallima_workspace_bytes of NULL",
      [](auto*) { return kallima_workspace_bytes(nullptr, &number); });
  bad("kallima_workspace_bytes to NULL",
      [](auto* fft) { return kallima_workspace_bytes(fft, nullptr); });
  bad("kallima_local_axis of NULL", [](auto*) {
    return kallima_local_axis(nullptr, KALLIMA_INPUT, 0, nullptr, nullptr, nullptr, nullptr);
  });
  good("kallima_local_axis to NULL", [](auto* fft) {
    return kallima_local_axis(fft, KALLIMA_INPUT, 0, nullptr, nullptr, nullptr, nullptr);
  });
  bad("kallima_memory_order of NULL",
      [](auto*) { return kallima_memory_order(nullptr, KALLIMA_INPUT, &rank); });
  bad("kallima_memory_order to NULL",
      [](auto* fft) { return kallima_memory_order(fft, KALLIMA_INPUT, nullptr); });
  bad("kallima_wavenumbers of NULL",
      [](auto*) { return kallima_wavenumbers(nullptr, 0, nullptr, nullptr); });
  good("kallima_wavenumbers to NULL",
       [](auto* fft) { return kallima_wavenumbers(fft, 0, nullptr, nullptr); });
  bad("kallima_owner of NULL",
      [](auto*) { return kallima_owner(nullptr, KALLIMA_INPUT, index.data(), &rank); });
  bad("kallima_owner at NULL",
      [](auto* fft) { return kallima_owner(fft, KALLIMA_INPUT, nullptr, &rank); });
  bad("kallima_owner to NULL",
      [](auto* fft) { return kallima_owner(fft, KALLIMA_INPUT, index.data(), nullptr); });
  good("kallima_owner of the last element",
       [](auto* fft) { return kallima_owner(fft, KALLIMA_INPUT, index.data(), &rank); });
  for (const std::array<int64_t, 2> beyond :
       {std::array<int64_t, 2>{-1, 0}, {5, 0}, {0, 7}, {0, -1}, {INT64_MIN, INT64_MAX}}) {
    bad("kallima_owner at " + std::to_string(beyond[0]) + ", " + std::to_string(beyond[1]),
        [beyond](auto* fft) { return kallima_owner(fft, KALLIMA_OUTPUT, beyond.data(), &rank); });
  }
  bad("kallima_layout_text of NULL",
      [](auto*) { return kallima_layout_text(nullptr, KALLIMA_INPUT, nullptr, 0, nullptr); });
  bad("kallima_plan_text of NULL",
      [](auto*) { return kallima_plan_text(nullptr, KALLIMA_FORWARD, nullptr, 0, nullptr); });
  for (const int value : {-1, 2, 256, INT_MIN, INT_MAX}) {
    const std::string text = std::to_string(value);
    bad("kallima_local_size of side " + text,
        [value](auto* fft) { return kallima_local_size(fft, value, &number); });
    bad("kallima_allocated_size of side " + text,
        [value](auto* fft) { return kallima_allocated_size(fft, value, &number); });
    bad("kallima_local_axis of side " + text, [value](auto* fft) {
      return kallima_local_axis(fft, value, 0, &number, nullptr, nullptr, nullptr);
    });
    bad("kallima_wavenumbers of axis " + text,
        [value](auto* fft) { return kallima_wavenumbers(fft, value, nullptr, nullptr); });
    bad("kallima_local_axis of axis " + text, [value](auto* fft) {
      return kallima_local_axis(fft, KALLIMA_INPUT, value, &number, nullptr, nullptr, nullptr);
    });
    bad("kallima_owner of side " + text,
        [value](auto* fft) { return kallima_owner(fft, value, index.data(), &rank); });
    bad("kallima_layout_text of side " + text,
        [value](auto* fft) { return kallima_layout_text(fft, value, nullptr, 0, nullptr); });
    bad("kallima_plan_text of direction " + text,
        [value](auto* fft) { return kallima_plan_text(fft, value, nullptr, 0, nullptr); });
  }
}

/// The same of a halo exchange.
void halo_questions(Calls& list) {
  const auto add = [&](const std::string& name, int code,
                       const std::function<int(kallima_halo*)>& call) {
    list.push_back({name, [=](Complaints& complaints, kallima_transform*) {
                      kallima_halo* halo = nullptr;
                      kallima_halo_create(MPI_COMM_SELF, 3, base_shape.data(),
                                          "z:all~1 y:all x:all", nullptr, nullptr, 8, &halo,
                                          nullptr);
                      complaints.expect(call(halo) == code, "returns another code");
                      kallima_halo_destroy(halo);
                    }});
  };
  static int64_t number = 0;
  static kallima_statistics moved = {sizeof moved, 0, 0, 0, 0, 0};
  static kallima_statistics short_struct = {1, 0, 0, 0, 0, 0};
  using Question = decltype(kallima_halo_allocated_size)*;
  const std::array<std::pair<const char*, Question>, 3> numbers = {
      {{"kallima_halo_allocated_size", kallima_halo_allocated_size},
       {"kallima_halo_first_offset", kallima_halo_first_offset},
       {"kallima_halo_workspace_bytes", kallima_halo_workspace_bytes}}};
  for (const auto& question : numbers) {
    const Question ask = question.second;
    const std::string name = question.first;
    add(name, KALLIMA_OK, [ask](auto* halo) { return ask(halo, &number); });
    add(name + " of NULL", KALLIMA_INVALID_OPTION, [ask](auto*) { return ask(nullptr, &number); });
    add(name + " to NULL", KALLIMA_INVALID_OPTION,
        [ask](auto* halo) { return ask(halo, nullptr); });
  }
  add("kallima_halo_local_axis of NULL", KALLIMA_INVALID_OPTION,
      [](auto*) { return kallima_halo_local_axis(nullptr, 0, &number, nullptr, nullptr); });
  for (const int axis : {-1, 3, INT_MIN, INT_MAX}) {
    add("kallima_halo_local_axis of axis " + std::to_string(axis), KALLIMA_INVALID_OPTION,
        [axis](auto* halo) {
          return kallima_halo_local_axis(halo, axis, nullptr, nullptr, nullptr);
        });
  }
  add("kallima_halo_get_statistics", KALLIMA_OK,
      [](auto* halo) { return kallima_halo_get_statistics(halo, &moved); });
  add("kallima_halo_get_statistics of NULL", KALLIMA_INVALID_OPTION,
      [](auto*) { return kallima_halo_get_statistics(nullptr, &moved); });
  add("kallima_halo_get_statistics to NULL", KALLIMA_INVALID_OPTION,
      [](auto* halo) { return kallima_halo_get_statistics(halo, nullptr); });
  add("kallima_halo_get_statistics into 1 byte", KALLIMA_INVALID_OPTION,
      [](auto* halo) { return kallima_halo_get_statistics(halo, &short_struct); });
}

/// A text goes into memory of any length: as much as fits, with its end, and nothing beyond.
void texts(Calls& list) {
  using Text = decltype(kallima_layout_text)*;
  const auto add = [&](const char* name, Text text) {
    list.push_back(
        {std::string(name) + " into memory of any length",
         [text](Complaints& complaints, kallima_transform* fft) {
           std::size_t needed = 0;
           complaints.expect(text(fft, 0, nullptr, 17, &needed) == KALLIMA_OK,
                             "does not say how long it is");
           std::string whole(needed, '#');
           text(fft, 0, whole.data(), needed, nullptr);
           complaints.expect(needed > 1 && std::strlen(whole.c_str()) == needed - 1,
                             "is not as long as it says");
           for (std::size_t capacity = 0; capacity <= needed + 1; ++capacity) {
             std::string memory(needed + 2, '#');
             std::size_t again = 0;
             complaints.expect(
                 text(fft, 0, memory.data(), capacity, &again) == KALLIMA_OK && again == needed,
                 "says another length");
             std::string wanted(needed + 2, '#');
             const std::size_t length = std::min(capacity, needed);
             if (length > 0) {
               wanted.replace(0, length, whole, 0, length);
               wanted[length - 1] = '\0';
             }
             complaints.expect(memory == wanted, "is cut wrongly to " + std::to_string(capacity));
           }
         }});
  };
  add("kallima_layout_text", kallima_layout_text);
  add("kallima_plan_text", kallima_plan_text);
}

void structs(Calls& list) {
  returns(list, "kallima_options_init of NULL", KALLIMA_INVALID_OPTION,
          [](auto*) { return kallima_options_init(nullptr, sizeof(kallima_options)); });
  returns(list, "kallima_get_statistics of NULL", KALLIMA_INVALID_OPTION, [](auto*) {
    kallima_statistics moved = {sizeof moved, 0, 0, 0, 0, 0};
    return kallima_get_statistics(nullptr, &moved);
  });
  returns(list, "kallima_get_statistics to NULL", KALLIMA_INVALID_OPTION,
          [](auto* fft) { return kallima_get_statistics(fft, nullptr); });
  /// Bytes that a call may write, between others.
  using Bytes = std::array<unsigned char, 256>;
  const auto untouched = [](const Bytes& bytes, std::size_t from) {
    for (std::size_t i = from; i < bytes.size(); ++i) {
      if (bytes[i] != 0xa5) return false;
    }
    return true;
  };
  for (const std::size_t size : {std::size_t{0}, sizeof(std::size_t) - 1, sizeof(std::size_t),
                                 offsetof(kallima_options, in_layout), sizeof(kallima_options),
                                 sizeof(kallima_options) + 1, ~std::size_t{0}}) {
    const bool known = size >= sizeof(std::size_t) && size <= sizeof(kallima_options);
    list.push_back({"kallima_options_init of " + std::to_string(size) + " bytes",
                    [=](Complaints& complaints, kallima_transform*) {
                      alignas(kallima_options) Bytes bytes;
                      bytes.fill(0xa5);
                      const int code = kallima_options_init(
                          reinterpret_cast<kallima_options*>(bytes.data()), size);
                      complaints.expect(code == (known ? KALLIMA_OK : KALLIMA_INVALID_OPTION),
                                        std::string("returns ") + kallima_code_name(code));
                      complaints.expect(untouched(bytes, known ? size : 0), "writes too far");
                      std::size_t kept = 0;
                      std::memcpy(&kept, bytes.data(), sizeof kept);
                      complaints.expect(!known || kept == size, "does not note the size");
                    }});
  }
  for (const std::size_t size :
       {std::size_t{0}, sizeof(std::size_t) - 1, sizeof(std::size_t),
        offsetof(kallima_statistics, messages_sent), sizeof(kallima_statistics),
        sizeof(kallima_statistics) + 1, ~std::size_t{0}}) {
    const bool known = size >= sizeof(std::size_t) && size <= sizeof(kallima_statistics);
    list.push_back(
        {"kallima_get_statistics into " + std::to_string(size) + " bytes",
         [=](Complaints& complaints, kallima_transform* fft) {
           alignas(kallima_statistics) Bytes bytes;
           bytes.fill(0xa5);
           std::memcpy(bytes.data(), &size, sizeof size);
           const int code =
               kallima_get_statistics(fft, reinterpret_cast<kallima_statistics*>(bytes.data()));
           complaints.expect(code == (known ? KALLIMA_OK : KALLIMA_INVALID_OPTION),
                             std::string("returns ") + kallima_code_name(code));
           complaints.expect(untouched(bytes, known ? size : sizeof size), "writes too far");
         }});
  }
}

void codes(Calls& list) {
  list.push_back({"names and meanings of codes", [](Complaints& complaints, kallima_transform*) {
                    complaints.expect(std::string(kallima_code_name(KALLIMA_OK)) == "ok",
                                      "success is not called ok");
#define KALLIMA_NAMED(code, name, NAME, type, meaning)                                            \
  complaints.expect(std::string(kallima_code_name(KALLIMA_##NAME)) == #name, #name " is not so"); \
  complaints.expect(std::string(kallima_code_meaning(code)) == meaning, #name " means other");
                    KALLIMA_ERROR_TABLE(KALLIMA_NAMED)
#undef KALLIMA_NAMED
                    for (const int code : {-1, 9999, INT_MIN, INT_MAX}) {
                      complaints.expect(std::string(kallima_code_name(code)) == "unknown",
                                        "a code that there is not has a name");
                      complaints.expect(kallima_code_meaning(code) != nullptr, "no meaning");
                    }
                  }});
}

}  // namespace

std::vector<Injection> c_injections(int ranks) {
  std::vector<Injection> list;
  creations(list);
  bindings(list, ranks);
  halos(list, ranks);
  return list;
}

std::vector<LocalCall> c_local_calls() {
  Calls list;
  null_handles(list);
  questions(list);
  halo_questions(list);
  texts(list);
  structs(list);
  codes(list);
  return list;
}

}  // namespace kallima::test
