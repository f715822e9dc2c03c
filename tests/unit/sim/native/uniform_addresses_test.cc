// Which accesses have one address for all lanes by construction, and which atomic operations a warp makes one of.
#include "sim/native/uniform_addresses.h"

#include <catch2/catch.hpp>

#include "base/source_text.h"
#include "ptx/load_module.h"

using namespace warptime;

namespace {

constexpr const char* kKernel = R"(.version 7.8
.target sm_90
.address_size 64
.const .b32 table[64];
.visible .entry k(.param .u64 p, .param .u32 n)
{
.reg .u32 %r<8>;
.reg .u64 %l<8>;
.reg .pred %p<3>;
ld.param.u64 %l1, [p];
ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x;
mov.u32 %r3, %ctaid.x;
mul.wide.u32 %l2, %r3, 4;
add.u64 %l3, %l1, %l2;
mul.wide.u32 %l4, %r2, 4;
add.u64 %l5, %l1, %l4;
setp.eq.u32 %p1, %r1, 0;
setp.eq.u32 %p2, %r2, 0;
red.global.add.u32 [%l3], 1;
red.global.add.u32 [%l5], 1;
@%p1 red.global.min.s32 [%l1], 1;
@%p2 red.global.min.s32 [%l1], 1;
ld.const.u32 %r4, [table+8];
atom.global.add.u32 %r5, [%l1], 1;
atom.global.xor.b32 %r5, [%l1], 1;
red.global.inc.u32 [%l1], 1;
red.global.add.u64 [%l1], 1;
red.global.add.f32 [%l1], 0f3F800000;
ret;
}
)";

constexpr const char* kReaders = R"(.version 7.8
.target sm_90
.address_size 64
.const .b32 table[64];
.visible .entry k(.param .u64 p)
{
.reg .u32 %r<32>;
mov.u32 %r1, %tid.x;
ld.const.u32 %r2, [table];
ld.const.u32 %r3, [table+4];
ld.const.u32 %r4, [table+8];
ld.const.u32 %r5, [table+12];
ld.const.u32 %r6, [table+16];
ld.const.v2.u32 {%r7, %r8}, [table+24];
mad.lo.u32 %r20, %r1, %r2, %r1;
mad.lo.u32 %r21, %r1, 33, %r3;
mad.lo.u32 %r22, %r1, %r4, %r5;
add.u32 %r23, %r6, 5;
add.u32 %r24, %r1, %r7;
mad.lo.u32 %r25, %r1, %r8, %r2;
ret;
}
)";

}  // namespace

TEST_CASE("a value that is the same for the warp is an operand of readers that take one such operand", "[native]") {
  Diagnostics diagnostics;
  const std::shared_ptr<const ptx::Module> module =
      ptx::load_module(std::make_shared<SourceText>("k.ptx", kReaders), diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(module != nullptr);
  const ptx::Kernel& kernel = module->kernels.front();
  const sim::UniformAddresses warp(true, kernel);
  std::vector<bool> operands;
  for (const ptx::Instruction& in : kernel.instructions)
    if (in.space == ptx::Space::Const) operands.push_back(warp.is_operand(in));
  // %r2 has another reader that takes two; %r3 stands beside a number, %r4 and %r5 beside each other. The addition of
  // %r6 is the same for the warp as a whole. Of the pair, %r8 fails.
  CHECK(operands == std::vector<bool>{false, false, false, false, true, false});
}

TEST_CASE("addresses that all lanes have, and operations that a warp makes one of", "[native]") {
  Diagnostics diagnostics;
  const std::shared_ptr<const ptx::Module> module =
      ptx::load_module(std::make_shared<SourceText>("k.ptx", kKernel), diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(module != nullptr);
  const ptx::Kernel& kernel = module->kernels.front();
  const sim::UniformAddresses warp(true, kernel), none(false, kernel);
  std::vector<bool> uniform, combined;
  for (const ptx::Instruction& in : kernel.instructions) {
    CHECK_FALSE(none.has(in));
    if (ptx::is<ptx::Red, ptx::Atom>(in) || in.space == ptx::Space::Const) uniform.push_back(warp.has(in));
    if (ptx::is<ptx::Red, ptx::Atom>(in)) combined.push_back(sim::combines(in));
  }
  CHECK(uniform == std::vector<bool>{true, false, true, false, true, true, true, true, true, true});
  CHECK(combined == std::vector<bool>{true, true, true, true, true, false, false, false, false});
  CHECK(warp.any());
  CHECK_FALSE(none.any());
}
