// Which registers' addresses a warp may cache, and which instructions overwrite these registers.
#include <catch2/catch.hpp>

#include "ptx/load_module.h"
#include "sim/decode/compiled_kernel.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr const char* kBody = R"(.version 6.4
.target sm_75
.address_size 64
.const .align 4 .b8 table[64];
.visible .entry cached(.param .u64 out)
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

std::unique_ptr<const CompiledKernel> compiled(const std::string& text = kBody) {
  Diagnostics diagnostics;
  auto module = ptx::load_module(std::make_shared<SourceText>("cached.ptx", text), diagnostics);
  REQUIRE(module != nullptr);
  MachineConfig machine;
  machine.features = {"global_atomics", "shared_atomics", "vote", "shuffle", "barrier_reduction"};
  auto kernel = decode(module, module->kernels[0], SymbolAddresses(module->symbols.size(), 0), machine, diagnostics);
  REQUIRE(kernel != nullptr);
  return kernel;
}

uint8_t cached_address(const Insn& insn) {
  return insn.payload == Payload::LoadStore ? insn.load_store().cached_address : kNotCached;
}

}  // namespace

TEST_CASE("addresses of single words on chip are cached") {
  auto kernel = compiled();
  const auto& insns = kernel->insns;
  CHECK(cached_address(insns[0]) == kNotCached);  // param
  CHECK(cached_address(insns[1]) == 0);
  CHECK(cached_address(insns[2]) == 0);
  CHECK(cached_address(insns[4]) == 1);
  CHECK(cached_address(insns[5]) == 1);
  CHECK(cached_address(insns[6]) == 2);            // the variable's own
  CHECK(cached_address(insns[7]) == kNotCached);   // a vector
  CHECK(cached_address(insns[9]) == 3);            // 64 bits, constant memory
  CHECK(cached_address(insns[10]) == kNotCached);  // global
  CHECK(cached_address(insns[11]) == kNotCached);
}

TEST_CASE("an instruction that writes the register of a cached address says so") {
  auto kernel = compiled();
  const auto& insns = kernel->insns;
  CHECK(insns[3].overwrites == 1u << 0);
  CHECK(insns[5].overwrites == 1u << 1);
  CHECK(insns[8].overwrites == 1u << 3);
  CHECK(insns[4].overwrites == 0);
  CHECK(insns[11].overwrites == 0);
  // And nobody else does or fails to: rows may be those of several registers, one after the other.
  for (const CodeEntry& writer : insns) {
    const NativeInsn& native = writer.native;
    for (const Insn& user : insns) {
      if (cached_address(user) == kNotCached) continue;
      const AddressOperand& address = user.access().address;
      if (!address.base.is_register()) continue;
      uint32_t first = address.base.bits / kRowBytes, last = first + (address.is_64 ? 1 : 0);
      bool writes = false;
      for (unsigned i = 0; i < native.write_count; ++i) {
        const uint16_t slot = kernel->native.write(native, i);
        writes |= slot >= first && slot <= last;
      }
      CHECK(writes == (((writer.overwrites >> cached_address(user)) & 1) != 0));
    }
  }
}

TEST_CASE("unused slots of the scoreboard repeat the first, or are those that nobody writes or reads") {
  auto kernel = compiled();
  uint32_t registers = kernel->rows + kernel->predicates;
  CHECK(kernel->slots() == registers + 2);
  const NativeProgram& program = kernel->native;
  for (const CodeEntry& entry : kernel->insns) {
    const NativeInsn& insn = entry.native;
    // The first of them again, or the one that nobody writes.
    const bool waits = insn.waits[0] != registers;
    for (size_t i = 0; i < program.wait_count(insn); ++i) {
      const uint16_t slot = program.wait(insn, i);
      CHECK((waits ? slot < registers : slot == registers));
    }
    for (size_t i = 0; i < insn.write_count; ++i) CHECK(program.write(insn, i) < registers);
    for (size_t i = insn.write_count; i < insn.writes.size(); ++i)
      CHECK(insn.writes[i] == (insn.write_count != 0 ? insn.writes[0] : registers + 1));
  }
}

TEST_CASE("results of every kind, calls and returns make addresses unknown") {
  auto kernel = compiled(R"(.version 6.4
.target sm_70
.address_size 64
.global .texref image;
.func (.param .b32 r) g() { st.param.b32 [r], 1; ret; }
.visible .entry cached()
{
.reg .b32 %a, %b, %v, %w, %x;
.reg .b64 %rd;
.reg .pred %p;
.param .b32 y;
ld.shared.u32 %v, [%a];
@%p add.u32 %a, %a, 4;
ld.shared.v4.u32 {%v, _, %a, %w}, [%b];
ld.global.u16 %a, [%rd];
mov.b64 {%v, %a}, %rd;
shfl.sync.bfly.b32 %a|%p, %v, 1, 31, -1;
vote.sync.ballot.b32 %a, %p, -1;
bar.red.popc.u32 %a, 0, %p;
atom.shared.add.u32 %a, [%b], 1;
atom.global.cas.b32 %a, [%rd], 1, 2;
tex.2d.v4.u32.s32 {%v, %w, %a, %x}, [image, {%v, %b}];
add.cc.u32 %a, %a, %b;
mov.u32 %a, %clock;
ld.param.u32 %a, [y];
st.shared.u32 [%a], %v;
call (y), g;
ret;
}
)");
  const auto& insns = kernel->insns;
  CHECK(insns[0].overwrites == 0);
  for (size_t i = 1; i <= 13; ++i) {
    INFO("instruction " << i);
    CHECK(insns[i].overwrites == 1u << 0);
  }
  CHECK(insns[14].overwrites == 0);
  uint32_t calls = 0, returns = 0;
  for (const Insn& insn : insns) {
    bool jumps = insn.effect == ptx::Effect::Call || insn.effect == ptx::Effect::Return;
    calls += insn.effect == ptx::Effect::Call ? 1 : 0;
    returns += insn.effect == ptx::Effect::Return ? 1 : 0;
    if (jumps) CHECK(insn.overwrites == 0xff);
  }
  CHECK(calls == 1);
  CHECK(returns == 1);
}
