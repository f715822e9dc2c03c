#include "analysis/memory/hierarchy.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace warptime::analysis {

namespace {

using sim::CachePlace;
using sim::ReadKind;

constexpr uint64_t kNoRow = ~uint64_t{0};
constexpr Addr kSmallestFetch = 32;  // bytes, of texels where no cache of the TPC holds them

std::vector<LruCache> caches_of(const sim::MachineConfig& machine, CachePlace place) {
  std::vector<LruCache> caches;
  for (size_t kind = 0; kind < sim::kReadKinds; ++kind)
    caches.emplace_back(sim::cache_of(machine, static_cast<ReadKind>(kind), place));
  return caches;
}

std::optional<MemoryLevel> inner_level(ReadKind kind) {
  switch (kind) {
    case ReadKind::Constant: return MemoryLevel::Constant;
    case ReadKind::Texture: return MemoryLevel::Texture;
    case ReadKind::Data: return MemoryLevel::L1;
    case ReadKind::Plain:
    case ReadKind::Instruction: break;
  }
  return std::nullopt;
}

/// Removes one of them, at random.
uint32_t draw(std::vector<uint32_t>& items, SplitMix64& random) {
  std::swap(items[random.below(items.size())], items.back());
  const uint32_t item = items.back();
  items.pop_back();
  return item;
}

}  // namespace

Hierarchy::Hierarchy(const sim::MachineConfig& machine, size_t instructions)
    : machine_(machine),
      map_(machine.memory),
      banks_(machine.dram),
      burst_bytes_(machine.dram.bus_bytes * machine.dram.burst_length),
      of_sm_(sim::sm_count(machine), caches_of(machine, CachePlace::Sm)),
      of_tpc_(machine.chip.tpcs, caches_of(machine, CachePlace::Tpc)),
      partitions_(machine.memory.partitions,
                  {caches_of(machine, CachePlace::Partition), std::vector<uint64_t>(machine.dram.banks, kNoRow)}),
      outstanding_(sim::sm_count(machine)),
      of_instruction_(instructions) {}

void Hierarchy::count(MemoryLevel level, uint32_t pc, bool hit) {
  counts_[static_cast<size_t>(level)].add(hit);
  if (pc < of_instruction_.size()) of_instruction_[pc][static_cast<size_t>(level)].add(hit);
}

uint32_t Hierarchy::add_fetch(Fetch fetch) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(fetches_.size()));
    fetches_.emplace_back();
  }
  const uint32_t id = free_.back();
  free_.pop_back();
  fetches_[id] = std::move(fetch);
  next_pool_.push_back(id);
  return id;
}

bool Hierarchy::request(uint32_t sm, const sim::RecordedRequest& request, uint32_t waiter) {
  using Kind = sim::RecordedRequest::Kind;
  switch (request.kind) {
    case Kind::Barrier: return false;
    case Kind::Constant: return read_inner(sm, request.pc, ReadKind::Constant, request.address, waiter);
    case Kind::Texture: return read_inner(sm, request.pc, ReadKind::Texture, request.address, waiter);
    case Kind::Load:
      if (sim::first_line_bytes(machine_, ReadKind::Data, CachePlace::Tpc) != 0)
        return read_inner(sm, request.pc, ReadKind::Data, request.address, waiter);
      break;
    case Kind::Store:
    case Kind::Atomic:  // a store passes the L1 and evicts its line there
      sm_cache(sm, ReadKind::Data).evict(request.address);
      tpc_cache(sm, ReadKind::Data).evict(request.address);
      break;
  }
  const bool waits = request.kind != Kind::Store;
  const uint32_t fetch =
      add_fetch({request.pc, sm, request.address, request.bytes, ReadKind::Plain, request.kind != Kind::Load});
  if (waits) fetches_[fetch].waiters.push_back({sm, waiter});
  return waits;
}

/// A read of a line through the caches of its SM and TPC. Only what its first level has is a hit, as in the statistics.
bool Hierarchy::read_inner(uint32_t sm, uint32_t pc, ReadKind kind, Addr address, uint32_t warp) {
  LruCache &inner = sm_cache(sm, kind), &outer = tpc_cache(sm, kind);
  const bool in_first = inner.exists() ? inner.find(address) : outer.find(address);
  count(*inner_level(kind), pc, in_first);
  if (in_first) return false;
  if (inner.exists() && outer.find(address)) {
    Addr none = 0;
    inner.fill(address, false, none);
    return false;
  }
  // A line is fetched once for all readers that share the outer level, or else for those of the SM.
  const Addr bytes =
      std::max({inner.exists() ? inner.line_bytes() : 0, outer.exists() ? outer.line_bytes() : 0, kSmallestFetch});
  const Addr line = address / bytes * bytes;
  const Key key{outer.exists() ? &outer : &inner, line};
  auto found = inner_.find(key);
  if (found == inner_.end())
    found = inner_.emplace(key, add_fetch({pc, sm, line, static_cast<uint32_t>(bytes), kind})).first;
  fetches_[found->second].waiters.push_back({sm, warp});
  outstanding_[sm] += kind == ReadKind::Data ? 1 : 0;
  return true;
}

bool Hierarchy::serve(SplitMix64& random) {
  returned_.clear();
  if (pool_.empty()) pool_.swap(next_pool_);
  if (!pool_.empty()) {
    const size_t at = random.below(pool_.size());
    Partition& partition = partitions_[map_.locate(fetches_[pool_[at]].address).partition];
    if (partition.queue.size() >= machine_.dram.queue_entries) {
      serve_dram(partition);
      return true;
    }
    std::swap(pool_[at], pool_.back());
    const uint32_t fetch = pool_.back();
    pool_.pop_back();
    look_up(fetch);
    return true;
  }
  std::vector<uint32_t> waiting;
  for (uint32_t i = 0; i < partitions_.size(); ++i)
    if (!partitions_[i].queue.empty()) waiting.push_back(i);
  if (waiting.empty()) return false;
  serve_dram(partitions_[draw(waiting, random)]);
  return true;
}

LruCache& Hierarchy::partition_cache(Partition& partition, ReadKind kind) {
  LruCache& own = partition.caches[static_cast<size_t>(kind)];
  return own.exists() ? own : partition.caches[static_cast<size_t>(ReadKind::Data)];
}

/// The request has reached its partition.
void Hierarchy::look_up(uint32_t id) {
  const Fetch& fetch = fetches_[id];
  const sim::PartitionAddress place = map_.locate(fetch.address);
  Partition& partition = partitions_[place.partition];
  LruCache& cache = partition_cache(partition, fetch.kind);
  if (!cache.exists()) return to_dram(partition, fetch.pc, place.offset, fetch.bytes, id);
  bool hit = true;
  const Addr end = place.offset + fetch.bytes;
  for (Addr line = cache.line_of(place.offset); line < end; line += cache.line_bytes()) hit &= cache.find(line);
  if (&cache == &partition.caches[static_cast<size_t>(ReadKind::Data)]) count(MemoryLevel::L2, fetch.pc, hit);
  if (fetch.writes) {
    if (machine_.l2.write_policy != sim::WritePolicy::write_back)
      return to_dram(partition, fetch.pc, place.offset, fetch.bytes, id);
    for (Addr line = cache.line_of(place.offset); line < end; line += cache.line_bytes()) {
      Addr evicted = 0;
      if (cache.fill(line, true, evicted))
        to_dram(partition, fetch.pc, evicted, static_cast<uint32_t>(cache.line_bytes()), Columns::kNone);
    }
    return answer(id);
  }
  if (hit) return answer(id);
  // Another read of the same bytes may be on its way.
  if (auto same = partition.reads.find(place.offset);
      same != partition.reads.end() && fetches_[same->second].bytes >= fetch.bytes) {
    fetches_[same->second].merged.push_back(id);
    return;
  }
  partition.reads[place.offset] = id;
  to_dram(partition, fetch.pc, place.offset, fetch.bytes, id);
}

void Hierarchy::to_dram(Partition& partition, uint32_t pc, Addr offset, uint32_t bytes, uint32_t fetch) {
  for (const Addr end = offset + bytes; offset < end;) {
    const Addr bank_end = std::min(end, offset + banks_.bytes_left(offset));
    const auto columns = static_cast<uint32_t>((bank_end - offset + burst_bytes_ - 1) / burst_bytes_);
    // The last part answers.
    const uint32_t answered = bank_end == end ? fetch : Columns::kNone;
    partition.queue.push_back({pc, banks_.bank_of(offset), banks_.row_of(offset), columns, answered});
    offset = bank_end;
  }
}

/// The oldest request of an open row, or the oldest one.
void Hierarchy::serve_dram(Partition& partition) {
  auto next = partition.queue.begin();
  if (machine_.dram.scheduler == sim::DramPolicy::fr_fcfs) {
    auto open = std::find_if(partition.queue.begin(), partition.queue.end(),
                             [&](const Columns& c) { return partition.open_row[c.bank] == c.row; });
    if (open != partition.queue.end()) next = open;
  }
  const Columns columns = *next;
  partition.queue.erase(next);
  uint64_t& open = partition.open_row[columns.bank];
  count(MemoryLevel::DramRows, columns.pc, open == columns.row);
  open = columns.row;
  for (uint32_t i = 1; i < columns.count; ++i) count(MemoryLevel::DramRows, columns.pc, true);
  if (columns.fetch == Columns::kNone) return;
  const Fetch& fetch = fetches_[columns.fetch];
  const sim::PartitionAddress place = map_.locate(fetch.address);
  LruCache& cache = partition_cache(partition, fetch.kind);
  if (cache.exists() && !fetch.writes) {
    for (Addr line = cache.line_of(place.offset); line < place.offset + fetch.bytes; line += cache.line_bytes()) {
      Addr evicted = 0;
      if (cache.fill(line, false, evicted))
        to_dram(partition, fetch.pc, evicted, static_cast<uint32_t>(cache.line_bytes()), Columns::kNone);
    }
    if (auto own = partition.reads.find(place.offset); own != partition.reads.end() && own->second == columns.fetch)
      partition.reads.erase(own);
  }
  answer(columns.fetch);
}

/// Fills the caches of SM and TPC and says who waits no longer.
void Hierarchy::answer(uint32_t id) {
  const Fetch fetch = std::move(fetches_[id]);
  free_.push_back(id);
  if (inner_level(fetch.kind)) {
    LruCache& outer = tpc_cache(fetch.sm, fetch.kind);
    Addr none = 0;
    outer.fill(fetch.address, false, none);
    for (const Waiter& waiter : fetch.waiters) sm_cache(waiter.sm, fetch.kind).fill(fetch.address, false, none);
    inner_.erase({outer.exists() ? &outer : &sm_cache(fetch.sm, fetch.kind), fetch.address});
  }
  for (const Waiter& waiter : fetch.waiters) {
    outstanding_[waiter.sm] -= fetch.kind == ReadKind::Data ? 1 : 0;
    returned_.push_back(waiter.warp);
  }
  for (uint32_t merged : fetch.merged) answer(merged);
}

}  // namespace warptime::analysis
