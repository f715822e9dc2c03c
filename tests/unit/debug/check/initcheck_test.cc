// initcheck: bytes, registers and predicates before they are written and after; copies, fills and device malloc.
#include "debug/check/register_uses.h"
#include "debug/check/written_bytes.h"
#include "ptx/load_module.h"
#include "unit/debug/check/check_run.h"

namespace warptime::debug {

namespace {

constexpr CheckTools kInitcheck{.initcheck = true};

Outcome initcheck(const std::string& body, CheckRun run = {}) {
  run.tools = kInitcheck;
  return check(body, run);
}

struct HostExample {
  Checker checker{kInitcheck};
  host::Device device;
  host::ModuleRef module;

  HostExample() : device(machine_named(kIndependent), functional()) {
    module = device.load_module(std::make_shared<SourceText>("k.ptx", kernel_with("ld.global.u32 %r2, [%rd1];")));
  }
  sim::RunOptions functional() {
    sim::RunOptions options;
    options.functional = true;
    options.listener = &checker;
    return options;
  }
  /// How many threads read an unwritten word of the buffer's first 64.
  uint64_t unwritten(const host::Buffer& buffer) {
    auto count = [this] { return checker.findings().all().empty() ? 0 : checker.findings().all()[0].count; };
    uint64_t before = count();
    device.launch(module, "k", {1}, {64}, {buffer});
    return count() - before;
  }
};

}  // namespace

TEST_CASE("initcheck: what the host does with memory") {
  HostExample example;
  host::Buffer a = example.device.allocate<uint32_t>(64, "a"), b = example.device.allocate<uint32_t>(64, "b");
  CHECK(example.unwritten(a) == 64);
  example.device.copy_to(a, std::vector<uint32_t>(10), "a");
  CHECK(example.unwritten(a) == 54);
  example.device.copy_on_device(b, a, 256, "b");
  CHECK(example.unwritten(b) == 54);
  example.device.fill_bytes(b, 1, 3, "b", {.offset = 40});
  CHECK(example.unwritten(b) == 54);  // a byte of the word is still unwritten
  example.device.fill_bytes(b, 1, 1, "b", {.offset = 43});
  CHECK(example.unwritten(b) == 53);
  example.device.fill_bytes(a, 1, 256, "a");
  CHECK(example.unwritten(a) == 0);
  example.device.copy_on_device(b, a, 256, "b");
  CHECK(example.unwritten(b) == 0);
}

TEST_CASE("initcheck: what a kernel has written is written in the next launch") {
  CHECK(initcheck("st.global.u32 [%rd1], %r0;\nld.global.u32 %r2, [%rd1];", {.written = false}).kinds().empty());
  CHECK(initcheck("st.global.u16 [%rd1], 1;\nld.global.u32 %r2, [%rd1];", {.written = false}).kinds() ==
        Kinds{"uninitialized_global:1 x64"});
  CHECK(initcheck("atom.global.add.u32 %r2, [%rd1], 1;", {.written = false}).kinds() ==
        Kinds{"uninitialized_global:0 x64"});
}

TEST_CASE("initcheck: shared memory is unwritten in each block") {
  const std::string read = "mov.u32 %r3, part;\nld.shared.u32 %r2, [%r3];";
  CHECK(initcheck(read, {.threads = 1}).kinds() == Kinds{"uninitialized_shared:1 x1"});
  CHECK(initcheck("mov.u32 %r3, part;\nst.shared.u32 [%r3], %r0;\nld.shared.u32 %r2, [%r3];", {.threads = 1})
            .kinds()
            .empty());
  // Only the first block writes.
  CHECK(initcheck(
            "mov.u32 %r3, part;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 st.shared.u32 [%r3], %r0;\nld.shared.u32 %r2, [%r3];",
            {.blocks = 3, .threads = 1})
            .kinds() == Kinds{"uninitialized_shared:3 x2"});
}

TEST_CASE("initcheck: local memory is each thread's own") {
  Outcome out = initcheck(
      ".local .align 4 .b8 own[8];\nsetp.lt.u32 %p0, %r0, 3;\n@%p0 st.local.u32 [own+4], %r0;\nld.local.u32 %r2, "
      "[own+4];",
      {.threads = 40});
  CHECK(out.kinds() == Kinds{"uninitialized_local:3 x37"});
  CHECK(out.findings[0].place.thread == std::array<uint32_t, 3>{3, 0, 0});
}

TEST_CASE("initcheck: registers and predicates by lane") {
  CHECK(initcheck("setp.lt.u32 %p0, %r0, 5;\n@%p0 mov.u32 %r2, 1;\nadd.u32 %r3, %r2, 1;").kinds() ==
        Kinds{"uninitialized_register:2 x59"});
  CHECK(initcheck("setp.lt.u32 %p0, %r0, 5;\n@%p0 mov.u32 %r2, 1;\n@%p0 add.u32 %r3, %r2, 1;").kinds().empty());
  CHECK(initcheck("@%p1 mov.u32 %r2, 1;").kinds() == Kinds{"uninitialized_predicate:0 x64"});
  CHECK(initcheck("selp.u32 %r2, 1, 2, %p1;").kinds() == Kinds{"uninitialized_predicate:0 x64"});
  CHECK(initcheck("setp.lt.u32 %p0, %r0, 5;\n@%p0 bra L;\nmov.u32 %r2, 1;\nL:\nadd.u32 %r3, %r2, 1;").kinds() ==
        Kinds{"uninitialized_register:4 x5"});
}

TEST_CASE("initcheck: a register that a call fills is written") {
  const std::string function = ".func (.reg .b32 %out) twice(.reg .b32 %in)\n{ add.u32 %out, %in, %in; ret; }\n";
  CheckRun run{.tools = kInitcheck};
  Outcome out = check("call (%r2), twice, (%r0);\nst.global.u32 [%rd1], %r2;", run, function);
  CHECK(out.kinds().empty());
  CHECK(out.x[21] == 42);
}

TEST_CASE("initcheck: device malloc gives unwritten memory and what is not freed leaks") {
  const std::string declarations =
      ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n";
  const std::string allocate =
      "mov.u64 %rd3, 16;\n.param .b64 a0;\nst.param.b64 [a0], %rd3;\n.param .b64 r0;\ncall (r0), malloc, "
      "(a0);\nld.param.b64 %rd2, [r0];\n";
  const std::string release = ".param .b64 a1;\nst.param.b64 [a1], %rd2;\ncall free, (a1);\n";
  CheckRun run{.tools = kInitcheck, .threads = 3};
  const uint32_t moved = 2;  // lines of the declarations
  auto at = [](const char* kind, uint32_t line, int count) { return fmt::format("{}:{} x{}", kind, line, count); };
  CHECK(check(allocate + "st.u32 [%rd2], %r0;\nld.u32 %r2, [%rd2];\n" + release, run, declarations).kinds().empty());
  CHECK(check(allocate + "ld.u32 %r2, [%rd2];\n" + release, run, declarations).kinds() ==
        Kinds{at("uninitialized_global", 6 + moved, 3)});
  CHECK(check(allocate, run, declarations).kinds() == Kinds{at("leak", 4 + moved, 3)});
}

TEST_CASE("written bytes: any range, forgotten and copied") {
  WrittenBytes bytes;
  bytes.start(200);
  bytes.write_range(60, 10);
  CHECK(bytes.is_written(64, 4));
  CHECK(bytes.is_written(60, 4));
  CHECK_FALSE(bytes.is_written(56, 8));
  CHECK_FALSE(bytes.is_written(70, 1));
  WrittenBytes other;
  other.start(100, true);
  other.forget_range(10, 1);
  CHECK_FALSE(other.all_written());
  CHECK_FALSE(other.is_written(8, 4));
  other.copy(0, bytes, 55, 20);
  CHECK_FALSE(other.is_written(4, 1));
  CHECK(other.is_written(5, 1));
  CHECK(other.is_written(14, 1));
  CHECK_FALSE(other.is_written(15, 1));
  other.write_range(0, 1000);
  CHECK(other.all_written());
}

TEST_CASE("register uses: only registers that a path leaves unwritten are followed") {
  auto followed = [](const std::string& body) {
    Diagnostics diagnostics;
    auto module = ptx::load_module(std::make_shared<SourceText>("k.ptx", kernel_with(body)), diagnostics);
    INFO(diagnostics.to_text());
    REQUIRE(module != nullptr);
    std::vector<std::string> names;
    for (uint32_t reg : find_register_uses(module->kernels[0]).followed)
      names.push_back(module->kernels[0].registers[reg].name);
    return names;
  };
  CHECK(followed("mov.u32 %r2, 1;\nadd.u32 %r3, %r2, %r0;").empty());
  CHECK(followed("add.u32 %r3, %r2, %r0;") == std::vector<std::string>{"%r2"});
  CHECK(followed("setp.eq.u32 %p0, %r0, 1;\n@%p0 bra A;\nmov.u32 %r2, 1;\nbra B;\nA:\nmov.u32 %r2, 2;\nB:\nadd.u32 "
                 "%r3, %r2, 1;")
            .empty());
  CHECK(
      followed("mov.u32 %r3, 0;\nL:\nadd.u32 %r3, %r3, %r4;\nmov.u32 %r4, 1;\nsetp.lt.u32 %p0, %r3, 9;\n@%p0 bra L;") ==
      std::vector<std::string>{"%r4"});
}

}  // namespace warptime::debug
