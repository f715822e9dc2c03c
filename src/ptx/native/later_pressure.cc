// Which registers each native instruction of compute capability 9.0 needs. Left out: that pairs begin with an even
// register, and vectors of four with a multiple of four.
#include <algorithm>

#include "ptx/analysis/liveness.h"
#include "ptx/analysis/register_uses.h"
#include "ptx/native/later_registers.h"
#include "ptx/native/register_facts.h"
#include "ptx/native/warp_uniform.h"

namespace warptime::ptx {

namespace {

// Where registers are free, the assembler uses new ones rather than wait for old ones. Fitted as kBesidePressure is.
constexpr uint32_t kFreeUntil = 25, kMostFree = 4;

class LaterPressure {
 public:
  explicit LaterPressure(const Kernel& kernel) : kernel_(kernel), facts_(kernel), varies_(find_varying(kernel)) {}

  RegisterPressure all() const {
    RegisterPressure pressure;
    for (uint32_t reg = 0; reg < kernel_.registers.size(); ++reg) pressure.weights.push_back(weight(reg));
    for (const Instruction& in : kernel_.instructions) {
      pressure.accesses.begin_instruction();
      pressure.extra.push_back(0);
      pressure.guarded.push_back(in.guard != kNoIndex);
      if (is_part(in)) continue;
      for_each_register(kernel_, in, [&](uint32_t reg, bool written) {
        if (written) pressure.accesses.add(reg, true);
        else add_sources(reg, pressure.accesses, kLongestChain);
      });
    }
    return pressure;
  }

 private:
  static constexpr uint32_t kLongestChain = 16;  // of parts of parts

  bool is_part(const Instruction& in) const {
    const auto i = static_cast<size_t>(&in - kernel_.instructions.data());
    const uint32_t reg = result_of(kernel_, in);
    return kernel_.later[i].slots() == 0 && reg != kNoIndex && facts_.definition(reg) == i;
  }
  void add_sources(uint32_t reg, RegisterAccesses& out, uint32_t rest) const {
    const uint32_t written = facts_.definition(reg);
    if (written >= kSeveral || rest == 0 || !is_part(kernel_.instructions[written])) return out.add(reg, false);
    for_each_register(kernel_, kernel_.instructions[written], [&](uint32_t source, bool is_result) {
      if (!is_result) add_sources(source, out, rest - 1);
    });
  }
  uint32_t weight(uint32_t reg) const { return varies_[reg] ? register_weight(kernel_.registers[reg].type) : 0; }

  const Kernel& kernel_;
  RegisterFacts facts_;
  std::vector<bool> varies_;
};

}  // namespace

uint32_t registers_of_later_code(const Kernel& kernel) {
  const uint32_t most = most_registers(kernel, later_pressure(kernel));
  return most + (kernel.is_entry ? kBesidePressure + std::min(kMostFree, kFreeUntil - std::min(most, kFreeUntil)) : 0);
}
RegisterPressure later_pressure(const Kernel& kernel) { return LaterPressure(kernel).all(); }

}  // namespace warptime::ptx
