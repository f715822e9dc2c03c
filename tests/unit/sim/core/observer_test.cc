// What an SM tells an observer of its own (core/observer.h).
#include "sim/core/observer.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/assert.h"
#include "ptx/load_module.h"
#include "sim/core/sm_life.h"
#include "sim/decode/compiled_kernel.h"
#include "sim/gpu/tpc.h"
#include "sim/mem/memory_system.h"
#include "sim/state/launch_rows.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

struct EventLog : NoObserver {
  static constexpr bool kAddresses = true;
  struct Access {
    uint32_t slot, lanes;
    ptx::Effect effect;
    ptx::Space space;
    std::array<Addr, kWarpSize> addresses;
    Cycle cycle;
  };
  struct Store {
    uint32_t slot;
    Addr address;
    Cycle cycle;
  };

  void accesses(uint32_t slot, uint32_t, const Insn& insn, uint32_t lanes, const std::array<Addr, kWarpSize>& addresses,
                Cycle now) {
    access.push_back({slot, lanes, insn.effect, insn.access().space, addresses, now});
  }
  void issued(uint32_t, uint32_t, uint32_t, uint32_t, Cycle) { ++issues; }
  void visible(uint32_t slot, const PendingStore& store, Cycle cycle) {
    stores.push_back({slot, store.address, cycle});
  }
  void arrives(uint32_t slot, uint32_t barrier) { arrivals.emplace_back(slot, barrier); }
  void ends(uint32_t slot) { ended.push_back(slot); }
  void faults(const FaultRecord& fault) { fault_kinds.push_back(fault.kind); }

  std::vector<Access> of(ptx::Effect effect, ptx::Space space) const {
    std::vector<Access> out;
    for (const Access& a : access)
      if (a.effect == effect && a.space == space) out.push_back(a);
    return out;
  }

  std::vector<Access> access;
  std::vector<Store> stores;
  std::vector<std::pair<uint32_t, uint32_t>> arrivals;
  std::vector<uint32_t> ended;
  std::vector<Fault::Kind> fault_kinds;
  uint64_t issues = 0;
};

struct Observed {
  static constexpr bool kStalls = true;
  using Observer = EventLog;
};

/// One block of a kernel on a chip of one SM, until it ends or faults. The body may use %r0-%r9, %rd0-%rd9, %p0-%p3,
/// 4096 bytes of shared memory at `sh`, and the address of 64 KiB of device memory in parameter `buf`.
class Bench {
 public:
  explicit Bench(const std::string& body, uint32_t threads = kWarpSize) {
    machine_.chip.tpcs = machine_.chip.sms_per_tpc = 1;
    machine_.native_cost = NativeCost::ptx;
    std::string text =
        ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry bench(.param .u64 buf)\n{\n"
        ".reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n.reg .pred %p<4>;\n.shared .align 16 .b8 sh[4096];\n" +
        body + "ret;\n}\n";
    Diagnostics diagnostics;
    auto module = ptx::load_module(std::make_shared<SourceText>("bench.ptx", text), diagnostics);
    SIM_ASSERT(module != nullptr, "{}", diagnostics.to_text());
    kernel_ = decode(module, module->kernels[0], SymbolAddresses(module->symbols.size(), 0), machine_, diagnostics);
    SIM_ASSERT(kernel_ != nullptr, "{}", diagnostics.to_text());
    machine_.memory.bytes = 1 << 24;
    memory_ = std::make_unique<DeviceMemory>(machine_.memory.bytes, 256);
    Addr buffer = memory_->allocate(1 << 16, "buf", 65536).value();
    std::memcpy(parameters_.data(), &buffer, sizeof buffer);
    system_ = std::make_unique<MemorySystem>(machine_, *memory_);
    context_.machine = &machine_;
    context_.kernel = kernel_.get();
    context_.memory = memory_.get();
    context_.grid = {1, 1, 1};
    context_.block = {threads, 1, 1};
    context_.threads_per_block = threads;
    context_.warps_per_block = (threads + kWarpSize - 1) / kWarpSize;
    context_.blocks_per_sm = 1;
    context_.shared_bytes = 4096;
    context_.parameters = parameters_;
    fill_rows(context_);
    context_.local_base = machine_.memory.bytes;
    context_.constant_base = 0x100000000, context_.code_base = 0x200000000;
    tpc_ = std::make_unique<Tpc<Observed>>(machine_, *memory_, 0, system_->tpc(0));
    for (auto& sm : tpc_->sms()) sm->admit(context_);
    run();
  }

  const EventLog& log() { return tpc_->sms()[0]->observer(); }

 private:
  void run() {
    Sm<Observed>& sm = *tpc_->sms()[0];
    Cycle window = machine_.chip.window_cycles;
    sm.start_block(0, sm.state().room_of(0), 0);
    for (Cycle now = 0; now < 1000 * window; now += window) {
      for (uint32_t i = 0; i < system_->partition_count(); ++i) system_->apply_stores(i);
      tpc_->run(now, now + window);
      for (uint32_t i = 0; i < system_->partition_count(); ++i) system_->run_partition(i, now, now + window);
      system_->exchange();
      if (sm.fault().raised || (!sm.ended_blocks().empty() && system_->idle())) return;
    }
    SIM_ASSERT(false, "the kernel was not finished");
  }

  MachineConfig machine_;
  std::unique_ptr<DeviceMemory> memory_;
  std::unique_ptr<MemorySystem> system_;
  std::unique_ptr<const CompiledKernel> kernel_;
  LaunchContext context_;
  std::vector<std::byte> parameters_{8};
  std::unique_ptr<Tpc<Observed>> tpc_;
};

}  // namespace

TEST_CASE("an access is observed with its lanes' addresses before it overwrites the register that they come from") {
  Bench bench(R"(mov.u32 %r1, %tid.x;
shl.b32 %r1, %r1, 2;
ld.shared.b32 %r2, [%r1];
ld.shared.b32 %r1, [%r1+8];
st.shared.b32 [%r1+64], %r2;
)");
  // The second load finds the addresses cached that the first one has computed: both ways are observed.
  auto loads = bench.log().of(ptx::Effect::Load, ptx::Space::Shared);
  REQUIRE(loads.size() == 2);
  CHECK(loads[1].lanes == kFullMask);
  CHECK(loads[1].cycle > loads[0].cycle);
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    CHECK(loads[0].addresses[lane] == 4 * lane);
    CHECK(loads[1].addresses[lane] == 4 * lane + 8);
  }
}

TEST_CASE("only the lanes whose guard is true access") {
  Bench bench(R"(mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 2;
setp.lt.u32 %p1, %r1, 4;
@%p1 st.shared.b32 [%r2+128], %r1;
)");
  auto stores = bench.log().of(ptx::Effect::Store, ptx::Space::Shared);
  REQUIRE(!stores.empty());
  CHECK(stores[0].lanes == 0xf);
  CHECK(stores[0].addresses[3] == 128 + 12);
}

TEST_CASE("a store becomes visible after it has issued, where its lanes stored") {
  Bench bench(R"(ld.param.u64 %rd1, [buf];
mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 st.global.b32 [%rd1+256], %r1;
)");
  auto issued = bench.log().of(ptx::Effect::Store, ptx::Space::Global);
  const auto& stores = bench.log().stores;
  REQUIRE(issued.size() == 1);
  REQUIRE(stores.size() == 1);
  CHECK(stores[0].slot == issued[0].slot);
  CHECK(stores[0].cycle > issued[0].cycle);
  CHECK(stores[0].address <= issued[0].addresses[0]);
  CHECK(stores[0].address + kMaxStoreBytes > issued[0].addresses[0]);
}

TEST_CASE("warps arrive at a barrier and end") {
  Bench bench("bar.sync 3;\n", 64);
  const EventLog& log = bench.log();
  CHECK(log.arrivals == std::vector<std::pair<uint32_t, uint32_t>>{{0, 3}, {1, 3}});
  CHECK(log.ended == std::vector<uint32_t>{0, 1});
  CHECK(log.issues == 4);
  CHECK(log.fault_kinds.empty());
}

TEST_CASE("a fault is observed once, with the access that caused it") {
  Bench bench("mov.u32 %r1, 100000;\nld.shared.b32 %r2, [%r1];\nst.shared.b32 [sh], %r2;\n");
  const EventLog& log = bench.log();
  CHECK(log.fault_kinds == std::vector<Fault::Kind>{Fault::Kind::OutOfBounds});
  REQUIRE(log.of(ptx::Effect::Load, ptx::Space::Shared).size() == 1);
  CHECK(log.access.back().addresses[0] == 100000);
  CHECK(log.ended.empty());
}
