#include "sim/gpu/access_recorder.h"

#include <bit>
#include <iterator>

namespace warptime::sim {

namespace {

LoggedRequest::Kind kind_of(const Insn& insn, const MemoryAccess& access) {
  using Kind = LoggedRequest::Kind;
  switch (insn.effect) {
    case ptx::Effect::Texture: return Kind::Texture;
    case ptx::Effect::Atomic: return Kind::Atomic;
    case ptx::Effect::Store: return Kind::Store;
    default: return access.off_chip ? Kind::Load : Kind::Constant;
  }
}

}  // namespace

void AccessRecorder::starts(uint64_t number, uint64_t slots, const SmState& state) {
  const bool records = requests_ < most_requests_;
  blocks_ += records ? 1 : 0;
  for (; slots != 0; slots &= slots - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(slots));
    of_slot_[slot] = records ? static_cast<uint32_t>(warps_.size()) : kNone;
    if (records) warps_.push_back({number, state.warp(slot).index_in_block});
  }
}

void AccessRecorder::accessed(uint32_t slot, uint32_t pc, const Insn& insn, const MemoryAccess& access) {
  LoggedWarp* warp = of(slot);
  if (warp == nullptr) return;
  const LoggedRequest::Kind kind = kind_of(insn, access);
  const bool lines = kind == LoggedRequest::Kind::Constant || kind == LoggedRequest::Kind::Texture;
  for (uint32_t i = 0; i < access.count; ++i) {
    const Transaction& transaction = access.transactions[i];
    warp->requests.push_back({transaction.address, pc, lines ? uint16_t{0} : transaction.bytes, kind, i != 0});
  }
  requests_ += access.count;
}

void AccessRecorder::arrived(uint32_t slot, uint32_t pc) {
  if (LoggedWarp* warp = of(slot)) warp->requests.push_back({0, pc, 0, LoggedRequest::Kind::Barrier, false});
}

void AccessRecorder::finish(AccessLog& log) {
  log.recorded_blocks += blocks_;
  log.warps.insert(log.warps.end(), std::make_move_iterator(warps_.begin()), std::make_move_iterator(warps_.end()));
  warps_.clear();
}

}  // namespace warptime::sim
