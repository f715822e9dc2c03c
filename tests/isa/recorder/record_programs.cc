// Random programs on an NVIDIA GPU beside the simulator's values. Where they differ the program is shrunk and printed.
//
//   record_programs FILE FIRST COUNT         programs of seeds FIRST ..., their digests to FILE ("-": nowhere)
//   record_programs --simulate FIRST COUNT   without a GPU: whether the front end takes them and they end
//   record_programs --ptx SEED               prints one
//
// A program that the GPU does not end, or that fails in another way, is shrunk and printed, too, and the next one
// begins.
#include <fmt/format.h>

#include <array>

#include "cuda_driver.h"
#include "gpu_process.h"
#include "isa/random/generator.h"
#include "isa/random/shrink.h"
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

/// The words that differ, by thread and byte.
std::string differences(const Outcome& gpu, const Outcome& simulated) {
  std::string out;
  size_t count = 0;
  for (size_t i = 0; i < gpu.output.size(); ++i) {
    if (gpu.output[i] == simulated.output[i] || ++count > 6) continue;
    size_t byte = 8 * i, record = byte < kSumBytes ? 0 : (byte - kSumBytes) / kRecordBytes + 1;
    size_t at = record == 0 ? byte : (byte - kSumBytes) % kRecordBytes;
    out += fmt::format("{} byte {}: GPU {:016x}, simulator {:016x}\n",
                       record == 0 ? "common" : fmt::format("thread {}", record - 1), at, gpu.output[i],
                       simulated.output[i]);
  }
  return out + fmt::format("{} words differ", count);
}

/// What the GPU gives for a program. What counts is what the driver's compiler makes of it without optimization; with
/// optimization it makes mistakes of its own in about one of a hundred programs.
struct Recorded {
  Outcome plain, optimized;
  bool agree() const { return plain.output == optimized.output; }
  const std::string& error() const { return plain.error.empty() ? optimized.error : plain.error; }
};
Recorded recorded(GpuProcess& gpu, const Program& program, int seconds = 20) {
  Recorded out{gpu.run(program, false, seconds), {}};
  if (out.plain.error.empty()) out.optimized = gpu.run(program, true, seconds);
  return out;
}

enum class Verdict { Same, Failure, Difference, OptimizedOnly };
struct VerdictRow {
  const char* name;
  size_t reports;  // so many programs are shrunk and printed; of the others the seed is
};
/// A failing program may take all its time again and again.
constexpr VerdictRow kVerdicts[] = {{"same", 0}, {"failures", 2}, {"differences", 5}, {"differ if optimized", 5}};

Verdict verdict_of(const Outcome& values, const Recorded& real) {
  if (!values.error.empty() || !real.plain.error.empty()) return Verdict::Failure;
  if (real.plain.output != values.output) return Verdict::Difference;
  return real.agree() ? Verdict::Same : Verdict::OptimizedOnly;
}

void print(const Program& program, const std::string& what) {
  const uint32_t *grid = program.shape.grid, *block = program.shape.block;
  std::string comment =
      fmt::format("---- program {}, shrunk to {} statements, {} x {} x {} blocks of {} x {} x {}\n{}", program.seed,
                  statement_count(program), grid[0], grid[1], grid[2], block[0], block[1], block[2], what);
  for (size_t at = 0; (at = comment.find('\n', at)) != std::string::npos; at += 4) comment.replace(at, 1, "\n// ");
  fmt::print("// {}\n{}\n", comment, text_of(program));
  std::fflush(stdout);
}

/// What kind of error it is: its first line without the numbers, which are places and names.
std::string kind_of(const std::string& error) {
  std::string out = error.substr(0, error.find('\n'));
  std::erase_if(out, [](char c) { return c >= '0' && c <= '9'; });
  return out;
}

/// A program without an output. `error_of` says why a program has none.
template <class ErrorOf>
void report_failure(const Program& program, const std::string& error, size_t tries, const ErrorOf& error_of) {
  print(shrunk(
            program, [&](const Program& p) { return kind_of(error_of(p)) == kind_of(error); }, tries),
        error);
}

/// `compiler`: the GPU's plain code agrees with the simulator.
void report_difference(GpuProcess& gpu, const Machine& machine, const Program& program, bool compiler) {
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
  print(small, fmt::format("{}\n{}", what, differences(compiler ? real.optimized : real.plain, values)));
}

int record(const std::string& path, uint64_t first, uint64_t count) {
  GpuProcess gpu;
  Machine machine = generic_machine();
  VectorFile file;
  file.origin = gpu.origin();
  std::array<std::vector<uint64_t>, std::size(kVerdicts)> seeds;
  size_t statements = 0;
  auto error_on_gpu = [&](const Program& p) { return recorded(gpu, p, 5).error(); };
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Program program = random_program(seed);
    statements += statement_count(program);
    Outcome values = simulated(program, machine, true);
    Recorded real;
    if (values.error.empty()) real = recorded(gpu, program);
    Verdict verdict = verdict_of(values, real);
    if (verdict != Verdict::Failure)
      file.forms[fmt::format("program {}", seed)].bytes = digest_of(program, real.plain.output);
    auto row = static_cast<size_t>(verdict);
    seeds[row].push_back(seed);
    if (verdict == Verdict::Same) continue;
    std::string error = values.error + real.error();
    fmt::print("program {}: {}{}{}\n", seed, kVerdicts[row].name, error.empty() ? "" : ": ", error);
    std::fflush(stdout);
    if (seeds[row].size() > kVerdicts[row].reports || !values.error.empty()) continue;
    if (error.empty()) report_difference(gpu, machine, program, verdict == Verdict::OptimizedOnly);
    else report_failure(program, error, 40, error_on_gpu);
  }
  fmt::print("{} programs from {} on, {} statements", count, first, statements);
  for (size_t row = 1; row < seeds.size(); ++row) {
    fmt::print("{} {} {}", row == 1 ? ":" : ",", seeds[row].size(), kVerdicts[row].name);
    if (!seeds[row].empty()) fmt::print(" ({})", fmt::join(seeds[row], " "));
  }
  fmt::print("\n");
  if (path != "-" && !write_vectors(path, file)) Driver::fail("cannot write " + path);
  bool good = seeds[size_t(Verdict::Failure)].empty() && seeds[size_t(Verdict::Difference)].empty();
  return good ? 0 : 1;
}

int simulate(uint64_t first, uint64_t count) {
  Machine machine = generic_machine();
  size_t failures = 0, statements = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Program program = random_program(seed);
    statements += statement_count(program);
    Outcome outcome = simulated(program, machine, true);
    if (outcome.error.empty()) continue;
    fmt::print("program {}: {}\n", seed, outcome.error);
    auto error_of = [&](const Program& p) { return simulated(p, machine, true).error; };
    if (++failures <= 5) report_failure(program, outcome.error, 1000, error_of);
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
