// Whole warps of words in lane code of every host instruction set, with and without cached addresses, against the
// general way lane by lane: the same registers, bytes, transactions, bank conflicts and faults for patterns drawn by
// chance.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "sim/exec/handler_table.h"
#include "sim/state/load_store.h"

using namespace warptime;
using namespace warptime::sim;
using ptx::Effect, ptx::Space;

namespace {

constexpr uint32_t kSharedBytes = 2048, kConstantBytes = 1024, kGlobalBytes = 4096, kRows = 8;

struct Rows {
  std::array<ConstantRow, kRows> rows{};
  std::byte* data() { return rows[0].bytes.data(); }
};

/// One SM's load/store unit with values of its own.
struct Side {
  ResidentKernel kernel;
  LoadStore unit;
  Rows rows;
  Warp warp;
  std::array<std::byte, kSharedBytes> shared{};
  MemoryAccess out;
  FaultRecord fault;
  bool done = false;

  explicit Side(const LaunchContext& launch) : kernel(launch), unit(*launch.machine, *launch.memory, 0) {
    warp.kernel = &kernel;
    warp.values.areas[0] = rows.data();
    warp.shared = shared.data();
  }
  enum class Way { General, Words, Cached };
  void access(const Insn& of_any_way, Way way, uint32_t mask) {
    Insn insn = of_any_way;
    insn.load_store().is_words = way != Way::General;
    if (way != Way::Cached) {
      insn.load_store().cached_address = kNotCached;
      insn.may_be_cached = false;
    }
    fault = {};
    done = unit.access(insn, warp, 0, mask, out, fault);
  }
};

struct Setup {
  MachineConfig machine;
  CompiledKernel kernel;
  DeviceMemory memory{1 << 20, 256};
  std::array<std::byte, kConstantBytes> constants{};
  LaunchContext launch;
  std::mt19937 random;
  Addr first = 0, second = 0;  // allocations

  Setup(std::string_view isa, unsigned seed) : random(seed) {
    machine.memory.coalescing = std::array{"1.0", "1.2", "2.x"}[pick(3)];
    machine.sm.shared.banks = pick(2) == 0 ? 16 : 32;
    machine.sm.shared.request_lanes = pick(2) == 0 ? 16 : 32;
    if (pick(2) == 0) machine.sm.shared.broadcast = SharedBroadcast::every_word;
    if (pick(2) == 0) machine.sm.shared.wide_access = WideAccess::fewer_lanes;
    if (pick(2) == 0) {
      machine.sm.shared.bank_bytes = 8;
      machine.sm.shared.bank_interleave_bytes = pick(2) == 0 ? 4 : 8;
    }
    if (pick(2) == 0) machine.l1.cache = {16384, 128, 4, 0};
    kernel.module = std::make_shared<const ptx::Module>();
    kernel.words = handler_table(isa)->words();
    first = *memory.allocate(kGlobalBytes, "first");
    second = *memory.allocate(kGlobalBytes, "second");
    fill(memory.at(first), second + kGlobalBytes - first);
    fill(constants.data(), kConstantBytes);
    launch.machine = &machine;
    launch.kernel = &kernel;
    launch.memory = &memory;
    launch.shared_bytes = kSharedBytes;
    launch.constants = constants;
  }

  uint32_t pick(uint32_t choices) { return static_cast<uint32_t>(random() % choices); }
  void fill(std::byte* to, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; ++i) to[i] = static_cast<std::byte>(random());
  }

  /// Offsets of lanes [begin, begin + 16), most of them within `bytes`.
  void half_of(std::array<uint64_t, 32>& lanes, uint32_t begin, uint32_t access, uint32_t bytes) {
    uint32_t pattern = pick(8), places = bytes / access, stride = access << pick(4), base = pick(places) * access;
    if (pick(4) != 0) base = std::min(base / 64 * 64, bytes - 64 * access / 4);
    for (uint32_t k = 0; k < 16; ++k) {
      uint64_t& at = lanes[begin + k];
      if (pattern < 2) at = base;
      else if (pattern < 5) at = base + k * access;
      else if (pattern < 6) at = (base + k * stride) % bytes;
      else if (pattern < 7) at = base + (k ^ 3) * access;
      else at = pick(places) * access;
    }
  }

  Insn instruction() {
    Insn insn;
    insn.effect = pick(2) == 0 ? Effect::Load : Effect::Store;
    LoadStorePayload& payload = insn.set_payload<LoadStorePayload>();
    auto& [address, space, element_bytes, vector, coalesced, conflict_free, past_l1, of_warp, read_only, has_layers,
           formatted, of_cluster, dimensions, bounds] = payload.access;
    space = std::array{Space::Shared, Space::Shared, Space::Global, Space::Global, Space::Const}[pick(5)];
    if (space == Space::Const) insn.effect = Effect::Load;
    element_bytes = 4;
    vector = std::array<uint8_t, 5>{1, 1, 1, 2, 4}[pick(5)];
    address.is_64 = pick(2) == 0;
    address.offset = static_cast<int64_t>(pick(64)) * 4 - 128;
    for (uint32_t e = 0; e < 4; ++e) payload.data[e] = {(e + pick(2) * 3 + 1) * kRowBytes};
    if (vector == 1 && pick(4) == 0) payload.data[0] = {0};  // over its own address
    if (vector == 1 && space != Space::Global && pick(4) != 0) payload.cached_address = 0;
    insn.may_be_cached = payload.cached_address == 0 && insn.effect == Effect::Load && space == Space::Shared;
    bool over_address = payload.data[0].bits < (address.is_64 ? 2 : 1) * kRowBytes;
    if (over_address && insn.effect == Effect::Load) insn.overwrites = 1;
    return insn;
  }

  void addresses(const Insn& insn, Rows& rows) {
    const AddressOperand& address = insn.access().address;
    const Space space = insn.access().space;
    uint32_t access = insn.access().bytes();
    uint32_t bytes = space == Space::Shared ? kSharedBytes : space == Space::Const ? kConstantBytes : kGlobalBytes;
    std::array<uint64_t, 32> lanes{};
    half_of(lanes, 0, access, bytes);
    half_of(lanes, 16, access, bytes);
    if (pick(3) == 0) std::copy_n(lanes.begin(), 16, lanes.begin() + 16);
    if (pick(3) == 0)
      for (uint32_t k = 0; k < 32; ++k) lanes[k] = lanes[0] + k * access;
    if (pick(16) == 0) lanes[pick(32)] += 2;                               // misaligned
    if (pick(16) == 0) lanes[pick(32)] = bytes - 4 + pick(3) * 4;          // about the end
    if (pick(16) == 0) lanes[pick(32)] -= 4;                               // about the beginning
    if (pick(32) == 0) lanes[pick(32)] += uint64_t{1} << (16 + pick(40));  // far away
    if (space == Space::Global) {
      Addr begin = pick(3) == 0 ? second : first;
      for (uint64_t& at : lanes) at += begin;
    }
    for (uint32_t k = 0; k < 32; ++k) {
      uint64_t at = lanes[k] - static_cast<uint64_t>(address.offset);
      size_t width = address.is_64 ? 8 : 4;
      std::memcpy(rows.data() + k * width, &at, width);
    }
  }
};

void same_access(const MemoryAccess& a, const MemoryAccess& b, bool store) {
  REQUIRE(a.on_chip == b.on_chip);
  REQUIRE(a.off_chip == b.off_chip);
  if (a.on_chip) REQUIRE(a.chip_space == b.chip_space);
  REQUIRE(a.conflict_degree == b.conflict_degree);
  REQUIRE(a.replays == b.replays);
  REQUIRE(a.count == b.count);
  REQUIRE(a.coalesced == b.coalesced);
  REQUIRE(a.uncoalesced == b.uncoalesced);
  for (uint32_t i = 0; i < a.count; ++i) {
    const Transaction &x = a.transactions[i], &y = b.transactions[i];
    REQUIRE(x.address == y.address);
    if (!a.off_chip) continue;
    REQUIRE(x.word == y.word);
    REQUIRE(x.lanes == y.lanes);
    REQUIRE(x.bytes == y.bytes);
    REQUIRE(x.half == y.half);
    if (!store) continue;
    REQUIRE(a.stores[i]->address == b.stores[i]->address);
    REQUIRE(a.stores[i]->byte_mask == b.stores[i]->byte_mask);
    for (uint32_t byte = 0; byte < kMaxStoreBytes; ++byte)
      if (a.stores[i]->writes(byte)) REQUIRE(a.stores[i]->bytes[byte] == b.stores[i]->bytes[byte]);
  }
}

}  // namespace

TEST_CASE("whole warps of words: lane code, cached addresses and the general way agree", "[load_store]") {
  uint32_t completed = 0, faults = 0, cached = 0;
  for (std::string_view isa : available_isas()) {
    for (unsigned seed = 0; seed < 100; ++seed) {
      Setup setup(isa, seed);
      Side general(setup.launch), words(setup.launch), fast(setup.launch);
      for (int i = 0; i < 50; ++i) {
        Insn insn = setup.instruction();
        setup.fill(fast.rows.data(), sizeof(Rows));
        setup.addresses(insn, fast.rows);
        general.rows = words.rows = fast.rows;
        fast.warp.cached = 0;
        // By a register that is not written in between, the addresses are those that the first access found.
        for (int again = 0; again < 3; ++again) {
          uint32_t mask = setup.pick(8) == 0 ? setup.pick(~0u) | 1 : kFullMask;
          const bool has_address = insn.may_be_cached && mask == kFullMask && fast.warp.cached != 0;
          general.access(insn, Side::Way::General, mask);
          words.access(insn, Side::Way::Words, mask);
          fast.access(insn, Side::Way::Cached, mask);
          CAPTURE(isa, seed, i, again, insn.access().vector, static_cast<int>(insn.access().space),
                  static_cast<int>(insn.effect));
          for (Side* side : {&words, &fast}) {
            REQUIRE(side->done == general.done);
            if (!general.done) {
              REQUIRE(side->fault.kind == general.fault.kind);
              REQUIRE(side->fault.thread == general.fault.thread);
              REQUIRE(side->fault.address == general.fault.address);
              continue;
            }
            same_access(side->out, general.out, insn.effect == Effect::Store);
            REQUIRE(std::memcmp(side->rows.data(), general.rows.data(), sizeof(Rows)) == 0);
            REQUIRE(side->shared == general.shared);
          }
          if (!general.done) {
            ++faults;
            break;
          }
          ++completed;
          cached += has_address ? 1 : 0;
          fast.warp.forget(insn);
          insn.access().address.offset += static_cast<int64_t>(setup.pick(9)) * (setup.pick(16) == 0 ? 3 : 4) - 16;
        }
      }
    }
  }
  CHECK(completed > 2 * faults);  // not more: a step of 4 takes vectors off their alignment
  CHECK(faults > 30 * available_isas().size());
  CHECK(cached > 100 * available_isas().size());
}
