// The content of a launch file, or of the options for a PTX file: buffers, launches, outputs, expected results. Plain
// data with their source positions; launch_file.h and ptx_run.h create it, run_plan() runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/diagnostics.h"
#include "host/device/device.h"
#include "host/workload/compare.h"
#include "host/workload/workload.h"
#include "sim/mem/tensor_map.h"

namespace warptime::host {

/// Largest `count` of a buffer; far beyond any device, and count x 8 bytes still fits 64 bits.
inline constexpr uint64_t kMaxCount = uint64_t{1} << 40;

/// The initial values of a buffer.
struct Zeros {};
struct Iota {
  uint64_t start = 0, step = 1;  // bits of the element type; integers wrap
};
/// SplitMix64 (host/workload/random.h). Floats: min + u (max - min), u uniform in [0, 1). Integers: min + r mod (max -
/// min + 1).
struct Random {
  uint64_t seed = 1;
  std::optional<uint64_t> min, max;  // bits of the element type; default: 0 and 1 for floats, everything for integers
};
struct Values {
  std::vector<std::byte> bytes;
};
using Initial = std::variant<Zeros, Iota, Random, Values>;

/// A device buffer, or a module-scope variable to fill.
struct TypedData {
  std::string name;
  SourceSpan where;
  ptx::Type type = ptx::Type::None;
  uint64_t count = 0;
  uint32_t alignment = 0;            // 0: the machine's
  std::optional<Addr> address = {};  // nullopt: where there is room
  Initial initial;
  std::vector<uint64_t> shape = {};  // of the .npy file that it came from, for one that is written; empty: {count}
  uint64_t bytes() const { return count * ptx::bytes(type); }
};
/// Explicit values.
std::vector<std::byte> materialise(const TypedData& data);

/// A module's .texref of this name, or an object that kernels get as an argument.
struct PlannedTexture {
  sim::Texture texture;  // except its base
  size_t buffer = 0;     // index in LaunchPlan::buffers
  SourceSpan where;
};

struct PlannedArgument {
  Argument argument;                              // complete, unless it is a buffer's address or a texture's handle
  std::optional<size_t> buffer;                   // index in LaunchPlan::buffers
  std::optional<size_t> texture;                  // index in LaunchPlan::textures
  uint64_t offset = 0;                            // bytes
  std::optional<sim::TensorMap> tensor_map = {};  // but for its address, which is the buffer's
};

struct PlannedCopy {
  TimelineEvent::Direction direction = TimelineEvent::Direction::HostToDevice;
  size_t buffer = 0;
  uint64_t bytes = 0;
  CopyOptions options;
  uint32_t stream = 0;  // in the file
};

/// Bytes of a buffer set to one value.
struct PlannedFill {
  size_t buffer = 0;
  uint32_t value = 0;  // of each byte
  uint64_t bytes = 0, offset = 0;
  uint32_t stream = 0;
};

struct PlannedLaunch {
  std::string kernel;  // "": the module's only one
  Dim3 grid, block;
  LaunchOptions options;
  std::vector<PlannedArgument> arguments;
  uint32_t repeat = 1;
  uint32_t stream = 0;  // in the file; 0: the default stream
};

/// What ends a loop: after each round the host copies an element and compares it.
struct PlannedUntil {
  enum class Test : uint8_t { Equals, Below, Above };
  size_t buffer = 0;
  uint64_t element = 0;
  Test test = Test::Equals;
  uint64_t bits = 0;  // of the buffer's type
  SourceSpan where;
};

/// The next `steps` steps are one round of a loop, or with an index all of them one after the other.
struct PlannedLoop {
  uint32_t repeat = 1;  // at most
  size_t steps = 0;
  std::vector<size_t> rounds = {};  // with an index: the steps of each round
  std::optional<PlannedUntil> until = {};
};

struct PlannedOutput {
  size_t buffer = 0;
  std::string path;  // "-": standard output
  SourceSpan where;
};

/// Elements of a buffer that are printed after the run (printed_range.h).
struct PlannedPrint {
  size_t buffer = 0;
  uint64_t first = 0, end = 0;
};

/// What an expectation counts in a lab (`warptime grade`), and what is said to whoever does not meet it.
struct Grading {
  double points = 1;
  std::string hint;  // empty: none
};

struct Expectation {
  size_t buffer = 0;
  std::vector<std::byte> values;
  Tolerance tolerance;
  Grading grading = {};
};

/// One launch of a run by its number, the first is 0, or all launches of a kernel.
struct LaunchChoice {
  std::optional<uint64_t> number;
  std::string kernel;  // as the file names it; with a number that of this launch, empty if it is not known
};

/// Limits of a figure of the run (launch_expectations.h), or of the ratio of two launches.
struct ExpectedFigure {
  std::string figure;
  std::optional<LaunchChoice> launch = {};                // nullopt: all of the run
  std::optional<LaunchChoice> of = {};                    // the launch that `launch` is divided by
  std::optional<double> min = {}, max = {}, equals = {};  // of shares and ratios: 0.9 is 90 %
  bool is_percent = false;                                // how the limits were written
  Grading grading = {};
  SourceSpan where = {};  // of a limit
};

/// A quantity computed from the statistics of the run (launch_figures.h).
struct PlannedFigure {
  std::string name, expression, unit, what;
  SourceSpan where;  // of the expression
};

struct LaunchPlan {
  std::shared_ptr<const SourceText> module;
  std::vector<TypedData> buffers;
  std::vector<TypedData> constants;
  std::vector<PlannedTexture> textures;
  std::vector<std::variant<PlannedCopy, PlannedFill, PlannedLaunch, PlannedLoop>> steps;
  std::vector<PlannedOutput> outputs;
  std::vector<PlannedPrint> prints;
  std::vector<Expectation> expectations;
  std::vector<std::pair<std::string, double>> parameters;  // with the values of this run
  std::vector<PlannedFigure> figures;
  std::vector<ExpectedFigure> expected_figures;
  std::vector<std::shared_ptr<const SourceText>> sources;  // the texts that positions refer to

  std::optional<size_t> find_buffer(std::string_view name) const;
  std::vector<std::string_view> buffer_names() const;
};

/// Where the file has several modules, leaves in the plan the one with the kernels that it launches, and their names
/// without
/// "@sm_75" (ptx/module_file.h).
void choose_module(LaunchPlan& plan, Diagnostics& diagnostics);

/// Runs every step, writes the outputs, and compares (if `check`). Throws InputError or FaultError. `printed` receives
/// the text of the plan's prints, also before a fault is thrown.
std::vector<Check> run_plan(Device& device, const LaunchPlan& plan, bool check, std::string* printed = nullptr);

}  // namespace warptime::host
