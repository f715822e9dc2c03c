// Counts are those of NVIDIA's assembler (ptxas 13.0, sm_90) for one PTX instruction, of the path that ordinary values
// take: a division of f32 or f64 calls a function for the others. A row's order is that of trust in its words: the
// first that matches applies.
#include "ptx/native/later_recipes.h"

#include <algorithm>
#include <array>

#include "ptx/native/register_facts.h"

namespace warptime::ptx {

namespace {

constexpr TypeSet kEvery{};
constexpr TypeSet kSingle = types(Type::F32);
constexpr TypeSet kDouble = types(Type::F64);
constexpr TypeSet kPairs = types(Type::U64, Type::S64, Type::B64);
constexpr TypeSet kShorts = types(Type::U16, Type::S16, Type::B16);
constexpr TypeSet kNaturals = types(Type::U16, Type::U32);
constexpr TypeSet kHalves = types(Type::F16, Type::F16x2, Type::BF16, Type::BF16x2);
constexpr TypeSet kPredicates = types(Type::Pred);
constexpr ModSet kAnyWords{};

struct LaterRecipe {
  std::string_view card;
  TypeSet types;  // the first type word; empty: any
  ModSet words;   // that it must have
  std::string_view steps;
};

// From the dividend: the divisor's reciprocal is there before, as most divide by the same number again and again.
constexpr std::string_view kDivision32 =
    "imad +i2f +mufu +vadd +f2i +mov +imad +imad.hi imad.hi mov imad isetp +sel vadd isetp vadd lop3";

// clang-format off
constexpr LaterRecipe kLaterRecipes[] = {
    // Sums and products.
    {"add",      kPairs,  kAnyWords,                  "iadd3 iadd3.x"},
    {"add",      kSingle,     kAnyWords,                  "fadd"},
    {"add",      kDouble,     kAnyWords,                  "dadd"},
    {"add",      kHalves,   kAnyWords,                  "hadd2"},
    {"add",      kEvery,   kAnyWords,                  "iadd"},
    {"sub",      kPairs,  kAnyWords,                  "iadd3 iadd3.x"},
    {"sub",      kSingle,     kAnyWords,                  "fadd"},
    {"sub",      kDouble,     kAnyWords,                  "dadd"},
    {"sub",      kHalves,   kAnyWords,                  "hadd2"},
    {"sub",      kEvery,   kAnyWords,                  "iadd"},
    {"addc",     kPairs,  kAnyWords,                  "iadd3 iadd3.x"},
    {"subc",     kPairs,  kAnyWords,                  "iadd3 iadd3.x"},
    {"addc",     kEvery,   kAnyWords,                  "iadd3.x"},
    {"subc",     kEvery,   kAnyWords,                  "iadd3.x"},
    {"mul",      kSingle,     kAnyWords,                  "fmul"},
    {"mul",      kDouble,     kAnyWords,                  "dmul"},
    {"mul",      kHalves,   kAnyWords,                  "hmul2"},
    {"mul",      kShorts,  kAnyWords,                  "prmt +prmt imad"},
    {"mul",      kPairs,  mods(Mod::Lo),          "imad +imad +imad.wide iadd"},
    {"mul",      kPairs,  mods(Mod::Hi),          "imad.wide +imad.wide +iadd3 +iadd3.x imad.wide imad.wide iadd3 iadd3.x"},
    {"mul",      kEvery,   mods(Mod::Hi),          "imad.hi"},
    {"mul",      kEvery,   mods(Mod::Wide),        "imad.wide"},
    {"mul",      kEvery,   kAnyWords,                  "imad"},
    {"mad",      kSingle,     kAnyWords,                  "ffma"},
    {"mad",      kDouble,     kAnyWords,                  "dfma"},
    {"mad",      kShorts,  kAnyWords,                  "prmt +prmt imad"},
    {"mad",      kPairs,  mods(Mod::Lo),          "imad +imad +imad.wide iadd"},
    {"mad",      kPairs,  mods(Mod::Hi),          "imad.wide +imad.wide +iadd3 +iadd3.x imad.wide imad.wide iadd3 iadd3.x iadd3 iadd3.x"},
    {"mad",      kEvery,   mods(Mod::Hi),          "mov imad.hi"},
    {"mad",      kEvery,   mods(Mod::Wide),        "imad.wide"},
    {"mad",      kEvery,   kAnyWords,                  "imad"},
    {"madc",     kEvery,   mods(Mod::Hi),          "imad.hi"},
    {"madc",     kEvery,   kAnyWords,                  "imad"},
    {"fma",      kDouble,     kAnyWords,                  "dfma"},
    {"fma",      kHalves,   kAnyWords,                  "hfma2"},
    {"fma",      kEvery,   kAnyWords,                  "ffma"},
    {"mul24",    kEvery,   kAnyWords,                  "sgxt +sgxt imad"},
    {"mad24",    kEvery,   kAnyWords,                  "sgxt +sgxt imad"},
    {"sad",      kEvery,   kAnyWords,                  "vabsdiff"},
    {"dp4a",     kEvery,   kAnyWords,                  "imad"},
    {"dp2a",     kEvery,   kAnyWords,                  "imad"},
    // Division.
    {"div",      kSingle,     mods(Mod::Full),        "fsetp +fsetp fmul +fmul fmul +fmul mufu fmul"},
    {"div",      kSingle,     mods(Mod::Approx, Mod::Ftz), "mufu fmul"},
    {"div",      kSingle,     mods(Mod::Approx),      "fsetp fmul +fmul mufu fmul"},
    {"div",      kSingle,     kAnyWords,                  "mufu +fchk +bssy ffma ffma ffma ffma ffma bra bsync"},
    {"div",      kDouble,     kAnyWords,                  "mufu +mov +fsetp dfma dfma dfma dfma dfma dmul dfma dfma ffma fsetp +bssy bra bsync"},
    {"div",      kPairs,  kAnyWords,                  "i2f mufu vadd f2i imad*3 imad.hi*3 iadd3 iadd3.x imad*3 imad.hi*3 iadd3 iadd3.x imad.wide*3 +imad*4 +iadd3*8 +isetp*4 +sel*8 +mov*8 +lop3*2 call ret"},
    {"div",      kNaturals, kAnyWords,               kDivision32},
    {"div",      kEvery,   kAnyWords,                  "iabs +iabs +i2f +mufu +vadd +f2i +mov +imad +imad +imad.hi imad.hi mov imad isetp +sel vadd isetp vadd lop3 +lop3 +isetp +iadd +lop3"},
    {"rem",      kPairs,  kAnyWords,                  "i2f mufu vadd f2i imad*3 imad.hi*3 iadd3 iadd3.x imad*3 imad.hi*3 iadd3 iadd3.x imad.wide*3 +imad*4 +iadd3*8 +isetp*4 +sel*8 +mov*6 call ret"},
    {"rem",      kNaturals, kAnyWords,               kDivision32},
    {"rem",      kEvery,   kAnyWords,                  "iabs +iabs +i2f +mufu +vadd +f2i +mov +imad +imad +imad.hi imad.hi mov imad isetp +sel vadd isetp vadd lop3 +lop3 +isetp +iadd"},
    // Special functions. Without .ftz a factor takes results from the subnormal numbers' range and back.
    {"rcp",      kSingle,     mods(Mod::Approx, Mod::Ftz), "mufu"},
    {"rcp",      kSingle,     mods(Mod::Approx),      "fsetp +fsetp fsel +fsel fmul mufu fmul"},
    {"rcp",      kSingle,     kAnyWords,                  "vadd lop3 isetp +bssy bra mufu ffma fadd ffma bsync"},
    {"rcp",      kDouble,     kAnyWords,                  "mufu +vadd +fsetp dfma dfma dfma dfma dfma +bssy bra bsync"},
    {"sqrt",     kSingle,     mods(Mod::Approx, Mod::Ftz), "mufu"},
    {"sqrt",     kSingle,     mods(Mod::Approx),      "fsetp fmul mufu fmul"},
    {"sqrt",     kSingle,     kAnyWords,                  "vadd +mufu isetp +bssy bra fmul +fmul ffma ffma bsync"},
    {"sqrt",     kDouble,     kAnyWords,                  "mufu +vadd +isetp dmul dfma dfma dmul dfma dmul +vadd dfma dfma +mov +bssy bra bsync"},
    {"rsqrt",    kSingle,     mods(Mod::Ftz),         "mufu"},
    {"rsqrt",    kSingle,     kAnyWords,                  "fsetp fmul mufu fmul"},
    {"rsqrt",    kDouble,     kAnyWords,                  "mufu dmul dfma dfma dmul dfma +mov*3 +isetp +bssy bra bsync"},
    {"sin",      kSingle,     kAnyWords,                  "fmul mufu"},
    {"cos",      kSingle,     kAnyWords,                  "fmul mufu"},
    {"lg2",      kSingle,     mods(Mod::Ftz),         "mufu"},
    {"lg2",      kSingle,     kAnyWords,                  "fsetp fmul mufu fadd"},
    {"ex2",      kSingle,     mods(Mod::Ftz),         "mufu"},
    {"ex2",      kSingle,     kAnyWords,                  "fsetp fmul mufu fmul"},
    {"ex2",      kHalves,   kAnyWords,                  "mufu"},
    {"tanh",     kEvery,   kAnyWords,                  "mufu"},
    // Signs, minimum, maximum, comparison, selection.
    {"abs",      kPairs,  kAnyWords,                  "isetp +iadd3 iadd3.x sel +sel"},
    {"abs",      kSingle,     kAnyWords,                  "fadd"},
    {"abs",      kDouble,     kAnyWords,                  "dadd"},
    {"abs",      kHalves,   kAnyWords,                  "lop3"},
    {"abs",      kEvery,   kAnyWords,                  "iabs"},
    {"neg",      kPairs,  kAnyWords,                  "iadd3 iadd3.x"},
    {"neg",      kSingle,     kAnyWords,                  "fadd"},
    {"neg",      kDouble,     kAnyWords,                  "dadd"},
    {"neg",      kHalves,   kAnyWords,                  "hadd2"},
    {"neg",      kEvery,   kAnyWords,                  "iadd"},
    {"min",      kPairs,  kAnyWords,                  "isetp isetp sel +sel"},
    {"max",      kPairs,  kAnyWords,                  "isetp isetp sel +sel"},
    {"min",      kDouble,     kAnyWords,                  "dsetp fsel +sel +mov +mov"},
    {"max",      kDouble,     kAnyWords,                  "dsetp fsel +sel +mov +mov"},
    {"min",      kEvery,   kAnyWords,                  "vimnmx"},
    {"max",      kEvery,   kAnyWords,                  "vimnmx"},
    {"copysign", kEvery,   kAnyWords,                  "lop3"},
    {"testp",    kEvery,   kAnyWords,                  "lop3 isetp"},
    {"setp",     kPairs,  kAnyWords,                  "isetp isetp"},
    {"setp",     kDouble,     kAnyWords,                  "dsetp"},
    {"setp",     kShorts,  kAnyWords,                  "prmt +prmt isetp"},
    {"setp",     kHalves,   kAnyWords,                  "hsetp2"},
    {"setp",     kSingle,     kAnyWords,                  "fsetp"},
    {"setp",     kEvery,   kAnyWords,                  "isetp"},
    {"set",      kSingle,     kAnyWords,                  "fset"},
    {"set",      kEvery,   kAnyWords,                  "isetp sel"},
    {"selp",     kPairs,  kAnyWords,                  "sel +sel"},
    {"selp",     kDouble,     kAnyWords,                  "fsel +fsel"},
    {"selp",     kEvery,   kAnyWords,                  "sel"},
    {"slct",     kPairs,  kAnyWords,                  "isetp sel +sel"},
    {"slct",     kEvery,   kAnyWords,                  "isetp sel"},
    // Logic, shifts, bit fields.
    {"and",      kPredicates,  kAnyWords,                  "plop3"},
    {"or",       kPredicates,  kAnyWords,                  "plop3"},
    {"xor",      kPredicates,  kAnyWords,                  "plop3"},
    {"not",      kPredicates,  kAnyWords,                  ""},
    {"and",      kPairs,  kAnyWords,                  "lop3 +lop3"},
    {"or",       kPairs,  kAnyWords,                  "lop3 +lop3"},
    {"xor",      kPairs,  kAnyWords,                  "lop3 +lop3"},
    {"not",      kPairs,  kAnyWords,                  "lop3 +lop3"},
    {"cnot",     kEvery,   kAnyWords,                  "isetp sel"},
    {"shl",      kPairs,  kAnyWords,                  "shf +shf"},
    {"shr",      kPairs,  kAnyWords,                  "shf +shf"},
    {"popc",     kPairs,  kAnyWords,                  "popc +popc iadd"},
    {"popc",     kEvery,   kAnyWords,                  "popc"},
    {"clz",      kPairs,  kAnyWords,                  "flo +flo isetp sel iadd"},
    {"clz",      kEvery,   kAnyWords,                  "flo iadd"},
    {"bfind",    kEvery,   kAnyWords,                  "flo"},
    {"fns",      kEvery,   kAnyWords,                  "call*20"},
    {"brev",     kPairs,  kAnyWords,                  "brev +brev"},
    {"brev",     kEvery,   kAnyWords,                  "brev"},
    {"bfe",      kPairs,  kAnyWords,                  "prmt +prmt +prmt shf +shf lop3 +lop3"},
    {"bfe",      kEvery,   kAnyWords,                  "shf sgxt"},
    {"bfi",      kPairs,  kAnyWords,                  "shf +shf lop3 +lop3"},
    {"bfi",      kEvery,   kAnyWords,                  "shl lop3"},
    {"shf",      kEvery,   kAnyWords,                  "shf"},
    {"prmt",     kEvery,   kAnyWords,                  "prmt"},
    {"lop3",     kEvery,   kAnyWords,                  "lop3"},
    {"and",      kEvery,   kAnyWords,                  "lop3"},
    {"or",       kEvery,   kAnyWords,                  "lop3"},
    {"xor",      kEvery,   kAnyWords,                  "lop3"},
    {"not",      kEvery,   kAnyWords,                  "lop3"},
    {"shr",      kEvery,   kAnyWords,                  "shf"},
    // Moves. What is in constant memory or in a special register is read once.
    {"cvta",     kEvery,   kAnyWords,                  ""},
    {"isspacep", kEvery,   kAnyWords,                  "isetp"},
    // Among the lanes of a warp.
    {"shfl",     kEvery,   kAnyWords,                  "shfl"},
    {"vote",     kEvery,   kAnyWords,                  "vote"},
    {"match",    kEvery,   kAnyWords,                  "match"},
    {"redux",    kEvery,   kAnyWords,                  "redux"},
    {"activemask", kEvery, kAnyWords,                  "vote"},
    {"elect",    kEvery,   kAnyWords,                  "elect"},
};
// clang-format on

bool has_words(ModSet mods, ModSet words) { return (mods & words) == words; }

/// cvt: by its two types.
std::string_view steps_of_conversion(const Instruction& in, uint32_t capability) {
  const Type to = in.type, from = in.type2;
  const bool to_float = info(to).kind == TypeKind::Float, from_float = info(from).kind == TypeKind::Float;
  if (to == Type::F64 || from == Type::F64) return "f2f";
  if (to_float && from_float) {
    if (bits(to) == 32 && bits(from) == 32) return has_words(in.mods, mods(Mod::Sat)) ? "fadd" : "frnd";
    return bits(from) == 16 ? "hadd2.f32" : capability < 80 ? "f2f" : "f2fp";
  }
  if (from_float) return bits(to) == 64 ? "f2i" : "f2i";
  if (to_float) return bits(from) == 64 || bits(to) == 16 || capability < 90 ? "i2f" : "i2fp";
  if (info(to).kind == TypeKind::Packed || info(from).kind == TypeKind::Packed) return "f2fp";
  if (in.mods.has(Mod::Sat)) return "i2i prmt";
  const bool is_signed = info(from).kind == TypeKind::Signed;
  if (bits(to) == 64 && bits(from) <= 32) return is_signed ? "shf" : "mov";
  if (bits(from) < bits(to)) return is_signed ? "prmt" : "";  // the upper bits of a register are zero
  if (bits(to) == 8) return is_signed ? "prmt" : "lop3";
  return "";
}

NativePipe pipe_of(std::string_view step) {
  struct Row {
    NativePipe pipe;
    std::string_view names;
  };
  // A name is followed by a blank.
  static constexpr std::array kRows{
      Row{NativePipe::Fma, "ffma fadd fmul hfma2 hadd2 hadd2.f32 hmul2 "},
      Row{NativePipe::Product, "imad imad.wide imad.hi "},
      Row{NativePipe::Either, "iadd iadd3.x shl lea mov "},
      Row{NativePipe::Xu, "mufu i2f f2i f2f frnd popc flo brev i2i "},
      Row{NativePipe::Double, "dfma dadd dmul dsetp "},
      Row{NativePipe::Tensor, "mma "},
      Row{NativePipe::Memory, "shfl match redux ld ldg lds ldl st stg sts stl atom red tex access "},
      Row{NativePipe::Uniform, "s2r ldc uldc umov ulea "},
      Row{NativePipe::Control, "bra bmov bssy bsync bar exit call ret elect control "},
  };
  for (const Row& row : kRows)
    for (size_t at = row.names.find(step); at != std::string_view::npos; at = row.names.find(step, at + 1))
      if ((at == 0 || row.names[at - 1] == ' ') && row.names[at + step.size()] == ' ') return row.pipe;
  return NativePipe::Alu;
}

/// A load, store or atomic operation.
std::string_view name_of_access(const Instruction& in, Effect effect) {
  const bool loads = effect == Effect::Load;
  if (effect == Effect::Atomic) return in.card->card->name == "red" ? "red" : "atom";
  if (effect == Effect::Texture) return "tex";
  if (!loads && effect != Effect::Store) return "access";
  switch (in.space) {
    case Space::Global: return loads ? "ldg" : "stg";
    case Space::Shared: return loads ? "lds" : "sts";
    case Space::Local: return loads ? "ldl" : "stl";
    case Space::None:
    case Space::Reg:
    case Space::Const:
    case Space::Param:
    case Space::Sreg:
    case Space::Tex:
    case Space::Generic: break;
  }
  return loads ? "ld" : "st";
}

/// What has no row: by the unit that PTX knows for it.
std::string_view steps_by_unit(const Instruction& in) {
  switch (unit_of(*in.card->card, *in.form)) {
    case Unit::Memory: return "access";
    case Unit::Sfu: return "mufu";
    case Unit::Dp: return "dfma";
    case Unit::Tensor: return "mma";
    case Unit::CopyEngine:
    case Unit::Control: return "control";
    case Unit::Sp:
    case Unit::Alu: break;
  }
  return "alu";
}

/// What the next step of a chain waits for besides the latency of the one before it.
void count_waits(std::string_view before, std::string_view step, LaterInstruction& out) {
  const bool is_special = pipe_of(step) == NativePipe::Xu;
  const bool compares = before.size() > 4 && before.substr(1, 4) == "setp";
  const bool selects = step == "sel" || step == "fsel" || step == "lop3" || step.substr(1) == "setp";
  if (before.empty()) out.begins_special = is_special;
  else if (compares && !selects) ++out.guards;
  else if (is_special && pipe_of(before) != NativePipe::Xu) ++out.specials;
  if (step == "bra") ++out.branches;
  if (step == "bsync") ++out.joins;
  if (step == "hadd2" || step == "hfma2" || step == "hmul2") ++out.halves;
}

}  // namespace

std::string_view later_steps(const Kernel& kernel, const Instruction& in, uint32_t capability) {
  const std::string_view name = in.card->card->name;
  const auto operands = kernel.operands_of(in);
  if (name == "cvt") return steps_of_conversion(in, capability);
  if (name == "shl" && !is_long(in.type)) return operands[2].kind == Operand::Kind::Immediate ? "shl" : "shf";
  if (name == "mov") {
    if (operands[0].kind == Operand::Kind::Vector || operands[1].kind == Operand::Kind::Vector) return "";
    if (operands[1].kind == Operand::Kind::Special)
      return varies_by_lane(static_cast<Special>(operands[1].index)) ? "s2r" : "uldc";
    if (in.type == Type::Pred) return "plop3";
    return bits(in.type) == 64 ? "mov +mov" : "mov";
  }
  const Effect effect = effect_of(in);
  if (effect == Effect::Load && in.space == Space::Param) return "ldc";
  if (info(effect).memory != MemoryUse::NoMemory) return name_of_access(in, effect);
  if (effect == Effect::Nop) return "";
  if (effect == Effect::Branch) return "bra";
  if (effect == Effect::Barrier) return "bar";
  if (effect == Effect::Exit) return "exit";
  for (const LaterRecipe& row : kLaterRecipes)
    if (row.card == name && (row.types == kEvery || row.types.has(in.type)) && has_words(in.mods, row.words))
      return row.steps;
  return steps_by_unit(in);
}

LaterInstruction counted_steps(std::string_view steps) {
  LaterInstruction out;
  out.steps = steps;
  std::string_view before;
  for (bool first = true; !steps.empty(); first = false) {
    const size_t end = std::min(steps.find(' '), steps.size());
    std::string_view step = steps.substr(0, end);
    steps.remove_prefix(std::min(end + 1, steps.size()));
    const bool waits = first || step.front() != '+';
    if (step.front() == '+') step.remove_prefix(1);
    uint16_t times = 1;
    if (const size_t star = step.find('*'); star != std::string_view::npos) {
      times = 0;
      for (char digit : step.substr(star + 1)) times = static_cast<uint16_t>(10 * times + (digit - '0'));
      step = step.substr(0, star);
    }
    const auto pipe = static_cast<size_t>(pipe_of(step));
    out.count[pipe] = static_cast<uint16_t>(out.count[pipe] + times);
    if (waits) out.chain[pipe] = static_cast<uint16_t>(out.chain[pipe] + times);
    if (waits) {
      count_waits(before, step, out);
      before = step;
    }
    if (step == "imad.hi") {
      out.wide = static_cast<uint16_t>(out.wide + times);
      if (waits) out.wide_in_chain = static_cast<uint16_t>(out.wide_in_chain + times);
    }
  }
  return out;
}

}  // namespace warptime::ptx
