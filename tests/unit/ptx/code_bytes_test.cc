// Which native instructions of a G80 have 4 bytes: two neighbours that both may.
#include <fmt/format.h>

#include "load.h"
#include "ptx/native/native_code.h"

namespace warptime::ptx {
namespace {

/// Native instructions of 4 bytes by PTX instruction, in order: "1 1 0".
std::string shorts(const std::string& body) {
  auto module = load(
      ".version 9.0 .target sm_75 .address_size 64 .const .align 4 .b8 table[256]; .entry kernel(.param "
      ".u32 n, .param .f32 x) { .reg .b32 %r<32>; .reg .f32 %f<32>; .reg .pred %p<8>; .shared .align 4 "
      ".b8 sh[1024]; " +
      body + "\n}");
  std::string out;
  for (const NativeInstruction& native : module->kernels[0].native.instructions)
    out += fmt::format("{}{}", out.empty() ? "" : " ", native.in_4_bytes);
  return out;
}

TEST_CASE("Code: neighbours that may be short are a pair, a single one stays long", "[ptx][native]") {
  CHECK(shorts("add.s32 %r1, %r2, %r3; add.f32 %f1, %f2, %f3;") == "1 1");
  CHECK(shorts("add.s32 %r1, %r2, %r3; add.f32 %f1, %f2, %f3; mul.f32 %f4, %f5, %f6;") == "1 1 0");
  CHECK(shorts("add.s32 %r1, %r2, %r3; shl.b32 %r4, %r5, 3; sub.s32 %r6, %r2, %r3;") == "0 0 0");
  CHECK(shorts("add.s32 %r1, %r2, %r3; sub.s32 %r4, %r2, %r3; mul.f32 %f1, %f2, %f3; rcp.approx.f32 %f4, %f5;") ==
        "1 1 1 1");
}

TEST_CASE("Code: what has no short form", "[ptx][native]") {
  const std::string first = "add.s32 %r1, %r2, %r3; ";
  auto second = [&](const std::string& instruction) { return shorts(first + instruction); };
  CHECK(second("add.s32 %r4, %r5, %r6;") == "1 1");
  CHECK(second("add.s32 %r4, %r5, 7;") == "0 0");            // an immediate
  CHECK(second("@%p1 add.s32 %r4, %r5, %r6;") == "0 0");     // a predicate
  CHECK(second("add.sat.f32 %f4, %f5, %f6;") == "0 0");      // saturation
  CHECK(second("mul.rz.f32 %f4, %f5, %f6;") == "0 0");       // another rounding
  CHECK(second("fma.rn.f32 %f4, %f5, %f6, %f4;") == "0 0");  // multiply-add, as compilers left it
  CHECK(second("and.b32 %r4, %r5, %r6;") == "0 0");          // logic
  CHECK(second("max.f32 %f4, %f5, %f6;") == "0 0");          // comparisons
  CHECK(second("rsqrt.approx.f32 %f4, %f5;") == "0 0");      // of the special functions the reciprocal alone
  CHECK(second("st.shared.f32 [sh], %f1;") == "0 0");        // stores
  CHECK(second("sub.s32 %r4, %r5, %r6; setp.ne.s32 %p1, %r4, 0; @%p1 bra end; end: ret;") == "0 0 0 0 0");  // flags
}

TEST_CASE("Code: an operand in s[] or c[] must lie near the beginning", "[ptx][native]") {
  const std::string other = "add.f32 %f1, %f2, %f3; ";
  CHECK(shorts(other + "ld.shared.f32 %f4, [sh+60]; add.f32 %f5, %f4, %f6;") == "1 0 1");
  CHECK(shorts(other + "ld.shared.f32 %f4, [sh+64]; add.f32 %f5, %f4, %f6;") == "0 0 0");
  CHECK(shorts(other + "ld.const.f32 %f4, [table+124]; add.f32 %f5, %f6, %f4;") == "1 0 1");
  CHECK(shorts(other + "ld.const.f32 %f4, [table+128]; add.f32 %f5, %f6, %f4;") == "0 0 0");
  CHECK(shorts(other + "ld.param.f32 %f4, [x]; add.f32 %f5, %f4, %f6;") == "1 0 1");
  // Not both.
  CHECK(shorts(other + "ld.param.f32 %f4, [x]; ld.const.f32 %f7, [table]; add.f32 %f5, %f4, %f7;") == "0 0 0 0");
  // Loads that stay moves.
  CHECK(shorts("ld.shared.f32 %f1, [sh]; ld.shared.f32 %f2, [sh+60]; st.shared.f32 [sh+64], %f1; st.shared.f32 "
               "[sh+68], %f2;") == "1 1 0 0");
}

TEST_CASE("Code: a pair lies within a basic block", "[ptx][native]") {
  CHECK(shorts("add.s32 %r1, %r2, %r3; NEXT: add.s32 %r4, %r5, %r6; @%p1 bra NEXT;") == "0 0 0");
}

}  // namespace
}  // namespace warptime::ptx
