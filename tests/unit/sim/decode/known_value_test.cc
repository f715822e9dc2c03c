// Whose rows the readers of a copied special register, constant or kernel parameter read.
#include <catch2/catch.hpp>
#include <set>

#include "ptx/load_module.h"
#include "sim/decode/compiled_kernel.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

/// The instructions of a kernel with the parameters p (64 bits) and n (32 bits).
std::unique_ptr<const CompiledKernel> known_in(const std::string& body) {
  Diagnostics diagnostics;
  auto module = ptx::load_module(std::make_shared<SourceText>("known.ptx", R"(.version 6.4
.target sm_75
.address_size 64
.visible .entry known(.param .u64 p, .param .u32 n)
{
.reg .b32 %r<8>;
.reg .b64 %rd<8>;
.reg .pred %q;
)" + body + "ret;\n}\n"),
                                 diagnostics);
  REQUIRE(module != nullptr);
  auto kernel =
      decode(module, module->kernels[0], SymbolAddresses(module->symbols.size(), 0), MachineConfig{}, diagnostics);
  REQUIRE(kernel != nullptr);
  return kernel;
}

}  // namespace

TEST_CASE("copies are read where the original is") {
  auto kernel = known_in(R"(ld.param.u64 %rd1, [p];
ld.param.u32 %r1, [n];
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %tid.x;
mov.u32 %r4, %ntid.x;
mov.u32 %r5, 77;
cvta.to.global.u64 %rd2, %rd1;
mad.lo.u32 %r6, %r1, %r2, %r3;
mad.lo.u32 %r6, %r4, %r5, %r6;
st.global.u32 [%rd2], %r6;
)");
  const auto& insns = kernel->insns;
  CHECK(insns[7].src[0].area() == RowArea::Launch);
  CHECK(insns[7].src[1].area() == RowArea::Block);
  CHECK(insns[7].src[2].area() == RowArea::Threads);
  CHECK(insns[8].src[0].area() == RowArea::Launch);
  CHECK(insns[8].src[1].area() == RowArea::Launch);
  CHECK(insns[8].src[2].is_register());
  CHECK(insns[9].access().address.base.area() == RowArea::Launch);
  CHECK(insns[0].load_store().is_known);
  CHECK(insns[1].load_store().is_known);
  REQUIRE(kernel->parameters.size() == 2);
  CHECK(kernel->parameters[1].offset == 8);
  CHECK(kernel->parameters[1].row.bits == insns[7].src[0].bits);
  CHECK(insns[9].access().address.base.bits == kernel->parameters[0].row.bits);
  // Who copies still writes its own register as far as time goes.
  CHECK(insns[2].native.write_count == 1);
  const auto& waits = insns[7].native.waits;
  CHECK(std::set<uint16_t>(waits.begin(), waits.end()).size() == 4);
  CHECK(kernel->cleared.empty());
}

TEST_CASE("what readers may find otherwise stays in registers") {
  for (const char* body :
       {"mov.u32 %r1, 5; mov.u32 %r1, 6; add.u32 %r2, %r1, 1;",
        "setp.eq.u32 %q, 1, 1; @%q mov.u32 %r1, 5; add.u32 %r2, %r1, 1;",
        "add.u32 %r3, %r1, 1; mov.u32 %r1, 5; add.u32 %r2, %r1, 1;", "mov.u32 %r1, %smid; add.u32 %r2, %r1, 1;",
        "mov.u32 %r1, %clock; add.u32 %r2, %r1, 1;", "ld.param.u16 %r1, [n]; add.u32 %r2, %r1, 1;"}) {
    INFO(body);
    auto kernel = known_in(body);
    const Insn& add = kernel->insns[kernel->insns.size() - 3];
    CHECK(add.src[0].is_register());
  }
}

TEST_CASE("the first instruction's result needs no zeros before it, its source does") {
  CHECK(known_in("mov.u32 %r1, %smid; add.u32 %r2, %r1, 1;")->cleared.empty());
  auto kernel = known_in("add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;");
  CHECK(kernel->cleared.size() == 3);  // and the two rows of %rd1
}
