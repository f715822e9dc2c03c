// Random programs on an NVIDIA GPU beside the simulator's values. Where they differ the program is shrunk and printed.
//
//   record_programs FILE FIRST COUNT         programs of seeds FIRST ..., their digests to FILE ("-": nowhere)
//   record_programs --simulate FIRST COUNT   without a GPU: whether the front end takes them and they end
//   record_programs --ptx SEED               prints one
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

#include "cuda_driver.h"
#include "isa/random/generator.h"
#include "isa/random/shrink.h"
#include "isa/random/simulated.h"
#include "isa/vector_file.h"
#include "sim/model/machine_loader.h"

namespace warptime::sim {

namespace {

Machine generic_machine() {
  Diagnostics diagnostics;
  auto loaded = load_machine("generic", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  if (!loaded) Driver::fail(diagnostics.to_text());
  return loaded->machine;
}

/// Ends the recorder when the GPU does not come back from a program.
void stuck(int) {
  static constexpr std::string_view kMessage = "recorder: the GPU does not end the program begun last\n";
  [[maybe_unused]] auto written = write(2, kMessage.data(), kMessage.size());
  _exit(1);
}

class Gpu {
 public:
  Gpu() {
    std::signal(SIGALRM, stuck);
    constexpr int kStackSize = 0;  // CU_LIMIT_STACK_SIZE: of functions
    Driver::check(cuda_.set_limit(kStackSize, 8192), "cuCtxSetLimit");
    Driver::check(cuda_.allocate(&in_, size_t{kInputWords} * 8), "cuMemAlloc");
    Driver::check(cuda_.allocate(&out_, kMostOutput), "cuMemAlloc");
  }
  std::string origin() const { return cuda_.origin(); }

  /// `optimized`: as the driver's compiler does unless told otherwise.
  Outcome run(const Program& program, bool optimized) {
    Outcome outcome;
    std::string text = text_of(program), log(8192, '\0');
    int options[] = {5, 6, 7};  // CU_JIT_ERROR_LOG_BUFFER, its size, CU_JIT_OPTIMIZATION_LEVEL
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size()),
                      reinterpret_cast<void*>(optimized ? size_t{4} : 0)};
    void *module = nullptr, *function = nullptr;
    if (cuda_.load(&module, text.c_str(), 3, options, values) != 0) {
      outcome.error = one_line(log.c_str());
      return outcome;
    }
    Driver::check(cuda_.function(&function, module, "k"), "cuModuleGetFunction");
    std::vector<uint64_t> input = input_of(program);
    outcome.output = initial_output(program);
    Driver::check(cuda_.to_device(in_, input.data(), input.size() * 8), "cuMemcpyHtoD");
    Driver::check(cuda_.to_device(out_, outcome.output.data(), outcome.output.size() * 8), "cuMemcpyHtoD");
    void* arguments[] = {&in_, &out_};
    const auto& [grid, block] = program.shape;
    std::string name = fmt::format("program {}", program.seed);
    alarm(20);
    Driver::check(
        cuda_.launch(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0, nullptr, arguments, nullptr),
        name);
    Driver::check(cuda_.synchronize(), name);
    alarm(0);
    Driver::check(cuda_.to_host(outcome.output.data(), out_, outcome.output.size() * 8), name);
    Driver::check(cuda_.unload(module), "cuModuleUnload");
    return outcome;
  }

 private:
  static constexpr size_t kMostOutput = 1 << 20;
  Driver cuda_;
  Driver::Pointer in_ = 0, out_ = 0;
};

/// The words that differ, by thread and byte.
std::string differences(const Outcome& gpu, const Outcome& simulated) {
  std::string out;
  size_t count = 0;
  for (size_t i = 0; i < gpu.output.size(); ++i) {
    if (gpu.output[i] == simulated.output[i] || ++count > 6) continue;
    size_t byte = 8 * i, record = byte < kSumBytes ? 0 : (byte - kSumBytes) / kRecordBytes + 1;
    size_t at = record == 0 ? byte : (byte - kSumBytes) % kRecordBytes;
    out += fmt::format("// {} byte {}: GPU {:016x}, simulator {:016x}\n",
                       record == 0 ? "common" : fmt::format("thread {}", record - 1), at, gpu.output[i],
                       simulated.output[i]);
  }
  return out + fmt::format("// {} words differ\n", count);
}

/// What the GPU gives for a program. What counts is what the driver's compiler makes of it without optimization; with
/// optimization it makes mistakes of its own in about one of a hundred programs.
struct Recorded {
  Outcome plain, optimized;
  bool agree() const { return plain.output == optimized.output; }
  const std::string& error() const { return plain.error.empty() ? optimized.error : plain.error; }
};
Recorded recorded(Gpu& gpu, const Program& program) { return {gpu.run(program, false), gpu.run(program, true)}; }

void report(Gpu& gpu, const Machine& machine, const Program& program) {
  Outcome whole = simulated(program, machine, true);
  bool compiler = recorded(gpu, program).plain.output == whole.output;
  auto fails = [&](const Program& p) {
    Outcome values = simulated(p, machine, true);
    if (!values.error.empty()) return false;
    Recorded real = recorded(gpu, p);
    if (!real.error().empty()) return false;
    return compiler ? !real.agree() && real.plain.output == values.output : real.plain.output != values.output;
  };
  Program small = shrunk(program, fails, 300);
  Recorded real = recorded(gpu, small);
  Outcome values = simulated(small, machine, true);
  const char* what = compiler                                 ? "optimized code differs from plain code and simulator"
                     : real.agree()                           ? "simulator and GPU differ"
                     : real.optimized.output == values.output ? "plain code differs from optimized code and simulator"
                                                              : "plain code, optimized code and simulator differ";
  fmt::print("// ---- program {}, shrunk to {} statements: {}\n// blocks of {} x {} x {}\n{}{}\n", program.seed,
             statement_count(small), what, small.shape.block[0], small.shape.block[1], small.shape.block[2],
             differences(compiler ? real.optimized : real.plain, values), text_of(small));
  std::fflush(stdout);
}

int record(const std::string& path, uint64_t first, uint64_t count) {
  Gpu gpu;
  Machine machine = generic_machine();
  VectorFile file;
  file.origin = gpu.origin();
  size_t failures = 0, different = 0, disagreements = 0, statements = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Program program = random_program(seed);
    statements += statement_count(program);
    Outcome values = simulated(program, machine, true);
    Recorded real;
    fmt::print(stderr, "program {}\n", seed);
    if (values.error.empty()) real = recorded(gpu, program);
    if (std::string error = values.error + real.error(); !error.empty()) {
      ++failures;
      fmt::print("program {}: {}\n", seed, error);
      continue;
    }
    file.forms[fmt::format("program {}", seed)].bytes = digest_of(program, real.plain.output);
    if (real.plain.output != values.output) ++different;
    else if (!real.agree()) ++disagreements;
    else continue;
    if (different + disagreements <= 5) report(gpu, machine, program);
    else fmt::print("program {}: {}\n", seed, real.plain.output != values.output ? "differs" : "differs if optimized");
  }
  fmt::print("{} programs from {} on, {} statements: {} failures, {} differences; {} differ if optimized\n", count,
             first, statements, failures, different, disagreements);
  if (path != "-" && !write_vectors(path, file)) Driver::fail("cannot write " + path);
  return failures + different == 0 ? 0 : 1;
}

int simulate(uint64_t first, uint64_t count) {
  Machine machine = generic_machine();
  size_t failures = 0, statements = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Program program = random_program(seed);
    statements += statement_count(program);
    Outcome outcome = simulated(program, machine, true);
    if (outcome.error.empty()) continue;
    ++failures;
    fmt::print("program {}: {}\n", seed, outcome.error);
  }
  fmt::print("{} programs, {} statements, {} failures\n", count, statements, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace

}  // namespace warptime::sim

int main(int count, char** arguments) {
  using namespace warptime::sim;
  auto number = [&](int i) { return std::strtoull(arguments[i], nullptr, 10); };
  std::string_view what = count > 1 ? arguments[1] : "";
  if (count == 3 && what == "--ptx") {
    fmt::print("{}", text_of(random_program(number(2))));
    return 0;
  }
  if (count == 4 && what == "--simulate") return simulate(number(2), number(3));
  if (count == 4) return record(arguments[1], number(2), number(3));
  fmt::print(stderr, "usage: record_programs FILE|- FIRST COUNT | --simulate FIRST COUNT | --ptx SEED\n");
  return 2;
}
