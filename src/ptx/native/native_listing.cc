// `warptime ptx --native`: the PTX beside what a G80 issues for it.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/native/native_anchors.h"
#include "ptx/native/native_code.h"
#include "ptx/text/printer.h"

namespace warptime::ptx {

namespace {

struct Row {
  std::string line, ptx, native, slots, why;
};

std::string operands_text(const Module& module, const Kernel& kernel, const Instruction& instruction,
                          const NativeInstruction& native) {
  auto operands = kernel.operands_of(instruction);
  std::string out;
  for (auto [space, operand] : {std::pair("s", native.shared), std::pair("c", native.constant)})
    if (operand.position != MemoryOperand::kNone)
      out += fmt::format(" {}[{}]", space, operand_text(module, kernel, operands[operand.position]));
  return out;
}

}  // namespace

std::string native_text(const Module& module, const Kernel& kernel, const Instruction& instruction,
                        const NativeInstruction& native) {
  if (native.slots() == 0) return "-";
  std::string steps(native.steps);
  if (native.words > 1) steps += fmt::format("*{}", native.words);
  bool after = native.rule != NativeRule::NoAddressRegisterFree && native.rule != NativeRule::GlobalOffset;
  std::string_view step = native.rule == NativeRule::GlobalOffset ? "add" : "movsh";
  std::string_view between = steps.empty() ? "" : " ";
  for (uint32_t i = 0; i < native.address_steps; ++i)
    steps = after ? fmt::format("{}{}{}", steps, between, step) : fmt::format("{}{}{}", step, between, steps);
  return steps + operands_text(module, kernel, instruction, native);
}

std::string native_listing(const Module& module, const Kernel& kernel) {
  std::vector<Row> rows{{"line", "PTX", "native", "slots", "why"}};
  uint32_t slots = 0;
  for (size_t i = 0; i < kernel.instructions.size(); ++i) {
    const Instruction& instruction = kernel.instructions[i];
    const NativeInstruction& native = kernel.native.instructions[i];
    slots += native.slots();
    rows.push_back({fmt::format("{}", instruction.line), to_text(module, kernel, instruction),
                    native_text(module, kernel, kernel.instructions[i], native), fmt::format("{}", native.slots()),
                    std::string(text_of(native.rule))});
  }
  size_t line = 0, ptx = 0, native = 0;
  for (const Row& row : rows) {
    line = std::max(line, row.line.size());
    ptx = std::max(ptx, row.ptx.size());
    native = std::max(native, row.native.size());
  }
  std::string out = fmt::format("\nkernel {}: {} PTX instructions, {} native, {} registers per thread\n", kernel.name,
                                kernel.instructions.size(), slots, kernel.native.registers);
  for (const Row& row : rows) {
    std::string text = fmt::format("  {:>{}}  {:<{}}  {:<{}}  {:>5}  {}", row.line, line, row.ptx, ptx, row.native,
                                   native, row.slots, row.why);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

}  // namespace warptime::ptx
