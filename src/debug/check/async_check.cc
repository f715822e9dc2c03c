#include "debug/check/async_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "debug/check/variables.h"

namespace warptime::debug {

using ptx::Space;
using sim::AsyncOperation;

namespace {

constexpr uint32_t kWord = 4;
constexpr uint64_t kBulk = uint64_t{1} << 62;  // of the number of a bulk copy

template <class F>
void for_words(Addr begin, uint32_t bytes, const F& f) {
  for (Addr word = begin / kWord; word < (begin + bytes + kWord - 1) / kWord; ++word) f(word);
}

uint32_t user_line(const Finding& finding) {
  const bool has_source = finding.cuda_line != 0 && finding.other->cuda_line != 0;
  return has_source ? finding.other->cuda_line : finding.other->place.line;
}

}  // namespace

uint64_t AsyncCheck::block_index(const sim::SmState& sm, uint32_t block) {
  return sm.block_of(sm.warp(CopyTarget::slot_of(sm, block, 0))).index;
}

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
                        uint32_t element_bytes, std::string message, const UnderWay* other, const Words& words) {
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
  finding.hint += words.hint;
  finding.remedy = words.remedy;
  findings_.add(std::move(finding));
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
  const auto object = block.objects.find(found->object);
  const bool is_early = object != block.objects.end() && object->second.early.phases == object->second.all_phases();
  report_copy(access, lane, at, *found, false, is_early ? &object->second : nullptr);
  return true;
}

/// A copy whose bytes have arrived in this run, which the thread has no reason to rely on.
bool AsyncCheck::meets_landed(const SpaceAccess& access, uint32_t lane, const Block& block, const BlockClock& clock) {
  const sim::Warp& warp = access.event.warp();
  Addr at = 0;
  const auto* copy = block.landed.unseen(clock, warp.index_in_block, access.addresses[lane], access.bytes, at);
  if (copy == nullptr) return false;
  const uint32_t address = mbarrier_address(copy->object);
  const Object& object = block.objects.at(address);
  const bool is_early = object.early.phases + 1 == copy->phase;
  report_copy(access, lane, at, {access.event.sm.block_of(warp).index, copy->thread, copy->pc, 0, 0, address}, true,
              is_early ? &object : nullptr);
  return true;
}

/// `object`: that counts the copy, if a wait at it may have ended too early; nullptr: none.
void AsyncCheck::report_copy(const SpaceAccess& access, uint32_t lane, Addr at, const UnderWay& copy, bool has_landed,
                             const Object* object) {
  const sim::Warp& warp = access.event.warp();
  const bool shared = access.space == Space::Shared;
  const Kind kind = !shared                              ? Kind::AsyncSource
                    : access.reads() && !access.writes() ? Kind::AsyncRead
                                                         : Kind::AsyncOverwrite;
  const std::string_view act = access.is_target     ? "another asynchronous copy"
                               : access.is_atomic() ? "an atomic operation"
                               : access.writes()    ? "a write"
                                                    : "a read";
  Words words;
  if (has_landed) words.hint = "\nits bytes are there in this run, but nothing orders them before the access";
  if (object != nullptr && object->early.exists) {
    const EarlyWait& early = object->early;
    const OtherAccess wait = other_access(*launch_, early.pc, 0, 0);
    const uint32_t line = wait.cuda_line != 0 ? wait.cuda_line : wait.place.line;
    words.hint +=
        fmt::format("\nthe wait in line {} does not wait for it: the phase of its {} was over before the copy", line,
                    early.is_parity ? "parity" : "state");
    words.remedy =
        fmt::format("{} in the wait of line {}",
                    early.is_parity ? "the other parity" : "the state of the phase that counts the copy", line);
  }
  report(kind, access.event.pc, access.event.sm.block_of(warp).index, warp.index_in_block * sim::kWarpSize + lane,
         access.space, at, access.element_bytes(),
         fmt::format("{} {} {} memory that an asynchronous copy may still {}", act, access.writes() ? "to" : "of",
                     ptx::name(access.space), shared ? "write" : "read"),
         &copy, words);
}

uint32_t AsyncCheck::check(const SpaceAccess& access, const BlockClock& clock) {
  uint32_t met = 0;
  if (access.space == Space::Shared) {
    const Block& block = block_of(access.event.sm, access.event.warp().slot_of_block);
    if (block.targets.empty() && block.objects.empty() && block.reading.empty()) return 0;
    sim::for_lanes_of(access.lanes, [&](uint32_t lane) {
      const bool meets = (!block.targets.empty() && meets_copy(access, lane, block)) ||
                         meets_landed(access, lane, block, clock) ||
                         (!block.objects.empty() && meets_object(access, lane, block));
      const bool writes_source = access.writes() && !block.reading.empty() && meets_reading(access, lane, block, clock);
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
    add(block, {index, copy.warp * sim::kWarpSize + lane, copy.pc, copy.number, 0, kNoObject}, copy.to[lane],
        copy.from[lane], copy.bytes, copy.read[lane]);
  });
}

void AsyncCheck::copied(const sim::SmState& sm, const sim::AsyncCopy& copy, uint32_t lanes,
                        const sim::AsyncArrival* arrival) {
  Block& block = block_of(sm, copy.block);
  sim::for_lanes_of(lanes, [&](uint32_t lane) {
    remove(block, copy.number, copy.to[lane], copy.from[lane], copy.bytes, copy.read[lane]);
    if (arrival == nullptr) return;
    const uint32_t object = mbarrier_number(arrival->at[lane]), phase = phases(sm, copy.block, arrival->at[lane]) + 1;
    block.landed.land({copy.pc, phase, object, copy.warp * sim::kWarpSize + lane}, copy.to[lane], copy.bytes);
    block.counted[copy.warp][object] = phase;
  });
}

/// Bulk copies are known by where they are: no two that are under way may have one target.
void AsyncCheck::began(const sim::SmState& sm, const sim::BulkCopy& copy) {
  const auto bytes = copy.extent();
  const UnderWay known{block_index(sm, copy.block), copy.thread, copy.pc, kBulk | copy.to, 0, copy.mbarrier};
  Block& block = block_of(sm, copy.block);
  add(block, known, copy.to, copy.from, bytes, copy.from_shared ? 0 : bytes);
  for (const sim::BulkRow& row : copy.rows) add(block, known, 0, row.from, 0, row.bytes);
}

void AsyncCheck::arrived(const sim::SmState& sm, const sim::BulkCopy& copy) {
  const auto bytes = copy.extent();
  Block& block = block_of(sm, copy.block);
  remove(block, kBulk | copy.to, copy.to, copy.from, bytes, copy.from_shared ? 0 : bytes);
  for (const sim::BulkRow& row : copy.rows) remove(block, kBulk | copy.to, 0, row.from, 0, row.bytes);
  const uint32_t phase = phases(sm, copy.block, copy.mbarrier) + 1;
  block.landed.land({copy.pc, phase, mbarrier_number(copy.mbarrier), copy.thread}, copy.to, bytes);
}

void AsyncCheck::reads(const sim::WarpEvent& event, const sim::LoadStore::BulkRange& range) {
  const sim::Warp& warp = event.warp();
  const auto lane = static_cast<uint32_t>(std::countr_zero(event.lanes));
  Reading reading;
  reading.copy = {
      event.sm.block_of(warp).index, warp.index_in_block * sim::kWarpSize + lane, event.pc, 0, 0, kNoObject};
  reading.from = range.from;
  reading.bytes = range.placed_bytes();
  std::vector<Reading>& all = block_of(event.sm, warp.slot_of_block).reading;
  std::erase_if(all, [&](const Reading& r) {  // who comes behind this one comes behind them
    return r.waited_at != 0 && r.from >= reading.from && r.from + r.bytes <= reading.from + reading.bytes;
  });
  all.push_back(reading);
}

void AsyncCheck::executes(const sim::WarpEvent& event, BlockClock& clock) {
  const sim::AsyncPayload& payload = event.insn.async();
  if (payload.operation == AsyncOperation::WaitGroup || payload.operation == AsyncOperation::WaitAll) {
    const uint32_t warp = event.warp().index_in_block;
    auto& counted = block_of(event.sm, event.warp().slot_of_block).counted;
    if (const auto own = counted.find(warp); own != counted.end()) {
      for (auto [object, phase] : own->second) clock.see(warp, object, phase);
      counted.erase(own);
    }
    return;
  }
  const bool commits = payload.operation == AsyncOperation::BulkCommit;
  if (!commits && payload.operation != AsyncOperation::BulkWait) return;
  Block& block = block_of(event.sm, event.warp().slot_of_block);
  sim::for_lanes_of(event.lanes, [&](uint32_t lane) {
    const uint32_t thread = event.warp().index_in_block * sim::kWarpSize + lane;
    uint32_t& groups = block.groups[thread];
    if (!commits) {
      for (Reading& r : block.reading)
        if (r.copy.thread == thread && !r.is_open && r.waited_at == 0 && uint64_t{r.group} + payload.count < groups)
          r.waited_at = clock.time;
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

bool AsyncCheck::meets_reading(const SpaceAccess& access, uint32_t lane, const Block& block, const BlockClock& clock) {
  const Addr begin = access.addresses[lane];
  for (const Reading& reading : block.reading) {
    if (begin >= reading.from + reading.bytes || begin + access.bytes <= reading.from) continue;
    const sim::Warp& warp = access.event.warp();
    const uint32_t copying = reading.copy.thread / sim::kWarpSize;
    if (reading.waited_at != 0 && (copying == warp.index_in_block || reading.waited_at < clock.all_known ||
                                   reading.waited_at < clock.known(warp.index_in_block, copying)))
      continue;
    report(Kind::AsyncSource, access.event.pc, access.event.sm.block_of(warp).index,
           warp.index_in_block * sim::kWarpSize + lane, access.space, begin, access.element_bytes(),
           "a write to shared memory that an asynchronous copy may still read", &reading.copy, {});
    return true;
  }
  return false;
}

void AsyncCheck::unwaited(const sim::SmState& sm, const sim::AsyncCopy& copy, uint32_t lanes, std::string why) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
  report(Kind::AsyncUnwaited, copy.pc, block_index(sm, copy.block), copy.warp * sim::kWarpSize + lane, Space::Shared,
         copy.to[lane], kWord, std::move(why), nullptr, {});
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
    copied(event.sm, copy, copy.lanes, nullptr);
  });
  event.sm.async().for_each_bulk_of(slot, [&](const sim::BulkCopy& copy) {
    const uint64_t block = event.sm.block_of(event.warp()).index;
    report(Kind::AsyncUnwaited, copy.pc, block, copy.thread, Space::Shared, copy.to, kWord,
           "an asynchronous copy that no thread has waited for at its mbarrier object", nullptr, {});
    if (!copy.is_remote) arrived(event.sm, copy);
  });
}

}  // namespace warptime::debug
