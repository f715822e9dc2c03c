#include "sim/gpu/request_recorder.h"

#include <bit>
#include <iterator>

namespace warptime::sim {

namespace {

RecordedRequest::Kind kind_of(const Insn& insn, const MemoryAccess& access) {
  using Kind = RecordedRequest::Kind;
  if (insn.effect == ptx::Effect::Texture) return Kind::Texture;
  if (insn.effect == ptx::Effect::Atomic) return Kind::Atomic;
  if (insn.effect == ptx::Effect::Store) return Kind::Store;
  return access.off_chip ? Kind::Load : Kind::Constant;
}

}  // namespace

void RequestRecorder::starts(uint64_t number, uint64_t slots, const SmState& state) {
  const bool records = requests_ < most_requests_;
  blocks_ += records ? 1 : 0;
  for (; slots != 0; slots &= slots - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(slots));
    of_slot_[slot] = records ? static_cast<uint32_t>(warps_.size()) : kNone;
    if (records) warps_.push_back({number, state.warp(slot).index_in_block});
  }
}

void RequestRecorder::accessed(uint32_t slot, uint32_t pc, const Insn& insn, const MemoryAccess& access) {
  RecordedWarp* warp = of(slot);
  if (warp == nullptr) return;
  const RecordedRequest::Kind kind = kind_of(insn, access);
  const bool lines = kind == RecordedRequest::Kind::Constant || kind == RecordedRequest::Kind::Texture;
  for (uint32_t i = 0; i < access.count; ++i) {
    const Transaction& transaction = access.transactions[i];
    warp->requests.push_back({transaction.address, pc, lines ? uint16_t{0} : transaction.bytes, kind, i != 0});
  }
  requests_ += access.count;
}

void RequestRecorder::arrived(uint32_t slot, uint32_t pc) {
  if (RecordedWarp* warp = of(slot)) warp->requests.push_back({0, pc, 0, RecordedRequest::Kind::Barrier, false});
}

void RequestRecorder::finish(RequestRecord& log) {
  log.recorded_blocks += blocks_;
  log.warps.insert(log.warps.end(), std::make_move_iterator(warps_.begin()), std::make_move_iterator(warps_.end()));
  warps_.clear();
}

}  // namespace warptime::sim
