// Loads of neighbouring words that become one: which do, and which must not.
#include "sim/native/wide_loads.h"

#include "arranged_modules.h"
#include "sim/native/known_alignment.h"
#include "sim/native/memory_conflicts.h"

namespace warptime::sim {
namespace {

std::shared_ptr<const ptx::Module> module_with(std::string_view body) {
  auto module = module_of(std::make_shared<SourceText>(
      "k.ptx",
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<9>;\n"
      ".reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .f64 %d<9>;\n.reg .pred %p<3>;\n.shared .align 16 .b8 s[1024];\n"
      "mov.u32 %r0, %tid.x;\n" +
          std::string(body) + "ret;\n}\n"));
  REQUIRE(module != nullptr);
  return module;
}

/// The widths of the loads from shared memory, in words of their type: "4 2 1"; those that are left out are not there.
std::string widths(std::string_view body) {
  const auto module = module_with(body);
  ptx::Kernel kernel = module->kernels[0];
  const size_t before = kernel.instructions.size();
  widen_loads(*module, kernel);
  CHECK(kernel.instructions.size() == before);
  std::string out;
  for (const ptx::Instruction& in : kernel.instructions)
    if (in.space == ptx::Space::Shared && in.card->card->name == "ld") out += std::to_string(in.vector) + " ";
  return out.empty() ? out : out.substr(0, out.size() - 1);
}

const std::string kRow = "shl.b32 %r1, %r0, 4;\n";  // a multiple of 16
const std::string kFour =
    "ld.shared.f32 %f0, [%r1];\nld.shared.f32 %f1, [%r1+4];\nld.shared.f32 %f2, [%r1+8];\nld.shared.f32 %f3, "
    "[%r1+12];\n";

}  // namespace

TEST_CASE("known zeros: of shifts, products, sums, masks and loops") {
  const auto module = module_with(
      "shl.b32 %r1, %r0, 4;\nmul.lo.s32 %r2, %r0, 24;\nadd.s32 %r3, %r1, %r2;\n"
      "and.b32 %r4, %r0, -64;\nmad.lo.s32 %r5, %r0, 32, %r1;\nmov.u32 %r6, 0;\n"
      "loop: add.s32 %r6, %r6, 12;\nsetp.lt.s32 %p1, %r6, 96;\n@%p1 bra loop;\n"
      "mov.u32 %r7, s;\ncvt.u64.u32 %rd1, %r1;\n");
  const ptx::Kernel& kernel = module->kernels[0];
  const std::vector<uint8_t> zeros = find_known_zeros(*module, kernel);
  auto of = [&](std::string_view name) {
    for (size_t i = 0; i < kernel.registers.size(); ++i)
      if (kernel.registers[i].name == name) return int{zeros[i]};
    return -1;
  };
  CHECK(of("%r0") == 0);
  CHECK(of("%r1") == 4);
  CHECK(of("%r2") == 3);
  CHECK(of("%r3") == 3);
  CHECK(of("%r4") == 6);
  CHECK(of("%r5") == 4);
  CHECK(of("%r6") == 2);
  CHECK(of("%r7") >= 4);
  CHECK(of("%rd1") == 4);
}

TEST_CASE("wide loads: neighbours at a known alignment are one load") {
  CHECK(widths(kRow + kFour) == "4");
  CHECK(widths("shl.b32 %r1, %r0, 3;\n" + kFour) == "2 2");
  CHECK(widths("shl.b32 %r1, %r0, 2;\n" + kFour) == "1 1 1 1");
  CHECK(widths("ld.shared.f32 %f0, [s+4];\nld.shared.f32 %f1, [s];\n") == "2");
  CHECK(widths(kRow + "ld.shared.f64 %d0, [%r1];\nld.shared.f64 %d1, [%r1+8];\n") == "2");
  CHECK(widths(kRow + "ld.shared.f32 %f0, [%r1+4];\nld.shared.f32 %f1, [%r1+8];\n") == "1 1");  // not in one 8
}

TEST_CASE("wide loads: not past what may change the words, the address or a result") {
  const std::string first = "ld.shared.f32 %f0, [%r1];\n", second = "ld.shared.f32 %f1, [%r1+4];\n";
  CHECK(widths(kRow + first + second) == "2");
  CHECK(widths(kRow + first + "add.f32 %f4, %f0, %f0;\n" + second) == "2");
  CHECK(widths(kRow + first + "st.shared.f32 [%r2], %f4;\n" + second) == "1 1");
  CHECK(widths(kRow + first + "st.shared.f32 [%r1+4], %f4;\n" + second) == "1 1");
  CHECK(widths(kRow + first + "bar.sync 0;\n" + second) == "1 1");
  CHECK(widths(kRow + first + "add.s32 %r1, %r1, 16;\n" + second) == "1 1");
  CHECK(widths(kRow + first + "mov.f32 %f5, %f1;\n" + second) == "1 1");
  CHECK(widths(kRow + first + "@%p1 ld.shared.f32 %f1, [%r1+4];\n") == "1 1");
  CHECK(widths(kRow + "ld.volatile.shared.f32 %f0, [%r1];\nld.volatile.shared.f32 %f1, [%r1+4];\n") == "1 1");
}

TEST_CASE("wide loads: the dropped one has nothing left, and moves as arithmetic does") {
  const auto module = module_with(kRow + kFour);
  ptx::Kernel kernel = module->kernels[0];
  widen_loads(*module, kernel);
  size_t dropped = 0;
  for (const ptx::Instruction& in : kernel.instructions) {
    if (!is_dropped(in)) continue;
    ++dropped;
    CHECK(!is_fixed(kernel, in));
  }
  CHECK(dropped == 3);
}

}  // namespace warptime::sim
