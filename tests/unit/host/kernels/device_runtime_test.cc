// Functions that the runtime supplies, from PTX written by hand: who may call them, what is a fault, where output and
// heap end. Compiled programs are in tests/compilers.
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

const std::string kHead =
    ".version 6.4\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 values);\n"
    ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 bytes);\n"
    ".extern .func free (.param .b64 address);\n";

sim::Machine runtime_machine(bool timed, std::vector<std::string> settings = {}) {
  Diagnostics diagnostics;
  auto loaded =
      sim::load_machine(timed ? "geforce-gtx-480" : "generic", settings, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(loaded.has_value());
  return loaded->machine;
}

/// A device that keeps what is printed.
struct PrintingDevice {
  sim::PrintedText output;
  std::string& printed = output.text;
  Device device;

  explicit PrintingDevice(bool timed, std::vector<std::string> settings = {}, sim::RunOptions options = {})
      : device(runtime_machine(timed, std::move(settings)), with_print(std::move(options))) {}
  sim::RunOptions with_print(sim::RunOptions options) {
    options.listener = &output;
    return options;
  }
  ModuleRef load(const std::string& text) {
    return device.load_module(std::make_shared<SourceText>("test.ptx", kHead + text));
  }
  std::vector<uint64_t> words(const Buffer& from) {
    std::vector<uint64_t> out(from.bytes / 8);
    device.read_bytes(std::as_writable_bytes(std::span(out)), from.address);
    return out;
  }
  std::string fault(const ModuleRef& module, std::string_view kernel, const std::vector<Argument>& arguments,
                    Dim3 grid = {1}, Dim3 block = {1}) {
    try {
      device.launch(module, kernel, grid, block, arguments);
    } catch (const FaultError& error) {
      return error.what();
    }
    FAIL("no fault");
    return {};
  }
};

/// A string as a module's variable.
std::string variable(const std::string& name, const std::string& text, bool ends = true,
                     const std::string& space = "global") {
  std::string bytes;
  for (char c : text) bytes += std::to_string(static_cast<int>(static_cast<unsigned char>(c))) + ", ";
  return "." + space + " .align 1 .b8 " + name + "[" + std::to_string(text.size() + (ends ? 1 : 0)) + "] = {" +
         (ends ? bytes + "0" : bytes.substr(0, bytes.size() - 2)) + "};\n";
}

/// Prints its word of `values`, and as many lines as `count` says.
const std::string kLines = variable("line", "block %d thread %d call %d\n") +
                           ".entry lines (.param .u32 count) {\n"
                           ".reg .b32 a, b, i, n; .reg .b64 f, v; .reg .pred p; .local .align 8 .b8 args[16];\n"
                           "mov.u32 a, %ctaid.x; mov.u32 b, %tid.x; ld.param.u32 n, [count]; mov.u32 i, 0;\n"
                           "mov.u64 f, line; cvta.global.u64 f, f; mov.u64 v, args; cvta.local.u64 v, v;\n"
                           "LOOP:\nst.local.u32 [args], a; st.local.u32 [args+4], b; st.local.u32 [args+8], i;\n"
                           "{ .param .b64 pf; .param .b64 pv; .param .b32 pr;\n"
                           "st.param.b64 [pf], f; st.param.b64 [pv], v; call.uni (pr), vprintf, (pf, pv); }\n"
                           "add.u32 i, i, 1; setp.lt.u32 p, i, n; @p bra LOOP;\nret;\n}\n";

std::string line(uint32_t block, uint32_t thread, uint32_t call) {
  return "block " + std::to_string(block) + " thread " + std::to_string(thread) + " call " + std::to_string(call) +
         "\n";
}

}  // namespace

TEST_CASE("without the feature, a call of the runtime is an error that names the function and the line") {
  Device device(default_machine(), {});
  ModuleRef module = device.load_module(std::make_shared<SourceText>("test.ptx", kHead + kLines));
  std::string error = input_error([&] { device.launch(module, "lines", {1}, {1}, {arg_u32(1)}); });
  CHECK_THAT(error, Catch::Contains("test.ptx:16:45:") &&
                        Catch::Contains("\"vprintf\" needs a machine with the feature device_runtime"));
}

TEST_CASE("a function of the runtime's name with another signature cannot be called") {
  bool timed = GENERATE(false, true);
  Device device(runtime_machine(timed), {});
  std::string text =
      ".version 6.4\n.target sm_75\n.address_size 64\n.extern .func (.param .b32 r) malloc (.param .b64 b);\n"
      ".entry k() { .reg .b32 r; call.uni (r), malloc, (8); ret; }\n";
  ModuleRef module = device.load_module(std::make_shared<SourceText>("test.ptx", text));
  std::string error = input_error([&] { device.launch(module, "k", {1}, {1}, {}); });
  CHECK_THAT(error,
             Catch::Contains("\"malloc\" is declared but not defined in this module") &&
                 Catch::Contains("the runtime's function is .extern .func (.param .b64 r) malloc (.param .b64 a);"));
}

TEST_CASE("a kernel that launches kernels is refused with a sentence, the others of its module run") {
  Device device(runtime_machine(false), {});
  std::string text =
      ".version 6.4\n.target sm_75\n.address_size 64\n"
      ".extern .func (.param .b32 r) cudaLaunchDeviceV2 (.param .b64 a, .param .b64 b);\n"
      ".entry k() { .reg .b32 r; call.uni (r), cudaLaunchDeviceV2, (8, 8); ret; }\n.entry other() { ret; }\n";
  ModuleRef module = device.load_module(std::make_shared<SourceText>("test.ptx", text));
  std::string error = input_error([&] { device.launch(module, "k", {1}, {1}, {}); });
  CHECK_THAT(error, Catch::Contains("the device runtime (kernels launched by kernels) is not simulated"));
  device.launch(module, "other", {1}, {1}, {});
}

TEST_CASE("a module's own function takes precedence over the runtime's of its name") {
  bool timed = GENERATE(false, true);
  PrintingDevice run(timed);
  ModuleRef module = run.device.load_module(std::make_shared<SourceText>(
      "test.ptx",
      ".version 6.4\n.target sm_75\n.address_size 64\n.extern .func (.param .b64 r) malloc (.param .b64 b);\n"
      ".func (.param .b64 r) malloc (.param .b64 b) { .reg .b64 x; ld.param.b64 x, [b]; add.u64 x, x, 1;\n"
      "st.param.b64 [r], x; ret; }\n"
      ".entry k(.param .u64 out) { .reg .b64 x, o; call.uni (x), malloc, (41); ld.param.u64 o, [out];\n"
      "st.global.u64 [o], x; ret; }\n"));
  Buffer out = run.device.allocate<uint64_t>(1, "out");
  run.device.launch(module, "k", {1}, {1}, {out});
  CHECK(run.words(out)[0] == 42);
}

TEST_CASE("output is in the order of blocks, calls and lanes, for any number of threads") {
  bool timed = GENERATE(false, true);
  std::string first;
  for (uint32_t threads : {1, 2, 3, 8}) {
    sim::RunOptions options;
    options.threads = threads;
    PrintingDevice run(timed, {}, options);
    ModuleRef module = run.load(kLines);
    run.device.launch(module, "lines", {40}, {20}, {arg_u32(3)});
    std::string expected;
    for (uint32_t block = 0; block < 40; ++block)
      for (uint32_t call = 0; call < 3; ++call)
        for (uint32_t thread = 0; thread < 20; ++thread) expected += line(block, thread, call);
    CHECK(run.printed == expected);
  }
}

TEST_CASE("output of several warps is the same for any number of threads and any step") {
  std::string first;
  for (uint32_t threads : {1, 2, 3, 8})
    for (sim::Step step : {sim::Step::Whole, sim::Step::Half, sim::Step::Quarter}) {
      sim::RunOptions options;
      options.threads = threads;
      options.step = step;
      PrintingDevice run(true, {}, options);
      run.device.launch(run.load(kLines), "lines", {40}, {130}, {arg_u32(2)});
      if (first.empty()) first = run.printed;
      CHECK(run.printed.size() == first.size());
      CHECK(run.printed == first);
    }
}

TEST_CASE("output before a fault is the same for any number of threads and any step") {
  bool timed = GENERATE(false, true);
  std::string first;
  for (uint32_t threads : {1, 2, 3, 8})
    for (sim::Step step : {sim::Step::Whole, sim::Step::Half, sim::Step::Quarter}) {
      sim::RunOptions options;
      options.threads = threads;
      options.step = step;
      PrintingDevice run(timed, {}, options);
      ModuleRef module = run.load(kLines.substr(0, kLines.rfind("add.u32 i")) +
                                  "setp.eq.u32 p, a, 9; setp.eq.and.u32 p, i, 5, p; @p trap;\n" +
                                  kLines.substr(kLines.rfind("add.u32 i")));
      CHECK_THAT(run.fault(module, "lines", {arg_u32(200)}, {40}, {10}), Catch::Contains("block (9,0,0)"));
      CHECK_THAT(run.printed, Catch::Contains(line(9, 0, 5)));
      CHECK_THAT(run.printed, !Catch::Contains(line(9, 0, 6)));
      if (first.empty()) first = run.printed;
      CHECK(run.printed.size() == first.size());
      CHECK(run.printed == first);
    }
}

TEST_CASE("modules with addresses of 32 bits print and allocate") {
  bool timed = GENERATE(false, true);
  PrintingDevice run(timed);
  ModuleRef module = run.device.load_module(std::make_shared<SourceText>(
      "test.ptx",
      ".version 6.4\n.target sm_30\n.address_size 32\n"
      ".extern .func (.param .b32 r) vprintf (.param .b32 format, .param .b32 values);\n"
      ".extern .func (.param .b32 r) malloc (.param .b32 bytes);\n" +
          variable("format", "%d %ld %p %f %s %lld\n") + variable("text", "text") +
          ".entry k() {\n.reg .b32 f, v, r, s; .local .align 8 .b8 args[48];\n"
          "call.uni (r), malloc, (8); mov.u32 f, format; cvta.global.u32 f, f; mov.u32 v, args; cvta.local.u32 v, v;\n"
          "mov.u32 s, text; cvta.global.u32 s, s; st.local.u32 [args], -1; st.local.u32 [args+4], -2;\n"
          "st.local.u32 [args+8], 0x1234; st.local.f64 [args+16], 0d3FF8000000000000; st.local.u32 [args+24], s;\n"
          "st.local.u64 [args+32], -3; st.u32 [r], 7; call.uni (r), vprintf, (f, v);\nret;\n}\n"));
  run.device.launch(module, "k", {1}, {1}, {});
  CHECK(run.printed == "-1 -2 0x1234 1.500000 text -3\n");
}

TEST_CASE("when the buffer is full, the newest output remains") {
  bool timed = GENERATE(false, true);
  // A record has 16 bytes and 8 for each of three arguments.
  PrintingDevice run(timed, {"runtime.printf_fifo_bytes=" + std::to_string(40 * 7 + 39)});
  ModuleRef module = run.load(kLines);
  for (int twice = 0; twice < 2; ++twice) {  // each launch has the whole of it
    run.printed.clear();
    run.device.launch(module, "lines", {100}, {2}, {arg_u32(2)});
    std::string expected = line(98, 1, 0) + line(98, 0, 1) + line(98, 1, 1);
    for (uint32_t call : {0, 1})
      for (uint32_t thread : {0, 1}) expected += line(99, thread, call);
    CHECK(run.printed == expected);
  }
}

TEST_CASE("strings of every space are printed, and null pointers as C has it") {
  bool timed = GENERATE(false, true);
  PrintingDevice run(timed);
  ModuleRef module =
      run.load(variable("format", "[%s|%s|%s|%.3s|%s]") + variable("in_global", "global") +
               variable("in_const", "const", true, "const") + variable("endless", "abc", false) +
               ".entry k(.param .u64 out) {\n.reg .b64 f, v, s, o; .reg .b32 r; .local .align 8 .b8 args[40]; .shared "
               ".align 4 .b8 "
               "t[8];\nmov.u64 f, format; cvta.global.u64 f, f; mov.u64 v, args; cvta.local.u64 v, v;\n"
               "mov.u64 s, in_global; cvta.global.u64 s, s; st.local.u64 [args], s;\n"
               "mov.u64 s, in_const; cvta.const.u64 s, s; st.local.u64 [args+8], s;\n"
               "st.shared.u32 [t], 0x726168; mov.u64 s, t; cvta.shared.u64 s, s; st.local.u64 [args+16], s;\n"
               "mov.u64 s, endless; cvta.global.u64 s, s; st.local.u64 [args+24], s; st.local.u64 [args+32], 0;\n"
               "call.uni (r), vprintf, (f, v); ld.param.u64 o, [out]; st.global.u32 [o], r;\n"
               "call.uni (r), vprintf, (0, v); st.global.u32 [o+4], r;\nret;\n}\n");
  Buffer out = run.device.allocate<uint64_t>(1, "out");
  run.device.launch(module, "k", {1}, {1}, {out});
  CHECK(run.printed == "[global|const|har|abc|(null)]");
  CHECK(run.words(out)[0] == 0xffffffff00000005);  // arguments; -1 without a format
}

TEST_CASE("a string that the thread has just stored is printed") {
  bool timed = GENERATE(false, true);
  PrintingDevice run(timed);
  ModuleRef module = run.load(
      ".entry k(.param .u64 out) {\n.reg .b64 o; .reg .b32 r;\nld.param.u64 o, [out];\n"
      "st.global.u32 [o], 0x0a6948; call.uni (r), vprintf, (o, 0);\nret;\n}\n");
  Buffer out = run.device.allocate<uint32_t>(1, "out");
  run.device.launch(module, "k", {1}, {1}, {out});
  CHECK(run.printed == "Hi\n");
}

TEST_CASE("a pointer that vprintf cannot read is a fault with its place, after the output before it") {
  bool timed = GENERATE(false, true);
  PrintingDevice run(timed);
  ModuleRef module = run.load(
      variable("good", "good\n") + variable("one", "%d %d") + variable("text", "%s") +
      variable("endless", "abc", false) +
      ".entry k(.param .u64 out, .param .u64 format, .param .u64 values) {\n.reg .b64 f, v, g, o; .reg .b32 r;\n"
      "ld.param.u64 f, [format]; ld.param.u64 v, [values]; mov.u64 g, good;\n"
      "call.uni (r), vprintf, (g, 0);\ncall.uni (r), vprintf, (f, v);\nret;\n}\n"
      ".entry where(.param .u64 out) { .reg .b64 o, a; ld.param.u64 o, [out]; mov.u64 a, one; st.global.u64 [o], a;\n"
      "mov.u64 a, text; st.global.u64 [o+8], a; mov.u64 a, endless; st.global.u64 [o+16], a; ret; }\n");
  Buffer out = run.device.allocate<uint64_t>(3, "out");
  run.device.launch(module, "where", {1}, {1}, {out});
  std::vector<uint64_t> at = run.words(out);
  Buffer last = run.device.allocate<uint32_t>(1, "last"), pointer = run.device.allocate<uint64_t>(1, "pointer");
  auto fault_of = [&](uint64_t format, uint64_t values) {
    run.printed.clear();
    std::string fault = run.fault(module, "k", {out, arg_u64(format), arg_u64(values)});
    CHECK(run.printed == "good\n");
    CHECK_THAT(fault, Catch::Contains("test.ptx:16:1: error: vprintf reads") &&
                          Catch::Contains("block (0,0,0) thread (0,0,0)"));
    return fault;
  };
  CHECK_THAT(fault_of(16, 0), Catch::Contains("its format at 0x10, where nothing is allocated"));
  CHECK_THAT(fault_of(~uint64_t{0}, 0), Catch::Contains("its format at 0xffffffffffffffff, where"));
  CHECK_THAT(fault_of(at[2], 0), Catch::Contains("which has no end: no zero within 3 bytes"));
  CHECK_THAT(fault_of(at[0], last.address), Catch::Contains("argument 2 of its format at"));
  run.device.copy_to(pointer, std::vector<uint64_t>{32}, "pointer");
  CHECK_THAT(fault_of(at[1], pointer.address), Catch::Contains("the string of argument 1 at 0x20, where nothing"));
  run.device.copy_to(pointer, std::vector<uint64_t>{at[2]}, "pointer");
  CHECK_THAT(fault_of(at[1], pointer.address),
             Catch::Contains("the string of argument 1 at") && Catch::Contains("which has no end"));
}

TEST_CASE("texts of a failed assertion that cannot be read are told as that") {
  bool timed = GENERATE(false, true);
  PrintingDevice run(timed);
  ModuleRef module =
      run.load(variable("odd",
                        "a\x01\n\x7f"
                        "b") +
               ".entry k() { .reg .b64 a; mov.u64 a, odd; call.uni __assertfail, (a, 16, 7, 0, 1); ret; }\n");
  CHECK_THAT(run.fault(module, "k", {}), Catch::Contains("error: ?:7: ?: assertion `a???b` failed, block (0,0,0)"));
}

namespace {

/// malloc of `bytes` by each thread, `count` times: addresses to out; then all are freed, if `frees`.
const std::string kTake =
    ".entry take(.param .u64 out, .param .u64 bytes, .param .u32 frees) {\n.reg .b64 o, b, x; .reg .b32 i, t, n, f; "
    ".reg "
    ".pred p;\nld.param.u64 o, [out]; ld.param.u64 b, [bytes]; ld.param.u32 f, [frees];\n"
    "mov.u32 i, %ctaid.x; mov.u32 n, %ntid.x; mov.u32 t, %tid.x; mad.lo.u32 i, i, n, t;\n"
    "mul.wide.u32 x, i, 8; add.u64 o, o, x;\ncall.uni (x), malloc, (b); st.global.u64 [o], x;\n"
    "setp.ne.u32 p, f, 0;\n@p call.uni free, (x);\nret;\n}\n"
    ".entry give(.param .u64 address) { .reg .b64 a; ld.param.u64 a, [address]; call.uni free, (a); ret; }\n";

}  // namespace

TEST_CASE(
    "malloc gives aligned blocks until the heap is full, then null, free gives them back, also in later launches") {
  bool timed = GENERATE(false, true);
  PrintingDevice run(timed, {"runtime.malloc_heap_bytes=65536"});
  ModuleRef module = run.load(kTake);
  constexpr uint32_t kCalls = 600;
  Buffer out = run.device.allocate<uint64_t>(kCalls, "out");
  auto take = [&](uint64_t bytes, bool frees) {
    run.device.launch(module, "take", {6}, {100}, {out, arg_u64(bytes), arg_u32(frees ? 1 : 0)});
    std::vector<uint64_t> found = run.words(out);
    std::erase(found, 0);
    return found;
  };
  CHECK(take(65537, false).empty());
  CHECK(take(~uint64_t{0}, false).empty());
  CHECK(!take(8, true).empty());
  std::vector<uint64_t> found = take(200, false);
  CHECK(found.size() == 65536 / 208);
  std::sort(found.begin(), found.end());
  CHECK(found.front() % 16 == 0);
  for (size_t i = 1; i < found.size(); ++i) CHECK(found[i] == found[i - 1] + 208);
  CHECK(take(200, false).empty());  // they are still there
  run.device.launch(module, "give", {1}, {1}, {arg_u64(found[5])});
  run.device.launch(module, "give", {1}, {1}, {arg_u64(0)});  // nothing
  CHECK(take(200, false) == std::vector{found[5]});
}

TEST_CASE("free of what is not allocated is a fault that says which thread did it") {
  bool timed = GENERATE(false, true);
  PrintingDevice run(timed);
  ModuleRef module = run.load(kTake);
  Buffer out = run.device.allocate<uint64_t>(1, "out");
  run.device.launch(module, "take", {1}, {1}, {out, arg_u64(64), arg_u32(0)});
  uint64_t block = run.words(out)[0];
  auto give = [&](uint64_t address, uint32_t threads = 1) {
    return run.fault(module, "give", {arg_u64(address)}, {1}, {threads});
  };
  CHECK_THAT(give(block + 16), Catch::Contains("test.ptx:18:76:") &&
                                   Catch::Contains("where no allocated block begins, block (0,0,0) thread (0,0,0)") &&
                                   Catch::Contains("it lies within a block"));
  CHECK_THAT(give(out.address), Catch::Contains("it is not in the device heap"));
  CHECK_THAT(give(block, 40), Catch::Contains("thread (1,0,0)") && Catch::Contains("it is free: was it freed before?"));
}

TEST_CASE(
    "addresses that malloc gives, and who gets the last ones, are the same for any number of threads and any step") {
  bool timed = GENERATE(false, true);
  std::vector<uint64_t> first;
  for (uint32_t threads : {1, 2, 3, 8})
    for (sim::Step step : {sim::Step::Whole, sim::Step::Half, sim::Step::Quarter}) {
      if (!timed && step != sim::Step::Whole) continue;
      sim::RunOptions options;
      options.threads = threads;
      options.step = step;
      PrintingDevice run(timed, {"runtime.malloc_heap_bytes=131072"}, options);
      Buffer out = run.device.allocate<uint64_t>(50 * 130, "out");
      run.device.launch(run.load(kTake), "take", {50}, {130}, {out, arg_u64(40), arg_u32(0)});
      std::vector<uint64_t> found = run.words(out);
      if (first.empty()) first = found;
      CHECK(found == first);
      CHECK(std::count(found.begin(), found.end(), 0) == 50 * 130 - 131072 / 48);
    }
}

TEST_CASE("a heap that does not fit in device memory is an error at the launch that needs it") {
  PrintingDevice run(false, {"runtime.malloc_heap_bytes=1099511627776"});
  ModuleRef module = run.load(kTake + kLines);
  run.device.launch(module, "lines", {1}, {1}, {arg_u32(1)});
  std::string error = input_error([&] { run.device.launch(module, "give", {1}, {1}, {arg_u64(0)}); });
  CHECK_THAT(error, Catch::Contains("runtime.malloc_heap_bytes") && Catch::Contains("does not fit in device memory"));
}

TEST_CASE("a call costs the machine's call_cycles, those of the heap from the next window edge on") {
  // From the clock before the call to the clock after it.
  auto cycles = [](uint32_t cost, const std::string& call) {
    PrintingDevice run(true, {"runtime.call_cycles=" + std::to_string(cost)});
    ModuleRef module = run.load(
        ".entry k(.param .u64 out) { .reg .b32 a, b, r; .reg .b64 o; ld.param.u64 o, [out]; mov.u32 a, %clock; " +
        call +
        " mov.u32 b, %clock;\n"
        "sub.u32 b, b, a; st.global.u32 [o], b; st.global.u32 [o+4], a; ret; }\n");
    Buffer out = run.device.allocate<uint32_t>(2, "out");
    run.device.launch(module, "k", {1}, {1}, {out});
    uint64_t found = run.words(out)[0];
    return std::pair(found & 0xffffffff, found >> 32);  // between the clocks; at the first
  };
  for (const char* call : {"call.uni (r), vprintf, (0, 0);", "call.uni free, (0);"}) {
    INFO(call);
    uint64_t base = cycles(1000, call).first;
    CHECK(cycles(1001, call).first == base + 1);
    CHECK(cycles(5000, call).first == base + 4000);
  }
  auto [between, first] = cycles(1000, "call.uni free, (0);");
  uint64_t window = runtime_machine(true).config.chip.window_cycles;
  CHECK((first + between - 1000) % window == 0);
}

TEST_CASE("a sampled run prints once, and leaves the heap as its full pass did") {
  sim::RunOptions options;
  options.sampling = sim::Sampling::FullValues;
  PrintingDevice run(true, {}, options);
  ModuleRef module = run.load(kLines + kTake);
  run.device.launch(module, "lines", {3000}, {32}, {arg_u32(1)});
  CHECK(std::count(run.printed.begin(), run.printed.end(), '\n') == 1048576 / 40);
  CHECK(run.printed.ends_with(line(2999, 31, 0)));
  Buffer out = run.device.allocate<uint64_t>(3000 * 32, "out");
  run.device.launch(module, "take", {3000}, {32}, {out, arg_u64(16), arg_u32(0)});
  std::vector<uint64_t> found = run.words(out);
  CHECK(std::count(found.begin(), found.end(), 0) == 0);
  std::sort(found.begin(), found.end());
  CHECK(std::adjacent_find(found.begin(), found.end()) == found.end());
  run.device.launch(module, "give", {1}, {1}, {arg_u64(found[77])});  // it is allocated
}

}  // namespace warptime::host
