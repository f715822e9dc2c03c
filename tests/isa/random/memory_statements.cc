#include "memory_statements.h"

#include <fmt/format.h>

#include "program.h"

namespace warptime::sim {

namespace {

/// A place that a thread alone uses, or that nobody writes.
struct Place {
  const char *space, *base;
  uint32_t bytes;
  bool writable;
  const char *load_words, *store_words;  // that may follow ld and st
};
constexpr Place kPlaces[] = {
    {".global", "%rec", kScratchBytes, true, "||.volatile", "||.volatile"},
    {".global", "%rec", kScratchBytes, true, "", ""},
    {"", "%recg", kScratchBytes, true, "||.volatile", "||.volatile"},
    {".local", "%loc", kLocalBytes, true, "", ""},
    {".local", "%loc", kLocalBytes, true, "", ""},
    {"", "%locg", kLocalBytes, true, "", ""},
    {".shared", "%own", kOwnBytes, true, "||.volatile", "||.volatile"},
    {"", "%owng", kOwnBytes, true, "", ""},
    {".const", "%ctab", kTableBytes, false, "", ""},
    {".global", "%gtab", kTableBytes, false, "", ""},
    {"", "%gtabg", kTableBytes, false, "", ""},
    {".global", "%in", 8 * kInputWords, false, "", ""},
};

struct Access {
  const char* type;
  uint32_t bytes;
  const char* registers;  // that may hold it
};
constexpr Access kAccesses[] = {{"b8", 1, "h|r|d"},  {"u8", 1, "h|r|d"},  {"s8", 1, "h|r|d"}, {"b16", 2, "h|r|d"},
                                {"u16", 2, "h|r|d"}, {"s16", 2, "h|r|d"}, {"b32", 4, "r|d"},  {"u32", 4, "r|d"},
                                {"s32", 4, "r|d"},   {"f32", 4, "f"},     {"b64", 8, "d"},    {"u64", 8, "d"},
                                {"s64", 8, "d"},     {"f64", 8, "g"},     {"b32", 4, "r"},    {"b64", 8, "d"}};

/// "[%rec+8]", or an address that depends on data.
std::string address(Operations& operations, SplitMix64& random, const Place& place, uint32_t bytes,
                    std::string& before) {
  if (operations.chance(2)) return fmt::format("[{}+{}]", place.base, random.below(place.bytes / bytes) * bytes);
  before += fmt::format("  and.b32 %rt0, {}, {:#x};\n  cvt.u64.u32 %dt0, %rt0;\n  add.u64 %dt0, %dt0, {};\n",
                        operations.reg('r'), (place.bytes - 1) & ~(bytes - 1), place.base);
  return "[%dt0]";
}

/// Different registers of a kind: "{%r1, %r4}".
std::string vector_of(Operations& operations, char letter, uint32_t count) {
  if (count == 1) return operations.reg(letter);
  std::string out;
  for (uint32_t i = 0; i < count;) {
    std::string reg = operations.reg(letter);
    if ((out + ",").find(reg + ",") != std::string::npos) continue;
    out += (i++ == 0 ? "" : ", ") + reg;
  }
  return "{" + out + "}";
}

struct SumOperation {
  const char *operation, *type;
  char letter;
};
/// One for each word, so that the order does not matter.
constexpr SumOperation kSums[kSumWords] = {
    {"add", "u32", 'r'}, {"add", "u64", 'd'}, {"min", "u32", 'r'}, {"max", "u32", 'r'}, {"min", "s32", 'r'},
    {"max", "s32", 'r'}, {"min", "u64", 'd'}, {"max", "s64", 'd'}, {"and", "b32", 'r'}, {"or", "b32", 'r'},
    {"xor", "b32", 'r'}, {"and", "b64", 'd'}, {"or", "b64", 'd'},  {"xor", "b64", 'd'}, {"max", "u64", 'd'},
    {"min", "s64", 'd'}, {"add", "s32", 'r'}, {"inc", "u32", 'c'}};

}  // namespace

std::string memory_access(Operations& operations, SplitMix64& random) {
  const Place& place = kPlaces[random.below(std::size(kPlaces))];
  const Access& access = kAccesses[random.below(std::size(kAccesses))];
  char letter = operations.pick(access.registers)[0];
  uint32_t lanes = operations.chance(3) ? 2u << random.below(2) : 1;
  if (lanes * access.bytes > 16 || (letter == 'g' && lanes == 4)) lanes = 1;
  std::string vector = lanes == 1 ? "" : fmt::format(".v{}", lanes), before;
  std::string at = address(operations, random, place, lanes * access.bytes, before);
  std::string registers = vector_of(operations, letter, lanes);
  bool store = place.writable && operations.chance(2);
  std::string words = operations.pick(store ? place.store_words : place.load_words);
  std::string guard = operations.chance(12) ? operations.filled("@$p ") : "";
  if (store)
    return fmt::format("{}  {}st{}{}{}.{} {}, {};\n", before, guard, words, place.space, vector, access.type, at,
                       registers);
  return fmt::format("{}  {}ld{}{}{}.{} {}, {};\n", before, guard, words, place.space, vector, access.type, registers,
                     at);
}

std::string atomic_access(Operations& operations, SplitMix64& random) {
  std::string before;
  if (operations.chance(2)) {
    uint32_t word = static_cast<uint32_t>(random.below(kSumWords));
    const SumOperation& sum = kSums[word];
    bool shared = operations.chance(2);
    std::string where = fmt::format("[{}+{}]", shared ? "%shsums" : "%sums", 8 * word);
    std::string value = sum.letter == 'c' ? "1000003" : operations.reg(sum.letter);
    std::string name = fmt::format("{}.{}.{}", shared ? ".shared" : ".global", sum.operation, sum.type);
    std::string guard = operations.chance(6) ? operations.filled("@$p ") : "";
    if (operations.chance(2)) return fmt::format("  {}red{} {}, {};\n", guard, name, where, value);
    const char* unused = std::string_view(sum.type).ends_with("64") ? "%dt1" : "%rt1";
    return fmt::format("  {}atom{} {}, {}, {};\n", guard, name, unused, where, value);
  }
  const Place& place = kPlaces[operations.chance(2) ? 6 : 0];  // shared, global
  bool wide = operations.chance(3);
  std::string at = address(operations, random, place, wide ? 8 : 4, before);
  char letter = wide ? 'd' : 'r';
  std::string values = operations.reg(letter), name;
  switch (random.below(6)) {
    case 0:
      name = wide ? "cas.b64" : "cas.b32";
      values += ", " + operations.reg(letter);
      break;
    case 1: name = wide ? "exch.b64" : "exch.b32"; break;
    case 2: name = wide ? "add.u64" : operations.pick("add.u32|add.s32|inc.u32|dec.u32"); break;
    case 3:
      name = wide ? operations.pick("min.u64|max.u64|min.s64|max.s64")
                  : operations.pick("min.u32|max.u32|min.s32|max.s32");
      break;
    case 4: name = operations.pick("and.b|or.b|xor.b") + (wide ? "64" : "32"); break;
    default:
      if (wide) return memory_access(operations, random);
      return before + operations.filled(fmt::format("  atom{}.add.f32 $f, {}, $f;\n", place.space, at));
  }
  return before + fmt::format("  atom{}.{} {}, {}, {};\n", place.space, name, operations.reg(letter), at, values);
}

}  // namespace warptime::sim
