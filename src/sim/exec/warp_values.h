// The values of a warp: rows of 32 lanes, and predicates of one bit per lane; and where an instruction's operands are
// in them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ptx/module.h"

namespace warptime::sim {

inline constexpr uint32_t kWarpSize = ptx::kWarpThreads;
inline constexpr uint32_t kRowBytes = kWarpSize * 4;
inline constexpr uint32_t kFullMask = 0xffffffffu;

/// Which storage area an operand row lives in. A row has kRowBytes; a 64-bit value is two rows in a run, lanes of 8
/// bytes; one of 8 or 16 bits uses the front of its row, lanes of its own width.
enum class RowArea : uint32_t {
  Registers,  // the warp's own, and the only ones that instructions write
  Launch,     // the same for all: immediates, symbol addresses, kernel parameters, the size of the grid
  Threads,    // special registers that a warp has in common with those in its slot of other blocks
  Block,      // special registers of the block
};
inline constexpr size_t kRowAreas = 4;

struct WarpValues {
  std::array<const std::byte*, kRowAreas> areas{};
  uint32_t* predicates = nullptr;

  std::byte* rows() const { return const_cast<std::byte*>(areas[0]); }  // registers are nowhere constant
};

/// Where an operand is: an area (the upper two bits), and a byte offset in it.
struct RowRef {
  uint32_t bits = 0;
  static constexpr uint32_t kOffsetBits = 30;

  static constexpr RowRef to(RowArea area, uint32_t offset) {
    return {static_cast<uint32_t>(area) << kOffsetBits | offset};
  }
  RowArea area() const { return static_cast<RowArea>(bits >> kOffsetBits); }
  uint32_t offset() const { return bits & ((1u << kOffsetBits) - 1); }
  bool is_register() const { return area() == RowArea::Registers; }
  const std::byte* in(const WarpValues& w) const { return w.areas[bits >> kOffsetBits] + offset(); }
};

}  // namespace warptime::sim
