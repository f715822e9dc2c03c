// The machine program of a kernel as people read it: what the hardware issues for each PTX instruction, with its
// cycles, its registers and what issues together with it. All commands that show native instructions have them from
// here.
//
// A row stands for the native instructions of one PTX instruction, which follow each other without a gap. Cycles are
// those without conflicts, of one memory transaction, and of hits; where accesses decide, there may be more.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/decode/compiled_kernel.h"
#include "sim/model/machine_loader.h"

namespace warptime::host {

struct NativeRow {
  uint32_t first = 0, count = 0;  // its native instructions, numbered from 0 on; count 0: it has none of its own
  std::string_view unit;
  uint32_t issue_cycles = 0, pipe_cycles = 0;
  std::optional<uint32_t> latency;  // nullopt: it writes no register, or memory off the chip decides
  bool off_chip = false;            // memory off the chip decides
  bool may_issue_longer = false;    // with conflicts of its accesses
  bool may_take_longer = false;     // in its pipe and to its result: with conflicts, misses or transactions
  std::string text;                 // native mnemonics with their operands in memory, or the PTX with its registers
  std::vector<std::string> writes;  // scoreboard slots by the names of their registers
  std::vector<std::string> waits;
  std::string shared_operand, constant_operand;  // registers whose values it reads from there itself; empty: none
  std::string why;                               // the rule of native code; empty: it needs none
  uint32_t anchor = ptx::kNoIndex;               // of one without native instructions: the one with which it issues
  std::vector<uint32_t> parts;                   // those that issue with it, by instruction
  uint32_t target = ptx::kNoIndex;               // of a branch to a label: the instruction
  uint32_t line = 0;                             // of the PTX
  std::string source;                            // "k.cu:7"; empty: the PTX names no line
  std::string function;                          // device function that it belongs to; empty: the kernel itself
  std::string ptx;                               // the instruction as warptime prints PTX
};

class NativeView {
 public:
  NativeView(const sim::CompiledKernel& kernel, const sim::MachineConfig& machine);

  /// A row for each instruction of the executed kernel, in its order, and for the exit behind the last one, if that is
  /// reached.
  const std::vector<NativeRow>& rows() const { return rows_; }
  /// What stands below a PTX instruction where it is listed: one line, without its end. Empty: the kernel has no such
  /// instruction.
  std::string line(size_t instruction) const;
  /// All of it as a table, as `warptime ptx --native --machine` prints it.
  std::string table(const std::string& machine) const;
  nlohmann::ordered_json json(size_t instruction) const;
  nlohmann::ordered_json json() const;

 private:
  std::string numbers(const NativeRow& row) const;
  uint32_t target_number(const NativeRow& row) const;
  std::string heading(const std::string& machine) const;

  std::vector<NativeRow> rows_;
  std::string kernel_;
  uint32_t ptx_ = 0, native_ = 0, registers_ = 0, spilled_ = 0, spill_bytes_ = 0;
  bool is_scheduled_ = false, is_allocated_ = false;
};

/// The machine program of a kernel that has not been launched; nullptr if the machine cannot run it.
std::unique_ptr<NativeView> native_view(std::shared_ptr<const ptx::Module> module, const ptx::Kernel& kernel,
                                        const sim::Machine& machine, Diagnostics& diagnostics);
/// That of one that has run, by its name as the statistics have it; nullptr: the text has no such kernel.
std::unique_ptr<NativeView> native_view(const std::shared_ptr<const SourceText>& ptx, const std::string& kernel,
                                        const sim::MachineConfig& machine);

}  // namespace warptime::host
