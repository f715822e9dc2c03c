// A launch that is stepped gives what one that runs through gives, wherever it stops; its state can be read at each
// edge, and it can be abandoned.
#include "sim/gpu/session.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "base/state_archive.h"
#include "host/report/report.h"
#include "ptx/load_module.h"
#include "sim/model/machine_loader.h"
#include "sim/model/request_record.h"
#include "sim/state/sm_state.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr uint32_t kBlocks = 60, kThreads = 96, kWords = kBlocks * kThreads;

// Loads, a divergent branch, a barrier, an atomic operation and a store in each of ten turns.
const char* const kKernel = R"(.version 6.4
.target sm_75
.address_size 64
.visible .entry k(.param .u64 buf)
{
  .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [buf];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r7, %ntid.x;
  mad.lo.u32 %r3, %r2, %r7, %r1;
  mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r5, 0;
turn:
  ld.global.u32 %r4, [%rd3];
  and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 0;
  @%p1 bra even;
  add.u32 %r4, %r4, 2;
even:
  add.u32 %r4, %r4, 1;
  st.global.u32 [%rd3], %r4;
  bar.sync 0;
  atom.global.add.u32 %r6, [%rd1+23040], 1;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, 10;
  @%p2 bra turn;
  exit;
}
)";

struct Bench {
  explicit Bench(const char* machine_name, bool functional) {
    Diagnostics diagnostics;
    auto loaded = load_machine(machine_name, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
    REQUIRE(loaded.has_value());
    machine = loaded->machine.config;
    machine.chip.caches_between_launches.l2 = CacheContents::empty;  // a launch is like the one before
    auto module = ptx::load_module(std::make_shared<SourceText>("k.ptx", kKernel), diagnostics);
    REQUIRE(module != nullptr);
    kernel = decode(module, module->kernels[0], SymbolAddresses(module->symbols.size(), 0), machine, diagnostics);
    REQUIRE(kernel != nullptr);
    memory = std::make_unique<DeviceMemory>(machine.memory.bytes, 256);
    address = memory->allocate((kWords + 1) * 4, "buf", 256).value();
    gpu = std::make_unique<Gpu>(machine, *memory);
    options.functional = functional;
    options.per_instruction = true;
    options.threads = 2;
  }

  Launch launch() const {
    Launch out;
    out.kernel = kernel.get();
    out.grid = {kBlocks, 1, 1};
    out.block = {kThreads, 1, 1};
    out.parameters.resize(8);
    std::memcpy(out.parameters.data(), &address, 8);
    return out;
  }
  void clear() { std::memset(memory->at(address), 0, (kWords + 1) * 4); }
  std::vector<uint32_t> words() const {
    std::vector<uint32_t> out(kWords + 1);
    std::memcpy(out.data(), memory->at(address), out.size() * 4);
    return out;
  }
  static std::string text(const LaunchStatistics& statistics) {
    host::RunReport report;
    report.launches = {statistics};
    return host::to_json_text(report);
  }

  MachineConfig machine;
  std::unique_ptr<const CompiledKernel> kernel;
  std::unique_ptr<DeviceMemory> memory;
  Addr address = 0;
  std::unique_ptr<Gpu> gpu;
  RunOptions options;
};

struct Kind {
  const char* machine;
  bool functional;
};
/// issued + stalls = slots, in sum, by SM and by instruction.
void check_charged(const LaunchStatistics& cut, const MachineConfig& machine) {
  auto charged = [](const auto& row) { return std::accumulate(row.stalls.begin(), row.stalls.end(), row.issued); };
  CHECK(cut.issue.slots == cut.cycles * machine.issue.ports * sm_count(machine));
  CHECK(charged(cut.issue) == cut.issue.slots);
  for (const IssueSlots& sm : cut.issue_by_sm) {
    CHECK(charged(sm) == sm.slots);
    CHECK(sm.issued <= sm.slots);
  }
  uint64_t of_rows = 0;
  for (const InstructionRow& row : cut.instructions) of_rows += charged(row);
  CHECK(of_rows == cut.issue.slots);
  const WarpCycles& warps = cut.warp_cycles;
  CHECK(warps.resident ==
        std::accumulate(warps.waiting.begin(), warps.waiting.end(), warps.issuing + warps.not_selected));
}

constexpr Kind kKinds[] = {
    {"tesla-c1060", false}, {"geforce-gtx-480", false}, {"tesla-c1060", true}, {"generic", true}};

}  // namespace

TEST_CASE("a launch that is stepped has the statistics and the memory of one that runs through") {
  for (const Kind& kind : kKinds) {
    CAPTURE(kind.machine, kind.functional);
    Bench bench(kind.machine, kind.functional);
    bench.clear();
    LaunchStatistics whole;
    REQUIRE_FALSE(bench.gpu->run(bench.launch(), bench.options, whole).has_value());
    std::vector<uint32_t> words = bench.words();
    CHECK(words[kWords] == 10 * kWords);
    for (Cycle by : {Cycle{1}, Cycle{777}, Cycle{100'000'000}}) {
      CAPTURE(by);
      bench.clear();
      LaunchStatistics stepped;
      Session session = bench.gpu->begin(bench.launch(), bench.options, stepped);
      uint64_t steps = 1, ended = 0;
      for (Cycle until = by; session.step(until); until = session.now() + by, ++steps) {
        REQUIRE(session.now() >= until);
        Cycle edge = session.now();
        REQUIRE(session.step(edge));  // it is there
        REQUIRE(session.now() == edge);
        REQUIRE(session.ended_blocks() >= ended);
        ended = session.ended_blocks();
      }
      CHECK_FALSE(session.step(kNever));  // it stays ended
      CHECK_FALSE(session.fault().has_value());
      CHECK(session.ended_blocks() == kBlocks);
      CHECK((by == 100'000'000 ? steps == 1 : steps > 3));
      if (!kind.functional) CHECK(session.now() == whole.cycles);
      CHECK(Bench::text(stepped) == Bench::text(whole));
      CHECK(bench.words() == words);
    }
  }
}

TEST_CASE("between steps the state of each SM can be read") {
  for (const Kind& kind : kKinds) {
    CAPTURE(kind.machine, kind.functional);
    Bench bench(kind.machine, kind.functional);
    bench.clear();
    LaunchStatistics statistics;
    Session session = bench.gpu->begin(bench.launch(), bench.options, statistics);
    REQUIRE(session.step(1));
    CHECK(session.ended_blocks() == 0);  // each has barriers before its end
    uint32_t resident = 0;
    std::vector<uint64_t> blocks;
    bool inside = true;
    for (uint32_t sm = 0; sm < sm_count(bench.machine); ++sm) {
      const SmState* state = session.sm(sm);
      if (state == nullptr) continue;
      for (uint32_t slot = 0; slot < state->warp_slots(); ++slot) {
        if (!state->warp(slot).resident) continue;
        ++resident;
        if (state->warp(slot).index_in_block == 0) blocks.push_back(state->block_of(state->warp(slot)).index);
        inside &= state->warp(slot).stack.pc() < bench.kernel->insns.size();
      }
    }
    CHECK(resident >= kThreads / kWarpSize);
    CHECK(resident <= kBlocks * kThreads / kWarpSize);
    CHECK(inside);
    std::sort(blocks.begin(), blocks.end());
    CHECK(std::adjacent_find(blocks.begin(), blocks.end()) == blocks.end());  // each SM has its own
    CHECK(blocks.size() * kThreads / kWarpSize == resident);
    CHECK(blocks.front() == 0);
  }
}

TEST_CASE("from a snapshot a launch goes on as it did the first time", "[full]") {
  for (const Kind& kind : kKinds) {
    CAPTURE(kind.machine, kind.functional);
    Bench bench(kind.machine, kind.functional);
    bench.clear();
    LaunchStatistics whole;
    REQUIRE_FALSE(bench.gpu->run(bench.launch(), bench.options, whole).has_value());
    const std::vector<uint32_t> words = bench.words();
    const uint64_t length = kind.functional ? whole.counts.warp_instructions : whole.cycles;
    for (uint64_t part : {0, 1, 3, 6, 9}) {
      CAPTURE(part);
      bench.clear();
      LaunchStatistics statistics;
      Session session = bench.gpu->begin(bench.launch(), bench.options, statistics);
      if (part != 0) REQUIRE(session.step(length * part / 10));
      REQUIRE(session.why_not_saved().empty());
      const Snapshot snapshot = session.save();
      CHECK(snapshot.now() == session.now());
      CHECK(session.save().state().size() == snapshot.bytes());  // saving changes nothing
      CHECK_FALSE(session.step(kNever));
      CHECK(Bench::text(statistics) == Bench::text(whole));
      CHECK(bench.words() == words);

      session.restore(snapshot);
      CHECK(session.now() == snapshot.now());
      const Snapshot again = session.save();
      CHECK(std::equal(again.state().begin(), again.state().end(), snapshot.state().begin(), snapshot.state().end()));
      if (part < 9) REQUIRE(session.step(session.now() + length / 10));  // by steps, and back once more
      session.restore(snapshot);
      CHECK_FALSE(session.step(kNever));
      CHECK_FALSE(session.fault().has_value());
      CHECK(Bench::text(statistics) == Bench::text(whole));
      CHECK(bench.words() == words);

      // By another chip, with other threads and steps.
      Bench other(kind.machine, kind.functional);
      other.options.threads = 3;
      other.options.step = Step::Half;
      LaunchStatistics continued;
      Session rest = other.gpu->begin(other.launch(), other.options, continued);
      rest.restore(snapshot);
      CHECK_FALSE(rest.step(kNever));
      CHECK(Bench::text(continued) == Bench::text(whole));
      CHECK(other.words() == words);
    }
  }
}

TEST_CASE("a snapshot that is not of the launch is refused") {
  Bench bench("tesla-c1060", false);
  LaunchStatistics statistics;
  Session session = bench.gpu->begin(bench.launch(), bench.options, statistics);
  REQUIRE(session.step(1000));
  const Snapshot snapshot = session.save();
  std::vector<std::byte> bytes(snapshot.state().begin(), snapshot.state().end());
  for (size_t left : {size_t{0}, size_t{1}, bytes.size() / 2, bytes.size() - 1}) {
    CAPTURE(left);
    CHECK_THROWS_AS(session.restore(Snapshot(1000, {bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(left)})),
                    StateError);
  }
  bytes.push_back({});
  CHECK_THROWS_AS(session.restore(Snapshot(1000, bytes)), StateError);
  bench.memory->allocate(64, "more", 256);
  CHECK_THROWS_AS(session.restore(snapshot), StateError);
}

TEST_CASE("edges are the ends of steps") {
  Bench bench("tesla-c1060", false);
  for (Step step : {Step::Whole, Step::Half, Step::Quarter}) {
    bench.clear();
    bench.options.step = step;
    const Cycle cycles = bench.machine.chip.window_cycles / static_cast<uint32_t>(step);
    LaunchStatistics statistics;
    Session session = bench.gpu->begin(bench.launch(), bench.options, statistics);
    uint64_t shortest = kNever;
    for (Cycle last = 0; session.step(session.now() + 1); last = session.now()) {
      REQUIRE(session.now() % cycles == 0);
      shortest = std::min(shortest, session.now() - last);
    }
    CHECK(shortest == cycles);
  }
}

TEST_CASE("a launch that is abandoned leaves nothing behind in the chip") {
  for (const Kind& kind : kKinds) {
    CAPTURE(kind.machine, kind.functional);
    Bench bench(kind.machine, kind.functional);
    bench.clear();
    LaunchStatistics whole, again;
    REQUIRE_FALSE(bench.gpu->run(bench.launch(), bench.options, whole).has_value());
    std::vector<uint32_t> words = bench.words();
    {
      LaunchStatistics ignored;
      Session session = bench.gpu->begin(bench.launch(), bench.options, ignored);
      REQUIRE(session.step(kind.functional ? 1000 : 2000));
    }
    bench.clear();
    REQUIRE_FALSE(bench.gpu->run(bench.launch(), bench.options, again).has_value());
    CHECK(Bench::text(again) == Bench::text(whole));
    CHECK(bench.words() == words);
  }
}

TEST_CASE("a launch that is stepped into its limit says so once") {
  for (const Kind& kind : kKinds) {
    CAPTURE(kind.machine, kind.functional);
    Bench bench(kind.machine, kind.functional);
    bench.options.max_cycles = 1500;
    LaunchStatistics statistics;
    Session session = bench.gpu->begin(bench.launch(), bench.options, statistics);
    while (session.step(session.now() + 100)) REQUIRE_FALSE(session.fault().has_value());
    REQUIRE(session.fault().has_value());
    CHECK(session.fault()->kind == Fault::Kind::CycleLimit);
    CHECK_FALSE(session.step(kNever));
  }
}

TEST_CASE("a launch that is cut short is counted up to that cycle, every slot with its reason") {
  for (const char* machine : {"tesla-c1060", "geforce-gtx-480"}) {
    Bench bench(machine, false);
    uint64_t before = 0;
    for (Cycle limit : {Cycle{1}, Cycle{333}, Cycle{1000}, Cycle{1501}, Cycle{4096}}) {
      CAPTURE(machine, limit);
      std::string expected;
      for (uint32_t threads : {1, 2, 3, 8})
        for (Step step : {Step::Whole, Step::Quarter}) {
          bench.clear();
          bench.options.max_cycles = limit;
          bench.options.threads = threads;
          bench.options.step = step;
          LaunchStatistics cut;
          auto fault = bench.gpu->run(bench.launch(), bench.options, cut);
          REQUIRE(fault.has_value());
          CHECK(fault->kind == Fault::Kind::CycleLimit);
          if (!expected.empty()) {
            CHECK(Bench::text(cut) == expected);
            continue;
          }
          expected = Bench::text(cut);
          check_charged(cut, bench.machine);
          CHECK(cut.cycles == limit);
          CHECK(cut.counts.warp_instructions >= before);
          before = cut.counts.warp_instructions;
        }
    }
    CHECK(before > 0);
  }
}

TEST_CASE("a launch that faults or is interrupted is counted, every slot with its reason") {
  for (const char* machine : {"tesla-c1060", "geforce-gtx-480"})
    for (bool interrupted : {false, true}) {
      CAPTURE(machine, interrupted);
      Bench bench(machine, false);
      bench.clear();
      const InterruptFlag flag = 2;
      if (interrupted) bench.options.interrupt = &flag;
      Launch launch = bench.launch();
      if (!interrupted) launch.grid[0] += 1;  // its last block is beyond the buffer
      LaunchStatistics cut;
      auto fault = bench.gpu->run(launch, bench.options, cut);
      REQUIRE(fault.has_value());
      CHECK(fault->kind == (interrupted ? Fault::Kind::Interrupted : Fault::Kind::OutOfBounds));
      CHECK(fault->warps.find("warp 0: ") != std::string::npos);
      CHECK(cut.cycles >= fault->cycle);
      CHECK(cut.cycles <= fault->cycle + bench.machine.chip.window_cycles);
      check_charged(cut, bench.machine);
    }
}

TEST_CASE("the requests of a functional launch are recorded warp by warp, whatever the threads") {
  using Kind = RecordedRequest::Kind;
  Bench bench("tesla-c1060", true);
  RequestRecord log;
  LaunchListener recorder({.requests = &log});
  bench.options.listener = &recorder;
  auto run = [&](uint32_t threads, LaunchStatistics& statistics) {
    bench.clear();
    bench.options.threads = threads;
    REQUIRE_FALSE(bench.gpu->run(bench.launch(), bench.options, statistics).has_value());
  };
  LaunchStatistics statistics;
  run(2, statistics);
  CHECK(log.blocks == kBlocks);
  CHECK(log.recorded_blocks == kBlocks);
  CHECK(log.blocks_per_sm == statistics.occupancy.blocks_per_sm);
  REQUIRE(log.warps.size() == size_t{kBlocks} * 3);
  uint64_t transactions = 0;
  for (size_t i = 0; i < log.warps.size(); ++i) {
    const RecordedWarp& warp = log.warps[i];
    CHECK(warp.block == i / 3);
    CHECK(warp.index_in_block == i % 3);
    std::array<size_t, 6> of_kind{};
    for (const RecordedRequest& request : warp.requests) ++of_kind[static_cast<size_t>(request.kind)];
    CHECK(of_kind[static_cast<size_t>(Kind::Load)] == 20);  // ten turns, two half-warps
    CHECK(of_kind[static_cast<size_t>(Kind::Store)] == 20);
    CHECK(of_kind[static_cast<size_t>(Kind::Barrier)] == 10);
    transactions += warp.requests.size() - 10;
    const RecordedRequest &first = warp.requests[0], &second = warp.requests[1];
    CHECK(first.address == bench.address + warp.block * kThreads * 4 + warp.index_in_block * 128);
    CHECK(second.address == first.address + 64);
    CHECK(first.bytes == 64);
    CHECK_FALSE(first.continues);
    CHECK(second.continues);
    CHECK(log.lines.at(first.pc) == 13);
  }
  CHECK(transactions == statistics.global.transactions);

  const RequestRecord two = log;
  LaunchStatistics again;
  run(1, again);
  REQUIRE(log.warps.size() == two.warps.size());
  for (size_t i = 0; i < log.warps.size(); ++i) {
    REQUIRE(log.warps[i].requests.size() == two.warps[i].requests.size());
    for (size_t r = 0; r < log.warps[i].requests.size(); ++r)
      REQUIRE(log.warps[i].requests[r].address == two.warps[i].requests[r].address);
  }

  // Once an SM has its share, its later blocks are left out; those that are recorded are whole.
  log.most_requests = 1;
  LaunchStatistics less;
  run(2, less);
  CHECK(log.recorded_blocks < kBlocks);
  CHECK(log.recorded_blocks * 3 == log.warps.size());
  for (size_t i = 0; i < log.warps.size(); ++i) CHECK(log.warps[i].requests.size() == two.warps[i].requests.size());
}
