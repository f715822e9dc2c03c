// memcheck: each space at its last byte and beyond it, alignment, freed memory, textures; and that the launch goes on.
#include <algorithm>

#include "unit/debug/check/check_run.h"

namespace warptime::debug {

namespace {

constexpr CheckTools kMemcheck{.memcheck = true};

Outcome memcheck(const std::string& body, CheckRun run = {}) {
  run.tools = kMemcheck;
  return check(body, run);
}

}  // namespace

TEST_CASE("memcheck: an access beyond a buffer is found and the launch goes on") {
  Outcome out =
      memcheck("ld.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, 100;\nst.global.u32 [%rd1], %r2;", {.threads = 70});
  CHECK(out.kinds() == Kinds{"out_of_bounds_global:0 x6", "out_of_bounds_global:2 x6"});
  CHECK(out.findings[0].place.thread == std::array<uint32_t, 3>{64, 0, 0});
  CHECK(out.findings[0].buffer == "x");
  CHECK(out.findings[0].hint == "0 bytes past the end of \"x\" (256 bytes at 0x10000)");
  CHECK(out.findings[0].address == 0x10100);
  CHECK(out.x[63] == 163);
}

TEST_CASE("memcheck: lanes that are kept from a load get zero") {
  Outcome out =
      memcheck("add.u64 %rd2, %rd1, 128;\nmov.u32 %r2, 9;\nld.global.u32 %r2, [%rd2];\nst.global.u32 [%rd1], %r2;");
  CHECK(out.kinds() == Kinds{"out_of_bounds_global:2 x32"});
  CHECK(out.x[31] == 63);
  CHECK(out.x[32] == 0);
  CHECK(out.x[63] == 0);
}

TEST_CASE("memcheck: an atomic operation beyond a buffer changes nothing and gives zero") {
  Outcome out =
      memcheck("mov.u32 %r3, 7;\natom.global.add.u32 %r3, [%rd1+4], 1;\nst.global.u32 [%rd0], %r3;", {.threads = 64});
  CHECK(out.kinds() == Kinds{"out_of_bounds_global:1 x1"});
  CHECK(out.x[1] == 2);
}

TEST_CASE("memcheck: the last bytes of each space are right and the next ones are not") {
  struct Case {
    std::string declaration, space, base;
    uint32_t bytes;
  };
  const std::vector<Case> cases{{"", "shared", "part", 128}, {".local .align 16 .b8 own[32];", "local", "own", 32}};
  for (const Case& c : cases) {
    INFO(c.space);
    const std::string store = fmt::format("{}\nst.{}.u32 [{}+{}], %r0;", c.declaration, c.space, c.base, c.bytes - 4);
    const std::string beyond = fmt::format("{}\nst.{}.u32 [{}+{}], %r0;", c.declaration, c.space, c.base, c.bytes);
    const std::string odd = fmt::format("{}\nst.{}.u32 [{}+2], %r0;", c.declaration, c.space, c.base);
    CHECK(memcheck(store, {.threads = 1}).kinds().empty());
    CHECK(memcheck(beyond, {.threads = 1}).kinds() == Kinds{fmt::format("out_of_bounds_{}:1 x1", c.space)});
    CHECK(memcheck(odd, {.threads = 1}).kinds() == Kinds{fmt::format("misaligned_{}:1 x1", c.space)});
  }
}

TEST_CASE("memcheck: dynamic shared memory ends where the launch says") {
  const std::string body =
      "shl.b32 %r2, %r0, 2;\nmov.u32 %r3, 128;  // behind `part`\nadd.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r0;";
  CHECK(memcheck(body, {.threads = 64, .dynamic_shared = 256}).kinds().empty());
  CHECK(memcheck(body, {.threads = 64, .dynamic_shared = 252}).kinds() == Kinds{"out_of_bounds_shared:3 x1"});
}

TEST_CASE("memcheck: an access whose last byte alone is beyond the end") {
  const CheckRun odd{.threads = 1, .dynamic_shared = 35};
  CHECK(memcheck("mov.u32 %r2, 160;\nst.shared.u16 [%r2], %r0;", odd).kinds().empty());
  CHECK(memcheck("mov.u32 %r2, 160;\nst.shared.u32 [%r2], %r0;", odd).kinds() == Kinds{"out_of_bounds_shared:1 x1"});

  Checker checker({.memcheck = true});
  sim::RunOptions options;
  options.functional = true;
  options.listener = &checker;
  host::Device device(machine_named(kIndependent), options);
  auto module = device.load_module(
      std::make_shared<SourceText>("k.ptx", kernel_with("st.global.u16 [%rd0], %r0;\nst.global.u32 [%rd0+4], %r0;")));
  device.launch(module, "k", {1}, {1}, {device.allocate<uint8_t>(7, "x")});
  REQUIRE(checker.findings().all().size() == 1);
  CHECK(checker.findings().all()[0].place.line == kFirstLine + 1);

  const std::string functions = ".extern .func (.param .b64 r) malloc(.param .b64 n);\n";
  auto in_heap = [&](int bytes) {
    return check(fmt::format("mov.u64 %rd3, {};\n.param .b64 a0;\nst.param.b64 [a0], %rd3;\n.param .b64 r0;\n"
                             "call (r0), malloc, (a0);\nld.param.b64 %rd2, [r0];\nst.u32 [%rd2+4], %r0;",
                             bytes),
                 {.tools = {.memcheck = true}, .threads = 1}, functions)
        .kinds();
  };
  const Kinds of_seven = in_heap(7), of_eight = in_heap(8);
  CHECK(of_seven.size() == of_eight.size() + 1);
  CHECK(std::find(of_seven.begin(), of_seven.end(), "out_of_bounds_global:7 x1") != of_seven.end());
}

TEST_CASE("memcheck: a generic address is that of its window") {
  const std::string to_shared = "cvta.shared.u64 %rd2, part;\nst.u32 [%rd2+{}], %r0;";
  CHECK(memcheck(fmt::format(fmt::runtime(to_shared), 124), {.threads = 1}).kinds().empty());
  CHECK(memcheck(fmt::format(fmt::runtime(to_shared), 128), {.threads = 1}).kinds() ==
        Kinds{"out_of_bounds_shared:1 x1"});
  CHECK(memcheck("st.u32 [%rd1], %r0;", {.threads = 64}).kinds().empty());
  CHECK(memcheck("st.u32 [%rd1], %r0;", {.threads = 65}).kinds() == Kinds{"out_of_bounds_global:0 x1"});
}

TEST_CASE("memcheck: a vector may not lie across the end or at an odd address") {
  const std::string load = "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd0+";
  CHECK(memcheck(load + "240];", {.threads = 1}).kinds().empty());
  CHECK(memcheck(load + "256];", {.threads = 1}).kinds() == Kinds{"out_of_bounds_global:0 x1"});
  CHECK(memcheck(load + "8];", {.threads = 1}).kinds() == Kinds{"misaligned_global:0 x1"});
}

TEST_CASE("memcheck: a parameter beyond those of the kernel") {
  CHECK(memcheck("ld.param.u32 %r2, [x+4];", {.threads = 1}).kinds().empty());
  CHECK(memcheck("ld.param.u32 %r2, [x+8];", {.threads = 1}).kinds() == Kinds{"out_of_bounds_parameter:0 x1"});
}

TEST_CASE("memcheck: memory that the host has freed") {
  Checker checker(kMemcheck);
  sim::RunOptions options;
  options.functional = true;
  options.listener = &checker;
  host::Device device(machine_named(kIndependent), options);
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", kernel_with("st.global.u32 [%rd1], %r0;")));
  host::Buffer old = device.allocate<uint32_t>(64, "old");
  device.launch(module, "k", {1}, {64}, {old});
  CHECK(checker.findings().all().empty());
  device.free(old);
  device.launch(module, "k", {1}, {64}, {old});
  REQUIRE(checker.findings().all().size() == 1);
  const Finding& finding = checker.findings().all()[0];
  CHECK(finding.kind == Kind::UseAfterFree);
  CHECK(finding.count == 64);
  CHECK(finding.buffer == "old");
}

TEST_CASE("memcheck: without it a wrong access ends the launch as in a run") {
  Outcome out = check("st.global.u32 [%rd1], %r0;", {.tools = {.racecheck = true}, .threads = 65});
  REQUIRE(out.findings.size() == 1);
  CHECK(out.findings[0].kind == Kind::Fault);
  CHECK(out.findings[0].message == "out-of-bounds store of 4 bytes in global memory");
}

TEST_CASE("memcheck: a place is listed once with the number of threads and others are listed too") {
  Outcome out = memcheck("st.global.u32 [%rd1+256], %r0;\nst.global.u32 [%rd1+256], %r0;", {.blocks = 3, .threads = 5});
  CHECK(out.kinds() == Kinds{"out_of_bounds_global:0 x15", "out_of_bounds_global:1 x15"});
}

}  // namespace warptime::debug
