// The values of the load/store unit: addresses, their state space, bounds and alignment, the copies, and the
// transactions and replays that the access requires. The SM adds time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/exec/bulk_detail.h"
#include "sim/exec/memory_values.h"
#include "sim/exec/texture_sampling.h"
#include "sim/mem/cache_tags.h"
#include "sim/mem/coalescer.h"
#include "sim/mem/shared_banks.h"
#include "sim/mem/store_buffer.h"
#include "sim/mem/tensor_box.h"
#include "sim/state/async_copies.h"
#include "sim/state/atomic_buffer.h"
#include "sim/state/fault_record.h"
#include "sim/state/resident_kernel.h"
#include "sim/state/warp.h"

namespace warptime::sim {

/// The result of a load or store. A generic access may use shared and global memory at once.
struct MemoryAccess {
  // Local vectors may need a set of transactions for each of four words, a texture fetch a line for each of 8 texels
  // of two levels per lane, a fragment of a matrix an access for each of 16 elements of a lane.
  static constexpr size_t kCapacity = std::max({4 * kMaxTransactions, size_t{16} * kWarpSize, 16 * kMaxTransactions});

  bool on_chip = false;                      // shared, constant or parameter memory, with `conflict_degree`
  bool off_chip = false;                     // global or local memory: `count` transactions
  ptx::Space chip_space = ptx::Space::None;  // of the on-chip part
  uint32_t conflict_degree = 1;              // of the worst request
  uint32_t replays = 0;                      // summed over requests
  uint32_t count = 0;                        // transactions; of a constant read: distinct lines of the constant cache
  uint32_t coalesced = 0, uncoalesced = 0;   // requests
  uint32_t copy = AsyncCopies::kNone;        // that the transactions are of
  std::array<Transaction, kCapacity> transactions;
  std::array<PendingStore*, kCapacity> stores;  // of a store or an atomic operation

  /// An access without any effect yet.
  void clear() {
    on_chip = off_chip = false;
    conflict_degree = 1;
    replays = coalesced = uncoalesced = 0;
    copy = AsyncCopies::kNone;
    clear_transactions();
  }
  void clear_transactions() {
    count = 0;
    line_marks_ = 0;
  }

  /// A line of a cache that the access reads.
  void add_line(Addr line) {
    auto mark = static_cast<uint32_t>(line * 0x9e3779b97f4a7c15 >> 58);
    if (((line_marks_ >> mark) & 1) != 0) {
      if (transactions[marked_[mark]].address == line) return;
      for (uint32_t i = count; i-- > 0;)
        if (transactions[i].address == line) return;
    }
    line_marks_ |= uint64_t{1} << mark;
    marked_[mark] = static_cast<uint16_t>(count);
    transactions[count++].address = line;
  }

 private:
  uint64_t line_marks_ = 0;          // one bit per address hash of the lines so far
  std::array<uint16_t, 64> marked_;  // by address hash: the last such line
};

/// The texture parameters of a machine.
TextureLayout texture_layout(const MachineConfig& machine);

class LoadStore {
 public:
  LoadStore(const MachineConfig& machine, const DeviceMemory& memory, uint32_t sm);

  /// Finds the addresses of an access to a surface. Lanes that do not access it leave `mask`; false: a fault.
  bool find_in_surface(const Insn& insn, Warp& warp, uint32_t& mask, FaultRecord& fault);
  /// A formatted access as the format of the first lane's surface has it; other lanes than those with the same format
  /// leave `mask`. nullopt: a fault.
  std::optional<Insn> next_format(const Insn& insn, const Warp& warp, uint32_t& mask, FaultRecord& fault);

  /// Performs a load or store for `mask` (not empty). False: `fault` has the reason (the caller adds thread and PTX
  /// line); or, if none is raised, the access is one of others() and is left alone.
  bool access(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out, FaultRecord& fault) {
    out.clear();
    follow(warp);
    if (mask == kFullMask && load_cached(insn, warp)) {
      out.on_chip = true;
      out.chip_space = ptx::Space::Shared;
      return true;
    }
    if (mask == kFullMask && insn.effect != ptx::Effect::Atomic && insn.load_store().is_words &&
        insn.access().dimensions == 0 && access_words(insn, warp, out)) [[likely]]
      return true;
    return access_lanes(insn, warp, warp_slot, mask, out, fault);
  }

  // Accesses to the shared memory of blocks that are on other SMs (load_store_apart.cc).
  struct OtherBlocks {
    uint32_t lanes = 0;  // whose address is another block's; perhaps none, of ld.shared::cluster
    std::array<uint8_t, kWarpSize> rank{};
    std::array<uint32_t, kWarpSize> at{};  // offset in its shared memory
  };
  const OtherBlocks& others() const { return others_; }
  /// access() for the lanes that are not theirs (not empty).
  bool access_own(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out,
                  FaultRecord& fault);
  // What such a lane sends or gets has so many bytes, in the order of lanes.
  static constexpr uint32_t kLaneBytes = 32;
  /// What the lanes of a store or an atomic operation send.
  static void read_operands(const Insn& insn, const Warp& warp, uint32_t lanes, std::span<std::byte> out);
  /// Performs the access of another block's lanes; `data` becomes what they get.
  void perform(const Insn& insn, std::byte* shared, uint32_t lanes, const std::array<uint32_t, kWarpSize>& at,
               std::span<std::byte> data);
  /// What they get goes to registers.
  static void write_results(const Insn& insn, const Warp& warp, uint32_t lanes, std::span<const std::byte> data);

  /// A load of words by all lanes from shared memory, if its addresses are cached and have no bank conflict. False: it
  /// is another load, and nothing is done.
  bool load_cached(const Insn& insn, Warp& warp) {
    if (!insn.may_be_cached) return false;
    follow(warp);
    const CachedAddress* cached = warp.addresses.find(insn, warp.cached);
    if (cached == nullptr || !cached->locate(insn, launch_->shared_bytes, at_) || !cached->conflict_free) return false;
    words_.load(warp.values, insn, cached->shared, at_);
    return true;
  }

  /// The kernel of the last access may be gone.
  void forget() { kernel_ = nullptr; }

  /// Begins a copy to shared memory for `mask` (not empty): what it copies, and the transactions of its source. False:
  /// `fault` has the reason.
  bool copy(const Insn& insn, Warp& warp, uint32_t mask, AsyncCopies& copies, MemoryAccess& out, FaultRecord& fault);
  /// A bulk copy of a thread, with its range checked.
  struct BulkRange {
    Addr global = 0;
    uint32_t to = 0, from = 0, mbarrier = 0;  // in shared memory
    uint32_t bytes = 0;
    uint32_t extent = 0;  // of bulk_part: bytes, or pieces of a box
    uint32_t block = 0;   // 0: to the own block; else one more than its number in the cluster
    uint32_t blocks = 0;  // multicast: a bit for each of the cluster
    bool is_tensor = false;
    uint32_t swizzle = 0, row_bytes = 0;  // swizzle_mask(), TensorMap::short_row_bytes()
    TensorMap::Type type = TensorMap::Type::U8;
    uint64_t fill = 0;                  // of elements outside of the tensor
    AtomicOperation reduce = nullptr;   // nullptr: the target becomes what the source is
    uint8_t word_bytes = 4;             // of a reduction
    const std::byte* source = nullptr;  // of what goes to global memory

    /// In shared memory, from the first to the last.
    uint32_t placed_bytes() const { return sim::placed_bytes(bytes, row_bytes, swizzle); }
  };
  struct BulkPart {
    uint32_t next = 0;   // where the next part begins
    uint32_t bytes = 0;  // of this
  };
  /// False: `fault` has the reason.
  bool find_bulk(const Insn& insn, Warp& warp, uint32_t lane, BulkRange& out, FaultRecord& fault);
  /// A copy to the shared memory of the block in a slot: its number. It has read its source.
  uint32_t begin_bulk(const Insn& insn, const Warp& warp, uint32_t lane, const BulkRange& range, uint32_t block,
                      AsyncCopies& copies);
  static constexpr uint32_t kOtherSms = ~uint32_t{0};  // in place of a slot
  /// The transactions of the part from `begin` on, and what they store, of the copy that was found last.
  BulkPart bulk_part(const Insn& insn, const BulkRange& range, uint32_t begin, MemoryAccess& out);
  /// The box that was found last.
  std::span<const TensorPiece> pieces() const { return pieces_; }
  /// The lanes of a copy that read any byte of their source, and how many.
  static uint32_t source_bytes(const Insn& insn, const Warp& warp, uint32_t mask,
                               std::array<uint32_t, kWarpSize>& bytes);

  /// Performs a texture fetch for `mask` (not empty): values, and the lines that it reads. False: `fault` has the
  /// reason.
  bool texture(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault);

  /// Switches on or off: the check whether a store or an atomic operation changes any byte of memory.
  void watch_memory(bool on) {
    watches_ = on;
    changed_memory_ = false;
  }
  bool changed_memory() const { return changed_memory_; }
  /// Shared memory has changed, or will without an instruction.
  void changes_memory() { changed_memory_ = true; }
  /// Whether an outstanding store or atomic operation would change a byte of memory.
  bool changes_pending() const;

  /// Copies the bytes that a thread reads from a generic address on, including its SM's own pending stores. Returns the
  /// number of readable bytes, at most the size of the destination.
  size_t read(const Warp& warp, uint32_t lane, Addr address, std::span<std::byte> out) const;

  /// How accesses to global and local memory become transactions.
  const CoalescingRule& coalescing(bool load) const { return load ? load_rule_ : store_rule_; }
  StoreBuffer& stores() { return stores_; }
  AtomicBuffer& atomics() { return atomics_; }
  /// Whether a load for `mask` (not empty) may read bytes that an outstanding atomic operation of this SM changes.
  bool reads_pending_atomic(const Insn& insn, const Warp& warp, uint32_t mask);
  /// Writes the old words of a completed atomic operation to the registers of its instruction.
  static void write_result(const Insn& insn, Warp& warp, const PendingAtomic& atomic);
  /// wmma.load, wmma.store: of how many accesses they are, and each of them with its addresses.
  static uint32_t part_count(const Insn& insn);
  static Insn part(const Insn& insn, const WarpValues& warp, uint32_t number, std::array<Addr, kWarpSize>& addresses);
  /// Zeros in the registers that a load, a fetch or an atomic operation would write, for lanes that do not perform it.
  static void write_zeros(const Insn& insn, const Warp& warp, uint32_t lanes);

 private:
  using Addresses = std::array<Addr, kWarpSize>;
  struct BulkPlace {
    uint32_t at = 0, block = 0;
  };

  static bool problem(TensorProblem what, uint32_t lane, Addr address, FaultRecord& fault);
  Addr lane_address(const Warp& warp, const AddressOperand& operand, uint32_t lane);
  bool find_shared(Addr address, uint32_t bytes, uint32_t alignment, uint32_t lane, BulkPlace& out, FaultRecord& fault);
  bool find_shared_target(const Insn& insn, const Warp& warp, uint32_t lane, uint32_t alignment, BulkRange& out,
                          FaultRecord& fault);
  bool find_tensor(const Insn& insn, const Warp& warp, uint32_t lane, BulkRange& out, FaultRecord& fault);
  bool find_box_in_shared(const Insn& insn, const Warp& warp, uint32_t lane, BulkRange& out, FaultRecord& fault);
  bool change_map(const Insn& insn, const Warp& warp, uint32_t lane, BulkRange& out, FaultRecord& fault);
  bool are_in_memory(uint32_t lane, bool is_store, FaultRecord& fault) const;
  void part_into_words(uint32_t word_bytes);
  void read_tensor(const BulkRange& range, BulkCopy& copy);
  BulkPart tensor_part(const Insn& insn, const BulkRange& range, uint32_t begin, MemoryAccess& out);
  void send_part(const Insn& insn, const BulkRange& range, uint32_t mask, uint32_t each, MemoryAccess& out);

  /// The next access is of this warp, perhaps of another kernel than the last one.
  void follow(const Warp& warp) {
    if (warp.kernel != kernel_) [[unlikely]]
      use(*warp.kernel);
  }
  [[gnu::noinline]] void use(const ResidentKernel& kernel);

  bool fixed_parameter(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out);
  bool parameter(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault);
  bool constant(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault);
  bool shared(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault);
  bool shared_of_cluster(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault);
  static bool exited(const Warp& warp, uint32_t rank, FaultRecord& fault);
  bool shared_apart(const Insn& insn, const Warp& warp, uint32_t mask, FaultRecord& fault);
  bool global(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault);
  bool local(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out, FaultRecord& fault);
  bool generic(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out, FaultRecord& fault);

  /// Performs an access whose addresses are in addresses_.
  bool access_space(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out,
                    FaultRecord& fault);
  bool access_lanes(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out,
                    FaultRecord& fault);
  bool formatted(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out,
                 FaultRecord& fault);
  void write_channels(const Insn& insn, Warp& warp, uint32_t mask, const Texture& surface);
  // load_store_matrices.cc
  bool matrices(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out, FaultRecord& fault);
  bool fragment(const Insn& insn, Warp& warp, uint32_t warp_slot, MemoryAccess& out, FaultRecord& fault);
  // load_store_watch.cc
  bool differs(const PendingStore& store) const;
  bool would_change(const PendingAtomic& atomic) const;
  void store_values_here(const Insn& insn, const Warp& warp, uint32_t mask, uint32_t bytes);
  /// Calls store(), which writes `bytes` at to_ of each lane of the mask.
  template <class Store>
  void watch_here(uint32_t mask, uint32_t bytes, const Store& store) {
    if (!watches_) [[likely]]
      return store();
    auto for_each = [mask](const auto& f) {
      for (uint32_t rest = mask; rest != 0; rest &= rest - 1) f(static_cast<size_t>(std::countr_zero(rest)));
    };
    for_each([&](size_t lane) { std::memcpy(scratch_[lane].data(), to_[lane], bytes); });
    store();
    for_each([&](size_t lane) { changed_memory_ |= std::memcmp(scratch_[lane].data(), to_[lane], bytes) != 0; });
  }
  void watch_sent(const MemoryAccess& out, uint32_t first, bool atomic);

  // Whole warps of words (load_store_words.cc). False: nothing is done, and the general path must be used.
  bool access_words(const Insn& insn, Warp& warp, MemoryAccess& out);
  bool locate(const Insn& insn, Warp& warp, uint64_t bytes);
  bool shared_words(const Insn& insn, Warp& warp, MemoryAccess& out);
  bool constant_words(const Insn& insn, Warp& warp, MemoryAccess& out);
  bool global_words(const Insn& insn, Warp& warp, MemoryAccess& out);
  bool may_be_pending(Addr begin) const;
  void store_rows(const Insn& insn, const Warp& warp, MemoryAccess& out);

  /// Whether every lane is aligned and within [begin, end).
  bool within(uint32_t mask, uint32_t bytes, Addr begin, Addr end) const;
  /// Whether every lane is aligned and within [0, limit), or in an allocation; the fault names the first lane that is
  /// not.
  bool check(uint32_t mask, uint32_t bytes, uint64_t limit, ptx::Space space, FaultRecord& fault) const;
  bool check_allocated(const Insn& insn, uint32_t mask, uint32_t bytes, FaultRecord& fault);
  /// The lines of the constant cache that the lanes read, counted from `base`.
  void constant_lines(uint32_t mask, uint32_t bytes, Addr base, MemoryAccess& out) const;
  void swap_wide(const AtomicPayload& operation, const Insn& insn, Warp& warp, uint32_t lane, std::byte* at);
  void wide_operands(const AtomicPayload& operation, const Warp& warp, PendingAtomic& atomic);
  void shared_atomic(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out);
  void global_atomic(const Insn& insn, const Warp& warp, uint32_t first, MemoryAccess& out);
  void load_global(const Insn& insn, Warp& warp, uint32_t mask, uint32_t bytes);
  void global_consecutive(const Insn& insn, Warp& warp, uint32_t mask, const CoalescingRule& rule, MemoryAccess& out);
  void store_global(const Insn& insn, Warp& warp, uint32_t mask, uint32_t bytes, uint32_t first, MemoryAccess& out);
  /// The texture or surface of a handle; nullptr: `fault` says that there is none.
  const Texture* bound_texture(Addr handle, uint32_t lane, FaultRecord& fault) const;
  bool query(const Insn& insn, Warp& warp, uint32_t mask, FaultRecord& fault);
  void texture_lines(const Texture& texture, const WarpTexels& texels, uint32_t lanes, MemoryAccess& out);
  static void write_texels(const Insn& insn, Warp& warp, uint32_t lanes, const std::array<Lanes<uint32_t>, 4>& values);
  /// A fetch from a texture with several levels of detail (load_store_levels.cc).
  void fetch_levels(const Insn& insn, Warp& warp, const Texture& texture, uint32_t lanes, MemoryAccess& out);

  // What follows from the kernel of the last access.
  const ResidentKernel* kernel_ = nullptr;
  const LaunchContext* launch_ = nullptr;
  WordAccess words_;
  TextureAccess textures_;
  GenericWindows windows_;
  Addr shared_window_ = GenericWindows::kBytes;  // bytes of generic addresses that are in shared memory

  const MachineConfig& machine_;
  const DeviceMemory* memory_;
  uint32_t sm_;
  uint32_t constant_line_;  // bytes of a line of the constant cache; 0: none
  TextureLayout layout_;
  static bool reads_only(const Insn& insn) {
    return insn.effect == ptx::Effect::Load || insn.effect == ptx::Effect::AsyncCopy;
  }
  /// What passes the L1 has the rule of stores, which do.
  const CoalescingRule& rule_of(const Insn& insn) const {
    const AccessPayload& access = insn.access();
    return reads_only(insn) && !access.past_l1 && !(access.read_only && read_only_loads_) ? load_rule_ : store_rule_;
  }

  CoalescingRule load_rule_, store_rule_, copy_rule_, local_load_rule_;
  bool read_only_loads_;
  StoreBuffer stores_;
  AtomicBuffer atomics_;
  struct Range {
    Addr begin = 1, end = 0;
  };
  Range& found_by(const Insn& insn) { return found_[insn.number % found_.size()]; }
  bool watches_ = false, changed_memory_ = false;
  std::array<Range, 16> found_;  // by instruction: the allocation of its last access
  LaneOffsets at_{};
  alignas(64) Addresses addresses_{};
  std::array<const std::byte*, kWarpSize> from_{};
  std::array<std::byte*, kWarpSize> to_{};
  alignas(
      64) std::array<std::array<std::byte, 32>, kWarpSize> scratch_;  // lanes patched with the SM's own pending stores

  OtherBlocks others_;
  bool has_taken_others_ = false;  // what is left of the access is the block's own

  // What a bulk copy needs: by lane, what goes to global memory, and how many bytes; the box; a changed tensor map.
  std::array<const std::byte*, kWarpSize> sources_{};
  std::array<uint32_t, kWarpSize> lengths_{};
  std::vector<TensorPiece> pieces_;
  std::array<std::byte, TensorMap::kBytes> map_bytes_{};

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(stores_, atomics_, watches_, changed_memory_);
  }
};

}  // namespace warptime::sim
