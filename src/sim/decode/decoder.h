// Decoder: translates one kernel's instructions to flat Insns for one machine. decode.cc visits them;
// decode_operands.cc fills in handler, rows and addresses, decode_slots.cc finds the scoreboard slots, and
// NativeBuilder makes the machine program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa/cards.h"
#include "sim/decode/compiled_kernel.h"
#include "sim/decode/operand_rows.h"
#include "sim/exec/handler_table.h"
#include "sim/native/native_builder.h"

namespace warptime::sim {

class Decoder {
 public:
  Decoder(const ptx::Module& module, const ptx::Kernel& kernel, const SymbolAddresses& addresses,
          const MachineConfig& machine, const HandlerTable& handlers, Diagnostics& diagnostics, CompiledKernel& out)
      : module_(module),
        kernel_(kernel),
        machine_(machine),
        diagnostics_(diagnostics),
        out_(out),
        rows_(kernel, addresses, out),
        handlers_(handlers),
        legacy_(module.target < 20),
        maps_double_(module.map_f64_to_f32 || machine.map_f64_to_f32) {}

  void run(const MachinesWith& machines_with, const Assumptions& assumptions);

 private:
  Insn instruction(const ptx::Instruction& in);
  /// The f32 instruction that executes in place of one of f64.
  std::optional<ptx::Instruction> replacement(const ptx::Instruction& in) const;
  void values(const ptx::Instruction& in, Insn& out);
  void registers(std::span<const ptx::Operand> operands, Insn& out);
  void collective(const ptx::Instruction& in, Insn& out);
  bool waits_for_members(const ptx::Instruction& in) const;
  void lane_widths(const ptx::Instruction& in, bool single_for_double, Insn& out);
  void random_rounding(const ptx::Instruction& in, Insn& out);
  void pack(const ptx::Instruction& in, Insn& out);
  void move_vector(const ptx::Instruction& in, Insn& out);
  void conversion(const ptx::Instruction& in, HandlerKey& key, Insn& out);
  void window_address(const ptx::Instruction& in, HandlerKey& key, Insn& out);
  void memory(const ptx::Instruction& in, Insn& out);
  void atomic(const ptx::Instruction& in, Insn& out);
  void surface_reduction(const ptx::Instruction& in, AtomicPayload& payload, Insn& out);
  void wide_atomic(const ptx::Instruction& in, AtomicPayload& payload, Insn& out);
  void texture(const ptx::Instruction& in, Insn& out);
  void async_copy(const ptx::Instruction& in, Insn& out);
  void bulk_copy(const ptx::Instruction& in, Insn& out);
  void tensor_copy(const ptx::Instruction& in, BulkCopyPayload& payload, BulkDetail& detail);
  void map_field(const ptx::Instruction& in, BulkCopyPayload& payload, BulkDetail& detail);
  void async_store(const ptx::Instruction& in, BulkCopyPayload& payload, BulkDetail& detail);
  void async(const ptx::Instruction& in, Insn& out);
  void texture_query(const ptx::Instruction& in, Insn& out);
  void surface(const ptx::Instruction& in, const ptx::Operand& handle, const ptx::Operand& places,
               AccessPayload& access, Insn& out);
  void slope(const ptx::Operand& operand, uint32_t dimensions, RowRef* out);
  void coordinates(const ptx::Operand& operand, uint32_t dimensions, bool has_layers, Insn& out);
  std::vector<RowRef> fragment(const ptx::Operand& operand);
  void matrix(const ptx::Instruction& in, Insn& out);
  void async_matrix(const ptx::Instruction& in, Insn& out);
  void matrix_in_memory(const ptx::Instruction& in, LoadStorePayload& payload);
  /// The uses of a register by the kernel's instructions, without those in functions.
  struct RegisterUse {
    uint32_t writes = 0;
    uint32_t first_write = ptx::kNoIndex, first_read = ptx::kNoIndex;  // instructions, in the order of the text
  };
  const RegisterUse& use_of(uint32_t reg);
  bool is_read(uint32_t reg);
  bool is_written_first(uint32_t reg);
  void copy(const ptx::Instruction& in, Insn& out);
  AddressOperand address(const ptx::Operand& operand);
  bool reads_clock(const ptx::Instruction& in) const;
  /// `who`: the part that needs it, if not the instruction itself.
  void need(const ptx::Instruction& in, Feature feature, std::string_view who = {});
  void call(const ptx::Instruction& in, Insn& out);
  void branch(const ptx::Instruction& in, Insn& out);
  void barrier(const ptx::Instruction& in, Insn& out);
  RegisterSlots slots(const ptx::Instruction& in, const Insn& value);
  template <class Waits, class Writes>
  void find_slots(const ptx::Instruction& in, const Insn& value, const Waits& waits, const Writes& writes);
  void assign_cached_addresses(const std::vector<RegisterSlots>& slots);
  void pass_through_parts(std::vector<RegisterSlots>& slots) const;
  void build_native(const std::vector<RegisterSlots>& slots, const Assumptions& assumptions);
  void find_cleared();
  /// sm_1x; but cvt to 64 bits does not flush in PTX 1.4 and before (PTX ISA 9.7.9.21).
  bool flushes_always(const ptx::Instruction& in) const {
    return legacy_ && !(module_.version <= 14 && ptx::is<ptx::Cvt>(in) && ptx::bits(in.type) == 64);
  }
  void report_missing(const MachinesWith& machines_with);
  void error(const ptx::Instruction& in, std::string message, std::string hint = {}) {
    diagnostics_.error(in.where, std::move(message), std::move(hint));
  }

  const ptx::Module& module_;
  const ptx::Kernel& kernel_;
  const MachineConfig& machine_;
  Diagnostics& diagnostics_;
  CompiledKernel& out_;
  OperandRows rows_;
  const HandlerTable& handlers_;
  bool legacy_;
  bool maps_double_;  // f64 instructions execute as f32
  /// A feature that the machine lacks: its first use, and how many more there are.
  struct Missing {
    Feature feature;
    std::string_view who;
    const ptx::Instruction* first;
    size_t more;
  };
  std::vector<Missing> missing_;
  std::vector<RegisterUse> uses_;    // by register; empty: not known yet
  std::vector<uint32_t> undefined_;  // called functions without a body
};

}  // namespace warptime::sim
