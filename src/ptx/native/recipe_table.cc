// Sources, in the order of trust: the CUDA C Programming Guide 4.2, 5.4.1, and the CUDA Programming Guide 0.8 (issue
// cycles: 16 for a 32-bit multiplication, 36 for a division, 32 for a square root, sine, cosine and exponential, 16 for
// a reciprocal); decuda's disassembly of cubins of the time; nouveau's lowering for the nv50 family. Rows marked
// "assumed" are plausible counts for what these do not cover.
#include "ptx/native/recipe_table.h"

#include <algorithm>
#include <array>
#include <vector>

namespace warptime::ptx {

namespace {

constexpr TypeSet kAny{};
constexpr TypeSet kF = types(Type::F32);
constexpr TypeSet kUnsignedWord = types(Type::U16, Type::U32);
constexpr TypeSet kLong = types(Type::U64, Type::S64, Type::B64);
constexpr TypeSet kHalf = types(Type::U16, Type::S16, Type::B16);
constexpr ModSet kNone{};

// clang-format off
//   card        types    words                    native                                s[]   c[]
constexpr Recipe kRecipes[] = {
    // Sums and products. The multiplier has 16 and 24 bits (Guide 4.2, 5.4.1; nouveau: mul.lo, mul.hi).
    {"add",      kLong,   kNone,                   "add*2",                              "",   ""},
    {"add",      kAny,    kNone,                   "add",                                "ab", "ab"},
    {"sub",      kLong,   kNone,                   "sub*2",                              "",   ""},
    {"sub",      kAny,    kNone,                   "sub",                                "ab", "ab"},
    {"addc",     kLong,   kNone,                   "add*2",                              "",   ""},
    {"addc",     kAny,    kNone,                   "add",                                "ab", "ab"},
    {"subc",     kLong,   kNone,                   "sub*2",                              "",   ""},
    {"subc",     kAny,    kNone,                   "sub",                                "ab", "ab"},
    {"mul",      kF,      kNone,                   "mul",                                "ab", "ab"},
    {"mul",      kHalf,   kNone,                   "mul",                                "",   ""},
    {"mul",      kLong,   mods(Mod::Lo),           "mul.u16 +mul.u16*7 mad.u16*4 shl +shl*2 add*8",    "",   ""},  // assumed
    {"mul",      kLong,   mods(Mod::Hi),           "mul.u16 +mul.u16*15 shl +shl*15 add*28",           "",   ""},  // assumed
    {"mul",      kAny,    mods(Mod::Lo),           "mul.u16 mad.u16 shl mad.u16",        "",   ""},
    {"mul",      kAny,    mods(Mod::Hi),           "mul.u16 +mul.u16*3 shr +shr add*3",              "",   ""},
    {"mul",      kAny,    mods(Mod::Wide),         "mul.u16 +mul.u16*4 mad.u16*2 shl +shr*2 add*3", "",  ""},
    {"mad",      kF,      kNone,                   "mad",                                "ab", "abc"},
    {"mad",      kHalf,   kNone,                   "mad",                                "",   ""},
    {"mad",      kLong,   mods(Mod::Lo),           "mul.u16 +mul.u16*7 mad.u16*4 shl +shl*2 add*10",   "",   ""},  // assumed
    {"mad",      kLong,   mods(Mod::Hi),           "mul.u16 +mul.u16*15 shl +shl*15 add*30",           "",   ""},  // assumed
    {"mad",      kAny,    mods(Mod::Lo),           "mul.u16 mad.u16 shl mad.u16 add",    "",   ""},
    {"mad",      kAny,    mods(Mod::Hi),           "mul.u16 +mul.u16*3 shr +shr add*4",              "",   ""},
    {"mad",      kAny,    mods(Mod::Wide),         "mul.u16 +mul.u16*4 mad.u16*2 shl +shr*2 add*5", "",  ""},
    {"fma",      kF,      kNone,                   "mad",                                "ab", "abc"},
    {"mul24",    kAny,    kNone,                   "mul24",                              "ab", "ab"},
    {"mad24",    kAny,    kNone,                   "mad24",                              "ab", "abc"},
    {"sad",      kLong,   kNone,                   "sub*2 set mov*2 sub*2 add*2",        "",   ""},  // assumed
    {"sad",      kAny,    kNone,                   "sad",                                "ab", "abc"},
    // Division is a subroutine: an argument is moved, it is called, and it returns. Signed, CUDA 1.0: 50 instructions with
    // the return, one of them a reciprocal (decuda, test8div.cubin). Unsigned: 22 in nouveau's nv50 code. A remainder
    // adds a product and a subtraction.
    {"div",      kF,      mods(Mod::Full),         "rcp mul*5",                          "",   ""},
    {"div",      kF,      mods(Mod::Rn),           "rcp mul*5",                          "",   ""},
    {"div",      kF,      mods(Mod::Rz),           "rcp mul*5",                          "",   ""},
    {"div",      kF,      mods(Mod::Rm),           "rcp mul*5",                          "",   ""},
    {"div",      kF,      mods(Mod::Rp),           "rcp mul*5",                          "",   ""},
    {"div",      kF,      kNone,                   "rcp mul",                            "",   ""},  // __fdividef: 20 cycles
    {"div",      kLong,   kNone,                   "call*150",                           "",   ""},  // assumed
    {"div",      kUnsignedWord, kNone,             "rcp call*24",                        "",   ""},
    {"div",      kAny,    kNone,                   "rcp call*51",                        "",   ""},
    {"rem",      kLong,   kNone,                   "call*175",                           "",   ""},  // assumed
    {"rem",      kUnsignedWord, kNone,             "rcp call*24 mul.u16 mad.u16 shl mad.u16 sub", "", ""},
    {"rem",      kAny,    kNone,                   "rcp call*51 mul.u16 mad.u16 shl mad.u16 sub", "", ""},
    // Special functions.
    {"rcp",      kF,      kNone,                   "rcp",                                "",   ""},
    {"rsqrt",    kF,      kNone,                   "rsq",                                "",   ""},
    {"sqrt",     kF,      kNone,                   "rsq rcp",                            "",   ""},
    {"lg2",      kF,      kNone,                   "lg2",                                "",   ""},
    {"sin",      kF,      kNone,                   "presin sin",                         "a",  ""},
    {"cos",      kF,      kNone,                   "presin cos",                         "a",  ""},
    {"ex2",      kF,      kNone,                   "preex2 ex2",                         "a",  ""},
    {"tanh",     kF,      kNone,                   "preex2 ex2 add rcp mad",             "",   ""},  // assumed
    // Signs, minimum, maximum, comparison. There are no predicate registers, but condition codes.
    {"abs",      kLong,   kNone,                   "set sub*2 mov*2",                    "",   ""},  // assumed
    {"abs",      kAny,    kNone,                   "cvt",                                "a",  ""},
    {"neg",      kLong,   kNone,                   "sub*2",                              "",   ""},
    {"neg",      kAny,    kNone,                   "cvt",                                "a",  ""},
    {"min",      kLong,   kNone,                   "set*3 mov*4",                        "",   ""},  // assumed
    {"min",      kAny,    kNone,                   "min",                                "ab", "ab"},
    {"max",      kLong,   kNone,                   "set*3 mov*4",                        "",   ""},  // assumed
    {"max",      kAny,    kNone,                   "max",                                "ab", "ab"},
    {"copysign", kAny,    kNone,                   "and +and or",                           "",   ""},
    {"testp",    kAny,    kNone,                   "and set",                            "",   ""},
    {"setp",     kLong,   kNone,                   "set*3 mov*2",                        "",   ""},  // assumed; with .and and the like, too
    {"setp",     kAny,    mods(Mod::And),          "set and",                            "",   ""},
    {"setp",     kAny,    mods(Mod::Or),           "set or",                             "",   ""},
    {"setp",     kAny,    mods(Mod::Xor),          "set xor",                            "",   ""},
    {"setp",     kAny,    kNone,                   "set",                                "ab", "ab"},
    {"set",      kF,      kNone,                   "set cvt cvt",                        "",   ""},
    {"set",      kAny,    kNone,                   "set",                                "ab", "ab"},
    {"selp",     kLong,   kNone,                   "mov +mov +mov +mov",                              "",   ""},
    {"selp",     kAny,    kNone,                   "mov +mov",                              "",   ""},
    {"slct",     kLong,   kNone,                   "set mov +mov +mov +mov",                          "",   ""},
    {"slct",     kAny,    kNone,                   "set mov +mov",                          "",   ""},
    // Logic, shifts, bit fields.
    {"and",      kLong,   kNone,                   "and*2",                              "",   ""},
    {"and",      kAny,    kNone,                   "and",                                "ab", "ab"},
    {"or",       kLong,   kNone,                   "or*2",                               "",   ""},
    {"or",       kAny,    kNone,                   "or",                                 "ab", "ab"},
    {"xor",      kLong,   kNone,                   "xor*2",                              "",   ""},
    {"xor",      kAny,    kNone,                   "xor",                                "ab", "ab"},
    {"not",      kLong,   kNone,                   "not*2",                              "",   ""},
    {"cnot",     kAny,    kNone,                   "set cvt",                            "",   ""},
    {"lop3",     kAny,    kNone,                   "and or",                             "",   ""},  // assumed: most are two
    {"shl",      kLong,   kNone,                   "shl*2 shr or",                       "",   ""},  // assumed
    {"shl",      kAny,    kNone,                   "shl",                                "a",  "b"},
    {"shr",      kLong,   kNone,                   "shr*2 shl or",                       "",   ""},  // assumed
    {"shr",      kAny,    kNone,                   "shr",                                "a",  "b"},
    {"shf",      kAny,    kNone,                   "shl +shr or",                         "",   ""},  // of two words; a rotation is a rule
    {"prmt",     kAny,    kNone,                   "shl*3 and*2 or*2",                   "",   ""},  // assumed
    {"bfe",      kLong,   kNone,                   "shl*3 shr*3 or*2",                   "",   ""},  // assumed
    {"bfe",      kAny,    kNone,                   "shl shr",                            "",   ""},
    {"bfi",      kLong,   kNone,                   "shl*3 shr and*4 or*3",               "",   ""},  // assumed
    {"bfi",      kAny,    kNone,                   "shl and*2 or",                       "",   ""},
    {"bmsk",     kAny,    kNone,                   "shl*2 sub",                          "",   ""},  // assumed
    {"szext",    kAny,    kNone,                   "shl shr",                            "",   ""},
    {"popc",     kAny,    kNone,                   "shr*5 and*5 add*5",                  "",   ""},  // "tens" (Guide 4.2, 5.4.1)
    {"brev",     kAny,    kNone,                   "shl*5 shr*5 and*10 or*5",            "",   ""},  // the same
    {"clz",      kAny,    kNone,                   "cvt shr*2 sub*2 set mov*2",          "",   ""},  // assumed
    {"bfind",    kAny,    kNone,                   "cvt shr*2 sub set mov*2",            "",   ""},  // assumed
    // Moves. cvta: there is one address space a kind of access.
    {"mov",      kLong,   mods(Mod::V2),           "mov +mov +mov +mov",                              "",   ""},
    {"mov",      kAny,    mods(Mod::V2),           "mov +mov",                              "",   ""},
    {"mov",      kAny,    mods(Mod::V4),           "mov +mov +mov +mov",                              "",   ""},
    {"mov",      kLong,   kNone,                   "mov +mov",                              "",   ""},
    {"cvt",      kAny,    mods(Mod::Pack),         "cvt*2 shl or",                       "",   ""},  // assumed
    {"cvt",      kLong,   kNone,                   "cvt mov",                            "",   ""},
    {"cvt",      kAny,    kNone,                   "cvt",                                "a",  ""},
    {"cvta",     kAny,    kNone,                   "",                                   "",   ""},
    {"prefetch", kAny,    kNone,                   "",                                   "",   ""},
    {"prefetchu", kAny,   kNone,                   "",                                   "",   ""},
    {"applypriority", kAny, kNone,                 "",                                   "",   ""},
    {"discard",  kAny,    kNone,                   "",                                   "",   ""},
    {"griddepcontrol", kAny, kNone,                "",                                   "",   ""},
    {"pmevent",  kAny,    kNone,                   "",                                   "",   ""},
    // Control. Sources and addresses pass through the SPs; a branch, too, and it holds the port for longer
    // (docs/native-cost.md).
    {"bar",      kAny,    mods(Mod::Warp),         "",                                   "",   ""},
    {"bar",      kAny,    kNone,                   "bar.sync",                           "",   ""},
    {"bra",      kAny,    kNone,                   "bra",                                "",   ""},
};
// clang-format on

constexpr std::array kSpecialFunctions{std::string_view("rcp"),    std::string_view("rsq"), std::string_view("lg2"),
                                       std::string_view("presin"), std::string_view("sin"), std::string_view("cos"),
                                       std::string_view("preex2"), std::string_view("ex2")};

}  // namespace

StepCount count_steps(std::string_view steps) {
  StepCount out;
  while (!steps.empty()) {
    size_t end = std::min(steps.find(' '), steps.size());
    std::string_view word = steps.substr(0, end);
    steps.remove_prefix(std::min(end + 1, steps.size()));
    uint16_t times = 1;
    if (size_t star = word.find('*'); star != std::string_view::npos) {
      times = 0;
      for (char digit : word.substr(star + 1)) times = static_cast<uint16_t>(times * 10 + (digit - '0'));
      word = word.substr(0, star);
    }
    bool parallel = word.starts_with('+');
    if (parallel) word.remove_prefix(1);
    bool special = std::find(kSpecialFunctions.begin(), kSpecialFunctions.end(), word) != kSpecialFunctions.end();
    uint16_t& count = special ? out.sfu : out.sp;
    count = static_cast<uint16_t>(count + times);
    uint16_t& chain = parallel ? out.parallel : special ? out.chain_sfu : out.chain_sp;
    chain = static_cast<uint16_t>(chain + times);
  }
  return out;
}

Type narrowed(Type type) {
  if (type == Type::U64) return Type::U32;
  if (type == Type::S64) return Type::S32;
  return type == Type::B64 ? Type::B32 : type;
}

Recipe find_recipe(const Instruction& instruction, Type type) {
  // Rows by card: they stand together.
  static const std::vector<std::pair<const Recipe*, const Recipe*>> rows = [] {
    std::vector<std::pair<const Recipe*, const Recipe*>> out;
    for (const CardRow& card : cards()) {
      auto is_of = [&](const Recipe& recipe) { return recipe.card == card.card->name; };
      const Recipe* first = std::find_if(std::begin(kRecipes), std::end(kRecipes), is_of);
      out.emplace_back(first, std::find_if_not(first, std::end(kRecipes), is_of));
    }
    return out;
  }();
  auto [row, end] = rows[static_cast<size_t>(instruction.card - cards().data())];
  for (; row != end; ++row)
    if ((row->types.empty() || row->types.has(type)) && (instruction.mods & row->words) == row->words) return *row;
  std::string_view name = instruction.card->card->name;
  return {name, {}, {}, name, "", ""};
}

}  // namespace warptime::ptx
