// The instructions of a kernel while some of them are replaced by others.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ptx/module.h"

namespace warptime::sim {

class RewrittenCode {
 public:
  explicit RewrittenCode(ptx::Kernel& kernel) : kernel_(kernel), before_(std::exchange(kernel.instructions, {})) {}

  ptx::Kernel& kernel() { return kernel_; }
  const ptx::Instruction& before(uint32_t i) const { return before_[i]; }
  uint32_t size_before() const { return static_cast<uint32_t>(before_.size()); }
  uint32_t here() const { return static_cast<uint32_t>(kernel_.instructions.size()); }
  std::vector<ptx::Operand> operands(uint32_t i) const {
    const auto own = kernel_.operands_of(before_[i]);
    return {own.begin(), own.end()};
  }

  void keep(uint32_t i) {
    kernel_.instructions.push_back(before_[i]);
    source_of_.push_back(i);
  }
  /// An instruction like `i`, with these operands.
  void add(uint32_t i, ptx::Instruction in, const std::vector<ptx::Operand>& operands) {
    in.first_operand = append(operands);
    in.operand_count = static_cast<uint16_t>(operands.size());
    in.begins_rolled_loop = false;
    kernel_.instructions.push_back(in);
    source_of_.push_back(i);
  }
  uint32_t append(const std::vector<ptx::Operand>& operands) {
    const auto at = static_cast<uint32_t>(kernel_.operands.size());
    kernel_.operands.insert(kernel_.operands.end(), operands.begin(), operands.end());
    return at;
  }
  uint32_t new_register(uint32_t like) {
    const ptx::Register of = kernel_.registers[like];
    kernel_.registers.push_back({of.name, of.type});
    return static_cast<uint32_t>(kernel_.registers.size() - 1);
  }
  std::vector<uint32_t> take_sources() { return std::move(source_of_); }

 private:
  ptx::Kernel& kernel_;
  const std::vector<ptx::Instruction> before_;
  std::vector<uint32_t> source_of_;
};

}  // namespace warptime::sim
