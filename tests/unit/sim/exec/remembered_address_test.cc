// Which registers' addresses a warp may remember, and which instructions overwrite these registers.
#include <catch2/catch.hpp>

#include "sim/exec/compiled_kernel.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr const char* kBody = R"(.version 6.4
.target sm_75
.address_size 64
.const .align 4 .b8 table[64];
.visible .entry remembered(.param .u64 out)
{
.reg .b32 %r<8>;
.reg .b64 %rd<8>;
.reg .f32 %f<8>;
.shared .align 16 .b8 sh[256];
ld.param.u64 %rd1, [out];
ld.shared.f32 %f1, [%r1];
ld.shared.f32 %f2, [%r1+4];
add.s32 %r1, %r1, 8;
st.shared.f32 [%r2], %f1;
ld.shared.u32 %r2, [%r2];
ld.shared.f32 %f3, [sh+8];
ld.shared.v2.f32 {%f4, %f5}, [%r3];
add.s64 %rd2, %rd2, 4;
ld.const.f32 %f6, [%rd2];
st.global.f32 [%rd1], %f6;
st.shared.v4.f32 [%r1], {%f2, %f3, %f4, %f5};
ret;
}
)";

std::unique_ptr<const CompiledKernel> compiled() {
  Diagnostics diagnostics;
  auto module = ptx::load_module(std::make_shared<SourceText>("remembered.ptx", kBody), diagnostics);
  REQUIRE(module != nullptr);
  MachineConfig machine;
  auto kernel = decode(module, module->kernels[0], SymbolAddresses(module->symbols.size(), 0), machine, diagnostics);
  REQUIRE(kernel != nullptr);
  return kernel;
}

}  // namespace

TEST_CASE("registers of single words on chip are remembered") {
  auto kernel = compiled();
  const std::vector<Insn>& insns = kernel->insns;
  CHECK(insns[0].address == kNotRemembered);  // param
  CHECK(insns[1].address == 0);
  CHECK(insns[2].address == 0);
  CHECK(insns[4].address == 1);
  CHECK(insns[5].address == 1);
  CHECK(insns[6].address == 2);                // the variable's own
  CHECK(insns[7].address == kNotRemembered);   // a vector
  CHECK(insns[9].address == 3);                // 64 bits, constant memory
  CHECK(insns[10].address == kNotRemembered);  // global
  CHECK(insns[11].address == kNotRemembered);
}

TEST_CASE("who writes a register of a remembered address says so") {
  auto kernel = compiled();
  const std::vector<Insn>& insns = kernel->insns;
  CHECK(insns[3].overwrites == 1u << 0);
  CHECK(insns[5].overwrites == 1u << 1);
  CHECK(insns[8].overwrites == 1u << 3);
  CHECK(insns[4].overwrites == 0);
  CHECK(insns[11].overwrites == 0);
  // And nobody else does or fails to: rows may be those of several registers, one after the other.
  for (const Insn& writer : insns)
    for (const Insn& user : insns) {
      if (user.address == kNotRemembered || user.base.is_constant()) continue;
      uint32_t first = user.base.bits / kRowBytes, last = first + (user.address_is_64 ? 1 : 0);
      bool writes = false;
      for (unsigned i = 0; i < writer.write_count; ++i) writes |= writer.writes[i] >= first && writer.writes[i] <= last;
      CHECK(writes == (((writer.overwrites >> user.address) & 1) != 0));
    }
}

TEST_CASE("unused slots of the scoreboard are those that nobody writes or reads") {
  auto kernel = compiled();
  uint32_t registers = kernel->rows + kernel->predicates;
  CHECK(kernel->slots() == registers + 2);
  for (const Insn& insn : kernel->insns) {
    for (size_t i = 0; i < insn.waits.size(); ++i)
      CHECK((i < insn.wait_count ? insn.waits[i] < registers : insn.waits[i] == registers));
    for (size_t i = 0; i < insn.writes.size(); ++i)
      CHECK((i < insn.write_count ? insn.writes[i] < registers : insn.writes[i] == registers + 1));
  }
}
