// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of a plan, and the states between them.
//
// Between two steps the array is in a state. There every axis is a list of digits: factors of its
// extent, each with a weight, still a position or already a frequency. The layout of a state
// distributes digits, not axes, so that one mechanism (pieces between two layouts) serves whole
// axes of any extent, uneven ones too, and axes that are split on the way. A whole axis is one
// digit of weight 1. A regrouping splits axes into digits or joins them again; it moves nothing.
//
// An axis that is split is transformed digit by digit, the leading position digit first (decimation
// in frequency): with j = W j1 + j0, the sweep along j1 (radix R) yields the frequency digit k0 and
// multiplies by exp(-2 pi i j0 k0 / (R W)); what is left is a transform of length W over j0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kallima/engine.hpp"
#include "kallima/export.h"
#include "kallima/layout.hpp"
#include "kallima/method_table.h"
#include "kallima/problem.hpp"
#include "kallima/traffic.hpp"

namespace kallima {

/// Which way a plan transforms.
enum class Direction : std::uint8_t {
  forward,   ///< position to frequency, exponent -2 pi i
  backward,  ///< frequency to position, exponent +2 pi i
};

/// What a digit counts.
enum class DigitKind : std::uint8_t { position, frequency };

/// One factor of an axis; its radix is the extent of the state's layout at the same place.
struct Digit {
  int axis = 0;                          ///< axis of the problem
  Index weight = 1;                      ///< what the digit counts in units of the axis' index
  DigitKind kind = DigitKind::position;  ///< position until transformed
  Index whole = 0;    ///< of the frequencies of an r2c axis or a truncated one: its extent as a
                      ///< position; 0 elsewhere
  Index kept = 0;     ///< of a truncated axis: its extent as a frequency; 0 elsewhere
  Index chirped = 0;  ///< of an axis that is a convolution for now: its extent as a position; 0
                      ///< elsewhere

  friend bool operator==(const Digit&, const Digit&) = default;
};

/// What the data is between two steps.
struct KALLIMA_API State {
  Element element;            ///< type of the elements
  std::vector<Digit> digits;  ///< what the extents of the layout mean
  Layout layout;              ///< where each element is

  /// Names of the digits: x for a position, kx for a frequency; digits of a split axis are numbered
  /// by weight, x0 the lightest.
  [[nodiscard]] std::vector<std::string> names() const;
  /// What a Fourier sweep along a digit multiplies by: exp(-+ 2 pi i j k / modulus), where k is the
  /// index along the digit and j the number that the axis' position digits of smaller weight form.
  /// Modulus 0 where there are none, and nothing is multiplied.
  [[nodiscard]] Index twiddle_modulus(int digit) const;
  /// The position digits of the same axis that form j.
  [[nodiscard]] std::vector<int> twiddle_digits(int digit) const;
  /// The layout with these names.
  [[nodiscard]] std::string to_text() const { return layout.to_text(names()); }
  /// The same for people: see Layout::summary().
  [[nodiscard]] std::string summary() const { return layout.summary(names()); }

  friend bool operator==(const State&, const State&) = default;
};

/// What a sweep computes along its digit.
enum class Kernel : std::uint8_t {
  none,      ///< moves data only
  fourier,   ///< discrete Fourier transform
  real,      ///< of reals, along the r2c axis: forward the first, backward the last
  cosine_1,  ///< cosine and sine transforms, as AxisKind has them, of complex numbers part by part
  cosine_2,
  cosine_3,
  cosine_4,
  sine_1,
  sine_2,
  sine_3,
  sine_4,
  compare,    ///< puts keys in order; positions stay positions
  chirp,      ///< Bluestein's: between an axis and a longer one, whose sweeps convolve it
  real_chirp  ///< the same of reals, on one side, and half of their frequencies
};

/// "fourier", "cosine-1", ...; "copy" for none.
KALLIMA_API std::string_view name_of(Kernel kernel);

/// True for cosine and sine transforms.
inline bool is_trigonometric(Kernel kernel) {
  return kernel >= Kernel::cosine_1 && kernel <= Kernel::sine_4;
}

/// True for what multiplies by a chirp, element by element: it needs no axis whole.
inline bool is_chirp(Kernel kernel) {
  return kernel == Kernel::chirp || kernel == Kernel::real_chirp;
}

/// What is computed along an axis, in a direction; none where nothing is.
KALLIMA_API Kernel kernel_of(AxisKind kind, Direction direction);

/// How the lines of a tile lie in its buffer.
enum class TileForm : std::uint8_t {
  lines,       ///< one line after the other
  interleaved  ///< first elements of all lines, then all second ones, ...
};

/// One pass over local memory: each tile of lines is gathered, transformed in cache, scattered.
struct Sweep {
  Kernel kernel = Kernel::none;     ///< what is computed
  int digit = 0;                    ///< along which digit of the state; unused for none
  Index lines = 1;                  ///< lines per tile
  TileForm form = TileForm::lines;  ///< of the tile's buffer
  bool joined = false;  ///< in the same pass as the sweep before: tiles are planes of both digits
  bool turns = false;   ///< forward, then what users do with frequencies, then backward, in one
                        ///< pass: the state behind it is that before it. In a convolution they are
                        ///< multiplied by those of a chirp instead.
  Index points = 0;     ///< of a chirp: the extent behind it; 0 where it goes back to the axis
  LineEngine engine = LineEngine::fftw;  ///< what computes

  friend bool operator==(const Sweep&, const Sweep&) = default;
};

/// By what means pieces travel.
enum class ExchangeMethod : std::uint8_t {
  any,  ///< whichever is cheapest of those that can be had; in a request only
#define KALLIMA_METHOD(number, name, NAME, text, meaning) name = (number), /**< meaning */
  KALLIMA_METHOD_TABLE(KALLIMA_METHOD)
#undef KALLIMA_METHOD
};

/// "point-to-point", ...; "any".
KALLIMA_API std::string_view name_of(ExchangeMethod method);

/// How an exchange by messages, of ranks or of nodes, goes on while the sweeps beside it compute.
/// The sweep before it is cut into chunks along one digit, the sweep behind it along another. Of
/// each chunk that is computed, what the first half of the chunks behind wants is sent at once;
/// what the others want follows chunk by chunk when all is computed, so that the sweep behind can
/// begin long before everything has arrived. Half does whether the network or computing is the
/// slower: what is left then travels while the first half is taken.
///
/// Or both are cut alike, along a digit that neither sweeps and that is distributed alike (that of
/// a batch, say): then each chunk before has what one chunk behind wants, and no other.
struct Chunks {
  int sent_digit = 0;   ///< along which the sweep before is cut
  Index sent = 1;       ///< into so many
  int taken_digit = 0;  ///< along which the sweep behind is cut
  Index taken = 1;      ///< into so many

  /// True where both are cut alike; then into as many.
  [[nodiscard]] bool alike() const { return sent > 1 && taken > 1 && sent_digit == taken_digit; }
  /// Chunks behind that are served while the sweep before computes.
  [[nodiscard]] Index ahead() const { return alike() ? taken : (taken + 1) / 2; }
  /// Messages from one rank to another.
  [[nodiscard]] Index parts() const { return alike() ? sent : sent * ahead() + taken - ahead(); }

  friend bool operator==(const Chunks&, const Chunks&) = default;
};

/// Pieces of the array change owner. The elements of a message lie in the memory order of `to`.
///
/// Where `digits` are given it is the exchange of k with n - k: between the digits of one axis of
/// reals, of whose first half is kept, and the half spectrum of the whole axis. What is on the
/// wrong side of n/2 is conjugated on the way.
struct KALLIMA_API Exchange {
  Layout to;                                               ///< layout of the state behind it
  ExchangeMethod method = ExchangeMethod::point_to_point;  ///< how the pieces travel
  Traffic traffic = {};            ///< what travels between ranks or nodes, messages whole
  std::vector<Digit> digits = {};  ///< of the state behind it; empty where they stay as they are
  Chunks chunks = {};              ///< by messages: one each way, or more
  Index radix = 0;                 ///< of the rounds of a method that has such; 0 otherwise

  /// True for the exchange of k with n - k.
  [[nodiscard]] bool hermitian() const { return !digits.empty(); }
  /// True where it goes on while the sweeps beside it compute.
  [[nodiscard]] bool pipelined() const { return chunks.parts() > 1; }
  /// Exactly what messages carry: each part is one. In shared memory, elements that change owner
  /// are read in place, in no messages.
  [[nodiscard]] Traffic message_traffic() const;

  friend bool operator==(const Exchange&, const Exchange&) = default;
};

/// The same memory, with axes split into digits or joined. Costs nothing.
struct Regroup {
  std::vector<Digit> digits;  ///< of the state behind it
  Layout to;                  ///< layout of the state behind it

  friend bool operator==(const Regroup&, const Regroup&) = default;
};

/// One step of a plan.
using Step = std::variant<Sweep, Exchange, Regroup>;

/// The layout `whole`, one digit per axis, in terms of digits of these radices (parallel lists; an
/// axis' digits are all of one kind). Empty where some axis is distributed so that digits cannot
/// say it: a table of boxes, extents that do not divide, or a boundary inside a digit that is not
/// cyclic there.
KALLIMA_API std::optional<Layout> split(const Layout& whole, const std::vector<Digit>& digits,
                                        const Shape& radices);

/// How ranks are laid on nodes; an input of planning.
struct Placement {
  Index ranks_per_node = 0;  ///< 0: not known

  friend bool operator==(const Placement&, const Placement&) = default;
};

/// What all exchanges of a plan move. Figures of the busiest rank are sums over exchanges, each of
/// its own busiest.
struct CommVolume {
  Index bytes = 0;                   ///< over all ranks, in messages or read in place
  Index messages = 0;                ///< over all ranks; in shared memory none
  Index most_bytes_sent = 0;         ///< by one rank
  Index most_bytes_received = 0;     ///< by one rank
  Index most_messages_sent = 0;      ///< by one rank
  Index most_messages_received = 0;  ///< by one rank

  friend bool operator==(const CommVolume&, const CommVolume&) = default;
};

/// Steps from one layout to another, with the states between them: what exchange methods, the
/// schedule and prices look at. A Plan is such a list, checked.
class KALLIMA_API StepList {
 public:
  /// What is transformed.
  [[nodiscard]] const Problem& problem() const { return problem_; }
  /// Which way; of steps that go there and back, forward.
  [[nodiscard]] Direction direction() const { return direction_; }
  /// Which way at a step: behind a sweep that turns, backward. A convolution goes forward and
  /// backward, whatever it is for; the chirps beside it go the way of the whole.
  [[nodiscard]] Direction direction_at(std::size_t step) const;
  /// The sweep that turns; empty for none.
  [[nodiscard]] std::optional<std::size_t> turn() const;
  /// True where an axis is transformed by a convolution (Bluestein's algorithm).
  [[nodiscard]] bool convolves() const;
  /// True for steps from positions to positions, which users work between.
  [[nodiscard]] bool round_trip() const { return turn() && !convolves(); }
  /// Elements of a convolution, of which a rank keeps its part of the chirp's frequencies; 0 for
  /// none.
  [[nodiscard]] Index points() const;
  /// Ranks it was made for, idle ones included.
  [[nodiscard]] Index ranks() const { return ranks_; }
  /// How they are laid on nodes.
  [[nodiscard]] const Placement& placement() const { return placement_; }
  /// The steps, in order.
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  /// states()[i] is before step i, states().back() behind the last.
  [[nodiscard]] const std::vector<State>& states() const { return states_; }
  /// Layout of the input.
  [[nodiscard]] const Layout& input() const { return states_.front().layout; }
  /// Layout of the output.
  [[nodiscard]] const Layout& output() const { return states_.back().layout; }
  /// Number of exchanges.
  [[nodiscard]] Index exchanges() const;
  /// The exchange that a step is; null where it is none, or beyond the ends.
  [[nodiscard]] const Exchange* exchange_at(std::size_t step) const;
  /// The sweep that a step is, likewise.
  [[nodiscard]] const Sweep* sweep_at(std::size_t step) const;
  /// How a step is cut; one chunk where it is no exchange.
  [[nodiscard]] Chunks chunks_at(std::size_t step) const;
  /// True where there are exchanges, all by this method.
  [[nodiscard]] bool goes_by(ExchangeMethod method) const;
  /// Sum over the exchanges.
  [[nodiscard]] CommVolume total_volume() const;
  /// Most memory of any state on any rank, in complex elements: two reals are one.
  [[nodiscard]] Index largest_local_size() const;

  friend bool operator==(const StepList&, const StepList&) = default;

 protected:
  StepList() = default;
  StepList(Problem problem, Direction direction, Index ranks, Placement placement)
      : problem_(std::move(problem)), direction_(direction), ranks_(ranks), placement_(placement) {}

  Problem problem_;                           ///< see problem()
  Direction direction_ = Direction::forward;  ///< see direction()
  Index ranks_ = 1;                           ///< see ranks()
  Placement placement_;                       ///< see placement()
  std::vector<Step> steps_;                   ///< see steps()
  std::vector<State> states_{State{}};        ///< see states()
};

}  // namespace kallima
