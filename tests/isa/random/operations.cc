#include "operations.h"

#include <fmt/format.h>

#include <array>

namespace warptime::sim {

namespace {

/// Mnemonics as `filled` takes them. Operands, the destination first: a letter of kRegisterKinds, or
///   P two predicates   k a predicate, perhaps negated   s a shift amount, any
///   w a bit position: a register below 128, or a constant below 32 (beyond the word the compiler of driver 580.159.04
///     makes of a constant something else than bfe computes)
///   x y z  a divisor of 16, 32, 64 bits   i a constant of 8 bits   n a bit of a word   o a few, of either sign
///   L a register and a predicate   S a special register
struct Operation {
  std::string_view mnemonic, operands;
};

constexpr Operation kOperations[] = {
    {"$(add|sub|min|max|mul.lo|mul.hi).$(u16|s16)", "hhh"},
    {"$(add|sub|min|max|mul.lo|mul.hi|mul24.lo|mul24.hi).$(u32|s32)", "rrr"},
    {"$(add|sub|min|max|mul.lo|mul.hi).$(u64|s64)", "ddd"},
    {"$(add|sub).sat.s32", "rrr"},
    {"mul.wide.$(u16|s16)", "rhh"},
    {"mul.wide.$(u32|s32)", "drr"},
    {"mad.$(lo|hi).$(u16|s16)", "hhhh"},
    {"$(mad.lo|mad.hi|mad24.lo|mad24.hi|sad).$(u32|s32)", "rrrr"},
    {"$(mad|mad24).hi.sat.s32", "rrrr"},
    {"$(mad.lo|mad.hi|sad).$(u64|s64)", "dddd"},
    {"mad.wide.$(u16|s16)", "rhhr"},
    {"mad.wide.$(u32|s32)", "drrd"},
    {"sad.$(u16|s16)", "hhhh"},
    {"$(div|rem).$(u16|s16)", "hhx"},
    {"$(div|rem).$(u32|s32)", "rry"},
    {"$(div|rem).$(u64|s64)", "ddz"},
    {"$(abs|neg).s16", "hh"},
    {"$(abs|neg).s32", "rr"},
    {"$(abs|neg).s64", "dd"},
    {"$(popc|clz).b32", "rr"},
    {"$(popc|clz).b64", "rd"},
    {"bfind$(|.shiftamt).$(u32|s32)", "rr"},
    {"bfind$(|.shiftamt).$(u64|s64)", "rd"},
    {"brev.b32", "rr"},
    {"brev.b64", "dd"},
    {"bfe.$(u32|s32)", "rrww"},
    {"bfe.$(u64|s64)", "ddww"},
    {"bfi.b32", "rrrww"},
    {"bfi.b64", "dddww"},
    {"bmsk.$(wrap|clamp).b32", "rss"},
    {"szext.$(wrap|clamp).$(u32|s32)", "rrs"},
    {"$(and|or|xor).b16", "hhh"},
    {"$(and|or|xor).b32", "rrr"},
    {"$(and|or|xor).b64", "ddd"},
    {"$(and|or|xor).pred", "ppp"},
    {"not.pred", "pp"},
    {"$(not|cnot).b16", "hh"},
    {"$(not|cnot).b32", "rr"},
    {"$(not|cnot).b64", "dd"},
    {"lop3.b32", "rrrri"},
    {"shf.$(l|r).$(wrap|clamp).b32", "rrrs"},
    {"$(shl.b|shr.b|shr.u|shr.s)16", "hhs"},
    {"$(shl.b|shr.b|shr.u|shr.s)32", "rrs"},
    {"$(shl.b|shr.b|shr.u|shr.s)64", "dds"},
    {"lop3.$(and|or).b32", "Lrrrip"},
    {"dp4a.$(u32|s32).$(u32|s32)", "rrrr"},
    {"dp2a.$(lo|hi).$(u32|s32).$(u32|s32)", "rrrr"},
    {"fns.b32", "rrno"},
    {"prmt.b32$(|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16)", "rrrr"},
    {"$(add|sub|mul).$(rn|rz|rm|rp)$(|.ftz)$(|.sat).f32", "fff"},
    {"fma.$(rn|rz|rm|rp)$(|.ftz)$(|.sat).f32", "ffff"},
    {"div.$(rn|rz|rm|rp)$(|.ftz).f32", "fff"},
    {"$(rcp|sqrt).$(rn|rz|rm|rp)$(|.ftz).f32", "ff"},
    {"$(min|max)$(|.ftz)$(|.NaN).f32", "fff"},
    {"$(abs|neg)$(|.ftz).f32", "ff"},
    {"copysign.f32", "fff"},
    {"$(add|sub|mul).$(rn|rz|rm|rp).f64", "ggg"},
    {"fma.$(rn|rz|rm|rp).f64", "gggg"},
    {"div.$(rn|rz|rm|rp).f64", "ggg"},
    {"$(rcp|sqrt).$(rn|rz|rm|rp).f64", "gg"},
    {"$(min|max).f64", "ggg"},
    {"$(abs|neg).f64", "gg"},
    {"copysign.f64", "ggg"},
    {"testp.$(finite|infinite|number|notanumber|normal|subnormal).f32", "pf"},
    {"testp.$(finite|infinite|number|notanumber|normal|subnormal).f64", "pg"},
    {"setp.$(eq|ne|lt|le|gt|ge).$(u16|s16)", "phh"},
    {"setp.$(eq|ne|lt|le|gt|ge).$(u32|s32)", "prr"},
    {"setp.$(eq|ne|lt|le|gt|ge).$(u64|s64)", "pdd"},
    {"setp.$(lo|ls|hi|hs).u32", "prr"},
    {"setp.$(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan)$(|.ftz).f32", "pff"},
    {"setp.$(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan).f64", "pgg"},
    {"setp.$(eq|ne|lt|le|gt|ge).$(and|or|xor).$(u32|s32)", "Prrk"},
    {"setp.$(eq|ne|lt|le|gt|ge).$(and|or|xor).$(u64|s64)", "Pddk"},
    {"setp.$(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan).$(and|or|xor).f32", "Pffk"},
    {"set.$(eq|ne|lt|le|gt|ge).$(u32|s32).$(u16|s16)", "rhh"},
    {"set.$(eq|ne|lt|le|gt|ge).$(u32|s32).$(u32|s32)", "rrr"},
    {"set.$(eq|ne|lt|le|gt|ge).$(u32|s32).$(u64|s64)", "rdd"},
    {"set.$(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan)$(|.ftz).$(u32|s32).f32", "rff"},
    {"set.$(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan).$(u32|s32).f64", "rgg"},
    {"set.$(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan)$(|.ftz).f32.f32", "fff"},
    {"set.$(eq|ne|lt|le|gt|ge).$(and|or|xor).$(u32|s32).$(u32|s32)", "rrrk"},
    {"selp.$(b16|u16|s16)", "hhhp"},
    {"selp.$(b32|u32|s32)", "rrrp"},
    {"selp.$(b64|u64|s64)", "dddp"},
    {"selp.f32", "fffp"},
    {"selp.f64", "gggp"},
    {"slct.$(b32|u32|s32).s32", "rrrr"},
    {"slct$(|.ftz).$(b32|u32|s32).f32", "rrrf"},
    {"slct.$(b64|u64|s64).s32", "dddr"},
    {"slct.f32.s32", "fffr"},
    {"mov.$(b32|u32|s32)", "rr"},
    {"mov.$(b64|u64|s64)", "dd"},
    {"mov.$(b16|u16|s16)", "hh"},
    {"mov.f32", "ff"},
    {"mov.u32", "rS"},
    {"mov.f64", "gg"},
    {"mov.b32", "rf"},
    {"mov.b32", "fr"},
    {"mov.b64", "dg"},
    {"mov.b64", "gd"},
};

/// What a NaN's bits are after an f64 operation of two NaN depends on which one the compiler put first.
std::string without_payload(const std::string& reg) {
  return fmt::format("  testp.notanumber.f64 %pt0, {0};\n  selp.f64 {0}, 0d7FF8000000000000, {0}, %pt0;\n", reg);
}

struct ConvertType {
  std::string_view name;
  uint32_t bits;
  bool is_signed;
  std::string_view registers;  // that hold it
};
constexpr std::array<ConvertType, 8> kIntegers{{{"u8", 8, false, "hrd"},
                                                {"s8", 8, true, "hrd"},
                                                {"u16", 16, false, "hrd"},
                                                {"s16", 16, true, "hrd"},
                                                {"u32", 32, false, "rd"},
                                                {"s32", 32, true, "rd"},
                                                {"u64", 64, false, "d"},
                                                {"s64", 64, true, "d"}}};

/// Whether `to` holds every value of `from`: then .sat is an error.
bool holds_all(const ConvertType& to, const ConvertType& from) {
  if (to.is_signed == from.is_signed) return to.bits >= from.bits;
  return to.is_signed && to.bits > from.bits;
}

}  // namespace

std::string Operations::reg(char letter) {
  for (const RegisterKind& kind : kRegisterKinds)
    if (kind.letter == letter) return fmt::format("%{}{}", letter, random_.below(kind.count));
  return {};
}

std::string Operations::source(char letter) {
  if (letter == 'p' || !chance(6)) return reg(letter);
  uint64_t bits = random_.next();
  if (chance(2)) bits >>= 40 + random_.below(24);
  switch (letter) {
    case 'h': return fmt::format("{}", bits & 0x7fff);
    case 'd': return fmt::format("{:#x}", bits >> 1);
    case 'f':
      return fmt::format("0f{:08x}",
                         chance(2) ? (bits & 0x807fffff) | (110 + random_.below(34)) << 23 : bits & 0xffffffff);
    case 'g':
      return fmt::format("0d{:016x}",
                         chance(2) ? (bits & 0x800fffffffffffff) | (1006 + random_.below(34)) << 52 : bits);
    default: return fmt::format("{:#x}", bits & 0xffffffff);
  }
}

std::string Operations::pick(std::string_view words) {
  size_t count = 1;
  for (char c : words) count += c == '|';
  for (uint64_t left = random_.below(count); left > 0; --left) words.remove_prefix(words.find('|') + 1);
  return std::string(words.substr(0, words.find('|')));
}

std::string Operations::filled(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$') {
      out += text[at];
    } else if (text[++at] == '(') {
      size_t end = text.find(')', at);
      out += pick(text.substr(at + 1, end - at - 1));
      at = end;
    } else {
      if (text[at] == '!') {
        if (chance(2)) out += '!';
        ++at;
      }
      out += reg(text[at]);
    }
  }
  return out;
}

std::string Operations::operand(char letter, std::string& before, uint32_t& temporaries) {
  auto temporary = [&](char kind, std::string_view operation, std::string_view second) {
    std::string out = fmt::format("%{}t{}", kind, temporaries++);
    before += fmt::format("  {} {}, {}, {};\n", operation, out, reg(kind), second);
    return out;
  };
  switch (letter) {
    case 'P': {
      uint64_t first = random_.below(6);
      return fmt::format("%p{}|%p{}", first, (first + 1 + random_.below(5)) % 6);
    }
    case 'L': return filled("$r|$p");
    case 'S':
      return pick(
          "%tid.x|%tid.y|%tid.z|%ntid.x|%ntid.y|%ctaid.x|%ctaid.y|%nctaid.x|%laneid|%lanemask_eq|%lanemask_le|"
          "%lanemask_lt|%lanemask_ge|%lanemask_gt");
    case 'k': return filled("$!p");
    case 's': return chance(2) ? reg('r') : fmt::format("{}", random_.below(70));
    case 'w': return chance(2) ? temporary('r', "and.b32", "0x7f") : fmt::format("{}", random_.below(32));
    case 'x': return temporary('h', "or.b16", "1");
    case 'y': return temporary('r', "or.b32", "1");
    case 'z': return temporary('d', "or.b64", "1");
    case 'i': return fmt::format("{:#x}", random_.below(256));
    case 'n': return chance(2) ? temporary('r', "and.b32", "31") : fmt::format("{}", random_.below(32));
    case 'o': return chance(2) ? temporary('r', "shr.s32", "28") : fmt::format("{}", int64_t(random_.below(9)) - 4);
    default: return source(letter);
  }
}

std::string Operations::instruction(const std::string& mnemonic, std::string_view operands) {
  std::string before, list;
  uint32_t temporaries = 0;
  bool two = operands[0] == 'P' || operands[0] == 'L';
  std::string destination = two ? operand(operands[0], before, temporaries) : reg(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) {
    // The first source is a register: some instructions take no constant there.
    bool plain = i == 1 && std::string_view("hrdfg").find(operands[1]) != std::string_view::npos;
    list += ", " + (plain ? reg(operands[1]) : operand(operands[i], before, temporaries));
  }
  // The compiler of driver 580.159.04 loses the guard of set and testp.
  bool guarded = chance(12) && !mnemonic.starts_with("set.") && !mnemonic.starts_with("testp.");
  std::string guard = guarded ? filled("@$!p ") : "";
  std::string out = fmt::format("{}  {}{} {}{};\n", before, guard, mnemonic, destination, list);
  if (operands[0] == 'g') out += without_payload(destination);
  return out;
}

std::string Operations::conversion() {
  const ConvertType& to = kIntegers[random_.below(kIntegers.size())];
  const ConvertType& from = kIntegers[random_.below(kIntegers.size())];
  std::string d(1, to.registers[random_.below(to.registers.size())]);
  std::string a(1, from.registers[random_.below(from.registers.size())]);
  auto line = [this](std::string_view suffixes, std::string_view types, const std::string& operands) {
    return instruction(fmt::format("cvt{}.{}", filled(suffixes), types), operands);
  };
  switch (random_.below(9)) {
    case 0: return line(".$(rn|rz|rm|rp)$(|.sat)", fmt::format("f32.{}", from.name), "f" + a);
    case 1: return line(".$(rn|rz|rm|rp)$(|.sat)", fmt::format("f64.{}", from.name), "g" + a);
    case 2: return line(".$(rni|rzi|rmi|rpi)$(|.ftz)", fmt::format("{}.f32", to.name), d + "f");
    case 3: return line(".$(rni|rzi|rmi|rpi)", fmt::format("{}.f64", to.name), d + "g");
    case 4: return line(".$(rn|rz|rm|rp)$(|.ftz)$(|.sat)", "f32.f64", "fg");
    case 5: return line("$(|.ftz)$(|.sat)", "f64.f32", "gf");
    case 6: return line(".$(rni|rzi|rmi|rpi)$(|.ftz)$(|.sat)", "f32.f32", "ff");
    default: {
      bool sat = !holds_all(to, from) && chance(2);
      return line(sat ? ".sat" : "", fmt::format("{}.{}", to.name, from.name), d + a);
    }
  }
}

std::string Operations::packing() {
  return filled(
      pick("  mov.b32 $r, {$h, $h};\n|  mov.b64 $d, {$r, $r};\n|  mov.b64 $d, {$h, $h, $h, $h};\n|"
           "  mov.b32 {%ht0, %ht1}, $r;\n  xor.b16 $h, %ht0, %ht1;\n|"
           "  mov.b64 {%rt0, %rt1}, $d;\n  sub.u32 $r, %rt0, %rt1;\n|  mov.b64 {$r, %rt1}, $g;\n"));
}

std::string Operations::carry_chain() {
  std::string type = pick("u32|s32|u64|s64");
  char letter = type[1] == '3' ? 'r' : 'd';
  bool borrows = chance(3);
  uint64_t last = 1 + random_.below(4);
  std::string out;
  for (uint64_t i = 0; i <= last; ++i) {
    std::string name = borrows ? "sub" : pick("add|add|mad.lo|mad.hi");
    bool product = name[0] == 'm';
    if (i > 0) name.insert(3, "c");
    out += fmt::format("  {}{}.{} {}", name, i < last ? ".cc" : "", type, reg(letter));
    out += ", " + reg(letter);
    out += ", " + source(letter);
    if (product) out += ", " + source(letter);
    out += ";\n";
  }
  return out;
}

std::string Operations::any() {
  switch (random_.below(11)) {
    case 0:
    case 1: return conversion();
    case 2: return packing();
    case 3: return carry_chain();
    default: break;
  }
  const Operation& operation = kOperations[random_.below(std::size(kOperations))];
  return instruction(filled(operation.mnemonic), operation.operands);
}

}  // namespace warptime::sim
