#include "memory_statements.h"

#include <fmt/format.h>

#include "program.h"

namespace warptime::sim {

namespace {

/// Accesses to a place that a thread alone uses, or that nobody writes.
struct Place {
  const char *loads, *stores;  // the instructions; no stores: nobody writes
  const char* base;
  uint32_t bytes;
};
/// The base of lanes in different spaces, as generic addresses.
constexpr const char* kMixed = "%dt1";

constexpr Place kPlaces[] = {
    {"ld.global|ld.volatile.global|ld.relaxed.gpu.global", "st.global|st.volatile.global|st.relaxed.gpu.global", "%rec",
     kScratchBytes},
    {"ld.global.ca|ld.global.cg|ld.global.cs|ld.global.cv|ld.global.L1::evict_last|ld.global.L2::128B",
     "st.global.wb|st.global.cg|st.global.cs|st.global.wt|st.global.L1::evict_first", "%rec", kScratchBytes},
    {"ld|ld.volatile|ld.acquire.cta", "st|st.volatile|st.release.cta", "%recg", kScratchBytes},
    {"ld.local", "st.local", "%loc", kLocalBytes},
    {"ld.local|ld.local.ca|ld.local.cg", "st.local|st.local.wb|st.local.cg", "%loc", kLocalBytes},
    {"ld", "st", "%locg", kLocalBytes},
    {"ld.shared|ld.volatile.shared|ld.shared::cta", "st.shared|st.volatile.shared|st.shared::cta", "%own", kOwnBytes},
    {"ld", "st", "%owng", kOwnBytes},
    {"ld", "st", kMixed, kOwnBytes},
    {"ld.const", "", "%ctab", kTableBytes},
    {"ld.global|ld.global.nc|ld.global.ca.nc|ld.global.nc.L1::no_allocate", "", "%gtab", kTableBytes},
    {"ld", "", "%gtabg", kTableBytes},
    {"ldu.global", "", "%gtab", kTableBytes},
    {"ldu", "", "%gtabg", kTableBytes},
    {"ldu.global", "", "%in", 8 * kInputWords},
    {"ld.global|ld.global.nc", "", "%in", 8 * kInputWords},
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

/// Sets kMixed.
std::string mixed(Operations& operations) {
  return operations.filled(
      "  selp.b64 %dt1, $(%recg|%locg|%owng), $(%recg|%locg|%owng), $p;\n"
      "  selp.b64 %dt1, %dt1, $(%recg|%locg|%owng), $p;\n");
}

/// "[%rec+8]", or an address that depends on data. `uniform`: the same in all lanes.
std::string address(Operations& operations, SplitMix64& random, const Place& place, uint32_t bytes, bool uniform,
                    std::string& before) {
  if (std::string_view(place.base) == kMixed) before += mixed(operations);
  if (operations.chance(2)) return fmt::format("[{}+{}]", place.base, random.below(place.bytes / bytes) * bytes);
  before += fmt::format("  and.b32 %rt0, {}, {:#x};\n  cvt.u64.u32 %dt0, %rt0;\n  add.u64 %dt0, %dt0, {};\n",
                        operations.reg(uniform ? 'u' : 'r'), (place.bytes - 1) & ~(bytes - 1), place.base);
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

/// Without an order, or with one that changes no value.
constexpr const char* kAtomicOrders = "|||.relaxed.gpu|.release.cta";

std::string sum_of_everyone(Operations& operations, SplitMix64& random) {
  uint32_t word = static_cast<uint32_t>(random.below(kSumWords));
  const SumOperation& sum = kSums[word];
  bool shared = operations.chance(2);
  std::string where = fmt::format("[{}+{}]", shared ? "%shsums" : "%sums", 8 * word);
  std::string value = sum.letter == 'c' ? "1000003" : operations.reg(sum.letter);
  std::string name = operations.pick(kAtomicOrders);
  name += fmt::format(".{}.{}.{}", shared ? "shared" : "global", sum.operation, sum.type);
  std::string guard = operations.chance(6) ? operations.filled("@$p ") : "";
  if (operations.chance(2)) return fmt::format("  {}red{} {}, {};\n", guard, name, where, value);
  const char* unused = std::string_view(sum.type).ends_with("64") ? "%dt1" : "%rt1";
  return fmt::format("  {}atom{} {}, {}, {};\n", guard, name, unused, where, value);
}

/// On memory of the thread's own.
constexpr Place kAtomicPlaces[] = {{".global", "", "%rec", kScratchBytes},
                                   {".shared", "", "%own", kOwnBytes},
                                   {"", "", "%recg", kScratchBytes},
                                   {"", "", "%owng", kOwnBytes}};

}  // namespace

std::string memory_statement(Operations& operations, SplitMix64& random) {
  if (operations.chance(30))
    return operations.filled(
        "  $(membar.cta|membar.gl|fence.acq_rel.cta|fence.sc.gpu|prefetch.global.L1 [%rec]|"
        "prefetch.global.L2 [%gtab]);\n");
  if (operations.chance(20)) {
    std::string out = mixed(operations);
    return out + operations.filled("  isspacep.$(global|shared|local|const) $p, $(%dt1|%dt1|%gtabg);\n");
  }
  const Place& place = kPlaces[random.below(std::size(kPlaces))];
  const Access& access = kAccesses[random.below(std::size(kAccesses))];
  char letter = operations.pick(access.registers)[0];
  uint32_t lanes = operations.chance(3) ? 2u << random.below(2) : 1;
  if (lanes * access.bytes > 16 || (letter == 'g' && lanes == 4)) lanes = 1;
  std::string vector = lanes == 1 ? "" : fmt::format(".v{}", lanes), before;
  bool uniform = std::string_view(place.loads).starts_with("ldu");
  std::string at = address(operations, random, place, lanes * access.bytes, uniform, before);
  std::string registers = vector_of(operations, letter, lanes);
  bool store = *place.stores != '\0' && operations.chance(2);
  std::string name = operations.pick(store ? place.stores : place.loads);
  std::string guard = operations.chance(12) ? operations.filled("@$p ") : "";
  return fmt::format("{}  {}{}{}.{} {}, {};\n", before, guard, name, vector, access.type, store ? at : registers,
                     store ? registers : at);
}

std::string atomic_statement(Operations& operations, SplitMix64& random) {
  if (operations.chance(2)) return sum_of_everyone(operations, random);
  const Place& place = kAtomicPlaces[random.below(std::size(kAtomicPlaces))];
  bool wide = operations.chance(3);
  std::string before, at = address(operations, random, place, wide ? 8 : 4, false, before);
  char letter = wide ? 'd' : 'r';
  std::string values = operations.reg(letter), name;
  std::string space = operations.pick(kAtomicOrders) + place.loads;
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
      if (wide || *place.loads == '\0') return memory_statement(operations, random);
      return before + operations.filled(fmt::format("  atom{}.add.f32 $f, {}, $f;\n", space, at));
  }
  return before + fmt::format("  atom{}.{} {}, {}, {};\n", space, name, operations.reg(letter), at, values);
}

}  // namespace warptime::sim
