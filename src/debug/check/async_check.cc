#include "debug/check/async_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/plural.h"
#include "debug/check/variables.h"

namespace warptime::debug {

using ptx::Space;
using sim::AsyncOperation, sim::Mbarrier;

namespace {

constexpr uint32_t kWord = 4, kObjectBytes = 8;
constexpr uint64_t kBulk = uint64_t{1} << 62;  // of the number of a bulk copy

template <class F>
void for_words(Addr begin, uint32_t bytes, const F& f) {
  for (Addr word = begin / kWord; word < (begin + bytes + kWord - 1) / kWord; ++word) f(word);
}

uint32_t user_line(const Finding& finding) {
  const bool has_source = finding.cuda_line != 0 && finding.other->cuda_line != 0;
  return has_source ? finding.other->cuda_line : finding.other->place.line;
}

/// The number in its grid of the block in a slot.
uint64_t block_index(const sim::SmState& sm, uint32_t block) {
  return sm.block_of(sm.warp(CopyTarget::slot_of(sm, block, 0))).index;
}

}  // namespace

void AsyncCheck::begins(const sim::LaunchContext& launch) {
  launch_ = &launch;
  blocks_.clear();
  sources_.clear();
}

void AsyncCheck::starts(const sim::SmState& sm, uint64_t slots) {
  const uint32_t slot = sm.warp(static_cast<uint32_t>(std::countr_zero(slots))).slot_of_block;
  const size_t place = size_t{sm.index()} * launch_->blocks_per_sm + slot;
  if (blocks_.size() <= place) blocks_.resize(place + 1);
  blocks_[place] = {};
}

void AsyncCheck::report(Kind kind, uint32_t pc, uint64_t block, uint32_t thread, Space space, Addr address,
                        uint32_t element_bytes, std::string message, const UnderWay* other) {
  const auto variable = variable_at(*launch_, space, address);
  const std::string name = variable ? variable->name : std::string();
  if (!findings_.is_new(kind, *launch_, pc, 1, name)) return;
  Finding finding = finding_at(kind, *launch_, pc, block, thread);
  finding.address = address;
  finding.buffer = name;
  if (variable) finding.variable = element_of(*variable, address, element_bytes);
  finding.message = std::move(message);
  if (other != nullptr) {
    finding.other = other_access(*launch_, other->pc, other->block, other->thread, finding.variable);
    const auto &b = finding.other->place.block, &t = finding.other->place.thread;
    finding.message += fmt::format(", that of line {}", user_line(finding));
    finding.hint = fmt::format("the copy: block ({},{},{}) thread ({},{},{})", b[0], b[1], b[2], t[0], t[1], t[2]);
  }
  findings_.add(std::move(finding));
}

void AsyncCheck::report(Kind kind, const sim::SmState& sm, const sim::MbarrierUse& use, std::string message) {
  report(kind, use.pc, block_index(sm, use.block), use.thread, Space::Shared, use.address, kObjectBytes,
         std::move(message), nullptr);
}

bool AsyncCheck::meets_copy(const SpaceAccess& access, uint32_t lane, const Block& block) {
  const bool shared = access.space == Space::Shared;
  const auto& all = shared ? block.targets : sources_;
  const UnderWay* found = nullptr;
  Addr at = 0;
  for_words(access.addresses[lane], access.bytes, [&](Addr word) {
    const auto place = all.find(word);
    if (found != nullptr || place == all.end()) return;
    found = &place->second;
    at = std::max(word * kWord, access.addresses[lane]);
  });
  if (found == nullptr) return false;
  const sim::Warp& warp = access.event.warp();
  const Kind kind = !shared                              ? Kind::AsyncSource
                    : access.reads() && !access.writes() ? Kind::AsyncRead
                                                         : Kind::AsyncOverwrite;
  const std::string_view act = access.is_target     ? "another asynchronous copy"
                               : access.is_atomic() ? "an atomic operation"
                               : access.writes()    ? "a write"
                                                    : "a read";
  report(kind, access.event.pc, access.event.sm.block_of(warp).index, warp.index_in_block * sim::kWarpSize + lane,
         access.space, at, access.element_bytes(),
         fmt::format("{} {} {} memory that an asynchronous copy may still {}", act, access.writes() ? "to" : "of",
                     ptx::name(access.space), shared ? "write" : "read"),
         found);
  return true;
}

bool AsyncCheck::meets_object(const SpaceAccess& access, uint32_t lane, const Block& block) {
  const Addr begin = access.addresses[lane];
  auto after = block.objects.lower_bound(static_cast<uint32_t>(begin + access.bytes));
  if (after == block.objects.begin()) return false;
  const auto& [address, object] = *--after;
  if (!object.is_valid || begin >= address + kObjectBytes) return false;
  const sim::Warp& warp = access.event.warp();
  report(Kind::MbarrierAccess, access.event.pc, access.event.sm.block_of(warp).index,
         warp.index_in_block * sim::kWarpSize + lane, Space::Shared, address, kObjectBytes,
         fmt::format("{} the bytes of an mbarrier object", access.writes() ? "a write to" : "a read of"), nullptr);
  return true;
}

uint32_t AsyncCheck::check(const SpaceAccess& access) {
  uint32_t met = 0;
  if (access.space == Space::Shared) {
    const Block& block = block_of(access.event.sm, access.event.warp().slot_of_block);
    if (block.targets.empty() && block.objects.empty() && block.reading.empty()) return 0;
    sim::for_lanes_of(access.lanes, [&](uint32_t lane) {
      const bool meets = (!block.targets.empty() && meets_copy(access, lane, block)) ||
                         (!block.objects.empty() && meets_object(access, lane, block));
      const bool writes_source = access.writes() && !block.reading.empty() && meets_reading(access, lane, block);
      met |= uint32_t{meets || writes_source} << lane;
    });
  } else if (access.space == Space::Global && access.writes() && !sources_.empty()) {
    const Block none;
    sim::for_lanes_of(access.lanes, [&](uint32_t lane) { met |= uint32_t{meets_copy(access, lane, none)} << lane; });
  }
  return met;
}

void AsyncCheck::add(Block& block, const UnderWay& copy, Addr to, Addr from, uint32_t bytes, uint32_t read) {
  for_words(to, bytes, [&](Addr word) { block.targets[word] = copy; });
  if (read == 0) return;
  for_words(from, read, [&](Addr word) {
    UnderWay& source = sources_[word];
    const uint32_t count = source.count;
    source = copy;
    source.count = count + 1;
  });
}

void AsyncCheck::remove(Block& block, uint64_t number, Addr to, Addr from, uint32_t bytes, uint32_t read) {
  for_words(to, bytes, [&](Addr word) {
    const auto place = block.targets.find(word);
    if (place != block.targets.end() && place->second.number == number) block.targets.erase(place);
  });
  if (read == 0) return;
  for_words(from, read, [&](Addr word) {
    const auto place = sources_.find(word);
    if (place != sources_.end() && --place->second.count == 0) sources_.erase(place);
  });
}

void AsyncCheck::began(const sim::SmState& sm, const sim::AsyncCopy& copy) {
  Block& block = block_of(sm, copy.block);
  const uint64_t index = block_index(sm, copy.block);
  sim::for_lanes_of(copy.lanes, [&](uint32_t lane) {
    add(block, {index, copy.warp * sim::kWarpSize + lane, copy.pc, copy.number, 0}, copy.to[lane], copy.from[lane],
        copy.bytes, copy.read[lane]);
  });
}

void AsyncCheck::copied(const sim::SmState& sm, const sim::AsyncCopy& copy, uint32_t lanes) {
  Block& block = block_of(sm, copy.block);
  sim::for_lanes_of(lanes, [&](uint32_t lane) {
    remove(block, copy.number, copy.to[lane], copy.from[lane], copy.bytes, copy.read[lane]);
  });
}

/// Bulk copies are known by where they are: no two that are under way may have one target.
void AsyncCheck::began(const sim::SmState& sm, const sim::BulkCopy& copy) {
  const auto bytes = copy.extent();
  const UnderWay known{block_index(sm, copy.block), copy.thread, copy.pc, kBulk | copy.to, 0};
  Block& block = block_of(sm, copy.block);
  add(block, known, copy.to, copy.from, bytes, copy.from_shared ? 0 : bytes);
  for (const sim::BulkRow& row : copy.rows) add(block, known, 0, row.from, 0, row.bytes);
}

void AsyncCheck::arrived(const sim::SmState& sm, const sim::BulkCopy& copy) {
  const auto bytes = copy.extent();
  Block& block = block_of(sm, copy.block);
  remove(block, kBulk | copy.to, copy.to, copy.from, bytes, copy.from_shared ? 0 : bytes);
  for (const sim::BulkRow& row : copy.rows) remove(block, kBulk | copy.to, 0, row.from, 0, row.bytes);
}

void AsyncCheck::reads(const sim::WarpEvent& event, const sim::LoadStore::BulkRange& range) {
  const sim::Warp& warp = event.warp();
  const auto lane = static_cast<uint32_t>(std::countr_zero(event.lanes));
  Reading reading;
  reading.copy = {event.sm.block_of(warp).index, warp.index_in_block * sim::kWarpSize + lane, event.pc, 0, 0};
  reading.from = range.from;
  reading.bytes = range.placed_bytes();
  block_of(event.sm, warp.slot_of_block).reading.push_back(reading);
}

void AsyncCheck::executes(const sim::WarpEvent& event) {
  const sim::AsyncPayload& payload = event.insn.async();
  const bool commits = payload.operation == AsyncOperation::BulkCommit;
  if (!commits && payload.operation != AsyncOperation::BulkWait) return;
  Block& block = block_of(event.sm, event.warp().slot_of_block);
  sim::for_lanes_of(event.lanes, [&](uint32_t lane) {
    const uint32_t thread = event.warp().index_in_block * sim::kWarpSize + lane;
    uint32_t& groups = block.groups[thread];
    auto is_over = [&](const Reading& r) {
      return r.copy.thread == thread && !r.is_open && uint64_t{r.group} + payload.count < groups;
    };
    if (!commits) {
      block.reading.erase(std::remove_if(block.reading.begin(), block.reading.end(), is_over), block.reading.end());
      return;
    }
    for (Reading& reading : block.reading)
      if (reading.copy.thread == thread && reading.is_open) {
        reading.is_open = false;
        reading.group = groups;
      }
    ++groups;
  });
}

bool AsyncCheck::meets_reading(const SpaceAccess& access, uint32_t lane, const Block& block) {
  const Addr begin = access.addresses[lane];
  for (const Reading& reading : block.reading) {
    if (begin >= reading.from + reading.bytes || begin + access.bytes <= reading.from) continue;
    const sim::Warp& warp = access.event.warp();
    report(Kind::AsyncSource, access.event.pc, access.event.sm.block_of(warp).index,
           warp.index_in_block * sim::kWarpSize + lane, access.space, begin, access.element_bytes(),
           "a write to shared memory that an asynchronous copy may still read", &reading.copy);
    return true;
  }
  return false;
}

void AsyncCheck::unwaited(const sim::SmState& sm, const sim::AsyncCopy& copy, uint32_t lanes, std::string why) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
  report(Kind::AsyncUnwaited, copy.pc, block_index(sm, copy.block), copy.warp * sim::kWarpSize + lane, Space::Shared,
         copy.to[lane], kWord, std::move(why), nullptr);
}

void AsyncCheck::exits(const sim::WarpEvent& event) {
  const sim::Warp& warp = event.warp();
  event.sm.async().for_each_of(warp.slot_of_block, [&](const sim::AsyncCopy& copy) {
    if (copy.warp != warp.index_in_block) return;
    const uint32_t lanes = copy.lanes & event.lanes & ~event.sm.async().arriving(copy);
    if (lanes != 0)
      unwaited(event.sm, copy, lanes, "an asynchronous copy that its thread has not waited for when it exits");
  });
}

void AsyncCheck::ended(const sim::WarpEvent& event) {
  const uint32_t slot = event.warp().slot_of_block;
  event.sm.async().for_each_of(slot, [&](const sim::AsyncCopy& copy) {
    if (const uint32_t lanes = copy.lanes & event.sm.async().arriving(copy); lanes != 0)
      unwaited(event.sm, copy, lanes, "an asynchronous copy that no thread has waited for at its mbarrier object");
    copied(event.sm, copy, copy.lanes);
  });
  event.sm.async().for_each_bulk_of(slot, [&](const sim::BulkCopy& copy) {
    const uint64_t block = event.sm.block_of(event.warp()).index;
    report(Kind::AsyncUnwaited, copy.pc, block, copy.thread, Space::Shared, copy.to, kWord,
           "an asynchronous copy that no thread has waited for at its mbarrier object", nullptr);
    if (!copy.is_remote) arrived(event.sm, copy);
  });
}

void AsyncCheck::waited(const sim::SmState& sm, const sim::MbarrierUse& use, Object& object) {
  if (!use.is_true || object.phases == 0) return;
  uint32_t& last = object.waited[use.thread];
  if (!use.is_parity) {
    const uint32_t behind =
        (Mbarrier::of(use.before).phase - Mbarrier::of(use.value).phase) % (1u << Mbarrier::kPhaseBits);
    if (behind > 1)
      report(Kind::MbarrierPhase, sm, use,
             fmt::format("a wait with the state of a phase {} before this one", plural(behind, "phase")));
  } else if (last == object.phases) {
    report(
        Kind::MbarrierPhase, sm, use,
        fmt::format(
            "a wait for the phase of parity {}, for which the thread has waited before: the next phase is not complete",
            use.value & 1));
  }
  last = object.phases;
}

void AsyncCheck::used(const sim::SmState& sm, const sim::MbarrierUse& use) {
  Object& object = block_of(sm, use.block).objects[use.address];
  if (use.is_remote) {  // by a thread of another block, whose order with this one's is not followed
    if (Mbarrier::of(use.before).phase != Mbarrier::of(use.after).phase) ++object.phases;
    return;
  }
  if (use.operation == AsyncOperation::Init) {
    if (object.is_valid)
      report(Kind::MbarrierInvalid, sm, use, "an initialisation of an mbarrier object that is one already");
    if (use.count == 0 || use.count > Mbarrier::kMostCount)
      report(Kind::MbarrierCount, sm, use,
             fmt::format("an mbarrier object that expects {}", plural(use.count, "arrival")));
    object = {.is_valid = true, .pc = use.pc, .thread = use.thread};
    return;
  }
  if (!object.is_valid)
    return report(Kind::MbarrierInvalid, sm, use,
                  "a use of an mbarrier object that has not been initialised, or is invalid again");
  const Mbarrier before = Mbarrier::of(use.before), after = Mbarrier::of(use.after);
  const bool completes = before.phase != after.phase;
  switch (use.operation) {
    case AsyncOperation::Inval: object.is_valid = false; break;
    case AsyncOperation::Arrive:
      if (use.count > before.pending)
        report(Kind::MbarrierCount, sm, use,
               fmt::format("{} at an mbarrier object that expects {} more in this phase", plural(use.count, "arrival"),
                           before.pending));
      break;
    case AsyncOperation::ExpectTx:
    case AsyncOperation::CompleteTx:
      if (use.count > Mbarrier::kMostCount)
        report(Kind::MbarrierCount, sm, use,
               fmt::format("{} at an mbarrier object, which counts up to {}", plural(use.count, "byte"),
                           Mbarrier::kMostCount));
      break;
    case AsyncOperation::TestWait:
    case AsyncOperation::TryWait: waited(sm, use, object); break;
    case AsyncOperation::Init:
    case AsyncOperation::CopyArrive:
    case AsyncOperation::CommitGroup:
    case AsyncOperation::BulkCommit:
    case AsyncOperation::BulkWait:
    case AsyncOperation::WaitGroup:
    case AsyncOperation::WaitAll:
    case AsyncOperation::ClusterArrive:
    case AsyncOperation::ClusterWait:
    case AsyncOperation::PendingCount: break;
  }
  if (completes && use.operation != AsyncOperation::Inval) ++object.phases;
}

}  // namespace warptime::debug
