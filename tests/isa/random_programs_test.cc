// Random programs against the outputs that a real GPU gave (recorded/programs.gz): functionally on `generic`, and some
// with timing, where the same instructions run by other ways. And the tool that makes failing ones small.
#include <algorithm>
#include <catch2/catch.hpp>

#include "random/generator.h"
#include "random/shrink.h"
#include "random/simulated.h"
#include "sim/model/machine_loader.h"
#include "vector_file.h"

namespace warptime::sim {

namespace {

constexpr uint64_t kFirst = 1000, kRecorded = 300, kQuick = 100;  // seeds

const VectorFile& recorded_programs() {
  static const VectorFile file = read_vectors(WARPTIME_SOURCE_DIR "/tests/isa/recorded/programs.gz");
  return file;
}

Machine machine_of(std::string_view name, const std::vector<std::string>& overrides) {
  Diagnostics diagnostics;
  auto loaded = load_machine(name, overrides, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(loaded.has_value());
  return loaded->machine;
}

void check(const Program& program, const Machine& machine, bool functional) {
  auto found = recorded_programs().forms.find("program " + std::to_string(program.seed));
  REQUIRE(found != recorded_programs().forms.end());
  Outcome got = simulated(program, machine, functional);
  INFO("program " << program.seed << ": record_programs --ptx prints it, docs/contributing.md says how to shrink it");
  CHECK(got.error == "");
  if (got.error.empty()) CHECK(digest_difference(found->second.bytes, digest_of(program, got.output)) == "");
}

/// A machine with timing that is told to accept all instructions.
Machine timed_machine(std::string_view name) {
  Machine out = machine_of(name, {});
  out.config.features = machine_of("generic", {}).config.features;
  return out;
}

/// Whether a machine whose lanes diverge by a stack can run it: barriers are met on one way, and no lane ends in a
/// branch, as such a branch has no meeting point before the kernel's end.
bool suits_a_stack(const Program& program) {
  return !program.barriers_in_branches && text_of(program).find(" exit;") == std::string::npos;
}

/// Whether its kernel is arranged as `native:` of the machine says: code of device functions is not.
bool is_arranged(const Program& program) { return text_of(program).find("call ") == std::string::npos; }

/// The output on a machine that orders instructions and allocates registers, few of them, is that of one that does not.
size_t check_arranged(uint64_t first, uint64_t count, std::string_view machine, bool functional) {
  const std::vector<std::string> few{"native.schedule=list", "native.allocate=linear_scan", "native.unroll=loops",
                                     "sm.max_registers_per_thread=40"};
  Machine plain = machine_of(machine, {}), arranged = machine_of(machine, few);
  plain.config.features = arranged.config.features = machine_of("generic", {}).config.features;
  size_t compared = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Program program = random_program(seed);
    if (!is_arranged(program) || (!functional && !suits_a_stack(program))) continue;
    Outcome expected = simulated(program, plain, functional), got = simulated(program, arranged, functional);
    INFO("program " << seed);
    CHECK(got.error == expected.error);
    CHECK((got.output == expected.output));
    compared += expected.error.empty() ? 1 : 0;
  }
  return compared;
}

Fails has(std::string_view word) {
  return [word](const Program& p) { return text_of(p).find(word) != std::string::npos; };
}

}  // namespace

TEST_CASE("random programs give the outputs that a GPU recorded") {
  Machine generic = machine_of("generic", {});
  CHECK(recorded_programs().forms.size() == kRecorded);
  for (uint64_t seed = kFirst; seed < kFirst + kQuick; ++seed) check(random_program(seed), generic, true);
}

TEST_CASE("all random programs give the outputs that a GPU recorded", "[full]") {
  Machine generic = machine_of("generic", {});
  for (uint64_t seed = kFirst + kQuick; seed < kFirst + kRecorded; ++seed) check(random_program(seed), generic, true);
}

TEST_CASE("random programs give the same outputs with timing") {
  Machine gtx480 = timed_machine("geforce-gtx-480");
  size_t timed = 0;
  for (uint64_t seed = kFirst; timed < 10; ++seed) {
    Program program = random_program(seed);
    if (!suits_a_stack(program)) continue;
    check(program, gtx480, false);
    ++timed;
  }
}

TEST_CASE("random programs that suit a stack give the same outputs with timing", "[full]") {
  Machine gtx480 = timed_machine("geforce-gtx-480"), tk1 = timed_machine("jetson-tk1");
  for (uint64_t seed = kFirst; seed < kFirst + kRecorded; ++seed) {
    Program program = random_program(seed);
    if (suits_a_stack(program)) check(program, seed % 2 == 0 ? gtx480 : tk1, false);
  }
}

TEST_CASE("random programs give the same outputs in a list scheduler's order, with few registers") {
  CHECK(check_arranged(kFirst, 150, "generic", true) >= 30);
  CHECK(check_arranged(kFirst, 150, "geforce-gtx-480", false) >= 5);
}

TEST_CASE("a thousand random programs give the same outputs in a list scheduler's order, with few registers",
          "[full]") {
  CHECK(check_arranged(kFirst, 5000, "generic", true) >= 1000);
  CHECK(check_arranged(kFirst, 5000, "geforce-gtx-480", false) >= 200);
}

TEST_CASE("random programs are made of everything") {
  static constexpr std::string_view kWords[] = {"bra.uni",
                                                "brx.idx %rt0",
                                                "brx.idx.uni",
                                                "call ",
                                                ".reg .b64 result",
                                                ".param .b64 result",
                                                ".b8 result[16]",
                                                ".b8 array_x[32]",
                                                "exit",
                                                "@%q ret",
                                                "LOOP_",
                                                "NEXT_",
                                                "barrier.sync",
                                                "bar.sync",
                                                "bar.warp.sync",
                                                "bar.red.popc.u32",
                                                "bar.red.and.pred",
                                                "bar.cta.red.or.pred",
                                                "barrier.red.popc",
                                                ".red.and.aligned.pred",
                                                "bar.arrive",
                                                "vote.sync.ballot",
                                                "vote.sync.all",
                                                "shfl.sync.up.b32",
                                                "shfl.sync.down.b32",
                                                "shfl.sync.bfly.b32",
                                                "shfl.sync.idx.b32",
                                                "match.any.sync.b32",
                                                "match.any.sync.b64",
                                                "match.all.sync.b32",
                                                "match.all.sync.b64",
                                                "redux.sync.add.u32",
                                                "redux.sync.min.s32",
                                                "redux.sync.xor.b32",
                                                "red.shared",
                                                "red.global",
                                                "atom.shared.cas",
                                                "atom.global.add.f32",
                                                "atom.relaxed.gpu.",
                                                "atom.add.u64",
                                                "ld.local",
                                                "st.local",
                                                "ld.local.v4",
                                                "st.local.v2",
                                                "ld.const",
                                                "ld.const.v4",
                                                "ld.global.v4",
                                                "st.shared.v2",
                                                "ld.shared.v4",
                                                "ldu.global",
                                                "ld.global.nc",
                                                "ld.global.cg",
                                                "isspacep.shared",
                                                "isspacep.const",
                                                "fence.",
                                                "add.cc.u32",
                                                "addc.cc.s32",
                                                "addc.u64",
                                                "sub.cc.s64",
                                                "subc.cc.u32",
                                                "subc.u64",
                                                "mad.lo.cc.",
                                                "mad.hi.cc.",
                                                "madc.lo.cc.",
                                                "madc.hi.cc.",
                                                "madc.hi.u64",
                                                "dp4a.u32.s32",
                                                "dp2a.hi.s32.u32",
                                                "dp2a.lo.",
                                                "fns.b32",
                                                "lop3.b32",
                                                "lop3.and.b32",
                                                "lop3.or.b32",
                                                "shf.l.wrap",
                                                "shf.r.clamp",
                                                "bfe.s64",
                                                "bfi.b64",
                                                "%lanemask_lt",
                                                "fma.rp.f64",
                                                "div.rm.ftz.f32",
                                                "cvt.rzi.s64.f64",
                                                "cvt.sat.",
                                                "setp.",
                                                "slct.",
                                                "prmt.b32.rc8",
                                                "mad24.hi"};
  std::string all;
  for (uint64_t seed = 0; seed < 150; ++seed) all += text_of(random_program(seed));
  for (std::string_view word : kWords) {
    INFO(word);
    CHECK(all.find(word) != std::string::npos);
  }
}

TEST_CASE("random functions call others, and take and give arrays") {
  size_t calls = 0, arrays = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    std::string text = text_of(random_program(seed)), functions = text.substr(0, text.find(".entry"));
    calls += functions.find("call (y)") != std::string::npos;
    arrays += functions.find("array_x") != std::string::npos;
  }
  CHECK(calls > 10);
  CHECK(arrays > 3);
}

TEST_CASE("a seed makes one program, another seed another") {
  CHECK(text_of(random_program(7)) == text_of(random_program(7)));
  CHECK(text_of(random_program(7)) != text_of(random_program(8)));
}

TEST_CASE("a failing program is shrunk to what fails") {
  Program program;
  for (uint64_t seed = 0; !has("brx.idx")(program); ++seed) program = random_program(seed);
  REQUIRE(statement_count(program) > 20);
  Program small = shrunk(program, has("brx.idx"), 100000);
  CHECK(statement_count(small) == 1);  // all control flow around it is gone too, unless it was in a function
  CHECK(has("brx.idx")(small));
  CHECK(small.shape.blocks() == 1);

  size_t calls = 0;
  auto counted = [&](const Program& p) { return ++calls, has("brx.idx")(p); };
  CHECK(statement_count(shrunk(program, counted, 3)) > 1);
  CHECK(calls == 3);
}

TEST_CASE("whatever is taken out of a program, the rest runs") {
  Machine generic = machine_of("generic", {});
  for (std::string_view word : {"shfl.sync.up", "match.all.sync", "bar.red", "bar.arrive", "madc.hi", "lop3.and",
                                "isspacep", "@%q ret", "array_x", "brx.idx.uni"}) {
    INFO(word);
    Program program;
    for (uint64_t seed = 0; !has(word)(program); ++seed) program = random_program(seed);
    size_t routines = program.routines.size();
    auto fails = [&](const Program& p) {
      if (!has(word)(p)) return false;
      Outcome got = simulated(p, generic, true);
      if (p.routines.size() == routines) CHECK(got.error == "");  // of others, a function may be missed
      if (got.error.empty()) routines = p.routines.size();
      return got.error.empty();
    };
    CHECK(statement_count(shrunk(program, fails, 200)) <= 3);  // it, and control flow that gives it its meaning
  }
}

TEST_CASE("a digest says which threads differ") {
  Program program = random_program(1);
  std::vector<uint64_t> output = initial_output(program);
  std::string digest = digest_of(program, output);
  CHECK(digest_difference(digest, digest) == "");
  output[kSumBytes / 8 + 2 * kRecordBytes / 8 + 5] ^= 1;
  CHECK(digest_difference(digest, digest_of(program, output)) == "thread 2, 1 records differ");
  output[0] ^= 1;
  CHECK(digest_difference(digest, digest_of(program, output)) == "the common words, thread 2, 2 records differ");
  CHECK_THAT(digest_difference(digest, digest_of(random_program(2), output)), Catch::Contains("record anew"));
}

}  // namespace warptime::sim
