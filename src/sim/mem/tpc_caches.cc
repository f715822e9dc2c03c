#include "sim/mem/tpc_caches.h"

#include <algorithm>

#include "base/assert.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kMostRequestBytes = 128;

}  // namespace

TpcCaches::TpcCaches(const MachineConfig& machine, uint32_t tpc, TpcMemory& memory)
    : memory_(&memory),
      first_sm_(tpc * machine.chip.sms_per_tpc),
      fill_cycles_(machine.constant.fill_cycles),
      l1_mshrs_(machine.l1.mshrs),
      l1_mshr_reads_(machine.l1.mshr_reads),
      l1_fetch_granules_(std::min(machine.l1.sector_bytes, machine.l1.cache.line_bytes) / kGranule),
      reserves_at_miss_(machine.l1.reserve == LineReserved::miss && machine.l1.allocate == LineAllocation::every_miss),
      allocates_stores_(machine.l1.stored_lines == StoredLines::allocate),
      way_free_(machine.chip.sms_per_tpc),
      policies_(machine.chip.sms_per_tpc, L1Policy(machine.l1)),
      uniform_(machine.chip.sms_per_tpc),
      uniform_config_(machine.constant.uniform_cache),
      code_is_preloaded_(machine.instruction.preloaded) {
  for (Levels& levels : levels_) levels.pending.resize(machine.chip.sms_per_tpc);
  for (size_t kind = 0; kind < kReadKinds; ++kind) set_up(static_cast<ReadKind>(kind), machine);
  if (!caches(ReadKind::Texture)) of(ReadKind::Texture).line_bytes = of(ReadKind::Texture).fetch_bytes = 32;
  if (const UniformCacheConfig& uniform = uniform_config_; uniform.bytes != 0)
    for (UniformCaches& sm : uniform_)
      sm.sub_cores.resize(machine.issue.ports, CacheTags({.bytes = uniform.bytes,
                                                          .line_bytes = uniform.line_bytes,
                                                          .ways = uniform.bytes / uniform.line_bytes,
                                                          .latency = 0}));
  buckets_.fill(kNone);
  if (memory.has_shares()) shares_ = std::make_unique<LaunchShares<CacheCounts>>();
  find(memory.contents());
}

void TpcCaches::find(const ChipContents& contents) {
  if (contents.empty()) return;
  for_each_cache(*this, [&](size_t level, uint32_t unit, CacheTags& tags) {
    if (const CacheTags* left = contents.find(level, unit)) tags = *left;
  });
}

void TpcCaches::leave(ChipContents& contents) const {
  for_each_cache(*this, [&](size_t level, uint32_t unit, const CacheTags& tags) { contents.leave(level, unit, tags); });
}

void TpcCaches::set_up(ReadKind kind, const MachineConfig& machine) {
  const CacheConfig sm = cache_of(machine, kind, CachePlace::Sm), tpc = cache_of(machine, kind, CachePlace::Tpc);
  Levels& levels = of(kind);
  const CacheShape shape = shape_of(machine, kind, CachePlace::Sm);
  for (size_t i = 0; i < levels.pending.size(); ++i) levels.sms.emplace_back(sm, shape);
  levels.has_inner = sm.bytes != 0;
  levels.tpc = CacheTags(tpc);
  levels.sm_latency = static_cast<uint16_t>(sm.latency);
  levels.tpc_latency = static_cast<uint16_t>(tpc.latency);
  if (machine.memory.lookups_in_misses) {
    levels.to_inner = levels.tpc.exists() ? levels.tpc_latency : 0;
    levels.to_sm = levels.has_inner ? levels.sm_latency : 0;
  }
  levels.line_bytes = first_line_bytes(machine, kind, CachePlace::Tpc);
  levels.fetch_bytes = std::max(levels.line_bytes, tpc.bytes != 0 ? tpc.line_bytes : 0);
}

std::vector<CacheView> TpcCaches::view(const MachineConfig& machine, uint32_t sm_in_tpc,
                                       std::optional<Addr> address) const {
  std::vector<CacheView> out;
  for (const CacheLevel& level : kCacheLevels) {
    if (level.side() != CacheSide::InTpc || level.of(machine).bytes == 0) continue;
    const Levels& levels = of(level.reads);
    out.push_back(view_of(level, machine, level.place == CachePlace::Sm ? levels.sms[sm_in_tpc] : levels.tpc, address));
  }
  return out;
}

Cycle TpcCaches::look_up(ReadKind kind, uint32_t sm_in_tpc, Addr address, uint32_t waiter, Cycle now, uint32_t launch) {
  Levels& levels = of(kind);
  ++levels.statistics.accesses;
  if (levels.has_inner) {
    CacheTags& inner = levels.sms[sm_in_tpc];
    if (const CacheTags::Line* line = inner.find(address)) {
      ++levels.statistics.hits;
      found_in_ = CachePlace::Sm;
      return std::max<Cycle>(now, line->ready) + levels.sm_latency;
    }
  }
  if (const CacheTags::Line* line = find_in_tpc(kind, address, now)) {
    Cycle ready = std::max<Cycle>(now, line->ready) + levels.tpc_latency;
    found_in_ = CachePlace::Tpc;
    // Where there is no inner level, this one is what the SM sees.
    ++(levels.has_inner ? levels.statistics.misses : levels.statistics.hits);
    if (!levels.has_inner) return ready;
    ready = reaches(kind, sm_in_tpc, ready);
    fill_inner(kind, sm_in_tpc, address, ready);
    return ready + levels.to_sm;
  }
  ++levels.statistics.misses;
  found_in_ = CachePlace::Partition;
  fetch(kind, sm_in_tpc, address, waiter, now, launch);
  return kNever;
}

TpcCaches::UniformLine TpcCaches::find_uniform(const UniformLookup& read, Cycle now) {
  using State = UniformLine::State;
  const Addr address = read.address;
  UniformCaches& caches = uniform_[read.sm_in_tpc];
  CacheTags &own = caches.sub_cores[read.sub_core], &tpc = of(ReadKind::Constant).tpc;
  if (const CacheTags::Line* line = own.find(address)) {
    if (line->ready > now) return {State::Coming, line->ready};
    found_in_ = CachePlace::Sm;
    count_uniform(read.launch);
    return {State::There, now};
  }
  if (read.is_parameter && tpc.find(address) == nullptr) tpc.fill(address, now);
  const CacheTags::Line* behind = tpc.find(address);
  if (behind == nullptr) return {State::Far, kNever};
  found_in_ = CachePlace::Tpc;
  count_uniform(read.launch);
  const Cycle begin = std::max({now, Cycle{behind->ready}, caches.port_free});
  caches.port_free = begin + uniform_config_.fill_cycles;
  const Cycle ready = begin + uniform_config_.miss_cycles;
  own.fill(address, ready);
  return {State::Requested, ready};
}

Cycle TpcCaches::fetch_uniform(uint32_t sm_in_tpc, Addr address, uint32_t waiter, Cycle now, uint32_t launch) {
  if (const CacheTags::Line* line = of(ReadKind::Constant).tpc.find(address)) {
    found_in_ = CachePlace::Tpc;
    count_uniform(launch);
    return std::max<Cycle>(now, line->ready) + uniform_config_.miss_cycles;
  }
  found_in_ = CachePlace::Partition;
  count_uniform(launch);
  fetch(ReadKind::Constant, sm_in_tpc, address, waiter, now, launch);
  return kNever;
}

/// A read of a uniform constant has found its line in found_in_.
void TpcCaches::count_uniform(uint32_t launch) {
  const bool hit = found_in_ == CachePlace::Sm;
  count_lookup(of(ReadKind::Constant).statistics, hit);
  if (shares_ != nullptr) [[unlikely]]
    count_lookup((*shares_)[launch][static_cast<size_t>(ReadKind::Constant)], hit);
}

void TpcCaches::prefetch(ReadKind kind, uint32_t sm_in_tpc, Addr address, Cycle now, uint32_t launch) {
  Levels& levels = of(kind);
  if (levels.has_inner && levels.sms[sm_in_tpc].find(address) != nullptr) return;
  if (const CacheTags::Line* line = find_in_tpc(kind, address, now)) {
    if (!levels.has_inner) return;
    const Cycle ready = std::max<Cycle>(now, line->ready) + levels.tpc_latency;
    fill_inner(kind, sm_in_tpc, address, reaches(kind, sm_in_tpc, ready));
  } else {
    fetch(kind, sm_in_tpc, address, kNobody, now, launch);
  }
}

void TpcCaches::fetch(ReadKind kind, uint32_t sm_in_tpc, Addr address, uint32_t waiter, Cycle now, uint32_t launch) {
  const Levels& levels = of(kind);
  const Addr line = address & ~Addr{levels.fetch_bytes - 1};  // a power of two
  const uint32_t found = find_mshr(kind, sm_in_tpc, line);
  const uint32_t node = waiters_.take();
  waiters_[node] = {sm_in_tpc, waiter, address, kNone};
  if (found != kNone) return wait_for(mshrs_[found], node);
  of(kind).statistics.fetched_bytes += levels.fetch_bytes;
  // A longer line is fetched in requests, that of the address first, with which the line is there.
  const uint32_t bytes = std::min(levels.fetch_bytes, kMostRequestBytes);
  auto send = [&](Addr at, uint32_t waits) {
    Request request;
    request.cycle = now;
    request.address = request.word = at;
    request.tag = take_mshr({kind, line, 0, sm_in_tpc, waits, waits, 1, launch});
    request.bytes = static_cast<uint16_t>(bytes);
    request.sm = static_cast<uint16_t>(first_sm_ + sm_in_tpc);
    request.launch = launch;
    request.kind = kind;
    memory_->send_fetch(request);
  };
  const Addr first = address & ~Addr{bytes - 1};
  send(first, node);
  for (Addr at = line; at < line + levels.fetch_bytes; at += bytes) {
    if (at == first) continue;
    const uint32_t nobody = waiters_.take();
    waiters_[nobody] = {sm_in_tpc, kNobody, address, kNone};
    send(at, nobody);
  }
}

uint32_t TpcCaches::arrived(const Response& response) {
  uint32_t id = response.tag;
  const Mshr mshr = mshrs_[id];
  mshrs_.give_back(id);
  uint32_t* link = &buckets_[bucket_of(mshr.line)];
  while (*link != id) {
    SIM_ASSERT(*link != kNone, "MSHR {} is in no bucket", id);  // in a restored state, perhaps
    link = &mshrs_[*link].next;
  }
  *link = mshr.next;
  Levels& levels = of(mshr.kind);
  --levels.pending[mshr.sm];
  if (mshr.kind == ReadKind::Data) {
    arrived_data(mshr, response.cycle + levels.to_inner);
    return mshr.first;
  }
  levels.tpc.fill(mshr.line, response.cycle);
  for (uint32_t node = mshr.first; node != kNone && levels.has_inner; node = waiters_[node].next) {
    const Waiter& waiter = waiters_[node];
    // Several may wait for one line.
    if (levels.sms[waiter.sm].find(waiter.address) != nullptr) continue;
    const Cycle ready = reaches(mshr.kind, waiter.sm, response.cycle + levels.to_inner);
    fill_inner(mshr.kind, waiter.sm, waiter.address, ready);
  }
  return mshr.first;
}

void TpcCaches::fill_inner(ReadKind kind, uint32_t sm_in_tpc, Addr address, Cycle ready) {
  of(kind).sms[sm_in_tpc].fill(address, ready);
}

}  // namespace warptime::sim
