// Programs of several launches whose host reads results and decides by them, with kernels that allocate on the device
// heap, call themselves, print, and use shared and local memory: they continue from a checkpoint in any of their
// launches. The workloads are in tests/workloads/test_checkpoints.cc.
#include "host/checkpoint/checkpoints.h"

#include <nlohmann/json.hpp>

#include "host/report/report.h"
#include "sim/model/machine_loader.h"
#include "unit/host/host_test.h"

namespace warptime::host::continued {

namespace {

constexpr uint32_t kGrid = 5, kBlock = 64, kAll = kGrid * kBlock;

const char* const kModule = R"(.version 6.4
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 values);
.extern .func (.param .b64 r) malloc (.param .b64 bytes);
.extern .func free (.param .b64 address);
.global .align 1 .b8 line[8] = {37, 117, 58, 32, 37, 117, 10, 0};
.const .align 4 .b32 step = 3;

.func (.param .b32 r) product (.param .b32 n) {
  .reg .b32 a, b; .reg .pred p;
  ld.param.u32 a, [n]; setp.le.u32 p, a, 1; @p bra DONE;
  sub.u32 b, a, 1;
  { .param .b32 pn; .param .b32 pr; st.param.b32 [pn], b; call (pr), product, (pn); ld.param.b32 b, [pr]; }
  mul.lo.u32 a, a, b;
DONE:
  st.param.b32 [r], a;
  ret;
}

.entry build(.param .u64 table) {
  .reg .b32 t, c, n, v; .reg .b64 p, a, o, f, w; .reg .pred q; .local .align 8 .b8 args[8];
  mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 n, %ntid.x; mad.lo.u32 c, c, n, t;
  and.b32 v, c, 3; add.u32 v, v, 1; mul.wide.u32 o, v, 16;
  { .param .b64 pb; .param .b64 pr; st.param.b64 [pb], o; call.uni (pr), malloc, (pb); ld.param.b64 p, [pr]; }
  ld.param.u64 a, [table]; mul.wide.u32 o, c, 8; add.u64 a, a, o; st.global.u64 [a], p;
  rem.u32 v, c, 11;
  { .param .b32 pn; .param .b32 pr; st.param.b32 [pn], v; call (pr), product, (pn); ld.param.b32 v, [pr]; }
  st.u32 [p], v;
  and.b32 n, t, 31; setp.ne.u32 q, n, 9; @q bra END;
  st.local.u32 [args], c; st.local.u32 [args+4], v;
  mov.u64 f, line; cvta.global.u64 f, f; mov.u64 w, args; cvta.local.u64 w, w;
  { .param .b64 pf; .param .b64 pv; .param .b32 pr;
    st.param.b64 [pf], f; st.param.b64 [pv], w; call.uni (pr), vprintf, (pf, pv); }
END:
  ret;
}

.entry next(.param .u64 table, .param .u64 sum) {
  .reg .b32 t, c, n, v, u; .reg .b64 p, a, o; .shared .align 4 .b8 room[256];
  mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 n, %ntid.x; mad.lo.u32 c, c, n, t;
  ld.param.u64 a, [table]; mul.wide.u32 o, c, 8; add.u64 a, a, o; ld.global.u64 p, [a];
  ld.u32 v, [p]; ld.const.u32 u, [step]; add.u32 v, v, u; st.u32 [p], v;
  mul.lo.u32 c, t, 4; mov.u32 n, room; add.u32 n, n, c; st.shared.u32 [n], v;
  bar.sync 0;
  xor.b32 t, t, 1; mul.lo.u32 c, t, 4; mov.u32 n, room; add.u32 n, n, c; ld.shared.u32 u, [n];
  ld.param.u64 a, [sum]; atom.global.add.u32 v, [a], u;
  ret;
}

.entry drop(.param .u64 table) {
  .reg .b32 t, c, n; .reg .b64 p, a, o;
  mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 n, %ntid.x; mad.lo.u32 c, c, n, t;
  ld.param.u64 a, [table]; mul.wide.u32 o, c, 8; add.u64 a, a, o; ld.global.u64 p, [a];
  { .param .b64 pp; st.param.b64 [pp], p; call.uni free, (pp); }
  ret;
}
)";

struct Outcome {
  std::string printed, report;
  uint32_t sum = 0;
  uint64_t turns = 0;
  std::vector<uint64_t> lengths;  // of the launches, in cycles or instructions
};

sim::Machine machine_named(const char* name) {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(name, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  return loaded->machine;
}

/// `other_sum`: the sums go to another buffer, a difference in the parameters of launches alone.
Outcome run_program(const char* machine, uint32_t threads, Checkpoints* checkpoints, uint32_t step = 3,
                    bool other_sum = false) {
  Outcome out;
  sim::RunOptions options;
  options.threads = threads;
  // Edges within windows, at which calls of malloc and free may still wait for their answers.
  if (threads == 3) options.step = sim::Step::Quarter;
  sim::PrintedText printed;
  options.listener = &printed;
  Device device(machine_named(machine), options);
  device.checkpoint(checkpoints);
  ModuleRef module = device.load_module(std::make_shared<SourceText>("heap.ptx", kModule));
  device.set_symbol(module, "step", std::as_bytes(std::span(&step, 1)));
  const Buffer table = device.allocate<uint64_t>(kAll, "table"), sum = device.allocate<uint32_t>(1, "sum");
  auto launch = [&](const char* kernel, const std::vector<Argument>& arguments) {
    const sim::LaunchStatistics done = device.launch(module, kernel, {kGrid}, {kBlock}, arguments);
    out.lengths.push_back(done.timed ? done.cycles : done.counts.warp_instructions);
  };
  launch("build", {table});
  std::vector<uint32_t> read(1);
  const Buffer more = device.allocate<uint32_t>(100, "more");
  for (uint32_t last = 0; out.turns == 0 || read[0] - last < 0x0a800000; ++out.turns) {
    last = read[0];
    launch("next", {table, other_sum ? more : sum});
    device.copy_from(read, sum, "sum");
    if (out.turns == 40) break;
  }
  device.free(more);
  launch("drop", {table});
  out.sum = read[0];
  RunReport report;
  report.launches = device.launches();
  report.timeline = device.timeline();
  nlohmann::ordered_json json = to_json(report);
  json.erase("host");
  out.report = json.dump();
  out.printed = printed.text;
  return out;
}

const RunIdentity kIdentity{"0.1.0", "machine", "0123456789abcdef", "target", {}};

}  // namespace

TEST_CASE("a program continues in any of its launches, with its heap, what it had read, and what it still prints",
          "[full]") {
  for (const char* machine : {"geforce-gtx-480", "generic"}) {
    CAPTURE(machine);
    const Outcome whole = run_program(machine, 1, nullptr);
    REQUIRE(whole.lengths.size() > 5);
    REQUIRE(whole.printed.size() > 50);
    std::vector<Checkpoint> checkpoints;
    Checkpoints writing(kIdentity);
    for (uint64_t launch : {uint64_t{0}, uint64_t{1}, uint64_t{3}, whole.lengths.size() - 1})
      for (uint64_t part : {0, 1, 2, 3, 4, 5, 6, 7})
        writing.write_at(launch, whole.lengths[launch] * part / 8,
                         [&](const Checkpoint& written) { checkpoints.push_back(written); });
    CHECK(run_program(machine, 3, &writing).report == whole.report);
    CHECK(checkpoints.size() >= 16);
    for (const Checkpoint& checkpoint : checkpoints) {
      CAPTURE(checkpoint.launch, checkpoint.snapshot.now());
      Checkpoints continuing(kIdentity);
      continuing.continue_from(read_checkpoint(checkpoint_text(checkpoint)));
      const Outcome rest = run_program(machine, 2, &continuing);
      CHECK_FALSE(continuing.still_to_continue());
      CHECK(rest.report == whole.report);
      CHECK(rest.sum == whole.sum);
      CHECK(rest.printed == (checkpoint.launch == 0 ? whole.printed : ""));
    }
  }
}

TEST_CASE("a run that was continued writes checkpoints that can be continued") {
  const Outcome whole = run_program("geforce-gtx-480", 1, nullptr);
  std::optional<Checkpoint> last;
  auto keep = [&](const Checkpoint& written) { last = written; };
  Checkpoints first(kIdentity);
  first.write_at(0, 100, keep);
  run_program("geforce-gtx-480", 1, &first);
  for (uint64_t launch : {1, 2, 4}) {
    REQUIRE(last.has_value());
    Checkpoints next(kIdentity);
    next.continue_from(*last);
    next.write_at(launch, 200, keep);
    CHECK(run_program("geforce-gtx-480", 1, &next).report == whole.report);
    CHECK(last->launch == launch);
  }
}

TEST_CASE("what the host writes to the device, and its kernels, are those of the checkpoint") {
  std::optional<Checkpoint> checkpoint;
  Checkpoints writing(kIdentity);
  writing.write_at(2, 0, [&](const Checkpoint& written) { checkpoint = written; });
  run_program("generic", 1, &writing);
  REQUIRE(checkpoint.has_value());
  struct Other {
    uint32_t step;
    bool other_sum;
  };
  for (const Other& other : {Other{2, false}, Other{4, false}, Other{3, true}}) {
    Checkpoints continuing(kIdentity);
    continuing.continue_from(*checkpoint);
    std::string error = input_error([&] { run_program("generic", 1, &continuing, other.step, other.other_sum); });
    CHECK_THAT(error, Catch::Contains("the host program differs from that of the run that wrote the checkpoint"));
  }
}

TEST_CASE("a launch that polls for ever is found out at the same cycle after it was continued") {
  const char* const polls =
      ".version 6.4\n.target sm_20\n.address_size 64\n.entry k(.param .u64 flag) { .reg .b32 v; .reg .b64 a; .reg "
      ".pred p;\n"
      "ld.param.u64 a, [flag];\nL: ld.volatile.global.u32 v, [a]; setp.eq.u32 p, v, 0; @p bra L; ret; }\n";
  auto fault = [&](Checkpoints* checkpoints, uint32_t threads) {
    sim::RunOptions options;
    options.threads = threads;
    Device device(machine_named("geforce-gtx-480"), options);
    device.checkpoint(checkpoints);
    ModuleRef module = device.load_module(std::make_shared<SourceText>("polls.ptx", polls));
    const Buffer flag = device.allocate<uint32_t>(1, "flag");
    try {
      device.launch(module, "k", {3}, {64}, {flag});
    } catch (const FaultError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  std::vector<Checkpoint> checkpoints;
  Checkpoints writing(kIdentity);
  for (Cycle cycle :
       {Cycle{1'000'000}, Cycle{1'049'000}, Cycle{1'052'000}, Cycle{1'055'000}})  // the last ones during a watch
    writing.write_at(0, cycle, [&](const Checkpoint& written) { checkpoints.push_back(written); });
  const std::string whole = fault(&writing, 1);
  CHECK_THAT(whole, Catch::Contains("repeats PTX line"));
  CHECK(checkpoints.size() >= 3);
  for (const Checkpoint& checkpoint : checkpoints) {
    Checkpoints continuing(kIdentity);
    continuing.continue_from(read_checkpoint(checkpoint_text(checkpoint)));
    CHECK(fault(&continuing, 3) == whole);
  }
}

TEST_CASE("checkpoints follow each other in the host's time", "[full]") {
  size_t written = 0;
  Checkpoints every(kIdentity);
  every.write_every(std::chrono::duration<double>(1e-9), [&](const Checkpoint&) { ++written; });
  const Outcome run = run_program("geforce-gtx-480", 1, &every);
  CHECK(written >= run.lengths.size());
  written = 0;
  Checkpoints rarely(kIdentity);
  rarely.write_every(std::chrono::hours(1), [&](const Checkpoint&) { ++written; });
  run_program("geforce-gtx-480", 1, &rarely);
  CHECK(written == 0);
}

}  // namespace warptime::host::continued
