#include "collective_statements.h"

#include <fmt/format.h>

#include "memory_statements.h"

namespace warptime::sim {

namespace {

/// A shuffle from the lane that the data choose, or from the highest one of the mask if that one is not in it.
std::string shuffle_inside(Operations& operations, const std::string& mask) {
  return operations.filled(
      fmt::format("  and.b32 %rt0, $r, 31;\n  shr.u32 %rt1, {0}, %rt0;\n  and.b32 %rt1, %rt1, 1;\n"
                  "  setp.ne.u32 %q, %rt1, 0;\n  bfind.u32 %rt2, {0};\n  selp.b32 %rt0, %rt0, %rt2, %q;\n"
                  "  shfl.sync.idx.b32 $r, $r, %rt0, 31, {0};\n",
                  mask));
}

/// A shuffle from any lane. What comes from one outside the mask is undefined: then the register keeps its value. Which
/// lane it was follows from the predicate: whether the one asked for is inside the segment, else it was the own one
/// (PTX ISA 9.7.9.6).
std::string shuffle(Operations& operations, SplitMix64& random, const std::string& mask) {
  struct Mode {
    const char *name, *lane;  // from %rt0, the own lane %rt3, the bits that segments differ in, and the other bits
  };
  static constexpr Mode kModes[] = {{"up", "  sub.u32 %rt2, %rt3, %rt0;\n"},
                                    {"down", "  add.u32 %rt2, %rt3, %rt0;\n"},
                                    {"bfly", "  xor.b32 %rt2, %rt3, %rt0;\n"},
                                    {"idx",
                                     "  and.b32 %rt2, %rt3, {0};\n  and.b32 %rt0, %rt0, {1};\n"
                                     "  or.b32 %rt2, %rt2, %rt0;\n"}};
  size_t which = random.below(std::size(kModes));
  uint64_t segment = 31 - (uint64_t{31} >> random.below(6)), clamp = which == 0 ? 0 : 31;
  if (operations.chance(4)) clamp = random.below(32);
  std::string p = operations.reg('p'), d = operations.reg('r');
  std::string out = operations.chance(2) ? fmt::format("  mov.b32 %rt1, {};\n", random.below(32))
                                         : operations.filled("  mov.b32 %rt1, $r;\n");
  out += "  and.b32 %rt0, %rt1, 31;\n  mov.u32 %rt3, %laneid;\n";
  out += operations.filled(fmt::format("  shfl.sync.{}.b32 %rt1|{}, $r, %rt1, {:#x}, {};\n", kModes[which].name, p,
                                       segment << 8 | clamp, mask));
  out += fmt::format(fmt::runtime(kModes[which].lane), segment, 31 - segment);
  return out + fmt::format(
                   "  selp.b32 %rt2, %rt2, %rt3, {0};\n  shr.u32 %rt2, {1}, %rt2;\n  and.b32 %rt2, %rt2, 1;\n"
                   "  setp.ne.u32 %q, %rt2, 0;\n  selp.b32 {2}, %rt1, {2}, %q;\n",
                   p, mask, d);
}

/// match of few values, so that some are the same.
std::string match(Operations& operations, const std::string& mask) {
  bool wide = operations.chance(3), any = operations.chance(2);
  std::string out = operations.filled(wide ? "  and.b64 %dt0, $d, $(0|1|3|0x4000000000000000);\n"
                                           : "  and.b32 %rt0, $r, $(0|1|3|0x40000000);\n");
  const char* destination = any || operations.chance(3) ? "$r" : "$r|$p";
  return out + operations.filled(fmt::format("  match.{}.sync.{} {}, {}, {};\n", any ? "any" : "all",
                                             wide ? "b64" : "b32", destination, wide ? "%dt0" : "%rt0", mask));
}

/// Words that may name a barrier instruction whose threads come warp by warp.
constexpr std::string_view kBarrierWords = "bar.sync 0|bar.sync 1|barrier.sync.aligned 0|barrier.sync 2|bar.cta.sync 0";

/// What another thread has put into its slot.
std::string word_of_another(Operations& operations, SplitMix64& random, uint32_t threads) {
  std::string index = operations.chance(2) ? fmt::format("  add.u32 %rt0, %lin, {};\n", 1 + random.below(40))
                                           : operations.filled("  mov.b32 %rt0, $r;\n");
  return operations.filled(
      fmt::format("  st.shared.b64 [%slot], $d;\n  $({0});\n{1}  rem.u32 %rt0, %rt0, {2};\n  shl.b32 %rt0, %rt0, 3;\n"
                  "  cvt.u64.u32 %dt0, %rt0;\n  add.u64 %dt0, %dt0, %slots;\n  ld.shared.b64 $d, [%dt0];\n  $({0});\n",
                  kBarrierWords, index, threads));
}

/// What the first warp has put into its slots; it does not wait for the others.
std::string word_of_the_first_warp(Operations& operations, const BlockTogether& block) {
  return operations.filled(
      fmt::format("  st.shared.b64 [%slot], $d;\n  setp.lt.u32 %q, %lin, 32;\n  @%q bra ARRIVE_{0};\n"
                  "  $(bar|barrier|barrier.cta).sync 3, {1};\n  and.b32 %rt0, %lin, 31;\n  shl.b32 %rt0, %rt0, 3;\n"
                  "  cvt.u64.u32 %dt0, %rt0;\n  add.u64 %dt0, %dt0, %slots;\n  ld.shared.b64 $d, [%dt0];\n"
                  "  bra DONE_{0};\nARRIVE_{0}:\n  $(bar|barrier|barrier.cta).arrive 3, {1};\nDONE_{0}:\n  $({2});\n",
                  block.number, block.threads, kBarrierWords));
}

/// How many threads have a predicate, into a register, perhaps one that is the same in all threads; or whether all, or
/// any, have it.
std::string reduction(Operations& operations, SplitMix64& random, const BlockTogether& block) {
  std::string name = operations.pick("bar.red|bar.cta.red|barrier.red|barrier.cta.red");
  std::string aligned = name.starts_with("barrier") && operations.chance(2) ? ".aligned" : "";
  std::string count = block.threads % 32 == 0 && operations.chance(3) ? fmt::format(", {}", block.threads) : "";
  std::string rest = fmt::format(", {}{}, $!p;\n", random.below(4), count);
  if (operations.chance(3)) return operations.filled(fmt::format("  {}.$(and|or){}.pred $p{}", name, aligned, rest));
  return operations.filled(
      fmt::format("  {}.popc{}.u32 {}{}", name, aligned, operations.chance(2) ? "$u" : "$r", rest));
}

}  // namespace

std::string warp_collective(Operations& operations, SplitMix64& random, const std::string& mask) {
  switch (random.below(10)) {
    case 0: return operations.filled(fmt::format("  vote.sync.$(all|any|uni).pred $p, $!p, {};\n", mask));
    case 1: return operations.filled(fmt::format("  vote.sync.ballot.b32 $r, $!p, {};\n", mask));
    case 2: return fmt::format("  bar.warp.sync {};\n", mask);
    case 3:
      // What the highest lane of the mask has, by way of shared memory.
      return operations.filled(fmt::format(
          "  st.shared.b64 [%lanes], $d;\n  bar.warp.sync {0};\n  bfind.u32 %rt0, {0};\n  and.b32 %rt0, %rt0, 31;\n"
          "  shl.b32 %rt0, %rt0, 3;\n  cvt.u64.u32 %dt0, %rt0;\n  add.u64 %dt0, %dt0, %warp;\n"
          "  ld.shared.b64 $d, [%dt0];\n  bar.warp.sync {0};\n",
          mask));
    case 4: return shuffle_inside(operations, mask);
    case 5:
    case 6: return shuffle(operations, random, mask);
    case 7: return match(operations, mask);
    case 8: return operations.filled(fmt::format("  redux.sync.$(add|min|max).$(u32|s32) $r, $r, {};\n", mask));
    default: return operations.filled(fmt::format("  redux.sync.$(and|or|xor).b32 $r, $r, {};\n", mask));
  }
}

std::string block_collective(Operations& operations, SplitMix64& random, const BlockTogether& block) {
  uint64_t kind = random.below(6);
  if (block.all_there && kind < 3) return reduction(operations, random, block);
  if (block.all_there && kind == 3 && block.threads > 32 && block.threads % 32 == 0)
    return word_of_the_first_warp(operations, block);
  if (kind == 4)  // a word that atomic operations have changed
    return operations.filled(fmt::format("  $({0});\n  ld.shared.b64 $d, [%shsums+{1}];\n  $({0});\n", kBarrierWords,
                                         8 * random.below(kSumWords)));
  return word_of_another(operations, random, block.threads);
}

}  // namespace warptime::sim
