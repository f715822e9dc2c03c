// Launches that never end because their warps poll what nobody will write are reported; those that only take long are
// not, however little of what they do can be seen from outside.
#include <fmt/format.h>

#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "tools/run_program.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

struct SpinRun {
  std::optional<sim::Fault> fault;
  std::vector<uint32_t> words;
  std::string text = {};  // of the fault
};

struct SpinMachine {
  const char* name;
  bool functional;
};
constexpr SpinMachine kSpinMachines[] = {{"generic", true}, {"jetson-tk1", true}, {"jetson-tk1", false}};

/// Runs `body` in one block; %rd1 is the address of 64 words of zeros, %r1 the thread, %r2 its warp; LONG(count)
/// counts. A body without predicates makes a kernel without them.
SpinRun spin(const SpinMachine& how, const std::string& body, uint32_t threads = 64, uint32_t host_threads = 2,
             uint32_t blocks = 1, Cycle max_cycles = kNever) {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(how.name, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  sim::RunOptions options;
  options.functional = how.functional;
  options.threads = host_threads;
  options.max_cycles = max_cycles;
  Device device(loaded->machine, options);
  std::string text = R"(.version 7.0
.target sm_30
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<9>; .reg .b32 %r<20>; .reg .pred %p<9>;
  .shared .align 8 .b32 sh[64]; .local .align 4 .b32 own[4];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5;
)" + std::string(body.find("%p") == body.npos ? "" : "  setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r2, 1;\n") +
                     body + "\n  exit;\n}\n";
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  SpinRun run{std::nullopt, std::vector<uint32_t>(64)};
  Buffer out = device.allocate<uint32_t>(64, "out");
  device.copy_to(out, run.words, "out");
  try {
    device.launch(module, "k", {blocks}, {threads}, {out});
  } catch (const FaultError& error) {
    run.fault = error.fault;
    run.text = error.what();
  }
  device.read_bytes(std::as_writable_bytes(std::span(run.words)), out.address);
  return run;
}

/// So many turns that several watches begin and end meanwhile.
std::string takes_long(const SpinMachine& how, std::string_view label) {
  return fmt::format("  mov.u32 %r10, {1};\n{0}: sub.u32 %r10, %r10, 1; setp.ne.u32 %p8, %r10, 0; @%p8 bra {0};\n",
                     label, how.functional ? 300'000 : 50'000);
}

void check_livelock(const SpinRun& run, const std::vector<std::string>& parts) {
  REQUIRE(run.fault.has_value());
  CHECK(run.fault->kind == sim::Fault::Kind::Livelock);
  CHECK_THAT(run.text, Catch::Contains("kernel k never ends"));
  for (const std::string& part : parts) CHECK_THAT(run.text, Catch::Contains(part));
}

}  // namespace

TEST_CASE("an empty endless loop is reported, also in a kernel without predicates") {
  for (const SpinMachine& how : kSpinMachines) check_livelock(spin(how, "L: bar.sync 0; bra L;"), {});
}

TEST_CASE("a launch whose warps poll a flag that nobody writes is reported") {
  for (const SpinMachine& how : kSpinMachines) {
    INFO(how.name << (how.functional ? "" : ", timed"));
    SpinRun run = spin(how, R"(
WAIT: ld.volatile.global.u32 %r3, [%rd1+4];
  setp.eq.u32 %p3, %r3, 0;
  @%p3 bra WAIT;)");
    check_livelock(run, {"block (0,0,0) warp 0: repeats PTX lines 11-13, polls address 0x", "04 (line 11)",
                         "block (0,0,0) warp 1: repeats"});
    CHECK(run.fault->has_cycle == !how.functional);
  }
}

TEST_CASE("so are those that spin on a lock, on shared memory, around a barrier, or while others wait at one",
          "[full]") {
  const char* const kLock = R"(
  atom.global.exch.b32 %r4, [%rd1], 1;
TRY: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p3, %r3, 0; @%p3 bra TRY;)";
  const char* const kShared = R"(
  st.shared.u32 [sh], 7;
WAIT: st.shared.u32 [sh+8], 9; ld.volatile.shared.u32 %r3, [sh+4]; st.global.u32 [%rd1+8], 5;
  st.local.u32 [own], %r1; atom.shared.or.b32 %r5, [sh], 7; setp.eq.u32 %p3, %r3, 0; @%p3 bra WAIT;)";
  const char* const kAround = R"(
WAIT: bar.sync 0; ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p3, %r3, 0; @%p3 bra WAIT;)";
  const char* const kBeside = R"(
  @%p1 bra WAIT;
  bar.sync 1, 64;
  bra DONE;
WAIT: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p3, %r3, 0; @%p3 bra WAIT;
DONE:)";
  const char* const kBackoff = R"(
  mov.u32 %r7, 1;
WAIT: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p3, %r3, 0; @!%p3 bra DONE;
  mov.u32 %r8, %r7;
PAUSE: sub.u32 %r8, %r8, 1; setp.ne.u32 %p4, %r8, 0; @%p4 bra PAUSE;
  shl.b32 %r7, %r7, 1; min.u32 %r7, %r7, 300;
  bra WAIT;
DONE:)";
  for (const SpinMachine& how : kSpinMachines) {
    INFO(how.name << (how.functional ? "" : ", timed"));
    check_livelock(spin(how, kLock), {"(line 12)"});
    check_livelock(spin(how, kShared), {"shared address 0x4 (line 12)"});
    check_livelock(spin(how, kAround), {"warp 1"});
    check_livelock(spin(how, kBeside), {"warp 0: repeats PTX line 14", "warp 1: waits at barrier 1 (32 of 64 threads"});
    check_livelock(spin(how, kBackoff), {"repeats PTX lines 12-16", "(line 12)"});
  }
}

TEST_CASE("a lock that the lanes of one warp take one by one: the report says who holds it, and where it waits") {
  const char* const kLock = R"(
TRY: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p3, %r3, 0; @%p3 bra TRY;
  st.global.u32 [%rd1+4], %r1;
  atom.global.exch.b32 %r4, [%rd1], 0;)";
  // On machines in which the lanes of a warp go on together. The loop is line 11.
  for (const SpinMachine& how : {kSpinMachines[1], kSpinMachines[2]}) {
    SpinRun run = spin(how, kLock);
    check_livelock(run,
                   {"k.ptx:11:", "hint: block (0,0,0) warp 0 lanes 1-31 repeat PTX line 11 until out[0] at 0x",
                    " changes (it is 1)\n",
                    "block (0,0,0) warp 0 lane 0 has left that loop and holds the lock, but waits before PTX line 12 "
                    "until lanes 1-31 leave it, too",
                    "each waits for the next, and the last for block (0,0,0) warp 0\n"});
  }
  CHECK_FALSE(spin(kSpinMachines[0], kLock).fault.has_value());
}

TEST_CASE("a barrier of all blocks of a grid that is not resident at once: the report says which block has no place") {
  const std::string body = R"(
  atom.global.add.u32 %r3, [%rd1], 1;
WAIT: ld.volatile.global.u32 %r3, [%rd1]; setp.lt.u32 %p3, %r3, 20; @%p3 bra WAIT;)";
  for (const SpinMachine& how : {kSpinMachines[1], kSpinMachines[2]}) {
    SpinRun run = spin(how, body, 1, 2, 20);
    check_livelock(
        run, {"block (0,0,0) warp 0 repeats PTX line 12 until out[0] at 0x", " changes (it is 16)\n",
              "4 of 20 blocks have no place (the first is block (16,0,0)): each begins when a resident block ends\n"});
  }
}

TEST_CASE("a flag that is written late ends those that poll it", "[full]") {
  for (const SpinMachine& how : kSpinMachines) {
    INFO(how.name << (how.functional ? "" : ", timed"));
    std::string wait = "WAIT: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p3, %r3, 0; @%p3 bra WAIT;\n";
    std::string write = "  st.volatile.global.u32 [%rd1], 1;\n";
    SpinRun run =
        spin(how, "  @%p1 bra WAIT;\n" + takes_long(how, "LONG") + write + "  bra DONE;\n" + wait + "DONE:\n");
    CHECK_FALSE(run.fault.has_value());
    CHECK(run.words[0] == 1);
    // Warp 2 comes to the barrier late; then warp 1 writes.
    run = spin(how,
               "  @%p1 bra WAIT;\n  @%p2 bra BAR;\n" + takes_long(how, "LONG") +
                   "BAR: bar.sync 1, 64;\n  @%p2 bra WRITE;\n"
                   "  bra DONE;\nWRITE:\n" +
                   write + "  bra DONE;\n" + wait + "DONE:\n",
               96);
    CHECK_FALSE(run.fault.has_value());
    CHECK(run.words[0] == 1);
    // Only the votes at a barrier tell it; nothing is written to memory.
    run = spin(how,
               "  mov.u32 %r3, 0; @%p1 bra WAIT;\n" + takes_long(how, "LONG") +
                   "  mov.u32 %r3, 1;\nWAIT: setp.ne.u32 %p3, %r3, 0; bar.red.or.pred %p3, 0, %p3; @!%p3 bra WAIT;\n");
    CHECK_FALSE(run.fault.has_value());
  }
}

TEST_CASE("what takes long and ends is not reported", "[full]") {
  const std::string limit = "  setp.lt.u32 %p3, %r3, 150000; mov.u32 %r3, 0; @%p3 bra LOOP;\n";
  // At every jump all registers are as before: only memory, or the time, says how far it is.
  const std::string bodies[] = {
      "LOOP: atom.shared.add.u32 %r3, [sh], 1;\n" + limit,
      "LOOP: ld.volatile.shared.u32 %r3, [sh]; add.u32 %r3, %r3, 1; st.volatile.shared.u32 [sh], %r3;\n" + limit,
      "LOOP: ld.local.u32 %r3, [own]; add.u32 %r3, %r3, 1; st.local.u32 [own], %r3;\n" + limit,
      "LOOP: mov.u32 %r3, %clock; setp.lt.u32 %p3, %r3, 2500000; mov.u32 %r3, 0; @%p3 bra LOOP;\n",
      "LOOP: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 400000; @%p3 bra LOOP;\n",
  };
  for (const SpinMachine& how : {kSpinMachines[0], kSpinMachines[1]})
    for (const std::string& body : bodies) {
      INFO(how.name << body);
      CHECK_FALSE(spin(how, body, 32).fault.has_value());
    }
  // In time global memory is slow enough for fewer turns.
  const std::string global =
      "LOOP: atom.global.add.u32 %r3, [%rd1], 1; setp.lt.u32 %p3, %r3, 150000; mov.u32 %r3, 0; "
      "@%p3 bra LOOP;\n";
  CHECK_FALSE(spin(kSpinMachines[2], global, 32).fault.has_value());
  CHECK_FALSE(spin(kSpinMachines[0], global, 32).fault.has_value());
  CHECK_FALSE(spin(kSpinMachines[2], bodies[3], 32).fault.has_value());
}

TEST_CASE("where lanes are scheduled independently, a lane's flag that comes late ends the others' polling") {
  std::string text =
      "  and.b32 %r4, %r1, 31; setp.eq.u32 %p3, %r4, 31; @%p3 bra LATE;\n"
      "WAIT: ld.volatile.shared.u32 %r3, [sh]; setp.eq.u32 %p4, %r3, 0; @%p4 bra WAIT;\n  bra DONE;\nLATE:\n";
  std::string written = "  st.volatile.shared.u32 [sh], 1;\nDONE:\n";
  CHECK_FALSE(spin(kSpinMachines[0], text + takes_long(kSpinMachines[0], "LONG") + written, 32).fault.has_value());
  check_livelock(spin(kSpinMachines[0], text + "DONE:\n", 32), {"shared address 0x0"});
}

TEST_CASE("the report of a launch that never ends is the same for any number of host threads") {
  const std::string body =
      "  mov.u32 %r4, %ctaid.x; mad.wide.u32 %rd2, %r4, 4, %rd1;\nWAIT: ld.volatile.global.u32 %r3, [%rd2]; "
      "setp.eq.u32 %p3, %r3, 0; @%p3 bra WAIT;\n";
  for (const SpinMachine& how : kSpinMachines) {
    SpinRun one = spin(how, body, 64, 1, 20);
    REQUIRE(one.fault.has_value());
    for (uint32_t threads : {2u, 3u, 8u}) {
      SpinRun several = spin(how, body, 64, threads, 20);
      REQUIRE(several.fault.has_value());
      CHECK(several.text == one.text);
    }
  }
}

TEST_CASE("without time, a launch ends after as many warp instructions as --max-cycles says") {
  // It counts the instructions of all warps: 6 for each warp before the loop, then 4 for each turn.
  const std::string loop =
      "LOOP: ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3; bra LOOP;\n";
  for (const SpinMachine& how : {kSpinMachines[0], kSpinMachines[1]}) {
    const uint32_t limit = test::kSanitized ? 200'000 : 1'000'000;
    std::optional<std::string> text;
    for (uint32_t threads : {1u, 2u, 3u, 8u}) {
      SpinRun run = spin(how, loop, 64, threads, 40, limit);
      REQUIRE(run.fault.has_value());
      CHECK(run.fault->kind == sim::Fault::Kind::CycleLimit);
      if (!text) text = run.text;
      CHECK(run.text == *text);
    }
    CHECK_THAT(*text, Catch::Contains(fmt::format("kernel k was not finished after {} warp instructions", limit)));
    CHECK(text->find("0 of 40 blocks had ended") != std::string::npos);
    CHECK(text->find("block (0,0,0) warp 0: runs, PTX line") != std::string::npos);
    // Four instructions for each of 80 warps, the last of them the exit.
    CHECK_FALSE(spin(how, "", 64, 2, 40, 320).fault.has_value());
    CHECK(spin(how, "", 64, 2, 40, 319).fault.has_value());
  }
}

}  // namespace warptime::host
