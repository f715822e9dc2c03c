// A kernel decoded for one machine: what an SM runs. Const after `decode`; shared by all SMs and threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/diagnostics.h"
#include "ptx/module.h"
#include "sim/exec/insn.h"
#include "sim/exec/single_for_double.h"
#include "sim/exec/word_access.h"
#include "sim/model/machine.h"

namespace warptime::sim {

/// A row that holds a special register's value for a warp; the block start fills it (lanes of `type`'s width).
struct SpecialRow {
  ptx::Special special;
  ptx::Type type;
  uint32_t offset;  // byte offset in the warp's rows
};

struct alignas(64) ConstantRow {
  std::array<std::byte, kRowBytes> bytes{};
};

/// A value that a call copies in every lane. A register has the words of a lane side by side; a .param variable has
/// four bytes of every lane in each of its rows.
struct Transfer {
  struct Place {
    RowRef row;
    uint32_t lane_stride = 0, word_stride = 0;  // bytes
  };
  Place from, to;
  uint32_t bytes = 0;  // a lane
};

/// What a call, a return or brx.idx needs beside its Insn.
struct Linkage {
  std::vector<Transfer> arguments, results;  // of a call: copied when it issues, and when its lanes return
  std::vector<uint16_t> waits;               // scoreboard slots of what is copied, here and there
  std::vector<uint32_t> targets;             // of brx.idx: instruction indices
};

struct CompiledKernel {
  std::shared_ptr<const ptx::Module> module;
  const ptx::Kernel* kernel = nullptr;
  std::vector<Insn> insns;             // same indices as kernel->instructions, plus one trailing exit
  std::vector<ConstantRow> constants;  // broadcast rows; a 64-bit constant takes two
  std::vector<SpecialRow> specials;
  std::vector<Linkage> linkages;
  WordAccess words;                                             // for the host's instruction set
  std::vector<std::unique_ptr<const SingleForDouble>> singles;  // that insns refer to
  uint32_t rows = 0;                                            // 128-byte rows a warp, special rows included
  uint32_t predicates = 0;
  /// Scoreboard slots: one a row, then one a predicate.
  uint32_t slots() const { return rows + predicates; }
};

/// Where the module's variables were put in device memory and in the constant image; by index in Module::symbols. A
/// .shared symbol has its offset in the block's shared memory.
using SymbolAddresses = std::vector<uint64_t>;

/// Decodes a kernel for a machine: handler, rows, latencies and issue cycles of every instruction. Instructions that
/// the machine's `features:` lack are errors with their line. nullptr if there were errors.
std::unique_ptr<const CompiledKernel> decode(std::shared_ptr<const ptx::Module> module, const ptx::Kernel& kernel,
                                             const SymbolAddresses& addresses, const MachineConfig& machine,
                                             Diagnostics& diagnostics);

}  // namespace warptime::sim
