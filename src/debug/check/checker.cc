#include "debug/check/checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/model/address_space.h"

namespace warptime::debug {

using ptx::Space;
using FaultKind = sim::Fault::Kind;

namespace {

/// The finding that a fault which ends a launch stands for.
Kind kind_of(FaultKind fault) {
  switch (fault) {
    case FaultKind::DivergentBarrier: return Kind::DivergentBarrier;
    case FaultKind::BarrierCount:
    case FaultKind::BarrierMismatch: return Kind::BarrierCount;
    case FaultKind::MemberMask:
    case FaultKind::PartialWarp:
    case FaultKind::PartialWarpgroup: return Kind::SyncMask;
    case FaultKind::Deadlock: return Kind::Deadlock;
    case FaultKind::OutsideSurface:
    case FaultKind::NoTexture: return Kind::OutOfBoundsTexture;
    case FaultKind::OutOfBounds:
    case FaultKind::Misaligned:
    case FaultKind::TensorCopy:
    case FaultKind::ReadOnly:
    case FaultKind::Livelock:
    case FaultKind::NoProgress:
    case FaultKind::CycleLimit:
    case FaultKind::Trap:
    case FaultKind::BranchIndex:
    case FaultKind::CallTarget:
    case FaultKind::StackOverflow:
    case FaultKind::Assertion:
    case FaultKind::RuntimeArgument:
    case FaultKind::Free:
    case FaultKind::ExitedBlock:
    case FaultKind::Interrupted: break;
  }
  return Kind::Fault;
}

}  // namespace

std::optional<CheckTools> check_tools_of(std::string_view names) {
  if (names == "all") return CheckTools{true, true, true, true};
  CheckTools tools;
  bool* const is_on[] = {&tools.memcheck, &tools.initcheck, &tools.racecheck, &tools.synccheck};
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    size_t tool = 0;
    while (tool < kToolChoices && kTools[tool].name != name) ++tool;
    if (tool == kToolChoices) return std::nullopt;
    *is_on[tool] = true;
  }
  return tools;
}

Checker::Checker(CheckTools tools) : tools_(tools), memcheck_(findings_, heap_, tools.memcheck) {
  if (tools.initcheck) {
    initcheck_.emplace(findings_, heap_);
    grid_cover_.emplace(findings_);
  }
  if (tools.racecheck) {
    racecheck_.emplace(findings_);
    exchange_.emplace(findings_);
  }
  if (tools.synccheck) {
    synccheck_.emplace(findings_);
    undefined_lanes_.emplace(findings_);
    spins_.emplace(findings_);
  }
}
Checker::~Checker() = default;

std::vector<std::string> Checker::notes() const {
  std::vector<std::string> out;
  if (racecheck_ && racecheck_->forgot())
    out.push_back(
        fmt::format("a launch used more than {} MiB of device memory: racecheck forgot accesses to what was "
                    "used first, and may have missed races there",
                    Racecheck::kMostGlobalBytes >> 20));
  return out;
}

bool Checker::needs_all_instructions() const {
  return (initcheck_ && initcheck_->follows_registers()) || (racecheck_ && racecheck_->follows_registers()) ||
         (synccheck_ && synccheck_->needs_all_instructions()) || (undefined_lanes_ && undefined_lanes_->follows());
}

void Checker::begins(const sim::LaunchContext& launch) {
  launch_ = &launch;
  memcheck_.begins(launch);
  if (initcheck_) initcheck_->begins(launch);
  if (grid_cover_) grid_cover_->begins(launch);
  if (racecheck_) racecheck_->begins(launch);
  if (exchange_) exchange_->begins(launch);
  if (synccheck_) synccheck_->begins(launch);
  if (undefined_lanes_) undefined_lanes_->begins(launch);
  if (spins_) spins_->begins(launch);
}

void Checker::ends(const sim::Fault* fault) {
  if (fault != nullptr && fault->kind != FaultKind::Interrupted) {
    has_fault_ = true;
    Finding finding = finding_of(kind_of(fault->kind), *fault, *launch_);
    if (finding.kind == Kind::Deadlock && synccheck_) synccheck_->explain(finding);
    const LineKey line = finding.pc == ptx::kNoIndex ? LineKey{finding.module.get()} : line_key(*launch_, finding.pc);
    if (findings_.is_new(finding.kind, line)) findings_.add(std::move(finding));
  }
  if (grid_cover_ && !has_fault_) grid_cover_->ends();
  launch_ = nullptr;
}

void Checker::finish() {
  memcheck_.finish();
  if (initcheck_) initcheck_->finish();
  if (grid_cover_) grid_cover_->finish();
  findings_.settle();
}

void Checker::starts(const sim::SmState& sm, uint64_t slots) {
  if (initcheck_) initcheck_->starts(sm, slots);
  if (racecheck_) racecheck_->starts(sm, slots);
  if (exchange_) exchange_->starts(sm, slots);
  if (synccheck_) synccheck_->starts(sm, slots);
  if (undefined_lanes_) undefined_lanes_->starts(sm, slots);
}

void Checker::executes(const sim::WarpEvent& event) {
  if (initcheck_) initcheck_->executes(event);
  if (racecheck_) racecheck_->executes(event);
  if (exchange_) exchange_->executes(event);
  if (synccheck_) synccheck_->executes(event);
  if (undefined_lanes_) undefined_lanes_->executes(event);
  if (spins_) spins_->executes(event);
}

uint32_t Checker::fetches(const sim::WarpEvent& event) { return memcheck_.fetch(event); }

uint32_t Checker::accesses(const sim::WarpEvent& event, const std::array<Addr, sim::kWarpSize>& addresses) {
  Space space = event.insn.access().space;
  if (event.insn.effect == ptx::Effect::AsyncCopy) return source(event, addresses);
  if (space == Space::None || space == Space::Generic) return generic(event, addresses);
  return in_space(event, addresses, space, event.lanes, event.insn.access().bytes());
}

/// What an asynchronous copy reads: of some lanes perhaps fewer bytes than it copies.
uint32_t Checker::source(const sim::WarpEvent& event, const std::array<Addr, sim::kWarpSize>& addresses) {
  std::array<uint32_t, sim::kWarpSize> read{};
  const uint32_t reads = sim::LoadStore::source_bytes(event.insn, event.warp(), event.lanes, read);
  const uint32_t all = event.insn.access().bytes();
  uint32_t whole = 0, allowed = 0;
  sim::for_lanes_of(reads, [&](uint32_t lane) {
    if (read[lane] == all) whole |= 1u << lane;
    else allowed |= in_space(event, addresses, Space::Global, 1u << lane, read[lane]);
  });
  return whole == 0 ? allowed : allowed | in_space(event, addresses, Space::Global, whole, all);
}

uint32_t Checker::copies(const sim::WarpEvent& event, const std::array<Addr, sim::kWarpSize>& to) {
  const SpaceAccess target{event, to, Space::Shared, event.lanes, event.insn.access().bytes(), true};
  const uint32_t right = memcheck_.check(target);
  return tools_.memcheck ? right : event.lanes;
}

void Checker::began(const sim::SmState& sm, const sim::AsyncCopy& copy) {
  if (racecheck_) racecheck_->began(sm, copy);
}

void Checker::copied(const sim::SmState& sm, const sim::AsyncCopy& copy, uint32_t lanes,
                     const sim::AsyncArrival* arrival) {
  if (initcheck_) initcheck_->check(CopyTarget(sm, copy, lanes).access());
  if (racecheck_) racecheck_->copied(sm, copy, lanes, arrival);
}

void Checker::began(const sim::SmState& sm, const sim::BulkCopy& copy) {
  if (racecheck_) racecheck_->began(sm, copy);
}

/// What it reads; and what it writes to global memory, as if it did at once.
void Checker::bulk(const sim::WarpEvent& event, const sim::LoadStore::BulkRange& range,
                   std::span<const sim::TensorPiece> pieces) {
  const sim::BulkCopyPayload& payload = event.insn.bulk_copy();
  const sim::BulkDetail* detail = payload.detail;
  if (range.bytes == 0 || (detail != nullptr && detail->kind == sim::BulkDetail::Kind::Registers)) return;
  std::array<Addr, sim::kWarpSize> addresses{};
  auto check = [&](Space space, Addr address, uint32_t bytes, bool is_target) {
    addresses.fill(address);
    const SpaceAccess access{event, addresses, space, event.lanes, bytes, is_target};
    if (initcheck_) initcheck_->check(access);
    if (racecheck_) racecheck_->check(access);
  };
  auto check_global = [&](Addr address, uint32_t bytes) {
    if (!payload.from_shared) check(Space::Global, address, bytes, false);
    if (!payload.to_shared) check(Space::Global, address, bytes, true);
  };
  if (payload.from_shared) check(Space::Shared, range.from, range.placed_bytes(), false);
  if (!range.is_tensor && !(payload.from_shared && payload.to_shared)) check_global(range.global, range.bytes);
  for (size_t i = 0, next = 0; range.is_tensor && i < pieces.size(); i = next) {  // pieces that follow each other
    uint32_t bytes = 0;
    for (next = i; next < pieces.size() && pieces[next].global == pieces[i].global + bytes; ++next)
      bytes += pieces[next].bytes;
    check_global(pieces[i].global, bytes);
  }
  if (racecheck_ && payload.from_shared && !payload.to_shared && (detail == nullptr || !detail->of_warp))
    racecheck_->reads(event, range);
}

void Checker::arrived(const sim::SmState& sm, const sim::BulkCopy& copy) {
  if (initcheck_) initcheck_->check(CopyTarget(sm, copy).access());
  if (racecheck_) racecheck_->arrived(sm, copy);
}

void Checker::left_cluster(const sim::WarpEvent& event) {
  if (racecheck_) racecheck_->left_cluster(event);
}

void Checker::used(const sim::SmState& sm, const sim::MbarrierUse& use) {
  if (racecheck_) racecheck_->used(sm, use);
}

uint32_t Checker::in_space(const sim::WarpEvent& event, const std::array<Addr, sim::kWarpSize>& addresses, Space space,
                           uint32_t lanes, uint32_t bytes) {
  if (space == Space::Shared && event.sm.launch().cluster_blocks > 1) {  // what other blocks have is not followed
    uint32_t of_others = 0;
    sim::for_lanes_of(
        lanes, [&](uint32_t lane) { of_others |= uint32_t{sim::cluster_block_bits(addresses[lane]) != 0} << lane; });
    if (of_others == lanes) return lanes;
    if (of_others != 0) return of_others | in_space(event, addresses, space, lanes & ~of_others, bytes);
  }
  SpaceAccess access{event, addresses, space, lanes, bytes};
  access.lanes = memcheck_.check(access);
  if (access.lanes != 0) {
    if (initcheck_) initcheck_->check(access);
    if (grid_cover_) grid_cover_->check(access);
    if (racecheck_) racecheck_->check(access);
    if (exchange_) exchange_->check(access);
  }
  return tools_.memcheck ? access.lanes : lanes;
}

/// Each lane in the space whose window its address is in.
uint32_t Checker::generic(const sim::WarpEvent& event, const std::array<Addr, sim::kWarpSize>& addresses) {
  const auto windows = sim::GenericWindows::for_address_bytes(event.sm.launch().kernel->module->address_bytes);
  struct Window {
    Space space;
    Addr base;
  };
  const std::array<Window, 4> spaces{{{Space::Shared, windows.shared_base},
                                      {Space::Local, windows.local_base},
                                      {Space::Const, windows.const_base},
                                      {Space::Param, windows.param_base()}}};
  uint32_t rest = event.lanes, allowed = 0;
  for (const Window& window : spaces) {
    uint32_t inside = 0;
    const bool of_cluster = window.space == Space::Shared && event.sm.launch().cluster_blocks > 1;
    const Addr size = sim::GenericWindows::kBytes * (of_cluster ? sim::kMostClusterBlocks + 1 : 1);
    std::array<Addr, sim::kWarpSize> offsets{};
    sim::for_lanes_of(rest, [&](uint32_t lane) {
      offsets[lane] = addresses[lane] - window.base;
      if (offsets[lane] < size) inside |= 1u << lane;
    });
    if (inside != 0) allowed |= in_space(event, offsets, window.space, inside, event.insn.access().bytes());
    rest &= ~inside;
  }
  return rest == 0 ? allowed : allowed | in_space(event, addresses, Space::Global, rest, event.insn.access().bytes());
}

void Checker::arrived(const sim::WarpEvent& event, const sim::SmState::Arrival& arrival) {
  if (racecheck_) racecheck_->arrived(event, arrival);
  if (exchange_ && arrival.released != 0) exchange_->released(event.sm, arrival.released);
  if (synccheck_) synccheck_->arrived(event, arrival);
}

void Checker::exits(const sim::WarpEvent& event) {
  if (racecheck_) racecheck_->exits(event);
  if (synccheck_) synccheck_->exits(event);
}

void Checker::exited(const sim::WarpEvent& event, const sim::SmState::Exited& exited) {
  if (racecheck_) racecheck_->exited(event, exited);
  if (exchange_ && exited.released != 0) exchange_->released(event.sm, exited.released);
  if (synccheck_) synccheck_->exited(event, exited);
}

void Checker::heap(const sim::LaunchContext& launch, const sim::HeapEvent& event) {
  memcheck_.frees(launch, event);
  heap_.change(launch, event);
  memcheck_.forget_heap();
  if (initcheck_) initcheck_->allocated_by_thread(event);
}

void Checker::host_allocates(Addr begin, uint64_t bytes, bool is_written) {
  if (initcheck_) initcheck_->host_allocates(begin, bytes, is_written);
}
void Checker::host_writes(Addr begin, uint64_t bytes) {
  if (initcheck_) initcheck_->host_writes(begin, bytes);
}
void Checker::host_copies(Addr to, Addr from, uint64_t bytes) {
  if (initcheck_) initcheck_->host_copies(to, from, bytes);
  if (grid_cover_) grid_cover_->host_copies(to, from, bytes);
}
void Checker::host_frees(Addr begin, uint64_t) {
  if (initcheck_) initcheck_->host_frees(begin);
}

}  // namespace warptime::debug
