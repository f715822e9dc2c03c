// A run that continues from a checkpoint gives the report of the run that wrote it, byte for byte: every workload, at
// random moments, whatever the number of threads and the step before and after. Members that a class does not save are
// found here. WARPTIME_SEED chooses other moments.
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "base/state_error.h"
#include "host/checkpoint/checkpoints.h"
#include "workloads/workload_run.h"

namespace warptime {

namespace {

using host::Checkpoint;
using host::Checkpoints;

const host::RunIdentity kIdentity{"0.1.0", "machine", "0123456789abcdef", "target", {}};

std::string text_of(const host::RunReport& report) {
  nlohmann::ordered_json json = host::to_json(report);
  json.erase("host");
  return json.dump();
}

uint64_t seed() {
  const char* given = std::getenv("WARPTIME_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
}

/// A moment of a run: a launch, and a cycle of it.
struct Moment {
  uint64_t launch = 0;
  Cycle cycle = 0;
};

std::vector<Moment> random_moments(const host::RunReport& whole, size_t count, std::mt19937_64& random) {
  std::vector<Moment> out;
  while (out.size() < count) {
    Moment moment{random() % whole.launches.size(), 0};
    const sim::LaunchStatistics& launch = whole.launches[moment.launch];
    const uint64_t length = launch.timed ? launch.cycles : launch.counts.warp_instructions;
    moment.cycle = length == 0 ? 0 : random() % length;
    out.push_back(moment);
  }
  return out;
}

/// Writes checkpoints at `count` moments and continues each. Returns how many were written: no edge follows the last
/// cycles of a launch.
size_t check_continued(const Target& target, const sim::Machine& machine, size_t count, bool functional = false) {
  std::mt19937_64 random(seed() + std::hash<std::string>{}(target.name()));
  sim::RunOptions options;
  options.functional = functional;
  options.per_instruction = random() % 2 == 0;
  const host::RunReport whole = run(target, options, machine);
  const std::string expected = text_of(whole);

  std::vector<std::string> files;
  Checkpoints writing(kIdentity);
  for (const Moment& moment : random_moments(whole, count, random))
    writing.write_at(moment.launch, moment.cycle,
                     [&](const Checkpoint& checkpoint) { files.push_back(host::checkpoint_text(checkpoint)); });
  options.threads = random() % 2 == 0 ? 1 : 3;
  {
    CAPTURE(seed(), target.name(), options.threads, static_cast<int>(options.step), options.per_instruction);
    CHECK((text_of(run(target, options, machine, &writing)) == expected));
  }

  for (const std::string& file : files) {
    const Checkpoint checkpoint = host::read_checkpoint(file);
    options.threads = options.threads == 1 ? 3 : 1;
    options.step = random() % 2 == 0 ? sim::Step::Whole : sim::Step::Half;
    CAPTURE(seed(), target.name(), checkpoint.launch, checkpoint.snapshot.now(), options.threads);
    Checkpoints continuing(kIdentity);
    continuing.continue_from(checkpoint);
    CHECK((text_of(run(target, options, machine, &continuing)) == expected));
    CHECK_FALSE(continuing.still_to_continue());
  }
  return files.size();
}

size_t check_continued(const Target& target, size_t count, bool functional = false) {
  return check_continued(target, shipped_machine(target.machine), count, functional);
}

/// Part `part`, from 1, of all variants.
void check_every_variant(size_t part, size_t parts) {
  const std::vector<Target> targets = small_targets();
  size_t written = 0, checked = 0;
  for (size_t i = part - 1; i < targets.size(); i += parts, ++checked) written += check_continued(targets[i], 20);
  CHECK(written >= checked * 18);
}

}  // namespace

TEST_CASE("A run continues from a checkpoint with the same report") {
  size_t written = 0;
  for (const Target& target : std::vector<Target>{{"vecadd", "", {"n=1001"}},
                                                  {"matmul", "tiled", {"n=32", "tile=8"}},
                                                  {"histogram", "atomics", {"n=4000", "blocks=5"}, "tesla-c1060"},
                                                  {"smooth", "linear", {"width=17", "height=33"}},
                                                  {"fdtd", "", {"size=32", "steps=3"}}})
    written += check_continued(target, 2);
  CHECK(written >= 7);
}

TEST_CASE("Functional runs continue from a checkpoint with the same report") {
  size_t written = 0;
  for (const Target& target : std::vector<Target>{{"matmul", "tiled", {"n=32", "tile=8"}},
                                                  {"histogram", "atomics", {"n=20004", "blocks=5"}, "tesla-c1060"},
                                                  {"fdtd", "", {"size=32", "steps=3"}}})
    written += check_continued(target, 4, true);
  CHECK(written >= 4);
}

TEST_CASE("Each workload continues from a checkpoint with the same report", "[full]") {
  std::set<std::string> seen;
  size_t written = 0;
  for (const Target& target : small_targets())
    if (seen.insert(target.workload).second) written += check_continued(target, 1);
  CHECK(seen.size() == host::workloads().size());
  CHECK(written >= seen.size() * 9 / 10);
}

TEST_CASE("Launches continue on machines of every kind", "[full]") {
  const Target matmul{"matmul", "tiled", {"n=64"}}, lookup{"lookup", "", {"n=4096", "rounds=8"}},
      reduce{"reduce-ticket", "", {"n=5000", "blocks=20"}};
  size_t written = 0;
  for (const char* name : {"tesla-c1060", "geforce-gtx-480", "jetson-tk1"})
    for (const Target& target : {matmul, lookup, reduce}) written += check_continued(target, shipped_machine(name), 2);
  for (const char* setting :
       {"issue.policy=two_level", "issue.policy=greedy_then_oldest", "memory.same_address_merge=partition",
        "dram.scheduler=fcfs", "chip.block_order=sm_first"})
    written += check_continued(matmul, shipped_machine("geforce-8800-gtx", {setting}), 2);
  // Lanes that are scheduled independently.
  for (const Target& target : {matmul, lookup, reduce})
    written += check_continued(target, shipped_machine("generic"), 2, true);
  CHECK(written >= 25);
}

// Several cases, so that they run side by side.
#define EVERY_VARIANT(part)                                                                                     \
  TEST_CASE("Every variant continues from checkpoints at twenty moments with the same report - " #part " of 8", \
            "[all]") {                                                                                          \
    check_every_variant(part, 8);                                                                               \
  }
EVERY_VARIANT(1)
EVERY_VARIANT(2)
EVERY_VARIANT(3)
EVERY_VARIANT(4)
EVERY_VARIANT(5)
EVERY_VARIANT(6)
EVERY_VARIANT(7)
EVERY_VARIANT(8)
#undef EVERY_VARIANT

TEST_CASE("A checkpoint of a run with other inputs is not continued") {
  const sim::Machine machine = shipped_machine("geforce-8800-gtx");
  const Target target{"matmul", "tiled", {"n=32", "tile=8"}};
  std::optional<Checkpoint> checkpoint;
  Checkpoints writing(kIdentity);
  writing.write_at(0, 1000, [&](const Checkpoint& written) { checkpoint = written; });
  run(target, {}, machine, &writing);
  REQUIRE(checkpoint.has_value());
  for (const Target& other : std::vector<Target>{{"matmul", "tiled", {"n=32", "tile=4"}},
                                                 {"matmul", "tiled", {"n=48", "tile=8"}},
                                                 {"matmul", "naive", {"n=32"}},
                                                 {"vecadd", "", {"n=1001"}}}) {
    CAPTURE(other.name());
    Checkpoints continuing(kIdentity);
    continuing.continue_from(*checkpoint);
    CHECK_THROWS_AS(run(other, {}, machine, &continuing), host::InputError);
  }
}

TEST_CASE("The bytes of a checkpoint are read back, or refused in words") {
  std::string file;
  Checkpoints writing(kIdentity);
  writing.write_at(0, 500, [&](const Checkpoint& written) { file = host::checkpoint_text(written); });
  run({"vecadd", "", {"n=1001"}}, {}, shipped_machine("geforce-8800-gtx"), &writing);
  REQUIRE(!file.empty());
  CHECK((host::checkpoint_text(host::read_checkpoint(file)) == file));
  auto refusal = [](const std::string& text) -> std::string {
    try {
      host::read_checkpoint(text);
    } catch (const StateError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal("") == "is not a checkpoint of `warptime run`");
  CHECK(refusal("kernel.ptx") == "is not a checkpoint of `warptime run`");
  CHECK(refusal(file + "x") == "has bytes after its end");
  for (size_t length : {size_t{20}, size_t{22}, size_t{40}, size_t{100}, file.size() / 2, file.size() - 1})
    CHECK(refusal(file.substr(0, length)).find(length < 50 ? "t" : "is truncated") != std::string::npos);
  std::string other_format = file;
  other_format[20] = 9;
  CHECK(refusal(other_format) == "has format 9 of checkpoints, and this program reads 1");
  std::mt19937_64 random(seed());
  for (int i = 0; i < 50; ++i) {
    std::string damaged = file;
    damaged[48 + random() % (file.size() - 48)] ^= static_cast<char>(1u << random() % 8);
    CHECK(refusal(damaged) == "is damaged: its checksum does not match");
  }
}

TEST_CASE("A run continues with the program, target, machine and settings of its checkpoint") {
  const host::RunIdentity one{"0.1.0", "g80", "aaaa", "matmul", {"--param n=64"}};
  CHECK(host::why_not_continued(one, one).empty());
  auto why = [&](auto change) {
    host::RunIdentity other = one;
    change(other);
    return host::why_not_continued(one, other);
  };
  CHECK(why([](auto& other) { other.program = "0.2.0"; }) == "was written by warptime 0.1.0, and this is 0.2.0");
  CHECK(why([](auto& other) { other.target = "vecadd"; }) == "is of the target matmul, not vecadd");
  CHECK(why([](auto& other) { other.machine_hash = "bbbb"; }) ==
        "is of a run on machine g80 with other parameters (hash aaaa, not bbbb)");
  CHECK(why([](auto& other) { other.settings = {"--param n=32"}; }) ==
        "is of another run: that run had --param n=64, and this one does not");
  CHECK(why([](auto& other) { other.settings.push_back("--functional"); }) ==
        "is of another run: this run has --functional, and that one did not");
}

}  // namespace warptime
