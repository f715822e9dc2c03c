// A kernel from a few lines of PTX with counts as a run would give them, for the tests of the models.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "analysis/mwp_cwp/model_inputs.h"
#include "ptx/load_module.h"

namespace warptime::test {

struct CountedKernel {
  std::shared_ptr<const ptx::Module> module;
  sim::InstructionRows rows;
  sim::MachineConfig machine;  // that of a G80, but each PTX instruction is one native one

  /// `executions`: by instruction, each of 32 lanes.
  CountedKernel(const std::string& body, const std::vector<uint64_t>& executions) {
    Diagnostics diagnostics;
    module = ptx::load_module(
        std::make_shared<SourceText>("test.ptx",
                                     ".version 9.0 .target sm_75 .address_size 64 .entry kernel(.param .u64 out) { "
                                     ".reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .f32 %f<16>; .reg .pred %p<8>;\n" +
                                         body + "\n}"),
        diagnostics);
    INFO(diagnostics.to_text());
    REQUIRE(module != nullptr);
    REQUIRE(executions.size() == kernel().instructions.size());
    for (uint64_t count : executions) {
      sim::InstructionRow row;
      row.warp_instructions = count;
      row.thread_instructions = 32 * count;
      rows.push_back(std::move(row));
    }
    machine.native_cost = sim::NativeCost::ptx;
  }
  const ptx::Kernel& kernel() const { return module->kernels[0]; }

  std::vector<analysis::CodeBlock> blocks() const { return analysis::code_blocks(*module, kernel(), rows); }
  std::vector<analysis::InstructionCost> costs() const { return analysis::instruction_costs(machine, kernel(), {}); }
};

/// Two loads, of which the first use needs both, and a chain of two operations behind it.
inline CountedKernel straight_kernel() {
  return {R"(mov.u64 %rd1, 0;
ld.global.f32 %f1, [%rd1];
ld.global.f32 %f2, [%rd1+4];
add.f32 %f3, %f1, %f2;
mul.f32 %f4, %f3, %f3;
st.global.f32 [%rd1], %f4;
ret;)",
          {1, 1, 1, 1, 1, 1, 1}};
}

/// Ten iterations with a chain of four additions; the loop's own chain has three instructions.
inline CountedKernel loop_kernel() {
  return {R"(mov.u32 %r1, 0;
mov.f32 %f1, 0f00000000;
again:
add.f32 %f1, %f1, %f1;
add.f32 %f1, %f1, %f1;
add.f32 %f1, %f1, %f1;
add.f32 %f1, %f1, %f1;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 10;
@%p1 bra again;
st.global.f32 [%rd1], %f1;
ret;)",
          {1, 1, 10, 10, 10, 10, 10, 10, 10, 1, 1}};
}

}  // namespace warptime::test
