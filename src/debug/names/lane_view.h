// What a debugger reads of one thread: its registers, special registers and memory, as the thread itself would read
// them (global memory with the stores of its own SM that are under way).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "debug/names/kernel_names.h"
#include "debug/names/value.h"
#include "sim/gpu/session.h"
#include "sim/state/sm_state.h"

namespace warptime::debug {

struct LaneView {
  const KernelNames* names = nullptr;
  const sim::Session* session = nullptr;
  const sim::SmState* sm = nullptr;  // nullptr: there is no thread
  uint32_t slot = 0, lane = 0;
  Cycle cycle = 0;
  std::optional<uint32_t> before = {};  // the instruction before which it is looked at, if not the warp's next one
  std::optional<uint32_t> scope = {};   // the instruction whose variables of C have names, if not that one

  const sim::Warp& warp() const { return sm->warp(slot); }
  uint32_t pc() const { return before ? *before : warp().stack.pc(); }
  /// The PTX line at which names of C are looked up.
  uint32_t line() const { return names->ptx_line(scope ? *scope : pc()).number; }
  bool is_active() const { return ((warp().stack.active() >> lane) & 1) != 0; }
};

/// A register's value, whether it is live or not.
Value register_value(const LaneView& lane, uint32_t reg);
/// nullopt: no special register has this name ("%tid.x").
std::optional<Value> special_value(const LaneView& lane, std::string_view name);
/// A special register by its name in CUDA: "threadIdx.x", "blockIdx.y", "blockDim.z", "gridDim.x", "warpSize".
std::optional<Value> built_in_value(const LaneView& lane, std::string_view name);

/// Copies bytes from `address` in the space (None or Generic: a generic address). Returns how many can be read.
size_t read_memory(const LaneView& lane, ptx::Space space, Addr address, std::span<std::byte> out);
/// The value of this type at `address`; nullopt: it cannot be read.
std::optional<Value> read_value(const LaneView& lane, ptx::Space space, Addr address, ptx::Type type);

using sim::position_of;
std::string position_text(const std::array<uint32_t, 3>& position);
/// The block and the thread.
std::string block_text(const LaneView& lane);
std::string thread_text(const LaneView& lane);

}  // namespace warptime::debug
