// How accesses leave the SM, and when there is room for them.
#include "sim/core/load_store_timing.h"

#include "sim/mem/crossbar.h"

namespace warptime::sim {

LoadStoreTiming::LoadStoreTiming(const MachineConfig& machine, SmState& state, const WarpTable& warps,
                                 uint32_t sm_in_tpc, TpcMemory& memory, TpcCaches& caches, Scoreboard& scoreboard,
                                 Pipes& pipes)
    : machine_(machine),
      state_(state),
      warps_(warps),
      sm_in_tpc_(sm_in_tpc),
      memory_(&memory),
      caches_(&caches),
      scoreboard_(scoreboard),
      pipes_(pipes),
      has_l1_(caches.caches(ReadKind::Data)),
      has_global_l1_(has_l1_ && machine.l1.spaces == CachedSpaces::global_and_local),
      keeps_local_stores_(has_l1_ && machine.l1.local_stores == WritePolicy::write_back),
      reads_only_in_l1_(has_l1_ && machine.texture.read_only_loads && machine.texture.in_l1),
      keeps_stores_(has_global_l1_ && machine.l1.stored_lines != StoredLines::evict),
      joins_runs_(!machine.interconnect.data_per_lane && machine.memory.request_bytes == 32),
      copy_engine_(machine, state.warp_slots()) {}

/// The 32 bytes of the aligned 128 around it that a transaction writes.
static TpcCaches::Stored stored_by(const PendingStore& store, const Transaction& transaction) {
  const uint32_t first = transaction.address % kMaxStoreBytes / 32;
  const uint32_t written = transaction.granules != 0 ? transaction.granules : (1u << transaction.bytes / 32) - 1;
  return {transaction.address - first * 32, written << first, store.whole_granules()};
}

bool LoadStoreTiming::check_room(Cycle now) {
  const bool no_entry = loads_in_table_ >= machine_.memory.max_outstanding_loads;
  table_full_ = no_entry || !waiting_reads_.empty();
  if (!table_full_ && memory_->has_room(sm_in_tpc_, 1, now)) {
    room_known_ = true;
    return true;
  }
  if (!waits_for_room_) {
    full_ = no_entry ? QueueFull::LoadTable : table_full_ ? QueueFull::Mshrs : QueueFull::MemoryQueue;
    load_table_.times_full += no_entry ? 1 : 0;
    times_queue_full_ += table_full_ ? 0 : 1;
  }
  waits_for_room_ = true;
  pipes_.block(ptx::Unit::Memory, table_full_ ? kNever : memory_->next_room(sm_in_tpc_, now));
  return false;
}

bool LoadStoreTiming::begin_step(Cycle begin, Cycle* poll) {
  if (!waits_for_room_) return false;
  *poll = begin;
  if (!room_known_ && !table_full_ && !memory_->has_room(sm_in_tpc_, 1, begin))
    *poll = memory_->next_room(sm_in_tpc_, begin);
  pipes_.block(ptx::Unit::Memory, *poll);
  return *poll != kNever;
}

uint32_t LoadStoreTiming::begin(uint32_t slot, uint32_t pc, uint32_t count, Cycle now) {
  uint32_t id = loads_.take();
  loads_[id] =
      PendingLoad{pc, slot, count, now, 0, Stall::GlobalDependency, false, count, 0, now, AsyncCopies::kNone, 0};
  ++state_.warp(slot).outstanding_loads;
  return id;
}

uint32_t LoadStoreTiming::send(uint32_t slot, uint32_t pc, const MemoryAccess& access, Cycle now) {
  Warp& warp = state_.warp(slot);
  const CodeEntry& insn = warp.code[pc];
  KernelOnSm& kernel = *warps_[slot].kernel;
  room_known_ = false;
  memory_->will_send(sm_in_tpc_, access.count, now);
  Request request;
  request.sm = static_cast<uint16_t>(state_.index());
  request.launch = kernel.launch->number;
  const bool bulk = insn.effect == ptx::Effect::BulkCopy;
  const bool load = insn.effect == ptx::Effect::Load || access.copy != AsyncCopies::kNone;
  request.atomic = insn.effect == ptx::Effect::Atomic || (bulk && reduces(insn.bulk_copy()));
  uint32_t id = PendingAtomic::kNoLoad;
  if (load || (insn.effect == ptx::Effect::Atomic && insn.atomic().has_result)) {
    id = begin(slot, pc, access.count, now);
    loads_[id].in_table = !bulk;
    loads_[id].copy = access.copy;
    if (!bulk) load_table_.most.add(++loads_in_table_);
  }
  request.tag = load ? id : store_tag(slot, warp.generation);
  if (!load) {
    warp.outstanding_stores += access.count;
    kernel.outstanding_stores += access.count;
  }
  const bool past_l1 = load && (bulk || insn.access().past_l1);
  const bool read_only = load && !bulk && insn.access().read_only;
  const bool through_texture = read_only && machine_.texture.read_only_loads && !reads_only_in_l1_;
  const Addr local = kernel.launch->local_base;
  const bool in_l1 = has_global_l1_ || (has_l1_ && access.count != 0 && access.transactions[0].address >= local);
  const bool cached = load && !past_l1 && (in_l1 || through_texture || (read_only && reads_only_in_l1_));
  bool plain_load = load && !cached;
  if (plain_load) {
    // The memory system counts the answers, and gives the last one; each one only where all are asked about.
    request.counted = !kernel.counters.has_lines();
    if (request.counted) memory_->expect(sm_in_tpc_, id, access.count);
    if (request.counted) loads_[id].remaining = 1;
  }
  const bool data_per_lane = load && machine_.interconnect.data_per_lane;
  for (uint32_t i = 0, alike; i < access.count; i += alike) {
    const Transaction& transaction = access.transactions[i];
    alike = 1;
    if (plain_load && joins_runs_)
      while (i + alike < access.count && access.transactions[i + alike].equals_but_lanes(transaction)) ++alike;
    request.cycle = now + Cycle{i} * machine_.memory.request_cycles;
    request.address = transaction.address;
    if (through_texture && !past_l1) {
      note_read(id, look_up_texture(id, request.address, request.cycle, request.launch));
      continue;
    }
    if (cached) {
      read_l1(l1_read(id, request.launch, transaction, request.cycle));
      continue;
    }
    if (keeps_local_stores_ && insn.effect == ptx::Effect::Store && request.address >= local) {
      TpcCaches::Stored stored = stored_by(*access.stores[i], transaction);
      if (transaction.bytes_of_lanes() < transaction.bytes) stored.whole = 0;  // its bytes are not in the store
      caches_->store_local(sm_in_tpc_, stored, request.launch, request.cycle);
      kept_stores_.push_back(access.stores[i]);
      --warp.outstanding_stores;
      --kernel.outstanding_stores;
      continue;
    }
    request.word = transaction.word;
    request.bytes = transaction.bytes;
    if (transaction.granules != 0) [[unlikely]] {
      request.bytes = static_cast<uint16_t>(transaction.bytes_of_granules());
      request.granules = transaction.granules;
    } else {
      request.granules = 0;
    }
    if (data_per_lane) request.port_bytes = static_cast<uint16_t>(transaction.bytes_of_lanes());
    request.group = next_group_ + transaction.half;
    request.store = load ? nullptr : access.stores[i];
    if (!load) request.store->launch = static_cast<uint16_t>(request.launch);
    if (request.atomic) static_cast<PendingAtomic*>(request.store)->load = id;
    if (!load && machine_.memory.store_bytes != 0) [[unlikely]]
      leave_in_turn(request);
    if (keeps_stores_ && insn.effect == ptx::Effect::Store)
      store_in_l1(*request.store, transaction, request.launch, request.cycle);
    else if (has_l1_) caches_->discard(sm_in_tpc_, request.address);
    memory_->send(sm_in_tpc_, request, alike, machine_.memory.request_cycles);
  }
  last_sent_ = std::max(last_sent_, request.cycle);
  if (load && loads_[id].remaining == 0) end(id);
  next_group_ += 2;
  return id;
}

void LoadStoreTiming::send_write_back(PendingStore& store, uint32_t bytes, uint32_t launch, Cycle now) {
  Request request;
  request.cycle = last_sent_ = std::max(last_sent_, now);
  request.address = request.word = store.address;
  request.bytes = static_cast<uint16_t>(bytes);
  request.sm = static_cast<uint16_t>(state_.index());
  request.launch = launch;
  request.tag = store_tag(0, kNoGeneration);
  request.group = next_group_;
  request.store = &store;
  store.launch = static_cast<uint16_t>(launch);
  next_group_ += 2;
  if (machine_.memory.store_bytes != 0) [[unlikely]]
    leave_in_turn(request);
  memory_->send(sm_in_tpc_, request);
}

/// A store or an atomic operation leaves when those before it have left, by their bytes.
void LoadStoreTiming::leave_in_turn(Request& request) {
  const uint32_t width = machine_.memory.store_bytes, all = request.bytes / 32;
  const uint32_t first = request.address % kMaxStoreBytes / 32;
  const uint32_t granules = (request.granules != 0 ? request.granules : (1u << all) - 1) << first;
  const uint32_t masks = masked_sectors(request.store, request.atomic, granules);
  const uint64_t begin = std::max(request.cycle * width, stores_free_);
  stores_free_ = begin + request.bytes + uint64_t{masks} * machine_.memory.mask_bytes;
  request.cycle = (begin + width - 1) / width;
}

LoadStoreTiming::L1Read LoadStoreTiming::l1_read(uint32_t load, uint32_t launch, const Transaction& transaction,
                                                 Cycle cycle) const {
  const uint32_t line_bytes = machine_.l1.cache.line_bytes;
  L1Read read{load, launch, transaction.address, cycle, transaction.granules};
  if (transaction.bytes == line_bytes) [[likely]]
    return read;
  read.address = transaction.address & ~Addr{line_bytes - 1};
  if (read.granules == 0) read.granules = (1u << transaction.bytes / 32) - 1;
  read.granules <<= (transaction.address - read.address) / 32;
  return read;
}

void LoadStoreTiming::read_l1(const L1Read& read) {
  if (!waiting_reads_.empty() || !caches_->has_room(sm_in_tpc_, read.address, read.granules)) [[unlikely]]
    waiting_reads_.push_back(read);
  else note_read(read.load, look_up_l1(read, read.cycle));
}

void LoadStoreTiming::note_read(uint32_t load, Cycle ready) {
  if (ready == kNever) return;
  loads_[load].ready = std::max(loads_[load].ready, ready);
  --loads_[load].remaining;
}

Cycle LoadStoreTiming::look_up_l1(const L1Read& read, Cycle now) {
  const Cycle ready =
      caches_->read_data(sm_in_tpc_, read.address, read.granules, read.load | kLoadWaiter, now, read.launch);
  const PendingLoad& pending = loads_[read.load];
  if (counters_of(pending.slot).has_lines()) [[unlikely]]
    count_hit(pending.slot, pending.pc);
  return ready;
}

Cycle LoadStoreTiming::look_up_texture(uint32_t load, Addr address, Cycle now, uint32_t launch) {
  const Cycle ready = caches_->read(ReadKind::Texture, sm_in_tpc_, address, load | kLoadWaiter, now, launch);
  const PendingLoad& pending = loads_[load];
  if (counters_of(pending.slot).has_lines()) [[unlikely]]
    count_hit(pending.slot, pending.pc);
  return ready;
}

void LoadStoreTiming::store_in_l1(const PendingStore& store, const Transaction& transaction, uint32_t launch,
                                  Cycle now) {
  caches_->store_through(sm_in_tpc_, stored_by(store, transaction), launch, now);
}

Wait LoadStoreTiming::read_lines(ReadKind kind, uint32_t slot, uint32_t pc, const MemoryAccess& access,
                                 uint32_t latency, Stall reason, Cycle now, uint32_t& id) {
  id = begin(slot, pc, access.count, now);
  PendingLoad& load = loads_[id];
  load.latency = latency;
  load.reason = reason;
  const uint32_t launch = warps_[slot].kernel->launch->number;
  auto read = [&](Addr line) { return caches_->read(kind, sm_in_tpc_, line, id | kLoadWaiter, now, launch); };
  if (kind == ReadKind::Texture && machine_.texture.in_l1) [[unlikely]]
    return read_each(id, access, [&](Addr line) { return read_texel(line, id, now, launch); });
  if (kind == ReadKind::Constant && machine_.constant.address_latency != 0) [[unlikely]]
    return read_in_turn(id, access, now, read);
  return read_each(id, access, read);
}

/// The addresses of a load of constants are served one after the other, so the latencies of misses add up.
template <class Read>
inline Wait LoadStoreTiming::read_in_turn(uint32_t id, const MemoryAccess& access, Cycle now, const Read& read) {
  Cycle later = 0;
  return read_each(id, access, [&](Addr line) {
    const Cycle ready = read(line);
    if (ready == kNever || caches_->found_in() == CachePlace::Sm) return ready;
    later += machine_.constant.tpc_cache.latency;
    return std::max(ready, now + later);
  });
}

TpcCaches::UniformLine LoadStoreTiming::find_uniform(uint32_t slot, uint32_t pc, TpcCaches::UniformLookup read,
                                                     Cycle now) {
  using State = TpcCaches::UniformLine::State;
  read.sm_in_tpc = sm_in_tpc_;
  read.launch = warps_[slot].kernel->launch->number;
  const TpcCaches::UniformLine line = caches_->find_uniform(read, now);
  if ((line.state == State::There || line.state == State::Requested) && counters_of(slot).has_lines()) [[unlikely]] {
    ++counters_of(slot).lines[pc].caches.reads;
    count_hit(slot, pc);
  }
  return line;
}

Wait LoadStoreTiming::fetch_uniform(uint32_t slot, uint32_t pc, const MemoryAccess& access, uint32_t latency, Cycle now,
                                    uint32_t& id) {
  id = begin(slot, pc, access.count, now);
  PendingLoad& load = loads_[id];
  load.latency = latency;
  load.reason = Stall::ConstantDependency;
  const uint32_t launch = warps_[slot].kernel->launch->number;
  return read_each(id, access,
                   [&](Addr line) { return caches_->fetch_uniform(sm_in_tpc_, line, id | kLoadWaiter, now, launch); });
}

template <class Read>
inline Wait LoadStoreTiming::read_each(uint32_t id, const MemoryAccess& access, const Read& read) {
  PendingLoad& load = loads_[id];
  const bool has_lines = counters_of(load.slot).has_lines();
  for (uint32_t i = 0; i < access.count; ++i) {
    const Cycle ready = read(access.transactions[i].address);
    if (has_lines) [[unlikely]]
      count_hit(load.slot, load.pc);
    if (ready == kNever) continue;
    load.ready = std::max(load.ready, ready);
    --load.remaining;
  }
  return load.remaining == 0 ? end(id) : Wait::unknown(load.reason);
}

/// A line of texels, of 32 bytes, in the L1 data cache: fetches have MSHRs at once.
Cycle LoadStoreTiming::read_texel(Addr address, uint32_t load, Cycle now, uint32_t launch) {
  const Addr line = address & ~Addr{machine_.l1.cache.line_bytes - 1};
  return caches_->read_data(sm_in_tpc_, line, 1u << (address - line) / 32, load | kLoadWaiter, now, launch);
}

/// The level that had the line which was just read.
void LoadStoreTiming::count_hit(uint32_t slot, uint32_t pc) {
  LineCaches& line = counters_of(slot).lines[pc].caches;
  switch (caches_->found_in()) {
    case CachePlace::Sm: ++line.sm_hits; break;
    case CachePlace::Tpc: ++line.tpc_hits; break;
    case CachePlace::Partition: break;  // its answer says
  }
}

void LoadStoreTiming::count_line(const PendingLoad& load, Cycle latency) {
  LineStatistics& line = counters_of(load.slot).lines[load.pc];
  line.caches.reads += load.reads;
  line.caches.partition_hits += load.partition_hits;
  line.latency.add(latency);
}

void LoadStoreTiming::write_result(const PendingAtomic& atomic) {
  const PendingLoad& load = loads_[atomic.load];
  Warp& warp = state_.warp(load.slot);
  LoadStore::write_result(warp.code[load.pc], warp, atomic);
}

}  // namespace warptime::sim
