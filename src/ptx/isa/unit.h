// The pipes of an SM, one row each, and with them the units that execute instructions. From a row follow the pipe's
// parameters (a member of MachineConfig, whose struct machine.h defines), its groups, its statistic and resource, the
// stall reason of warps that wait for it and their letter in the drawing of a trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warptime::ptx {

// What not every machine has is left out of reports of launches that did not use it, and a G80 has nothing native for
// it.
//
//         enumerator key  a unit   what it is                  on which machines        letter  Nsight Compute
#define PTX_PIPES(ROW, X)                                                                             \
  ROW(X, Sp, sp, "SP", "streaming processors", "", 'p', "")                                           \
  ROW(X, Sfu, sfu, "SFU", "special function units", "", 'u', "")                                      \
  ROW(X, Dp, dp, "DP unit", "double-precision units", ", where the hardware has them", 'd',           \
      "sm__pipe_fp64_cycles_active.sum")                                                              \
  ROW(X, Tensor, tensor, "tensor core", "tensor cores", ", where the hardware has them", 'x',         \
      "sm__pipe_tensor_cycles_active.sum")                                                            \
  ROW(X, Alu, alu, "ALU", "integer and logic units", ", where integers have units of their own", 'n', \
      "sm__pipe_alu_cycles_active.sum")                                                               \
  ROW(X, CopyEngine, copy_engine, "copy engine", "copy engines", ", where the hardware has them", 'e', "")

#define PTX_UNIT_OF_PIPE(X, name, key, unit, what, where, ...) X(name, key, where)
// The load/store unit is not a pipe with groups of its own; what the warp scheduler does alone (branches, barriers,
// exit) goes to none.
// What every program uses comes first: the loops of sim/core/pipes.h end there.
#define PTX_UNITS(X)             \
  X(Memory, memory, "")          \
  PTX_PIPES(PTX_UNIT_OF_PIPE, X) \
  X(Control, control, "")

/// What executes an instruction.
enum class Unit : uint8_t {
#define X(name, ...) name,
  PTX_UNITS(X)
#undef X
};

struct UnitInfo {
  std::string_view key;
  bool everywhere;  // every machine has it
};
inline constexpr std::array kUnits {
#define X(name, key, where) UnitInfo{#key, std::string_view(where).empty()},
  PTX_UNITS(X)
#undef X
};
/// Memory, SP, SFU: each machine has them. What is behind, up to Control, most programs do not use.
inline constexpr size_t kUsualUnits = 3, kBusyUnits = kUnits.size() - 1;
static_assert(Unit{kUsualUnits - 1} == Unit::Sfu && Unit{kBusyUnits} == Unit::Control);
constexpr const UnitInfo& info(Unit unit) { return kUnits[static_cast<size_t>(unit)]; }

}  // namespace warptime::ptx
