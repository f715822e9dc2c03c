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

}  // namespace

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
