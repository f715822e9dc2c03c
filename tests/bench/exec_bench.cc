// Values of one warp instruction (src/sim/exec): lanes of each family of instructions, words and lanes of loads and
// stores, texture fetches.
#include "bench/count.h"
#include "bench/one_instruction.h"
#include "sim/exec/memory_values.h"
#include "sim/exec/texture_sampling.h"

namespace warptime::sim {
namespace {

using bench::kWarps, bench::Numbers, bench::OneInstruction;

constexpr uint32_t kSomeLanes = 0x0f0fff33;

struct Family {
  const char* name;
  const char* text;
  Numbers sources;
  uint32_t mask = kFullMask;
};

constexpr Family kFamilies[]{
    {"mov.b32", "mov.b32 %r5, %r1;", Numbers::Integers},
    {"add.s32", "add.s32 %r5, %r1, %r2;", Numbers::Integers},
    {"add.s64", "add.s64 %rd5, %rd1, %rd2;", Numbers::Integers},
    {"add.cc.u32", "add.cc.u32 %r5, %r1, %r2;", Numbers::Integers},
    {"mul.lo.s32", "mul.lo.s32 %r5, %r1, %r2;", Numbers::Integers},
    {"mul.wide.s32", "mul.wide.s32 %rd5, %r1, %r2;", Numbers::Integers},
    {"mad.lo.s32", "mad.lo.s32 %r5, %r1, %r2, %r3;", Numbers::Integers},
    {"div.s32", "div.s32 %r5, %r1, %r2;", Numbers::Integers},
    {"and.b32", "and.b32 %r5, %r1, %r2;", Numbers::Integers},
    {"shl.b32", "shl.b32 %r5, %r1, %r2;", Numbers::Integers},
    {"popc.b32", "popc.b32 %r5, %r1;", Numbers::Integers},
    {"bfe.u32", "bfe.u32 %r5, %r1, %r2, %r3;", Numbers::Integers},
    {"min.s32", "min.s32 %r5, %r1, %r2;", Numbers::Integers},
    {"setp.lt.s32", "setp.lt.s32 %p5, %r1, %r2;", Numbers::Integers},
    {"selp.b32", "selp.b32 %r5, %r1, %r2, %p1;", Numbers::Integers},
    {"and.pred", "and.pred %p5, %p1, %p2;", Numbers::Integers},
    {"cvt.rn.f32.s32", "cvt.rn.f32.s32 %f5, %r1;", Numbers::Integers},
    {"cvt.rzi.s32.f32", "cvt.rzi.s32.f32 %r5, %f1;", Numbers::Floats},
    {"add.f32", "add.f32 %f5, %f1, %f2;", Numbers::Floats},
    {"mul.f32", "mul.f32 %f5, %f1, %f2;", Numbers::Floats},
    {"fma.rn.f32", "fma.rn.f32 %f5, %f1, %f2, %f3;", Numbers::Floats},
    {"fma.rn.f32, some lanes", "fma.rn.f32 %f5, %f1, %f2, %f3;", Numbers::Floats, kSomeLanes},
    {"setp.lt.f32", "setp.lt.f32 %p5, %f1, %f2;", Numbers::Floats},
    {"div.rn.f32", "div.rn.f32 %f5, %f1, %f2;", Numbers::Floats},
    {"sqrt.rn.f32", "sqrt.rn.f32 %f5, %f1;", Numbers::Floats},
    {"rcp.approx.f32", "rcp.approx.f32 %f5, %f1;", Numbers::Floats},
    {"ex2.approx.f32", "ex2.approx.f32 %f5, %f1;", Numbers::Floats},
    {"sin.approx.f32", "sin.approx.f32 %f5, %f1;", Numbers::Floats},
    {"fma.rn.f64", "fma.rn.f64 %d5, %d1, %d2, %d3;", Numbers::Doubles},
    {"div.rn.f64", "div.rn.f64 %d5, %d1, %d2;", Numbers::Doubles},
    {"shfl.sync.bfly.b32", "shfl.sync.bfly.b32 %r5, %r1, 4, 31, -1;", Numbers::Integers},
    {"vote.sync.ballot.b32", "vote.sync.ballot.b32 %r5, %p1, -1;", Numbers::Integers},
};

void lanes(benchmark::State& state, const Family& family) {
  OneInstruction one(family.text, family.sources);
  const Insn& insn = one.insn();
  for (auto _ : state)
    for (uint32_t i = 0; i < kWarps; ++i) insn.run(one.warp(i), insn, family.mask);
  if (!one.has_results()) state.SkipWithError("nothing was computed");
  bench::count(state, kWarps, "warp instruction");
}

// --- loads and stores ---

/// Byte offset of a lane's word: of matmul:unrolled's tile of A and of B in the 16 x 16 threads of a block, and
/// anywhere.
uint32_t word_of_a(uint32_t, uint32_t warp, uint32_t lane) { return ((warp * 2 + lane / 16) % 16 * 16 + 3) * 4; }
uint32_t word_of_b(uint32_t, uint32_t warp, uint32_t lane) { return (warp % 16 * 16 + lane % 16) * 4; }
uint32_t any_word(uint32_t random, uint32_t, uint32_t) { return random % 1024 * 4; }

struct Access {
  const char* name;
  const char* text;
  uint32_t (*offset)(uint32_t random, uint32_t warp, uint32_t lane);
};

constexpr Access kAccesses[]{
    {"ld.shared, a word a half-warp", "ld.shared.f32 %f5, [%r1];", word_of_a},
    {"ld.shared, words in order", "ld.shared.f32 %f5, [%r1];", word_of_b},
    {"ld.shared, any words", "ld.shared.f32 %f5, [%r1];", any_word},
    {"st.shared, words in order", "st.shared.f32 [%r1], %f2;", word_of_b},
    {"ld.global, words in order", "ld.global.f32 %f5, [%rd1];", word_of_b},
};
constexpr Access kLaneAccesses[]{
    {"ld.shared by lanes, any words", "ld.shared.f32 %f5, [%r1];", any_word},
    {"ld.shared.u16 by lanes, any words", "ld.shared.u16 %r5, [%r1];", any_word},
};

void set_addresses(OneInstruction& one, const Access& access) {
  SplitMix64 random(7);
  for (uint32_t i = 0; i < kWarps; ++i) {
    auto offset = [&](uint32_t lane) { return access.offset(static_cast<uint32_t>(random.next()), i, lane); };
    const AddressOperand& address = one.insn().access().address;
    if (address.is_64) one.set<uint64_t>(i, address.base, offset);
    else one.set<uint32_t>(i, address.base, offset);
  }
}

/// Whole warps: addresses found and checked, words copied.
void words(benchmark::State& state, const Access& access) {
  OneInstruction one(access.text, Numbers::Floats);
  set_addresses(one, access);
  const Insn& insn = one.insn();
  std::vector<std::byte> memory(4096);
  LaneOffsets at;
  bool all = true;
  for (auto _ : state)
    for (uint32_t i = 0; i < kWarps; ++i) {
      all &= one.words().locate(one.warp(i), insn, 0, memory.size(), at);
      if (insn.effect == ptx::Effect::Load) one.words().load(one.warp(i), insn, memory.data(), at);
      else one.words().store(one.warp(i), insn, memory.data(), at);
    }
  benchmark::DoNotOptimize(memory.data());
  bool stored = std::any_of(memory.begin(), memory.end(), [](std::byte byte) { return byte != std::byte{0}; });
  if (!all || !(stored || one.has_results())) state.SkipWithError("nothing was accessed");
  bench::count(state, kWarps, "warp instruction");
}

/// The general way, lane by lane.
void lane_by_lane(benchmark::State& state, const Access& access) {
  OneInstruction one(access.text, Numbers::Floats);
  set_addresses(one, access);
  const Insn& insn = one.insn();
  std::vector<std::byte> memory(4096);
  std::array<Addr, kWarpSize> addresses{};
  std::array<const std::byte*, kWarpSize> from{};
  for (auto _ : state)
    for (uint32_t i = 0; i < kWarps; ++i) {
      lane_addresses(one.warp(i), insn.access().address, kSomeLanes, addresses);
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) from[lane] = memory.data() + addresses[lane];
      load_values(one.warp(i), insn, kSomeLanes, from);
    }
  if (!one.has_results()) state.SkipWithError("nothing was loaded");
  bench::count(state, kWarps, "warp instruction");
}

// --- textures ---

/// The fetches of `smooth`: a warp is two rows of 16 threads of an image.
void fetch(benchmark::State& state, FilterMode filter) {
  constexpr uint32_t kWidth = 64;
  OneInstruction one("tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [image, {%f1, %f2}];", Numbers::Floats);
  const Insn& insn = one.insn();
  float middle = filter == FilterMode::Point ? 0.5f : 1.0f;
  for (uint32_t i = 0; i < kWarps; ++i) {
    auto x = [&](uint32_t lane) { return static_cast<float>(i % 4 * 16 + lane % 16) + middle; };
    auto y = [&](uint32_t lane) { return static_cast<float>(i / 4 * 2 + lane / 16) + middle; };
    one.set<float>(i, insn.src[0], x);
    one.set<float>(i, insn.src[1], y);
  }
  Texture texture{.bound = true, .size = {kWidth, kWidth, 1}, .filter = filter};
  SplitMix64 random(5);
  std::vector<float> image(size_t{kWidth} * kWidth);
  for (float& texel : image) texel = static_cast<float>(random.below(256));
  const auto* memory = reinterpret_cast<const std::byte*>(image.data());
  constexpr TextureLayout layout{.line = 5, .line_rows = 1, .tile_width = 6, .tile_rows = 2};
  WarpTexels texels;
  TexelLines lines;
  std::array<Lanes<uint32_t>, 4> results{};
  for (auto _ : state)
    for (uint32_t i = 0; i < kWarps; ++i) {
      one.textures().find(texture, insn, one.warp(i), texels);
      one.textures().values(texture, texels, memory, results);
      one.textures().lines(texture, texels, layout, kFullMask, lines);
    }
  if (results[0] == Lanes<uint32_t>{}) state.SkipWithError("nothing was fetched");
  bench::count(state, kWarps, "warp instruction");
}

const bool kRegistered = [] {
  auto add = [](std::string name, auto&&... what) {
    benchmark::RegisterBenchmark(("exec/" + std::move(name)).c_str(), what...);
  };
  for (const Family& family : kFamilies) add(family.name, lanes, family);
  for (const Access& access : kAccesses) add(access.name, words, access);
  for (const Access& access : kLaneAccesses) add(access.name, lane_by_lane, access);
  add("tex.2d, nearest texel", fetch, FilterMode::Point);
  add("tex.2d, filtered", fetch, FilterMode::Linear);
  return true;
}();

}  // namespace
}  // namespace warptime::sim
