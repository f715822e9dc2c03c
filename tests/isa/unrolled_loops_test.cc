// Values of loops that a machine unrolls: those of the same loops as they are, for every number of rounds, in lanes
// that leave at different times, near the ends of the counter's type, and with barriers and shuffles among the
// instructions.
#include <catch2/catch.hpp>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kLanes = 64;  // two warps
constexpr size_t kWords = 6;     // of a lane's results

Machine machine_of(std::string_view name, const std::vector<std::string>& overrides) {
  Diagnostics diagnostics;
  auto loaded = load_machine(name, overrides, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(loaded.has_value());
  return loaded->machine;
}

/// How a loop counts. `width`: bits of its counter.
struct Counting {
  std::string compare;  // of setp, with its type
  int64_t step = 1;
  int width = 32;
  bool bound_first = false;
  std::string body = {};   // what a round does besides
  std::string bound = {};  // a constant; empty: that of the lane
};

/// A round reads one word, at an address that steps, and one at an address made from the counter; it keeps a sum of
/// all, its number, the counter before the step, and what the next round takes over.
std::string text_of(const Counting& how) {
  const bool wide = how.width == 64;
  const std::string r = wide ? "%rd" : "%r", type = wide ? "64" : "32";
  const std::string counter = r + "20", bound = how.bound.empty() ? r + "21" : how.bound;
  std::string out =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 data, .param .u64 out)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n.shared .align 4 .b8 words[512];\n"
      "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [data];\nld.param.u64 %rd3, [out];\nmov.u32 %r1, %tid.x;\n"
      "mul.wide.u32 %rd4, %r1, 16;\nadd.s64 %rd4, %rd1, %rd4;\n"
      "ld.global.u64 %rd20, [%rd4];\nld.global.u64 %rd21, [%rd4+8];\n"
      "cvt.u32.u64 %r20, %rd20;\ncvt.u32.u64 %r21, %rd21;\n"
      "mov.u32 %r2, 1;\nmov.u32 %r3, 0;\nmov.u32 %r4, 0;\nmov.u32 %r6, 7;\nmov.u64 %rd5, %rd2;\n"
      "shl.b32 %r10, %r1, 2;\nmov.u32 %r11, words;\nadd.s32 %r10, %r10, %r11;\nst.shared.u32 [%r10], %r1;\n"
      "bar.sync 0;\n"
      "LOOP:\n";
  out += wide ? "cvt.u32.u64 %r4, %rd20;\n" : "mov.u32 %r4, %r20;\n";
  out +=
      "and.b32 %r5, %r4, 63;\nmul.wide.u32 %rd6, %r5, 4;\nadd.s64 %rd7, %rd2, %rd6;\nld.global.u32 %r7, [%rd7];\n"
      "ld.global.u32 %r8, [%rd5+4];\nadd.s64 %rd5, %rd5, 4;\nmad.lo.s32 %r2, %r2, 33, %r7;\nxor.b32 %r2, %r2, %r8;\n"
      "add.s32 %r2, %r2, %r6;\nmov.b32 %r6, %r7;\nadd.s32 %r3, %r3, 1;\n";
  out += how.body;
  out += "add.s" + type + " " + counter + ", " + counter + ", " + std::to_string(how.step) + ";\n";
  out += "setp." + how.compare + " %p1, " + (how.bound_first ? bound + ", " + counter : counter + ", " + bound) +
         ";\n@%p1 bra LOOP;\n";
  out += wide ? "" : "cvt.u64.u32 %rd20, %r20;\n";
  out +=
      "mul.wide.u32 %rd8, %r1, 48;\nadd.s64 %rd3, %rd3, %rd8;\nselp.u32 %r9, 1, 0, %p1;\n"
      "st.global.u32 [%rd3], %r2;\nst.global.u32 [%rd3+8], %r3;\nst.global.u32 [%rd3+16], %r4;\n"
      "st.global.u64 [%rd3+24], %rd20;\nst.global.u32 [%rd3+32], %r6;\nst.global.u32 [%rd3+40], %r9;\nret;\n}\n";
  return out;
}

struct Lane {
  uint64_t start = 0, bound = 0;
};

struct Run {
  std::vector<uint64_t> words;
  uint64_t instructions = 0;  // issued by warps
};

Run run(const std::string& text, const std::vector<Lane>& lanes, const Machine& machine, bool functional) {
  RunOptions options;
  options.functional = functional;
  options.threads = 1;
  host::Device device(machine, options);
  std::vector<uint64_t> input;
  for (const Lane& lane : lanes) input.insert(input.end(), {lane.start, lane.bound});
  std::vector<uint32_t> data(4096);
  for (uint32_t i = 0; i < data.size(); ++i) data[i] = i * 2654435761u;
  Run out{std::vector<uint64_t>(lanes.size() * kWords), 0};
  auto in = device.allocate<uint64_t>(input.size(), "in");
  auto words = device.allocate<uint32_t>(data.size(), "data");
  auto results = device.allocate<uint64_t>(out.words.size(), "out");
  device.write_bytes(in.address, std::as_bytes(std::span(input)));
  device.write_bytes(words.address, std::as_bytes(std::span(data)));
  device.write_bytes(results.address, std::as_bytes(std::span(out.words)));
  auto module = device.load_module(std::make_shared<SourceText>("loop.ptx", text));
  const host::LaunchResult launch =
      device.launch(module, "k", {1, 1, 1}, {static_cast<uint32_t>(lanes.size()), 1, 1}, {in, words, results});
  device.read_bytes(std::as_writable_bytes(std::span(out.words)), results.address);
  out.instructions = launch.counted().counts.warp_instructions;
  return out;
}

/// Compares a loop, unrolled and not, timed and functional. Returns whether unrolling changed what was issued.
bool check(const Counting& how, const std::vector<Lane>& lanes) {
  static const Machine plain = machine_of("h200-sxm", {"native.unroll=none"});
  static const Machine unrolled = machine_of("h200-sxm", {"native.unroll=loops"});
  const std::string text = text_of(how);
  INFO(text);
  const Run expected = run(text, lanes, plain, false);
  const Run got = run(text, lanes, unrolled, false);
  CHECK((got.words == expected.words));
  CHECK((run(text, lanes, unrolled, true).words == expected.words));
  return got.instructions != expected.instructions;
}

/// Lane i runs i % 11 rounds, one if that is 0.
std::vector<Lane> lanes_from(uint64_t start, int64_t step, bool include_bound) {
  std::vector<Lane> out;
  for (uint32_t i = 0; i < kLanes; ++i) {
    const int64_t rounds = i % 11;
    const int64_t bound = static_cast<int64_t>(start) + step * (include_bound ? rounds - 1 : rounds);
    out.push_back({start, static_cast<uint64_t>(bound)});
  }
  return out;
}

}  // namespace

TEST_CASE("unrolled loops: each comparison, upwards and downwards, with 0 to 10 rounds in the lanes of a warp") {
  for (std::string type : {"u32", "s32", "u64", "s64"}) {
    const int width = type.ends_with("64") ? 64 : 32;
    for (int64_t step : {1, 3, 256}) {
      CHECK(check({"lt." + type, step, width}, lanes_from(1000, step, false)));
      CHECK(check({"le." + type, step, width}, lanes_from(1000, step, true)));
      CHECK(check({"gt." + type, -step, width}, lanes_from(100000, -step, false)));
      CHECK(check({"ge." + type, -step, width}, lanes_from(100000, -step, true)));
      CHECK(check({"gt." + type, step, width, true}, lanes_from(1000, step, false)));
      CHECK(check({"lt." + type, -step, width, true}, lanes_from(100000, -step, false)));
    }
  }
  CHECK(check({"lo.u32", 2}, lanes_from(0, 2, false)));
  CHECK(check({"ls.u32", 2}, lanes_from(1000, 2, true)));
  CHECK(check({"hi.u32", -2}, lanes_from(500, -2, false)));
  CHECK(check({"hs.u32", -2}, lanes_from(500, -2, true)));
}

TEST_CASE("unrolled loops: until two numbers are the same") {
  auto lanes = [](uint64_t start, int64_t step) {
    std::vector<Lane> out = lanes_from(start, step, false);
    for (Lane& lane : out)
      if (lane.bound == start) lane.bound = start + static_cast<uint64_t>(step);
    return out;
  };
  for (int64_t step : {1, 4, -1, -4}) {
    CHECK(check({"ne.s32", step}, lanes(10000, step)));
    CHECK(check({"ne.u32", step}, lanes(10000, step)));
    CHECK(check({"ne.b32", step}, lanes(10000, step)));
    CHECK(check({"ne.s64", step, 64}, lanes(10000, step)));
  }
  // From above to below, and the other way, past the ends of the signed and of the unsigned numbers.
  for (uint64_t start : {uint64_t{0x7ffffffd}, uint64_t{0xfffffffd}}) check({"ne.s32", 1}, lanes(start, 1));
  for (uint64_t start : {uint64_t{0x80000003}, uint64_t{3}}) check({"ne.s32", -1}, lanes(start, -1));
}

TEST_CASE("unrolled loops: all lanes of a warp with the same number of rounds") {
  for (uint64_t rounds = 0; rounds <= 9; ++rounds) {
    INFO(rounds);
    check({"lt.s32", 1}, std::vector<Lane>(kLanes, {0, rounds}));
    check({"lt.u32", 5}, std::vector<Lane>(kLanes, {2, 2 + 5 * rounds}));
    check({"gt.s32", -1}, std::vector<Lane>(kLanes, {rounds, 0}));
  }
}

TEST_CASE("unrolled loops: near the ends of the counter's type") {
  // A bound less three steps is below zero: no four rounds may begin there.
  for (uint64_t bound = 0; bound < 12; ++bound) {
    std::vector<Lane> lanes;
    for (uint64_t i = 0; i < kLanes; ++i) lanes.push_back({i % 13, bound});
    INFO(bound);
    check({"lt.u32", 3}, lanes);
    check({"le.u32", 3}, lanes);
    check({"lt.u64", 3, 64}, lanes);
  }
  // A step past the largest number goes on from the smallest, until it meets the 6 million numbers behind the bound.
  constexpr int64_t kStep = 12000001;
  std::vector<Lane> past;
  for (uint64_t i = 0; i < kLanes; ++i) past.push_back({i * 900001 % kStep, 0xffa47280});
  CHECK(check({"lt.u32", kStep}, past));
  // Signed numbers, and downwards.
  for (Lane& lane : past) lane.bound = 0x7fa47280;
  CHECK(check({"lt.s32", kStep}, past));
  for (Lane& lane : past) lane = {0xffffffff - lane.start, 0x5b8d80};
  CHECK(check({"gt.u32", -kStep}, past));
  for (uint64_t bound : {uint64_t{0x80000000}, uint64_t{0x80000001}, uint64_t{0x80000005}}) {
    INFO(bound);
    check({"lt.s32", 1}, std::vector<Lane>(kLanes, {0x80000000, bound}));
  }
  // Not towards the bound: the loop ends only past the largest number, and is kept.
  CHECK_FALSE(check({"ge.s32", 2}, std::vector<Lane>(kLanes, {0x7ffffff0, 0x80000005})));
}

TEST_CASE("unrolled loops: a bound that is a constant") {
  std::vector<Lane> lanes;
  for (uint64_t i = 0; i < kLanes; ++i) lanes.push_back({i % 13, 0});
  for (std::string_view bound : {"9", "12", "2", "3"}) {
    Counting how{"lt.u32", 1};
    how.bound = bound;
    INFO(bound);
    CHECK(check(how, lanes) == (bound != "2"));  // less three steps it is below zero
  }
}

TEST_CASE("unrolled loops: with a guard, a store, a barrier or a shuffle in a round") {
  const std::vector<Lane> same(kLanes, {0, 9}), different = lanes_from(0, 1, false);
  auto with = [](std::string body) {
    Counting how{"lt.s32", 1};
    how.body = std::move(body);
    return how;
  };
  for (const std::vector<Lane>& lanes : {same, different}) {
    CHECK(check(with("setp.gt.u32 %p2, %r7, 2000000000;\n@%p2 add.s32 %r2, %r2, 5;\n"), lanes));
    CHECK(check(with("@%p3 mov.u32 %r6, 9;\nsetp.lt.u32 %p3, %r7, 1000000000;\n"), lanes));
    CHECK(check(with("ld.shared.u32 %r12, [%r10];\nadd.s32 %r12, %r12, %r2;\nst.shared.u32 [%r10], %r12;\n"
                     "xor.b32 %r2, %r2, %r12;\n"),
                lanes));
  }
  // Nothing says that all lanes have the same bound: what they execute together keeps the loop.
  CHECK_FALSE(check(with("bar.sync 0;\n"), same));
  CHECK_FALSE(check(with("shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1;\n"), same));
  Counting alike = with("bar.sync 0;\nshfl.sync.bfly.b32 %r2, %r2, 1, 31, -1;\n");
  std::string text = text_of(alike);
  auto replace = [&](std::string_view from, std::string_view to) { text.replace(text.find(from), from.size(), to); };
  replace("cvt.u32.u64 %r20, %rd20;", "mov.u32 %r20, 0;");
  replace("cvt.u32.u64 %r21, %rd21;", "mov.u32 %r21, %ntid.x;");
  const Run plain = run(text, same, machine_of("h200-sxm", {"native.unroll=none"}), false);
  const Run unrolled = run(text, same, machine_of("h200-sxm", {"native.unroll=loops"}), false);
  CHECK((plain.words == unrolled.words));
  CHECK(plain.instructions != unrolled.instructions);
}

TEST_CASE("unrolled loops: one within another") {
  Counting how{"lt.s32", 1};
  std::string text = text_of(how);
  auto replace = [&](std::string_view from, std::string_view to) { text.replace(text.find(from), from.size(), to); };
  replace("LOOP:\n", "mov.u32 %r30, 0;\nOUTER:\nmov.u32 %r20, 2;\nLOOP:\n");
  replace("@%p1 bra LOOP;\n", "@%p1 bra LOOP;\nadd.s32 %r30, %r30, 1;\nsetp.lt.s32 %p4, %r30, 5;\n@%p4 bra OUTER;\n");
  const std::vector<Lane> lanes = lanes_from(2, 1, false);
  const Run plain = run(text, lanes, machine_of("h200-sxm", {"native.unroll=none"}), false);
  const Run unrolled = run(text, lanes, machine_of("h200-sxm", {"native.unroll=loops"}), false);
  CHECK((plain.words == unrolled.words));
  CHECK(plain.instructions != unrolled.instructions);
}

}  // namespace warptime::sim
