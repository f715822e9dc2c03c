#include "sim/exec/wide_registers.h"

#include <bit>
#include <cstring>

namespace warptime::sim {

void run_with_wide_registers(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  constexpr uint32_t kRow = kWarpSize * 8, kResult = 4 * kRow;
  const SingleForDouble& wide = *insn.single;
  alignas(64) std::byte rows[kResult + kRow];
  Insn narrow = insn;
  narrow.staged = false;
  narrow.dst = kResult;
  for (uint32_t i = 0; i < wide.source_bytes.size() && wide.source_bytes[i] != 0; ++i) {
    size_t bytes = wide.source_bytes[i], width = wide.source_is_double[i] ? bytes : insn.width[1] / 8u;
    const std::byte* from = insn.src[i].in(warp);
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      std::memcpy(rows + i * kRow + lane * width, from + lane * bytes, width);
    narrow.src[i].bits = i * kRow;
  }
  WarpValues values = warp;
  values.areas[0] = rows;
  wide.run(values, narrow, kFullMask);
  size_t bytes = wide.result_bytes, width = wide.result_is_double ? bytes : insn.width[0] / 8u;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    uint64_t value = 0;
    std::memcpy(&value, rows + kResult + lane * width, width);
    std::memcpy(warp.rows() + insn.dst + lane * bytes, &value, bytes);
  }
}

}  // namespace warptime::sim
