// The room for accesses of an SM (core/load_store_timing.h): the table of loads, the queue and the L1's MSHRs, each
// with one entry left and with none; and when loads, stores and atomic operations under way end.
#include "sim/core/load_store_timing.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>

#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr Cycle kLoadStoreStep = 64;
constexpr uint32_t kResultSlot = 3;  // of the scoreboard

/// The load/store unit of one SM, and the memory system behind it.
class LoadStoreBench {
  MachineConfig machine_;

 public:
  DeviceMemory memory;

  explicit LoadStoreBench(const std::function<void(MachineConfig&)>& change)
      : machine_(with(change)), memory(machine_.memory.bytes, 256), system_(machine_, memory) {
    memory.allocate(machine_.memory.bytes, "all");
    kernel_.rows = 8;
    add_instructions();
    launch_.machine = &machine_;
    launch_.kernel = &kernel_;
    launch_.memory = &memory;
    launch_.warps_per_block = 2;
    state = std::make_unique<SmState>(launch_, 0);
    state->start_block(0, 0);
    counted = std::make_unique<KernelOnSm>(launch_);
    warps = std::make_unique<WarpTable>(1);
    for (uint32_t slot = 0; slot < 2; ++slot) warps->start(slot, *counted, 0);
    scoreboard = std::make_unique<Scoreboard>(2, kernel_.slots());
    pipes = std::make_unique<Pipes>(machine_);
    caches = std::make_unique<TpcCaches>(machine_, 0, system_.tpc(0));
    unit = std::make_unique<LoadStoreTiming>(machine_, *state, *warps, 0, system_.tpc(0), *caches, *scoreboard, *pipes);
    system_.tpc(0).begin_step(0, kLoadStoreStep);
    system_.tpc(1).begin_step(0, kLoadStoreStep);
  }

  Insn& insn(uint32_t pc) { return kernel_.insns[pc]; }
  /// An access of `lines` transactions, of 32 bytes each, from a line on.
  void send(uint32_t pc, uint32_t lines, Cycle now, uint32_t first = 0, uint32_t slot = 0) {
    const Insn& insn = kernel_.insns[pc];
    access_.clear();
    for (uint32_t i = 0; i < lines; ++i) {
      Transaction& transaction = access_.transactions[access_.count];
      transaction = {kBase + Addr{first + i} * 128, kBase + Addr{first + i} * 128, 1, 32, 0};
      if (insn.effect != ptx::Effect::Load) {
        PendingAtomic& pending = *pending_.emplace_back(std::make_unique<PendingAtomic>());
        pending.address = transaction.address;
        pending.combine = [](uint64_t old, uint64_t b, uint64_t) { return old + b; };
        pending.size = 32;
        pending.lanes = 1;
        pending.b[0] = 5;
        pending.byte_mask[0] = insn.effect == ptx::Effect::Store ? 0xf : 0;
        access_.stores[access_.count] = &pending;
      }
      ++access_.count;
    }
    unit->send(slot, pc, access_, now);
  }
  /// The texels' lines of a fetch.
  Wait fetch(uint32_t lines, uint32_t latency, Cycle now) {
    access_.clear();
    for (uint32_t i = 0; i < lines; ++i) access_.add_line(kBase + Addr{i} * 128);
    uint32_t number = 0;
    return unit->read_lines(ReadKind::Texture, 0, load, access_, latency, Stall::TextureDependency, now, number);
  }

  /// The answers of the memory system, until one comes or until nothing is under way.
  struct Answer {
    bool any = false, ended = false, unblocked = false;
    Response response;
    Wait result;
  };
  Answer next_answer() {
    TpcMemory& tpc = system_.tpc(0);
    for (uint32_t steps = 0; steps < 100; ++steps) {
      if (tpc.next_response() != kNever) return answered(tpc.pop_response());
      system_.tpc(1).finish_step();
      tpc.finish_step();
      for (uint32_t p = 0; p < system_.partition_count(); ++p) system_.run_partition(p, begin, begin + kLoadStoreStep);
      for (uint32_t p = 0; p < system_.partition_count(); ++p) system_.apply_stores(p);
      system_.exchange();
      begin += kLoadStoreStep;
      tpc.begin_step(begin, begin + kLoadStoreStep);
      system_.tpc(1).begin_step(begin, begin + kLoadStoreStep);
    }
    return {};
  }

  Wait result() const { return scoreboard->needed(0, std::array<uint16_t, 1>{kResultSlot}); }
  Cycle pipe_free() const { return pipes->free(ptx::Unit::Memory, 0); }

  // Instructions, by number.
  static constexpr uint32_t load = 0, store = 1, atomic = 2, reduction = 3;
  std::unique_ptr<SmState> state;
  std::unique_ptr<KernelOnSm> counted;
  std::unique_ptr<WarpTable> warps;
  std::unique_ptr<Scoreboard> scoreboard;
  std::unique_ptr<Pipes> pipes;
  std::unique_ptr<TpcCaches> caches;
  std::unique_ptr<LoadStoreTiming> unit;
  Cycle begin = 0;  // of the step

 private:
  void add_instructions() {
    kernel_.insns.resize(4);
    kernel_.insns[load].effect = ptx::Effect::Load;
    kernel_.insns[load].set_payload<LoadStorePayload>();
    kernel_.insns[store].effect = ptx::Effect::Store;
    kernel_.insns[store].set_payload<LoadStorePayload>();
    kernel_.insns[atomic].effect = kernel_.insns[reduction].effect = ptx::Effect::Atomic;
    kernel_.insns[atomic].set_payload<AtomicPayload>().has_result = true;
    kernel_.insns[reduction].set_payload<AtomicPayload>();
    for (uint32_t pc = 0; pc < kernel_.insns.size(); ++pc) {
      NativeInsn& insn = kernel_.insns[pc].native;
      insn.effect = kernel_.insns[pc].effect;
      insn.writes.fill(kResultSlot);
      insn.write_count = 1;
    }
  }
  static MachineConfig with(const std::function<void(MachineConfig&)>& change) {
    MachineConfig machine = even_machine();
    machine.memory.request_cycles = 4;
    machine.features = {"global_atomics"};
    change(machine);
    return machine;
  }
  Answer answered(const Response& response) {
    Answer out{true, false, false, response, {}};
    auto ends = [&](uint32_t load_id, Cycle cycle) {
      LoadStoreTiming::EndedLoad ended = unit->answered(load_id, cycle);
      out.ended |= ended.ended;
      if (ended.ended) out.result = ended.result;
    };
    if (response.kind != ReadKind::Plain)
      caches->fill(response, [&](uint32_t, uint32_t waiter, Cycle cycle) {
        REQUIRE(LoadStoreTiming::is_load(waiter));
        ends(LoadStoreTiming::load_of(waiter), cycle);
      });
    else if (response.store == nullptr) ends(response.tag, response.cycle);
    if (const auto* done = static_cast<const PendingAtomic*>(response.store);
        response.atomic && done->load != PendingAtomic::kNoLoad) {
      unit->write_result(*done);
      ends(done->load, response.cycle);
    }
    if (response.kind == ReadKind::Data) out.unblocked = unit->mshr_freed(response.cycle, ends);
    return out;
  }

  MemorySystem system_;
  CompiledKernel kernel_;
  LaunchContext launch_;
  MemoryAccess access_;
  std::vector<std::unique_ptr<PendingAtomic>> pending_;
};

}  // namespace

TEST_CASE("the table of loads has room for max_outstanding_loads") {
  LoadStoreBench bench([](MachineConfig& m) { m.memory.max_outstanding_loads = 3; });
  for (uint32_t n = 0; n < 3; ++n) {
    CAPTURE(n);
    REQUIRE(bench.unit->check_room(n));
    CHECK(bench.unit->room_known());
    bench.send(bench.load, 1, n, 10 * n);
    CHECK_FALSE(bench.unit->room_known());
    CHECK_FALSE(bench.unit->waits_for_room());
  }
  CHECK(bench.state->warp(0).outstanding_loads == 3);
  CHECK_FALSE(bench.unit->check_room(3));
  CHECK(bench.unit->waits_for_room());
  CHECK(bench.pipe_free() == kNever);  // whatever leaves the queue: until an answer
  Cycle poll = 0;
  CHECK(bench.unit->begin_step(kLoadStoreStep, &poll));  // the queue has room; a check says that the table has none
  CHECK(poll == kLoadStoreStep);
  CHECK_FALSE(bench.unit->check_room(kLoadStoreStep));
  LoadStoreBench::Answer answer = bench.next_answer();
  REQUIRE(answer.ended);
  CHECK(bench.state->warp(0).outstanding_loads == 2);
  CHECK(bench.unit->unblocks_pipe(answer.response.cycle));
  CHECK(bench.pipe_free() == answer.response.cycle);
  CHECK(bench.unit->check_room(answer.response.cycle));
  bench.unit->pipe_taken();
  CHECK_FALSE(bench.unit->waits_for_room());
  CHECK_FALSE(bench.unit->unblocks_pipe(answer.response.cycle));
}

TEST_CASE("stores, reductions and lines of caches take no entry of the table of loads, atomic results do") {
  LoadStoreBench bench([](MachineConfig& m) { m.memory.max_outstanding_loads = 2; });
  for (uint32_t i = 0; i < 4; ++i) bench.send(bench.store, 1, 0, 10 * i);
  for (uint32_t i = 4; i < 8; ++i) bench.send(bench.reduction, 1, 0, 10 * i);
  CHECK_FALSE(bench.fetch(3, 0, 0).known());
  CHECK(bench.state->warp(0).outstanding_loads == 1);  // the fetch
  CHECK(bench.unit->check_room(0));
  bench.send(bench.atomic, 1, 0, 90);
  CHECK(bench.unit->check_room(0));
  bench.send(bench.atomic, 1, 0, 100);
  CHECK_FALSE(bench.unit->check_room(0));
  CHECK(bench.pipe_free() == kNever);
}

TEST_CASE("the queue has room for queue_entries transactions") {
  for (uint32_t held : {4u, 5u}) {
    CAPTURE(held);
    LoadStoreBench bench([](MachineConfig& m) { m.memory.queue_entries = 5; });
    bench.send(bench.load, held, 0);
    CHECK(bench.unit->queued(0) == held);
    CHECK(bench.unit->check_room(0) == (held == 4));
    CHECK(bench.unit->waits_for_room() == (held == 5));
    if (held == 4) continue;
    Cycle free = bench.pipe_free();
    CHECK(free > 0);
    REQUIRE(free < kLoadStoreStep);             // known: the first leaves in this step
    CHECK_FALSE(bench.unit->unblocks_pipe(0));  // no answer is waited for
    while (!bench.unit->check_room(free)) {
      REQUIRE(bench.pipe_free() > free);
      free = bench.pipe_free();
      REQUIRE(free < kLoadStoreStep);
    }
    CHECK(bench.unit->queued(free) == 4);
    CHECK(bench.unit->queued(free - 1) >= 4);
  }
}

TEST_CASE("an MSHR is a line on its way, and a load that needs more of them waits in the port") {
  LoadStoreBench bench([](MachineConfig& m) {
    m.l1.cache = {16384, 128, 4, 7};
    m.l1.mshrs = 3;
  });
  bench.send(bench.load, 2, 0);
  bench.send(bench.load, 1, 0, 2);
  for (uint32_t again = 0; again < 5; ++again) bench.send(bench.load, 3, 0);  // the same three lines
  CHECK(bench.unit->check_room(0));
  bench.send(bench.load, 3, 0, 2);  // two lines more
  CHECK_FALSE(bench.unit->check_room(0));
  CHECK(bench.unit->full() == QueueFull::Mshrs);
  CHECK(bench.pipe_free() == kNever);
  uint32_t ended = 0;
  Cycle third = 0;
  for (uint32_t i = 0; i < 5; ++i) {
    CAPTURE(i);
    LoadStoreBench::Answer answer = bench.next_answer();
    REQUIRE(answer.any);
    ended += answer.ended ? 1 : 0;
    // The first line's MSHR is for the fourth line, the second's for the fifth.
    CHECK(answer.unblocked == (i == 1));
    CHECK(bench.unit->check_room(answer.response.cycle) == (i >= 1));
    if (i == 2) third = answer.response.cycle;
    if (i >= 3) CHECK(answer.response.cycle > third + 200);  // they were asked for when the first two had come
  }
  CHECK(ended == 3);  // answers with which loads ended: those of line 1, line 2 and the last
  CHECK_FALSE(bench.next_answer().any);
  CHECK(bench.state->warp(0).outstanding_loads == 0);
  Cycle now = bench.begin + kLoadStoreStep - 1;  // all are there
  for (uint32_t i = 0; i < 10; ++i) bench.send(bench.load, 3, now);
  CHECK(bench.state->warp(0).outstanding_loads == 0);
  CHECK(bench.unit->check_room(now));
  // A transaction is looked up request_cycles after the one before.
  CHECK(bench.result().cycle() == now + 2 * 4 + 7);
  CHECK(bench.result().reason() == Stall::GlobalDependency);
  bench.send(bench.store, 1, now, 1);  // takes its line out of the L1
  bench.send(bench.load, 3, now);
  CHECK(bench.state->warp(0).outstanding_loads == 1);
}

TEST_CASE("reads that an MSHR has no room for wait for its line") {
  LoadStoreBench bench([](MachineConfig& m) {
    m.l1.cache = {16384, 128, 4, 7};
    m.l1.mshr_reads = 2;
  });
  for (uint32_t i = 0; i < 2; ++i) bench.send(bench.load, 1, 0);
  CHECK(bench.unit->check_room(0));
  bench.send(bench.load, 1, 0);
  CHECK_FALSE(bench.unit->check_room(0));
  LoadStoreBench::Answer answer = bench.next_answer();
  CHECK(answer.unblocked);
  CHECK(answer.result.cycle() == answer.response.cycle + 7);  // the third finds the line
  CHECK(bench.state->warp(0).outstanding_loads == 0);
  CHECK_FALSE(bench.next_answer().any);
}

TEST_CASE("loads that pass the L1 take its line out") {
  LoadStoreBench bench([](MachineConfig& m) { m.l1.cache = {16384, 128, 4, 7}; });
  bench.send(bench.load, 1, 0);
  bench.next_answer();
  Cycle now = bench.begin + kLoadStoreStep - 1;
  bench.insn(LoadStoreBench::load).access().past_l1 = true;
  bench.send(bench.load, 1, now);
  CHECK(bench.state->warp(0).outstanding_loads == 1);
  CHECK(bench.next_answer().response.kind == ReadKind::Plain);
  bench.insn(LoadStoreBench::load).access().past_l1 = false;
  bench.send(bench.load, 1, bench.begin + kLoadStoreStep - 1);
  CHECK(bench.next_answer().response.kind == ReadKind::Data);
}

TEST_CASE("read-only loads go through the texture cache, where the machine says so") {
  for (const bool through : {true, false}) {
    LoadStoreBench bench([&](MachineConfig& m) { m.texture.read_only_loads = through; });
    bench.insn(LoadStoreBench::load).access().read_only = true;
    bench.send(bench.load, 2, 0);
    CHECK(bench.next_answer().response.kind == (through ? ReadKind::Texture : ReadKind::Plain));
  }
}

TEST_CASE("a load ends with the last of its transactions, a fetch its latency after the last line") {
  LoadStoreBench bench([](MachineConfig&) {});
  bench.send(bench.load, 3, 0);
  LoadStoreBench::Answer answer = bench.next_answer();
  REQUIRE(answer.any);
  CHECK(answer.ended);  // the memory system counts the others
  CHECK(bench.result().cycle() == answer.response.cycle);
  CHECK(bench.result().reason() == Stall::GlobalDependency);
  CHECK_FALSE(bench.next_answer().any);

  CHECK_FALSE(bench.fetch(3, 9, bench.begin).known());
  Cycle last = 0;
  for (uint32_t i = 0; i < 3; ++i) {
    answer = bench.next_answer();
    REQUIRE(answer.any);
    last = std::max(last, answer.response.cycle);
    CHECK(answer.ended == (i == 2));
  }
  CHECK(bench.result().cycle() == last + 9);
  CHECK(bench.result().reason() == Stall::TextureDependency);
}

TEST_CASE("stores are acknowledged one by one, to the warp that sent them") {
  LoadStoreBench bench([](MachineConfig&) {});
  bench.send(bench.store, 2, 0);
  bench.send(bench.store, 1, 0, 10, 1);
  Warp& warp = bench.state->warp(0);
  CHECK(warp.outstanding_stores == 2);
  CHECK(bench.state->warp(1).outstanding_stores == 1);
  std::vector<uint32_t> tags;
  for (uint32_t i = 0; i < 3; ++i) {
    LoadStoreBench::Answer answer = bench.next_answer();
    REQUIRE(answer.response.store != nullptr);
    tags.push_back(answer.response.tag);
  }
  uint32_t last = 0, others = 0;
  for (uint32_t tag : tags) {
    uint32_t slot = bench.unit->acknowledged(tag);
    if (slot == LoadStoreTiming::kNoSlot) ++others;
    else last |= 1u << slot;
  }
  CHECK(last == 3);
  CHECK(others == 1);
  CHECK(warp.outstanding_stores == 0);
  ++warp.generation;  // another warp in the slot: a late acknowledgement is not its own
  warp.outstanding_stores = 1;
  for (uint32_t tag : tags)
    if (LoadStoreTiming::slot_of(tag) == 0) CHECK(bench.unit->acknowledged(tag) == LoadStoreTiming::kNoSlot);
  CHECK(warp.outstanding_stores == 1);
}

TEST_CASE("the old words of an atomic operation go to its destination") {
  LoadStoreBench bench([](MachineConfig&) {});
  uint32_t word = 7, old = 0;
  std::memcpy(bench.memory.at(kBase), &word, 4);
  bench.insn(LoadStoreBench::atomic).dst = 5 * kRowBytes;
  bench.send(bench.atomic, 1, 0);
  CHECK(bench.state->warp(0).outstanding_stores == 1);
  LoadStoreBench::Answer answer = bench.next_answer();
  REQUIRE(answer.response.atomic);
  std::memcpy(&old, bench.state->warp(0).values.rows() + 5 * kRowBytes, 4);
  CHECK(old == 7);
  CHECK(answer.ended);
  CHECK(bench.result().cycle() == answer.response.cycle);
}

TEST_CASE("what is full: the table of loads, or the queue behind a busy port") {
  LoadStoreBench table([](MachineConfig& m) { m.memory.max_outstanding_loads = 1; });
  table.send(table.load, 1, 0);
  CHECK(table.unit->load_table().times_full == 0);
  CHECK_FALSE(table.unit->check_room(8));
  CHECK_FALSE(table.unit->check_room(9));  // the same access, asked again
  CHECK(table.unit->full() == QueueFull::LoadTable);
  CHECK(table.unit->load_table().times_full == 1);
  CHECK(table.unit->times_queue_full() == 0);
  CHECK(table.unit->load_table().most.value() == 1);
  Cycle end = table.next_answer().response.cycle;
  CHECK(table.counted->load_table.entry_cycles == end);  // it was issued in cycle 0
  CHECK(table.counted->counters.global_latency.loads() == 1);
  CHECK(table.counted->counters.global_latency.most.value() == end);

  LoadStoreBench port([](MachineConfig& m) { m.memory.queue_entries = 4; });
  port.send(port.load, 4, 0);
  CHECK_FALSE(port.unit->check_room(0));
  CHECK(port.unit->full() == QueueFull::MemoryQueue);
  CHECK(port.unit->times_queue_full() == 1);
  CHECK(port.unit->load_table().times_full == 0);
}
