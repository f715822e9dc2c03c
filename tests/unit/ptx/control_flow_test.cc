// Blocks and reconvergence points. Branches are named by their line in the body, which is counted from 1.
#include "ptx/analysis/control_flow.h"

#include "load.h"

namespace warptime::ptx {
namespace {

/// The line at which the threads parted at the branch of `line` meet again; 0 if only at the end.
uint32_t meets(const Module& module, uint32_t line) {
  const Kernel& kernel = module.kernels[0];
  for (const Instruction& instruction : kernel.instructions) {
    if (instruction.line != line || instruction.card->card->name != "bra") continue;
    if (instruction.reconvergence == kNoIndex) return 0;
    return kernel.instructions[instruction.reconvergence].line;
  }
  FAIL("no branch in line " << line);
  return 0;
}

TEST_CASE("Control flow: straight code is one block", "[ptx][flow]") {
  auto module = load_body("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nret;");
  const Kernel& kernel = module->kernels[0];
  REQUIRE(kernel.blocks.size() == 1);
  CHECK(kernel.blocks[0].begin == 0);
  CHECK(kernel.blocks[0].end == 3);
  CHECK(kernel.blocks[0].successors == std::vector<uint32_t>{1});
}

TEST_CASE("Control flow: if", "[ptx][flow]") {
  auto module = load_body(R"(@%p1 bra skip;
mov.u32 %r1, 1;
skip:
mov.u32 %r2, 2;)");
  CHECK(module->kernels[0].blocks.size() == 3);
  CHECK(meets(*module, 1) == 4);
}

TEST_CASE("Control flow: if and else, nested", "[ptx][flow]") {
  auto module = load_body(R"(@%p1 bra other;
@%p2 bra inner_other;
mov.u32 %r1, 1;
bra.uni inner_done;
inner_other:
mov.u32 %r1, 2;
inner_done:
mov.u32 %r2, 3;
bra.uni done;
other:
mov.u32 %r1, 4;
done:
mov.u32 %r3, 5;)");
  CHECK(meets(*module, 1) == 13);
  CHECK(meets(*module, 2) == 8);
  CHECK(meets(*module, 4) == 0);  // without a guard nothing parts
}

TEST_CASE("Control flow: a loop is left one thread at a time and met behind it", "[ptx][flow]") {
  auto module = load_body(R"(mov.u32 %r1, 0;
again:
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 10;
@%p1 bra again;
mov.u32 %r2, %r1;)");
  CHECK(meets(*module, 5) == 6);
}

TEST_CASE("Control flow: break out of a loop", "[ptx][flow]") {
  auto module = load_body(R"(again:
@%p1 bra out;
@%p2 bra next;
mov.u32 %r1, 1;
next:
@%p3 bra again;
out:
mov.u32 %r2, 1;)");
  CHECK(meets(*module, 2) == 8);
  CHECK(meets(*module, 3) == 6);
  CHECK(meets(*module, 6) == 8);
}

TEST_CASE("Control flow: an early exit does not move the meeting point", "[ptx][flow]") {
  auto module = load_body(R"(@%p1 bra rest;
@%p2 exit;
mov.u32 %r1, 1;
rest:
mov.u32 %r2, 1;
exit;)");
  CHECK(meets(*module, 1) == 5);
  const Kernel& kernel = module->kernels[0];
  CHECK(kernel.instructions[1].reconvergence == kNoIndex);
}

TEST_CASE("Control flow: branches to the very end", "[ptx][flow]") {
  auto module = load_body("@%p1 bra end;\nmov.u32 %r1, 1;\nend:");
  const Kernel& kernel = module->kernels[0];
  CHECK(kernel.operands_of(kernel.instructions[0])[0].index == 2);  // behind the last instruction
  CHECK(kernel.blocks[0].successors == std::vector<uint32_t>{1, 2});
  CHECK(meets(*module, 1) == 0);
}

TEST_CASE("Control flow: inside an endless loop threads still meet", "[ptx][flow]") {
  auto module = load_body(R"(forever:
@%p1 bra other;
mov.u32 %r1, 1;
bra done;
other:
mov.u32 %r1, 2;
done:
mov.u32 %r2, 3;
bra forever;)");
  CHECK(meets(*module, 2) == 8);
}

TEST_CASE("Control flow: lanes that a guarded exit ends are not waited for", "[ptx][flow]") {
  auto module = load_body(R"(@%p1 bra other;
@%p2 exit;
mov.u32 %r1, 1;
bra done;
other:
mov.u32 %r1, 2;
@!%p3 ret;
done:
mov.u32 %r2, 3;
exit;)");
  CHECK(meets(*module, 1) == 9);
  CHECK(module->kernels[0].blocks[1].successors == std::vector<uint32_t>{2, 5});  // the exit is still a way
}

TEST_CASE("Control flow: a side that ends without a guard meets nobody", "[ptx][flow]") {
  auto module = load_body("@%p1 bra on;\n@%p2 exit;\nexit;\non:\nmov.u32 %r2, 3;\nexit;");
  CHECK(meets(*module, 1) == 0);
}

TEST_CASE("Control flow: an endless loop whose lanes leave one by one by a guarded exit", "[ptx][flow]") {
  auto module = load_body("again:\n@%p1 bra skip;\nmov.u32 %r1, 1;\nskip:\n@%p2 exit;\nbra again;");
  CHECK(meets(*module, 2) == 5);
}

TEST_CASE("Control flow: two ways into a loop", "[ptx][flow]") {
  auto module = load_body(R"(@%p1 bra second;
first:
mov.u32 %r1, 1;
second:
mov.u32 %r2, 2;
@%p2 bra first;
mov.u32 %r3, 3;)");
  CHECK(meets(*module, 1) == 5);
  CHECK(meets(*module, 6) == 7);
}

TEST_CASE("Control flow: unreachable code has blocks and harms nothing", "[ptx][flow]") {
  auto module = load_body(R"(@%p1 bra out;
mov.u32 %r1, 1;
bra out;
mov.u32 %r1, 2;
@%p2 bra out;
mov.u32 %r1, 3;
out:
ret;)");
  CHECK(module->kernels[0].blocks.size() == 5);
  CHECK(meets(*module, 1) == 8);
  CHECK(meets(*module, 5) == 8);
}

TEST_CASE("Control flow: a side that ends does not move the join of the others", "[ptx][flow]") {
  // All in one line each, so that line 6 is the join.
  for (const char* end : {"trap;", "brkpt;", "exit;", "ret;", "bra done;", "never: bra never;",
                          "mov.u32 %r1, 7; @%p4 bra a; mov.u32 %r1, 8; a: exit;", "call fail, (); bra other;",
                          "call fail, ();", "call loops, ();", "call returns, (); trap;"}) {
    INFO(end);
    std::string functions =
        ".func fail() { trap; } .func loops() { a: call fail, (); bra a; } .func returns() { ret; } ";
    std::string body = std::string("@%p1 bra other;\n@!%p2 bra on;\n") + end +
                       "\non: mov.u32 %r2, 3;\nmov.u32 %r2, 4;\nother: mov.u32 %r3, 5;\ndone: ret;\n}";
    auto module = load(".version 9.0 .target sm_75 .address_size 64 " + functions +
                       ".entry kernel() { .reg .b32 %r<9>; .reg .pred %p<8>; " + body);
    CHECK(meets(*module, 1) == 6);
  }
}

TEST_CASE("Control flow: a branch to what follows it", "[ptx][flow]") {
  CHECK(meets(*load_body("@%p1 bra next;\nnext:\nmov.u32 %r1, 1;\nbar.sync 0;\nret;"), 1) == 3);
}

TEST_CASE("Control flow: an exit of a loop does not move the join of those that leave it", "[ptx][flow]") {
  for (const char* end : {"trap;", "ret;", "bra done;", "mov.u32 %r2, 1; bra done;", "mov.u32 %r2, 1; ret;"}) {
    INFO(end);
    auto module = load_body(std::string("again:\n@!%p1 bra on;\n") + end +
                            "\non:\n@%p2 bra again;\nmov.u32 %r1, 1;\nmov.u32 %r1, 2;\ndone:\nret;");
    CHECK(meets(*module, 5) == 6);
  }
}

TEST_CASE("Control flow: where nothing else is left, lanes meet at an exit that they share", "[ptx][flow]") {
  CHECK(meets(*load_body("@%p1 bra done;\nmov.u32 %r1, 1;\ndone:\nret;"), 1) == 4);
  CHECK(meets(*load_body("@%p1 bra done;\n@%p2 trap;\n@!%p3 bra on;\ntrap;\non:\nmov.u32 %r1, 1;\ndone:\nret;"), 1) ==
        8);
  CHECK(meets(*load_body("@%p1 bra a;\nmov.u32 %r1, 1;\nbra done;\na:\nmov.u32 %r1, 2;\ndone:\nret;"), 1) == 7);
  CHECK(meets(*load_body("again:\nmov.u32 %r1, 1;\n@%p1 bra again;\nret;"), 3) == 4);
}

TEST_CASE("Control flow: lanes that come to no barrier any more end before the others come to one", "[ptx][flow]") {
  // The lanes that work wait in line 5, or 6, until the others have ended.
  CHECK(meets(*load_body("@%p1 bra work;\nmov.u32 %r1, 1;\nbra done;\nwork:\nbar.sync 0;\ndone:\nret;"), 1) == 5);
  CHECK(meets(*load_body("@%p1 bra work;\nmov.u32 %r1, 1;\nret;\nwork:\nbar.sync 0;\nret;"), 1) == 5);
  CHECK(meets(*load_body("again:\n@%p1 bra on;\nmov.u32 %r1, 1;\nret;\non:\nbar.sync 0;\n@%p2 bra again;\nret;"), 2) ==
        6);
  // The side that ends goes first anyway.
  CHECK(meets(*load_body("@%p1 bra away;\nbar.sync 0;\nret;\naway:\nmov.u32 %r1, 1;\nret;"), 1) == 0);
}

TEST_CASE("Control flow: block_of", "[ptx][flow]") {
  auto module = load_body("@%p1 bra a;\nmov.u32 %r1, 1;\nmov.u32 %r1, 2;\na: ret;");
  const Kernel& kernel = module->kernels[0];
  CHECK(block_of(kernel, 0) == 0);
  CHECK(block_of(kernel, 1) == 1);
  CHECK(block_of(kernel, 2) == 1);
  CHECK(block_of(kernel, 3) == 2);
}

}  // namespace
}  // namespace warptime::ptx
