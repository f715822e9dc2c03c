// What a G80 issues for a PTX instruction: a case for each rule of ptx/native, the slots of each line written down.
#include <fmt/format.h>

#include "load.h"
#include "ptx/native/native_code.h"
#include "ptx/native/recipe_table.h"

namespace warptime::ptx {
namespace {

/// A kernel with 32- and 64-bit parameters, shared and constant memory. The body's first line is line 1.
struct Native {
  std::shared_ptr<const Module> module;
  const Kernel& kernel;
  explicit Native(const std::string& body)
      : module(load(".version 9.0 .target sm_75 .address_size 64 .const .align 4 .b8 table[256]; .entry kernel(.param "
                    ".u64 p, .param .u32 n, .param .f32 x) { .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .b16 %rs<16>; "
                    ".reg .f32 %f<16>; .reg .f64 %fd<4>; .reg .pred %p<8>; .shared .align 4 .b8 sh[1024]; " +
                    body + "\n}")),
        kernel(module->kernels[0]) {}
  const NativeInstruction& at(uint32_t line) const {
    for (size_t i = 0; i < kernel.instructions.size(); ++i)
      if (kernel.instructions[i].line == line) return kernel.native.instructions[i];
    FAIL("no instruction in line " << line);
    return kernel.native.instructions[0];
  }
  /// Slots of each instruction in order: "1 4 0".
  std::string slots() const {
    std::string out;
    for (const NativeInstruction& native : kernel.native.instructions)
      out += fmt::format("{}{}", out.empty() ? "" : " ", native.slots());
    return out;
  }
};
bool reads_shared(const NativeInstruction& native) { return native.shared.position != MemoryOperand::kNone; }
bool reads_constant(const NativeInstruction& native) { return native.constant.position != MemoryOperand::kNone; }

TEST_CASE("Native: steps of a recipe are counted by pipe", "[ptx][native]") {
  CHECK(count_steps("").sp == 0);
  CHECK(count_steps("shl shr or").sp == 3);
  CHECK(count_steps("rcp mul*5").sp == 5);
  CHECK(count_steps("rcp mul*5").sfu == 1);
  CHECK(count_steps("call*150").sp == 150);
}

TEST_CASE("Native: what has no recipe of its own is one instruction, sequences are several", "[ptx][native]") {
  // min, 32-bit multiply, multiply-add, high half, rotation, division by reciprocal, full division, sine, root, compare
  Native n(R"(min.s32 %r1, %r0, %r2;
mul.lo.s32 %r3, %r0, %r2;
mad.lo.s32 %r4, %r0, %r2, %r1;
mul.hi.u32 %r5, %r0, %r2;
shf.l.wrap.b32 %r6, %r0, %r0, 7;
div.approx.f32 %f1, %f0, %f2;
div.full.f32 %f3, %f0, %f2;
sin.approx.f32 %f4, %f0;
sqrt.approx.f32 %f5, %f0;
div.u32 %r7, %r0, %r2;
selp.b32 %r8, %r0, %r2, %p1;
setp.lt.s32 %p2, %r0, %r2;
@%p2 bra end;
end:
ret;)");
  CHECK(n.slots() == "1 4 5 9 3 2 6 2 2 25 2 1 1 0");
  CHECK(n.at(6).sfu == 1);
  CHECK(n.at(8).sfu == 2);
  CHECK(n.at(2).latency == Latency::IntMul);
}

TEST_CASE("Native: a rotation is two shifts, and two more where its amount is not a constant", "[ptx][native]") {
  // By a constant, by one in a register, by a variable; of two words; and one whose amount is clamped.
  Native n(R"(mov.u32 %r1, 3;
shf.l.wrap.b32 %r2, %r0, %r0, 7;
shf.r.wrap.b32 %r3, %r2, %r2, %r1;
shf.l.wrap.b32 %r4, %r3, %r3, %r2;
shf.l.wrap.b32 %r5, %r3, %r4, %r2;
shf.l.clamp.b32 %r6, %r4, %r4, %r2;)");
  CHECK(n.slots() == "0 3 3 5 3 3");
  for (uint32_t line : {2, 3, 4}) {
    CHECK(n.at(line).rule == NativeRule::Rotation);
    CHECK(with_rotation(n.at(line)).slots() == 1);
  }
  for (uint32_t line : {1, 5, 6}) CHECK(with_rotation(n.at(line)).slots() == n.at(line).slots());
}

TEST_CASE("Native: a product of small numbers is one instruction", "[ptx][native]") {
  // 16 bits of thread index; with 48 it has 22; a mask leaves 24; 25 are too many; a power of two is a shift.
  Native n(R"(mov.u32 %r1, %tid.x;
mul.lo.s32 %r2, %r1, 48;
and.b32 %r3, %r0, 0xffffff;
mul.lo.u32 %r4, %r2, %r3;
and.b32 %r5, %r0, 0x1ffffff;
mul.lo.u32 %r6, %r2, %r5;
mul.lo.u32 %r7, %r0, 64;
mad.lo.u32 %r8, %r1, %r3, %r0;)");
  CHECK(n.slots() == "1 1 1 1 1 4 1 1");
  CHECK(n.at(4).latency == Latency::IntMul24);
  CHECK(n.at(7).steps == "shl");
}

TEST_CASE("Native: signs of f32 are modifiers of their readers, if all can take them", "[ptx][native]") {
  CHECK(Native("neg.f32 %f1, %f0; fma.rn.f32 %f2, %f1, %f3, %f4; add.f32 %f5, %f1, %f2;").slots() == "0 1 1");
  CHECK(Native("neg.f32 %f1, %f0; rsqrt.approx.f32 %f2, %f1;").slots() == "0 1");
  CHECK(Native("abs.f32 %f1, %f0; max.f32 %f2, %f1, %f3;").slots() == "0 1");
  // A sum has no absolute value, a store nothing, and a source that changes is needed as it was.
  CHECK(Native("abs.f32 %f1, %f0; add.f32 %f2, %f1, %f3;").slots() == "1 1");
  CHECK(Native("neg.f32 %f1, %f0; add.f32 %f2, %f1, %f3; st.shared.f32 [sh], %f1;").slots() == "1 1 1");
  CHECK(Native("add.f32 %f0, %f2, %f3; neg.f32 %f1, %f0; add.f32 %f0, %f0, %f3; mul.f32 %f2, %f1, %f3;").slots() ==
        "1 1 1 1");
}

TEST_CASE("Native: sine and cosine of an angle have one range reduction", "[ptx][native]") {
  CHECK(Native("sin.approx.f32 %f1, %f0; cos.approx.f32 %f2, %f0;").slots() == "2 1");
  CHECK(Native("sin.approx.f32 %f1, %f0; cos.approx.f32 %f2, %f3;").slots() == "2 2");
  CHECK(Native("sin.approx.f32 %f1, %f0; add.f32 %f0, %f0, %f3; cos.approx.f32 %f2, %f0;").slots() == "2 1 2");
  CHECK(Native("@%p1 sin.approx.f32 %f1, %f0; cos.approx.f32 %f2, %f0;").slots() == "2 2");
  CHECK(Native("sin.approx.f32 %f1, %f0; bra next; next: cos.approx.f32 %f2, %f0;").slots() == "2 1 2");
}

TEST_CASE("Native: a counter that a loop steps may be any number", "[ptx][native]") {
  Native n(R"(mov.u32 %r1, 0;
again:
mul.lo.u32 %r2, %r1, 3;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 10;
@%p1 bra again;)");
  CHECK(n.at(3).slots() == 4);
}

TEST_CASE("Native: 64-bit address arithmetic counts as 32-bit, other 64-bit arithmetic as two", "[ptx][native]") {
  Native n(R"(ld.param.u64 %rd1, [p];
cvta.to.global.u64 %rd2, %rd1;
mul.wide.s32 %rd3, %r1, 4;
add.s64 %rd4, %rd2, %rd3;
cvt.s64.s32 %rd5, %r2;
add.s64 %rd6, %rd4, %rd5;
st.global.f32 [%rd6], %f1;
add.s64 %rd7, %rd8, %rd9;
shr.u64 %rd10, %rd7, 3;
st.global.u64 [%rd6+8], %rd10;)");
  // The parameter and its copy are an operand of the first sum; the last three need all 64 bits.
  CHECK(n.slots() == "0 0 1 1 0 1 1 2 4 2");
  CHECK(reads_shared(n.at(4)));
  CHECK(n.at(3).steps == "shl");
}

TEST_CASE("Native: a shared load folds into its only reader, one of them", "[ptx][native]") {
  Native n(R"(ld.shared.f32 %f1, [sh];
ld.shared.f32 %f2, [sh+4];
fma.rn.f32 %f3, %f1, %f2, %f3;
st.global.f32 [%rd1], %f3;)");
  CHECK(n.slots() == "0 1 1 1");
  CHECK(n.at(3).shared.position == 1);
  CHECK_FALSE(n.at(3).shared.fixed);
}

TEST_CASE("Native: a shared load stays a move where its reader cannot take it", "[ptx][native]") {
  SECTION("the sum's term is not a place for s[]") {
    Native n("ld.shared.f32 %f1, [sh];\nfma.rn.f32 %f3, %f2, %f2, %f1;\nst.global.f32 [%rd1], %f3;");
    CHECK(n.slots() == "1 1 1");
  }
  SECTION("neither is a store, nor a special function") {
    Native n(
        "ld.shared.f32 %f1, [sh];\nst.global.f32 [%rd1], %f1;\nld.shared.f32 %f2, [sh];\nrcp.approx.f32 %f3, %f2;");
    CHECK(n.slots() == "1 1 1 1");
  }
  SECTION("two readers") {
    Native n("ld.shared.f32 %f1, [sh];\nadd.f32 %f2, %f1, %f0;\nadd.f32 %f3, %f1, %f2;");
    CHECK(n.slots() == "1 1 1");
  }
  SECTION("a store, a barrier or an atomic operation in between may change it") {
    for (const char* change :
         {"st.shared.f32 [sh+4], %f0;", "bar.sync 0;", "atom.shared.add.u32 %r1, [sh], 1;", "st.f32 [%rd2], %f0;"}) {
      INFO(change);
      Native n(std::string("ld.shared.f32 %f1, [sh];\n") + change + "\nadd.f32 %f2, %f1, %f0;");
      CHECK(n.at(1).slots() == 1);
      CHECK_FALSE(reads_shared(n.at(3)));
    }
    Native n("ld.shared.f32 %f1, [sh];\nst.global.f32 [%rd1], %f0;\nadd.f32 %f2, %f1, %f0;");
    CHECK(n.at(1).slots() == 0);
  }
  SECTION("another block") {
    Native n("ld.shared.f32 %f1, [sh];\n@%p1 bra on;\non:\nadd.f32 %f2, %f1, %f0;\n");
    CHECK(n.at(1).slots() == 1);
  }
  SECTION("a load under a guard, a byte") {
    for (const char* load : {"@%p1 ld.shared.u32 %r1, [sh];", "ld.shared.u8 %r1, [sh];"}) {
      INFO(load);
      CHECK(Native(std::string(load) + "\nadd.u32 %r2, %r1, %r0;").at(1).slots() == 1);
    }
  }
}

TEST_CASE("Native: a volatile load and each word of a vector are operands, too", "[ptx][native]") {
  Native native("ld.volatile.shared.u32 %r1, [sh];\nadd.u32 %r2, %r1, %r0;");
  CHECK(native.at(1).slots() == 0);
  CHECK(reads_shared(native.at(2)));
  Native vector(
      "ld.shared.v2.f32 {%f1, %f2}, [sh];\nadd.f32 %f3, %f1, %f0;\nadd.f32 %f4, %f2, %f0;\nadd.f32 %f5, %f3, %f4;");
  CHECK(vector.at(1).slots() == 0);
  CHECK(reads_shared(vector.at(2)));
  CHECK(reads_shared(vector.at(3)));
}

TEST_CASE("Native: an access steps its address register if it has no offset and is the last", "[ptx][native]") {
  auto step_of = [](const char* first, const char* second) {
    return Native(std::string("shl.b32 %r1, %r0, 2;\nagain:\nld.shared.u32 %r2, [%r1") + first +
                  "];\nld.shared.u32 %r3, [%r1" + second +
                  "];\nadd.u32 %r1, %r1, 8;\nadd.u32 %r4, %r2, %r3;\nsetp.lt.u32 %p1, %r4, %r0;\n@%p1 bra again;")
        .at(5)
        .slots();
  };
  CHECK(step_of("+4", "") == 0);
  CHECK(step_of("", "+4") == 1);
}

TEST_CASE("Native: a comparison with zero of what was just computed is a flag of that instruction", "[ptx][native]") {
  // After a shift; after a subtraction, by the sign; of a loaded value; with another number; unsigned order; a value of
  // another block; behind a guard; in an address register only.
  Native n(R"(shr.u32 %r1, %r0, 1; sub.s32 %r2, %r1, %r0; ld.global.u32 %r3, [%rd1];
setp.ne.s32 %p1, %r1, 0;
setp.lt.s32 %p2, %r2, 0;
setp.ne.s32 %p3, %r3, 0;
setp.ne.s32 %p4, %r1, 1;
setp.gt.u32 %p5, %r1, 0;
@%p1 bra next;
next:
setp.eq.s32 %p6, %r2, 0;
@%p6 add.u32 %r4, %r4, 1;
setp.eq.s32 %p7, %r4, 0;)");
  CHECK(n.at(2).slots() == 0);
  CHECK(n.at(2).rule == NativeRule::Flags);
  CHECK(n.at(3).slots() == 0);
  for (uint32_t line : {4, 5, 6, 9, 11}) {
    INFO("line " << line);
    CHECK(n.at(line).slots() == 1);
  }
}

TEST_CASE("Native: an address in global memory has no offset", "[ptx][native]") {
  // Added once for the same place; not for local memory.
  Native n(
      "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+4];\nst.global.u32 [%rd1+4], %r1;\n"
      "add.u64 %rd1, %rd1, 8;\nst.global.u32 [%rd1+4], %r2;\n"
      "ld.local.u32 %r3, [%r4+4];");
  CHECK(n.slots() == "1 2 1 1 2 1");
  CHECK(n.at(2).rule == NativeRule::GlobalOffset);
}

TEST_CASE("Native: the address register of a folded load must not have moved", "[ptx][native]") {
  Native moved(
      "shl.b32 %r1, %r0, 2;\nld.shared.u32 %r2, [%r1];\nadd.u32 %r1, %r1, 4;\nadd.u32 %r3, %r2, %r0;\n"
      "ld.shared.u32 %r4, [%r1];\nadd.u32 %r5, %r4, %r3;");
  CHECK(moved.at(2).slots() == 1);
  CHECK(moved.at(5).slots() == 0);
}

TEST_CASE("Native: a parameter is an operand wherever it can be, a move if some reader needs a register",
          "[ptx][native]") {
  Native n(R"(ld.param.u32 %r1, [n];
add.u32 %r2, %r1, %r0;
setp.lt.u32 %p1, %r3, %r1;
ld.param.f32 %f1, [x];
mul.f32 %f2, %f0, %f1;
st.global.f32 [%rd1], %f1;)");
  CHECK(n.slots() == "0 1 1 1 1 1");
  CHECK((n.at(2).shared.fixed && n.at(3).shared.fixed));
}

TEST_CASE("Native: constants are second or third operands, beside a shared one, as often as they are read",
          "[ptx][native]") {
  Native n(R"(ld.shared.f32 %f1, [sh];
ld.const.f32 %f2, [table];
fma.rn.f32 %f3, %f1, %f2, %f3;
fma.rn.f32 %f4, %f3, %f3, %f2;
ld.const.v2.f32 {%f5, %f6}, [table+8];
add.f32 %f7, %f5, %f6;)");
  CHECK(n.slots() == "0 0 1 1 1 1");  // of the two in line 6 one is a move
  CHECK(reads_shared(n.at(3)));
  CHECK(reads_constant(n.at(3)));
  CHECK(reads_constant(n.at(4)));
}

TEST_CASE("Native: an address register steps for nothing, setting it is an instruction", "[ptx][native]") {
  Native n(R"(shl.b32 %r1, %r0, 2;
mov.f32 %f1, 0f00000000;
again:
ld.shared.f32 %f2, [%r1];
add.f32 %f1, %f1, %f2;
add.u32 %r1, %r1, 64;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, 16;
@%p1 bra again;
st.global.f32 [%rd1], %f1;)");
  // movsh; the loop is add s[$a+=], add, set, bra.
  CHECK(n.slots() == "1 1 0 1 0 1 1 1 1");
  CHECK(n.at(1).steps == "movsh");
}

TEST_CASE("Native: what is not a shift or sum with a constant sets the address register in addition", "[ptx][native]") {
  Native n("add.u32 %r1, %r0, %r2;\nst.shared.u32 [%r1], %r3;\nxor.b32 %r4, %r0, %r2;\nst.shared.u32 [%r4], %r3;");
  CHECK(n.slots() == "2 1 2 1");
  CHECK(n.at(1).address_steps == 1);
}

TEST_CASE("Native: there are four address registers, a fifth base is set for each access", "[ptx][native]") {
  std::string bases, accesses;
  for (int i = 1; i <= 5; ++i) {
    bases += fmt::format("shl.b32 %r{}, %r{}, 2;\n", i, i + 10);
    accesses += fmt::format("st.shared.u32 [%r{}], %r0;\n", i);
  }
  Native n(bases + accesses + accesses);
  CHECK(n.slots() == "1 1 1 1 1 1 1 1 1 2 1 1 1 1 2");
}

TEST_CASE("Native: moves between registers that one register can serve are dropped", "[ptx][native]") {
  Native n(R"(add.u32 %r1, %r0, 1;
mov.u32 %r2, %r1;
mov.u32 %r3, 7;
add.u32 %r4, %r2, %r3;
mov.f32 %f1, 0f00000000;
@%p1 add.f32 %f1, %f1, %f2;
mov.u32 %r5, %r4;
add.u32 %r5, %r5, %r4;)");
  // %r5 is written again while %r4 is still read, so its move stays; %f1 starts as 0 and goes on.
  CHECK(n.slots() == "1 0 0 1 1 1 1 1");
}

TEST_CASE("Native: device functions keep their recipes where they are linked", "[ptx][native]") {
  auto module = load(R"(.version 9.0 .target sm_75 .address_size 64
.func (.param .u32 d) f(.param .u32 a) { .reg .b32 %r<4>;
ld.param.u32 %r1, [a]; mul.lo.u32 %r2, %r1, %r1; st.param.u32 [d], %r2; ret; }
.entry k() { .reg .b32 %r<4>; .param .u32 x; .param .u32 y;
st.param.u32 [x], %r1; call (y), f, (x); ld.param.u32 %r2, [y]; ret; })");
  const Kernel& kernel = module->kernels[0];
  REQUIRE(kernel.native.instructions.size() == kernel.instructions.size());
  CHECK(kernel.native.instructions[5].slots() == 4);  // mul.lo
  CHECK(kernel.native.instructions[7].slots() == 1);  // ret of the function
  CHECK(kernel.native.registers == (1 + 1) + 1);      // one beyond the scan for the kernel, none for the function
}

TEST_CASE("Native registers: what needs no general register", "[ptx][native]") {
  // %r1 (a parameter), %r2 (an immediate), %r3 (made again from the parameter), %r5 (an address register) and %f1 (an
  // operand) have none: the sum %f3, the index %r0 and for a moment %r3. Every kernel of today has one beyond
  // the scan.
  Native n(R"(ld.param.u32 %r1, [n];
mov.u32 %r2, 5;
shl.b32 %r3, %r1, 2;
shl.b32 %r5, %r0, 2;
mov.f32 %f3, 0f00000000;
ld.shared.f32 %f1, [%r5];
add.f32 %f3, %f1, %f3;
add.u32 %r6, %r0, %r3;
add.u32 %r7, %r6, %r2;
st.global.f32 [%r7], %f3;)");
  CHECK(n.kernel.native.registers == 3 + 1);
  // A later machine has no operands in shared memory and no address registers: beside %r0 and %f3, %r5 until the load
  // and then %f1.
  CHECK(n.kernel.estimated_registers == 3 + 1);
}

TEST_CASE("Later registers: parameters of any width are operands, one per instruction", "[ptx][native]") {
  // %rd1 is an operand of the sum, %rd2 a number that the sum needs in registers, %rd3 the address.
  std::string sum = "ld.param.u64 %rd1, [p];\nmul.wide.u32 %rd2, %r0, 4;\nadd.s64 %rd3, %rd1, %rd2;\n";
  CHECK(Native(sum + "st.global.u32 [%rd3], %r1;").kernel.estimated_registers == (1 + 2) + 1);
  // A parameter that is an address needs two registers while the load executes.
  CHECK(Native("ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];").kernel.estimated_registers == 2 + 1);
  // One of two operands in constant memory is fetched for the moment, beside what the sum still needs.
  CHECK(Native("ld.param.u32 %r1, [n];\nld.const.u32 %r2, [table];\nadd.u32 %r3, %r1, %r2;\nst.global.u32 [%r4], %r3;")
            .kernel.estimated_registers == (1 + 1) + 1);
}

TEST_CASE("Later registers: 64-bit addresses count as two", "[ptx][native]") {
  CHECK(Native("add.s64 %rd1, %rd2, %rd3;\nst.global.u8 [%rd1], %rs1;").kernel.estimated_registers == 5 + 1);
}

TEST_CASE("Native registers: 64-bit addresses count as one, 64-bit numbers as two", "[ptx][native]") {
  CHECK(Native("add.s64 %rd1, %rd2, %rd3;\nst.global.u8 [%rd1], %rs1;").kernel.native.registers == 3 + 1);
  CHECK(Native("add.s64 %rd1, %rd2, %rd3;\nst.global.u64 [%rd4], %rd1;").kernel.native.registers == 5 + 1);
}

TEST_CASE("Native registers: a register is free for others where its value is not live", "[ptx][native]") {
  // %r1 is not live in the second branch: there %r0 and the two words of the load; then %r0 and the sum.
  CHECK(Native(R"(@%p1 bra other;
ld.global.u32 %r1, [%r0];
bra join;
other:
ld.global.v2.u32 {%r2, %r3}, [%r0];
add.u32 %r1, %r2, %r3;
join:
st.global.u32 [%r0], %r1;)")
            .kernel.native.registers == 3 + 1);
  // A pair of 64 bits begins with an even register: %r0, a register that is free, %rd1.
  CHECK(Native("ld.global.f64 %fd1, [%r0];\nst.global.f64 [%r0], %fd1;").kernel.native.registers == 4 + 1);
}

TEST_CASE("Native registers: the compiler's own PTX of the time needs none beyond the scan", "[ptx][native]") {
  const auto with_version = [](const std::string& version) {
    return load(".version " + version +
                " .target sm_10 .entry k(.param .u32 n) { .reg .u32 %r<4>; ld.param.u32 %r1, [n]; "
                "ld.global.u32 %r2, [%r1]; add.u32 %r3, %r2, 1; st.global.u32 [%r1], %r3; exit; }")
        ->kernels[0]
        .native.registers;
  };
  CHECK(with_version("1.4") == 2);
  CHECK(with_version("2.0") == 3);
}

TEST_CASE("Native registers: an address of g[] with an offset serves all accesses of the block", "[ptx][native]") {
  const std::string two = "ld.global.u32 %r1, [%r0+4];\nld.global.u32 %r2, [%r0+8];\nadd.u32 %r3, %r1, %r2;\n";
  CHECK(Native(two + "st.global.u32 [%r0], %r3;").kernel.native.registers == 3 + 1);
  CHECK(Native(two + "st.global.u32 [%r0+4], %r3;\nst.global.u32 [%r0+8], %r3;").kernel.native.registers == 5 + 1);
  // Words are stored one after the other, bytes after all of their addresses (decuda, readshared and readshared2).
  const auto stores = [](const std::string& type) {
    std::string out = "ld.param.u64 %rd1, [p];\n";
    for (int i = 0; i < 4; ++i)
      out += fmt::format("ld.param.{0} %r1, [n];\nst.global.{0} [%rd1+{1}], %r1;\n", type, 4 * i);
    return Native(out).kernel.native.registers;
  };
  CHECK(stores("u32") == 2 + 1);
  CHECK(stores("u8") == 5 + 1);
}

TEST_CASE("Native registers: a load on the chip stands at its only reader", "[ptx][native]") {
  const std::string loads = "ld.shared.u32 %r1, [sh];\nld.shared.u32 %r2, [sh+4];\nld.shared.u32 %r3, [sh+8];\n";
  const std::string stores = "st.global.u32 [%r0], %r1;\nst.global.u32 [%r0], %r2;\nst.global.u32 [%r0], %r3;";
  CHECK(Native(loads + stores).kernel.native.registers == 2 + 1);
  CHECK(Native(loads + "bar.sync 0;\n" + stores).kernel.native.registers == 4 + 1);
  CHECK(Native(loads + "st.shared.u32 [sh], %r0;\n" + stores).kernel.native.registers == 4 + 1);
}

TEST_CASE("Native: only accesses to g[] share an address", "[ptx][native]") {
  CHECK(Native("ld.const.u32 %r1, [%r0+4];\nst.global.u32 [%r0+4], %r1;").at(2).slots() == 2);
  CHECK(Native("ld.global.u32 %r1, [%r0+4];\nst.global.u32 [%r0+4], %r1;").at(2).slots() == 1);
}

}  // namespace
}  // namespace warptime::ptx
