// What compute capability 9.0 and earlier ones issue for a PTX instruction: a case for each rule of later_code.cc.
// Counts are those of NVIDIA's assembler for the same lines (ptxas 13.0, sm_75 to sm_90).
#include "ptx/native/later_code.h"

#include <fmt/format.h>

#include "load.h"
#include "ptx/native/later_recipes.h"

namespace warptime::ptx {
namespace {

/// The native instructions of each PTX instruction, in order: "1 0 2". The first line reads inputs that vary by lane.
std::string slots_of(const std::string& body) {
  const auto module = load(
      ".version 9.0 .target sm_90 .address_size 64 .entry kernel(.param .u64 p, .param .u32 n) { .reg .b32 %r<32>; "
      ".reg .b64 %rd<16>; .reg .b16 %h<16>; .reg .f32 %f<16>; .reg .f64 %d<8>; .reg .pred %p<8>; "
      "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd15]; ld.global.v2.u64 {%rd0, %rd1}, [%rd15]; "
      "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd15]; ld.global.v2.f64 {%d0, %d1}, [%rd15]; setp.lt.s32 %p0, %r0, "
      "%r1;\n" +
      body + "\nret; }");
  const Kernel& kernel = module->kernels[0];
  const LaterCode code = find_later_code(kernel, 90);
  std::string out;
  for (size_t i = 5; i + 1 < code.size(); ++i) out += fmt::format("{}{}", out.empty() ? "" : " ", code[i].slots());
  return out;
}
LaterInstruction one(const std::string& line) {
  const auto module = load(
      ".version 9.0 .target sm_90 .address_size 64 .entry kernel() { .reg .b32 %r<8>; .reg .b64 "
      "%rd<8>; .reg .f32 %f<8>; .reg .f64 %d<8>; mov.u32 %r0, %tid.x; cvt.u64.u32 %rd0, %r0; "
      "cvt.rn.f32.u32 %f0, %r0; cvt.rn.f64.u32 %d0, %r0;\n" +
      line + "\nst.global.u32 [%rd0], %r0; ret; }");
  return find_later_code(module->kernels[0], 90)[4];
}

TEST_CASE("Later code: steps are counted by pipe, and those in a chain", "[ptx][native]") {
  const LaterInstruction root = counted_steps("mufu +vadd +isetp fmul +fmul ffma*2");
  CHECK(root.slots() == 7);
  CHECK(root.of(NativePipe::Xu) == 1);
  CHECK(root.of(NativePipe::Alu) == 2);
  CHECK(root.of(NativePipe::Fma) == 4);
  CHECK(root.chain_of(NativePipe::Fma) == 3);
  CHECK(root.chain_of(NativePipe::Alu) == 0);
  CHECK(counted_steps("").slots() == 0);
}

TEST_CASE("Later code: what has a sequence", "[ptx][native]") {
  CHECK(one("sqrt.approx.f32 %f1, %f0;").slots() == 4);
  CHECK(one("sqrt.approx.ftz.f32 %f1, %f0;").slots() == 1);
  CHECK(one("ex2.approx.f32 %f1, %f0;").slots() == 4);
  CHECK(one("sin.approx.f32 %f1, %f0;").slots() == 2);
  CHECK(one("div.approx.f32 %f1, %f0, %f0;").slots() == 5);
  CHECK(one("div.full.f32 %f1, %f0, %f0;").slots() == 8);
  CHECK(one("mul.lo.s64 %rd1, %rd0, %rd0;").slots() == 4);
  CHECK(one("add.s64 %rd1, %rd0, %rd0;").slots() == 2);
  CHECK(one("cvt.rn.f32.s32 %f1, %r0;").of(NativePipe::Alu) == 1);
  CHECK(one("cvt.rzi.s32.f32 %r1, %f0;").of(NativePipe::Xu) == 1);
  CHECK(one("mul.hi.u32 %r1, %r0, %r0;").wide == 1);
  CHECK(one("min.s32 %r1, %r0, 7;").of(NativePipe::Alu) == 1);
  CHECK(one("fma.rn.f32 %f1, %f0, %f0, %f0;").of(NativePipe::Fma) == 1);
  CHECK(one("fma.rn.f64 %d1, %d0, %d0, %d0;").of(NativePipe::Double) == 1);
}

TEST_CASE("Later code: a product is a part of the sums that read it", "[ptx][native]") {
  CHECK(slots_of("mul.f32 %f4, %f0, %f1; add.f32 %f5, %f4, %f2; st.global.f32 [%rd15], %f5;") == "0 1 1");
  CHECK(slots_of("mul.rn.f32 %f4, %f0, %f1; add.f32 %f5, %f4, %f2; st.global.f32 [%rd15], %f5;") == "1 1 1");
  CHECK(slots_of("mul.f32 %f4, %f0, %f1; add.rn.f32 %f5, %f4, %f2; st.global.f32 [%rd15], %f5;") == "1 1 1");
  CHECK(slots_of("mul.f32 %f4, %f0, %f1; add.f32 %f5, %f4, %f2; st.global.v2.f32 [%rd15], {%f5, %f4};") == "1 1 1");
  CHECK(slots_of("mul.f64 %d4, %d0, %d1; sub.f64 %d5, %d0, %d4; st.global.f64 [%rd15], %d5;") == "0 1 1");
  CHECK(slots_of("mul.lo.s32 %r4, %r0, %r1; add.s32 %r5, %r4, %r2; st.global.u32 [%rd15], %r5;") == "0 1 1");
  // A product of 64 bits serves several sums.
  CHECK(slots_of("mul.wide.s32 %rd4, %r0, 4; add.s64 %rd5, %rd0, %rd4; add.s64 %rd6, %rd1, %rd4; "
                 "st.global.v2.u64 [%rd15], {%rd5, %rd6};") == "0 1 1 1");
  CHECK(slots_of("shl.b32 %r4, %r0, 3; add.s32 %r5, %r4, %r1; st.global.u32 [%rd15], %r5;") == "0 1 1");
  CHECK(slots_of("shl.b64 %rd4, %rd0, 3; add.s64 %rd5, %rd4, %rd1; st.global.u64 [%rd15], %rd5;") == "0 2 1");
  // Not where a factor changes in between.
  CHECK(slots_of("mul.f32 %f4, %f0, %f1; mov.f32 %f0, %f2; add.f32 %f5, %f4, %f0; st.global.f32 [%rd15], %f5;") ==
        "1 1 1 1");
}

TEST_CASE("Later code: sums and logic operations have three inputs", "[ptx][native]") {
  CHECK(slots_of("add.s32 %r4, %r0, %r1; add.s32 %r5, %r4, %r2; st.global.u32 [%rd15], %r5;") == "0 1 1");
  CHECK(slots_of("add.s32 %r4, %r0, %r1; add.s32 %r5, %r4, %r2; add.s32 %r6, %r5, %r3; st.global.u32 [%rd15], %r6;") ==
        "0 1 1 1");
  CHECK(slots_of("and.b32 %r4, %r0, %r1; or.b32 %r5, %r4, %r2; st.global.u32 [%rd15], %r5;") == "0 1 1");
  CHECK(slots_of("not.b32 %r4, %r0; and.b32 %r5, %r4, %r2; xor.b32 %r6, %r5, %r1; st.global.u32 [%rd15], %r6;") ==
        "0 0 1 1");
  CHECK(slots_of("xor.b64 %rd4, %rd0, %rd1; st.global.u64 [%rd15], %rd4;") == "2 1");
}

TEST_CASE("Later code: offsets, copies, signs and predicates are parts of what reads them", "[ptx][native]") {
  CHECK(slots_of("add.s64 %rd4, %rd0, 4096; ld.global.u32 %r4, [%rd4]; st.global.u32 [%rd4+4], %r4;") == "0 1 1");
  CHECK(slots_of("add.s64 %rd4, %rd0, 4096; st.global.u64 [%rd4], %rd4;") == "2 1");
  CHECK(slots_of("add.s64 %rd4, %rd0, 16777216; ld.global.u32 %r4, [%rd4]; st.global.u32 [%rd15], %r4;") == "2 1 1");
  CHECK(slots_of("mov.b64 %rd4, %rd0; st.global.u64 [%rd15], %rd4;") == "0 1");
  CHECK(slots_of("mov.u32 %r4, 7; st.global.u32 [%rd15], %r4;") == "0 1");
  CHECK(slots_of("cvt.s64.s32 %rd4, %r0; add.s64 %rd5, %rd0, %rd4; st.global.u64 [%rd15], %rd5;") == "0 2 1");
  CHECK(slots_of("neg.f32 %f4, %f0; mul.f32 %f5, %f4, %f1; st.global.f32 [%rd15], %f5;") == "0 1 1");
  CHECK(slots_of("setp.lt.s32 %p1, %r0, %r2; and.pred %p2, %p1, %p3; selp.u32 %r4, 1, 2, %p2; "
                 "st.global.u32 [%rd15], %r4;") == "0 1 1 1");
}

TEST_CASE("Later code: a sine and a cosine of one angle have one range reduction", "[ptx][native]") {
  CHECK(slots_of("sin.approx.f32 %f4, %f0; cos.approx.f32 %f5, %f0; st.global.v2.f32 [%rd15], {%f4, %f5};") == "2 1 1");
  CHECK(slots_of("sin.approx.f32 %f4, %f0; mov.f32 %f0, %f1; cos.approx.f32 %f5, %f0; "
                 "st.global.v2.f32 [%rd15], {%f4, %f5};") == "2 1 2 1");
  CHECK(slots_of("sin.approx.f32 %f4, %f0; cos.approx.f32 %f5, %f1; st.global.v2.f32 [%rd15], {%f4, %f5};") == "2 2 1");
}

TEST_CASE("Later code: lanes that part meet at a barrier register, unless the way is short", "[ptx][native]") {
  std::string work;
  for (int i = 0; i < 12; ++i) work += "fma.rn.f32 %f4, %f4, %f0, %f1; ";
  CHECK(slots_of("@%p0 bra on; fma.rn.f32 %f4, %f0, %f1, %f2; on: st.global.f32 [%rd15], %f4;") == "1 1 1");
  CHECK(slots_of("@%p0 bra on; " + work + " on: st.global.f32 [%rd15], %f4;").starts_with("3 1 "));
  // All lanes alike: they never part.
  CHECK(slots_of("ld.param.u32 %r9, [n]; setp.eq.u32 %p1, %r9, 0; @%p1 bra on; " + work +
                 " on: st.global.f32 [%rd15], %f4;")
            .starts_with("1 1 1 "));
}

TEST_CASE("Later code: integers that are alike for the warp are the uniform datapath's", "[ptx][native]") {
  const auto module = load(
      ".version 9.0 .target sm_90 .address_size 64 .entry kernel(.param .u64 p, .param .u32 n) { "
      ".reg .b32 %r<8>; .reg .b64 %rd<4>; ld.param.u32 %r0, [n]; mov.u32 %r1, %tid.x; "
      "xor.b32 %r2, %r0, 1; add.s32 %r3, %r1, %r2; ret; }");
  const LaterCode code = find_later_code(module->kernels[0], 90);
  CHECK(code[2].of(NativePipe::Uniform) == 1);
  CHECK(code[3].of(NativePipe::Uniform) == 0);
}

/// A conversion, and a sum that is the same for the warp.
auto load_of_conversion() {
  return load(
      ".version 9.0 .target sm_90 .address_size 64 .entry kernel() { .reg .b32 %r<8>; .reg .f32 %f<4>; "
      "mov.u32 %r1, %tid.x; cvt.rn.f32.s32 %f1, %r1; xor.b32 %r2, %r3, %r4; ret; }");
}

/// The slots of each instruction of an entry with two parameters, for a compute capability.
std::string slots_before(uint32_t capability, const std::string& body) {
  const auto module = load(
      ".version 9.0 .target sm_90 .address_size 64 .entry kernel(.param .u64 p, .param .u32 n) { .reg .b32 %r<8>; "
      ".reg .b64 %rd<8>; .reg .f32 %f<4>; .reg .pred %p<4>; " +
      body + " ret; }");
  std::string out;
  for (const LaterInstruction& native : find_later_code(module->kernels[0], capability))
    out += fmt::format("{}{}", out.empty() ? "" : " ", native.slots());
  return out;
}

TEST_CASE("Later code: before 9.0 parameters and sizes are operands in constant memory", "[ptx][native]") {
  const std::string sum = "mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; add.s32 %r3, %r1, %r2; ";
  CHECK(slots_before(90, sum) == "2 1 1 1");
  CHECK(slots_before(80, sum) == "2 0 1 1");
  // There is room for one in an instruction, and none beside a constant; an address is in a register.
  CHECK(slots_before(80, "ld.param.u32 %r2, [n]; mov.u32 %r1, %ntid.x; mul.lo.u32 %r3, %r1, %r2; ") == "0 2 1 1");
  CHECK(slots_before(80, "ld.param.u32 %r2, [n]; add.s32 %r3, %r2, 7; ") == "2 1 1");
  CHECK(slots_before(75, "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ") == "3 1 1");
  // A constant factor takes a register, once for a kernel, where the sum reads the parameter.
  const std::string address = "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p]; mul.wide.u32 %rd2, %r1, 4; ";
  CHECK(slots_before(75, address + "add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1; ") == "2 0 0 2 1 1");
}

TEST_CASE("Later code: descriptor, barrier registers, conversions, uniform datapath by capability", "[ptx][native]") {
  const std::string load = "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1; ld.global.u32 %r2, [%rd1]; ";
  CHECK(slots_before(80, load).front() == '3');  // the stack pointer and the descriptor
  CHECK(slots_before(75, load).front() == '2');
  std::string work;
  for (int i = 0; i < 12; ++i) work += "fma.rn.f32 %f1, %f1, %f2, %f3; ";
  const std::string branch = "setp.eq.u32 %p1, %r7, 0; mov.u32 %r1, %tid.x; setp.eq.u32 %p2, %r1, 0; @%p2 bra on; " +
                             work + "on: st.global.f32 [%rd1], %f1; ";
  CHECK(slots_before(80, branch).substr(4, 3) == "1 3");
  CHECK(slots_before(75, branch).substr(4, 3) == "1 4");
  const auto module = load_of_conversion();
  CHECK(find_later_code(module->kernels[0], 90)[1].of(NativePipe::Alu) == 1);
  CHECK(find_later_code(module->kernels[0], 80)[1].of(NativePipe::Xu) == 1);
  CHECK(find_later_code(module->kernels[0], 75)[2].of(NativePipe::Uniform) != 0);
  CHECK(find_later_code(module->kernels[0], 70)[2].of(NativePipe::Uniform) == 0);
}

TEST_CASE("Later code: what either integer pipe takes is divided between them", "[ptx][native]") {
  std::string body;
  for (int i = 4; i < 12; ++i) body += fmt::format("add.s32 %r{}, %r0, %r3; ", i);
  const auto module = load(
      ".version 9.0 .target sm_90 .address_size 64 .entry kernel() { .reg .b32 %r<32>; "
      ".reg .pred %p<2>; mov.u32 %r0, %tid.x; mov.u32 %r3, %laneid; " +
      body + " ret; }");
  uint32_t imad = 0, alu = 0;
  for (const LaterInstruction& native : find_later_code(module->kernels[0], 90)) {
    imad += native.of(NativePipe::Product);
    alu += native.of(NativePipe::Alu);
    CHECK(native.of(NativePipe::Either) == 0);
  }
  CHECK(alu - imad <= 1);
}

}  // namespace
}  // namespace warptime::ptx
