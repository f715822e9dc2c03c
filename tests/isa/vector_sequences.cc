// Forms whose values are not one card's lanes: what memory, the other lanes of the warp or the carry flag make of them.
// Each is a few instructions that leave everything observable in registers.
#include <fmt/format.h>

#include "vector_forms.h"

namespace warptime::sim {

namespace {

using Texts = std::vector<std::string>;

/// add.cc/addc, sub.cc/subc and mad.cc/madc: the carry goes from one instruction to the next (PTX ISA 9.7.2).
void carry_chains(Texts& out) {
  for (const char* t : {"u32", "s32", "u64", "s64"}) {
    for (const char* op : {"add", "sub"}) {
      out.push_back(fmt::format("{0}.cc.{1} %d_{1}, %a_{1}, %b_{1}; {0}c.{1} %q_{1}, %c_{1}, %e_{1};", op, t));
      out.push_back(
          fmt::format("{0}.cc.{1} %d_{1}, %a_{1}, %b_{1}; {0}c.cc.{1} %q_{1}, %c_{1}, %e_{1}; "
                      "{0}c.{1} %r_{1}, %f_{1}, %g_{1};",
                      op, t));
    }
    for (const char* half : {"lo", "hi"}) {
      out.push_back(fmt::format("mad.{0}.cc.{1} %d_{1}, %a_{1}, %b_{1}, %c_{1}; addc.{1} %q_{1}, %e_{1}, 0;", half, t));
      out.push_back(
          fmt::format("add.cc.{1} %d_{1}, %a_{1}, %b_{1}; madc.{0}.{1} %q_{1}, %c_{1}, %e_{1}, %f_{1};", half, t));
      out.push_back(
          fmt::format("add.cc.{1} %d_{1}, %a_{1}, %b_{1}; madc.{0}.cc.{1} %q_{1}, %c_{1}, %e_{1}, %f_{1}; "
                      "addc.{1} %r_{1}, %a_{1}, 0;",
                      half, t));
    }
  }
}

/// One carry or borrow between instructions of different kinds: what each that writes CC.CF leaves to each that reads
/// it.
void carries_between_kinds(Texts& out) {
  constexpr const char* kTypes[] = {"u32", "s32", "u64", "s64"};
  struct Kind {
    const char *writer, *reader;
    bool product;
  };
  constexpr Kind kKinds[] = {{"add.cc", "addc", false},
                             {"sub.cc", "subc", false},
                             {"mad.lo.cc", "madc.lo", true},
                             {"mad.hi.cc", "madc.hi", true}};
  for (const char* type : kTypes) {
    for (const Kind& first : kKinds) {
      std::string write = fmt::format("{0}.{1} %k_{1}, %a_{1}, %b_{1}{2}; ", first.writer, type,
                                      first.product ? fmt::format(", %c_{}", type) : "");
      for (const Kind& second : kKinds) {
        // The whole result where the two differ; else it is recorded as a chain.
        std::string third = second.product ? fmt::format(", %g_{}", type) : "";
        if (&first != &second)
          out.push_back(write + fmt::format("{0}.{1} %q_{1}, %e_{1}, %f_{1}{2};", second.reader, type, third));
        // What an instruction that reads and writes it leaves, as the one bit that it is.
        for (const char* last : {"addc", "subc"})
          out.push_back(write + fmt::format("{0}.cc.{1} %m_{1}, %e_{1}, %f_{1}{2}; {3}.{1} %r_{1}, 0, 0;",
                                            second.reader, type, third, last));
      }
    }
    // From an instruction of one type to one of another.
    for (const char* other : kTypes)
      for (const char* writer : {"add.cc", "sub.cc"})
        for (const char* reader : {"addc", "subc"})
          if (type != other)
            out.push_back(
                fmt::format("{0}.{1} %k_{1}, %a_{1}, %b_{1}; {2}.{3} %r_{3}, 0, 0;", writer, type, reader, other));
  }
}

/// mov.v2 and mov.v4: between other registers, and between the same ones in another order.
void vector_moves(Texts& out) {
  for (const char* t : {"b16", "b32", "b64"}) {
    std::string first = fmt::format("mov.v2.{0} {{%d_{0}, %q_{0}}}, {{%b_{0}, %a_{0}}};", t);
    out.push_back(first);
    out.push_back(first + fmt::format(" mov.v2.{0} {{%d_{0}, %q_{0}}}, {{%q_{0}, %d_{0}}};", t));
  }
  for (const char* t : {"b16", "b32"}) {
    std::string all = fmt::format("{{%d_{0}, %q_{0}, %r_{0}, %s_{0}}}", t);
    std::string first = fmt::format("mov.v4.{0} {1}, {{%b_{0}, %a_{0}, %a_{0}, %c_{0}}};", t, all);
    out.push_back(first);
    out.push_back(first + fmt::format(" mov.v4.{0} {1}, {{%s_{0}, %r_{0}, %d_{0}, %q_{0}}};", t, all));
  }
}

/// A word in the lane's own memory before, the operation, the word after.
void atomic(Texts& out, std::string_view op, std::string_view type, bool three) {
  uint32_t width = ptx::bits(*ptx::type_named(type));
  for (auto [space, word] : {std::pair{"global", "%word"}, std::pair{"shared", "%shared"}}) {
    std::string before = fmt::format("st.{}.b{} [{}], %a_b{}; ", space, width, word, width);
    std::string after = fmt::format(" ld.{}.b{} %q_b{}, [{}];", space, width, width, word);
    std::string operands = fmt::format("[{}], %b_{}{}", word, type, three ? fmt::format(", %c_{}", type) : "");
    out.push_back(before + fmt::format("atom.{}.{}.{} %d_{}, {};", space, op, type, type, operands) + after);
    if (!three && op != "exch")
      out.push_back(before + fmt::format("red.{}.{}.{} {};", space, op, type, operands) + after);
  }
}

void atomics(Texts& out) {
  for (const char* op : {"and", "or", "xor", "exch"})
    for (const char* type : {"b32", "b64"}) atomic(out, op, type, false);
  for (const char* type : {"u32", "s32", "u64", "f32", "f64"}) atomic(out, "add", type, false);
  for (const char* op : {"min", "max"})
    for (const char* type : {"u32", "s32", "u64", "s64"}) atomic(out, op, type, false);
  for (const char* op : {"inc", "dec"}) atomic(out, op, "u32", false);
  // Half of the comparisons are to succeed.
  for (const char* type : {"b16", "b32", "b64"}) atomic(out, "cas", type, true);
  for (const char* type : {"b32", "b64"}) {
    out.push_back(
        fmt::format("st.global.{0} [%word], %a_{0}; atom.global.cas.{0} %d_{0}, [%word], %a_{0}, %c_{0}; "
                    "ld.global.{0} %q_{0}, [%word];",
                    type));
  }
}

/// Half-precision sums in memory, and two numbers in one register.
void half_precision(Texts& out) {
  for (const char* type : {"f16", "bf16", "f16x2", "bf16x2"}) {
    const char* bits = type[std::string_view(type).size() - 1] == '2' ? "b32" : "b16";
    for (auto [space, word] : {std::pair{"global", "%word"}, std::pair{"shared", "%shared"}}) {
      std::string before = fmt::format("st.{0}.{1} [{2}], %a_{3}; ", space, bits, word, type);
      std::string after = fmt::format(" ld.{0}.{1} %q_{3}, [{2}];", space, bits, word, type);
      out.push_back(before + fmt::format("atom.{0}.add.noftz.{1} %d_{1}, [{2}], %b_{1};", space, type, word) + after);
      out.push_back(before + fmt::format("red.{0}.add.noftz.{1} [{2}], %b_{1};", space, type, word) + after);
    }
  }
  out.emplace_back("mov.b32 {%d_f16, %q_f16}, %a_f16x2; mov.b32 %r_f16x2, {%b_f16, %c_f16};");
  // Registers wider than the type.
  out.emplace_back("cvt.f32.f16 %d_f32, %a_b32; cvt.f32.f16 %q_f32, %b_b64; cvt.rni.s32.f16 %r_s32, %a_b32;");
  out.emplace_back("cvt.rn.f16.f32 %d_b32, %a_f32; cvt.rn.f16.s32 %q_b64, %b_s32;");
  out.emplace_back(
      "cvt.rn.f16x2.f32 %d_b64, %a_f32, %b_f32; cvt.f64.f32 %q_f64, %c_b64; cvt.rn.f32.s32 %r_b64, %e_s32;");
  out.emplace_back("selp.b16 %d_f16, %a_f16, %b_f16, %c_pred; selp.b32 %q_f16x2, %e_f16x2, %f_f16x2, %c_pred;");
}

/// All lanes together, with a mask of all, and of the lanes that a predicate holds there (the others stay away).
void collective(Texts& out, std::string_view instruction, std::string_view result) {
  out.push_back(fmt::format("{} 0xffffffff;", instruction));
  std::string unset = fmt::format("mov.{0} %d_{0}, 0; ", result);
  if (result == "pred") unset = "setp.ne.u32 %d_pred, 0, 0; ";
  if (instruction.find("%q_pred") != std::string_view::npos) unset += "setp.ne.u32 %q_pred, 0, 0; ";
  out.push_back(
      fmt::format("{}vote.sync.ballot.b32 %k_b32, %g_pred, 0xffffffff; @%g_pred {} %k_b32;", unset, instruction));
}

void collectives(Texts& out) {
  // The first two warps of a block: all true; or all false.
  for (const char* set :
       {"", "setp.lt.or.u32 %p_pred, %thread, 64, %a_pred; ", "setp.ge.and.u32 %p_pred, %thread, 64, %a_pred; "}) {
    const char* p = *set == '\0' ? "%a_pred" : "%p_pred";
    for (const char* mode : {"all", "any", "uni"}) {
      if (*set != '\0') out.push_back(fmt::format("{}vote.sync.{}.pred %d_pred, {}, 0xffffffff;", set, mode, p));
      out.push_back(fmt::format("{}vote.sync.{}.pred %d_pred, !{}, 0xffffffff;", set, mode, p));
      out.push_back(fmt::format("{}vote.{}.pred %d_pred, {};", set, mode, p));
    }
    out.push_back(fmt::format("{}vote.ballot.b32 %d_b32, {};", set, p));
  }
  for (const char* mode : {"all", "any", "uni"})
    collective(out, fmt::format("vote.sync.{}.pred %d_pred, %a_pred,", mode), "pred");
  collective(out, "vote.sync.ballot.b32 %d_b32, %a_pred,", "b32");
  out.emplace_back("mov.b32 %d_b32, 0; @%a_pred activemask.b32 %d_b32;");
  for (const char* mode : {"up", "down", "bfly", "idx"}) {
    for (const char* c : {"0", "0x1f", "0x1c00", "0x1c1f", "0x1803", "%c_u32"}) {
      collective(out, fmt::format("shfl.sync.{}.b32 %d_b32|%q_pred, %a_b32, %b_u32, {},", mode, c), "b32");
      out.push_back(fmt::format("shfl.{}.b32 %d_b32|%q_pred, %a_b32, %b_u32, {};", mode, c));
    }
    collective(out, fmt::format("shfl.sync.{}.b32 %d_b32|%q_pred, %a_b32, 1, 0x1f,", mode), "b32");
  }
  // Few different values, so that some are equal.
  for (auto [width, narrow] :
       {std::pair{"b32", "and.b32 %m_b32, %a_b32, 3; "}, std::pair{"b64", "and.b64 %m_b64, %a_b64, 3; "}}) {
    for (const char* value : {"%a_", "%m_"}) {
      std::string first = value[1] == 'm' ? narrow : "";
      if (value[1] == 'm')
        out.push_back(fmt::format("{0}match.any.sync.{1} %d_b32, {2}{1}, 0xffffffff;", first, width, value));
      out.push_back(fmt::format("{0}match.all.sync.{1} %d_b32|%q_pred, {2}{1}, 0xffffffff;", first, width, value));
    }
    collective(out, fmt::format("match.any.sync.{0} %d_b32, %a_{0},", width), "b32");
    out.push_back(fmt::format("mov.{0} %m_{0}, 7; match.all.sync.{0} %d_b32|%q_pred, %m_{0}, 0xffffffff;", width));
  }
  for (const char* op : {"add", "min", "max"})
    for (const char* type : {"u32", "s32"})
      collective(out, fmt::format("redux.sync.{0}.{1} %d_{1}, %a_{1},", op, type), type);
  for (const char* op : {"and", "or", "xor"})
    collective(out, fmt::format("redux.sync.{}.b32 %d_b32, %a_b32,", op), "b32");
}

/// mov with packing, and loads and stores narrower than their registers.
void movement(Texts& out) {
  out.emplace_back("mov.b32 %d_b32, {%a_u16, %b_u16};");
  out.emplace_back("mov.b64 %d_b64, {%a_u32, %b_u32};");
  out.emplace_back("mov.b64 %d_b64, {%a_f32, %b_f32};");
  out.emplace_back("mov.b64 %d_f64, {%a_u32, %b_u32};");
  out.emplace_back("mov.b64 %d_b64, {%a_u16, %b_u16, %c_u16, %e_u16};");
  out.emplace_back("mov.b32 {%d_u16, %q_u16}, %a_b32;");
  out.emplace_back("mov.b64 {%d_u32, %q_u32}, %a_b64;");
  out.emplace_back("mov.b64 {%d_u32, %q_u32}, %a_f64;");
  out.emplace_back("mov.b64 {%d_f32, %q_f32}, %a_b64;");
  out.emplace_back("mov.b64 {%d_u16, %q_u16, %r_u16, %s_u16}, %a_b64;");
  for (const char* type : {"u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32"}) {
    for (const char* reg : {"16", "32", "64"}) {
      if (ptx::bits(*ptx::type_named(type)) > static_cast<uint32_t>(std::stoi(reg))) continue;
      for (auto [space, word] : {std::pair{"global", "%word"}, std::pair{"shared", "%shared"}})
        out.push_back(fmt::format("st.{0}.{1} [{2}], %a_b{3}; ld.{0}.{1} %d_b{3}, [{2}];", space, type, word, reg));
    }
  }
}

/// Reductions of a barrier over the block.
void barriers(Texts& out) {
  for (const char* barrier : {"bar.red", "barrier.red", "barrier.cta.red"}) {
    out.push_back(fmt::format("{}.popc.u32 %d_u32, 0, %a_pred;", barrier));
    for (const char* op : {"and", "or"}) out.push_back(fmt::format("{}.{}.pred %d_pred, 0, %a_pred;", barrier, op));
    out.push_back(
        fmt::format("setp.ge.or.u32 %p_pred, %thread, 4, %a_pred; {}.and.pred %d_pred, 0, !%p_pred;", barrier));
  }
}

/// Bits and predicates, and cvt.pack.
void further(Texts& out) {
  out.emplace_back("fns.b32 %d_b32, %a_b32, %b_b32, %c_s32;");
  out.emplace_back("and.b32 %k_b32, %b_b32, 31; fns.b32 %d_b32, %a_b32, %k_b32, %c_s32;");
  out.emplace_back("and.b32 %k_b32, %b_b32, 31; fns.b32 %d_b32, %a_b32, %k_b32, 2;");
  out.emplace_back("and.b32 %k_b32, %b_b32, 31; fns.b32 %d_b32, %a_b32, %k_b32, -2;");
  for (const char* op : {"and", "or"})
    out.push_back(fmt::format("lop3.{}.b32 %d_b32|%q_pred, %a_b32, %b_b32, %c_b32, 0x96, %e_pred;", op));
  for (const char* narrow : {"u8", "s8", "u4", "s4", "u2", "s2"})
    out.push_back(fmt::format("cvt.pack.sat.{}.s32.b32 %d_b32, %a_s32, %b_s32, %c_b32;", narrow));
  for (const char* narrow : {"u16", "s16"})
    out.push_back(fmt::format("cvt.pack.sat.{}.s32 %d_b32, %a_s32, %b_s32;", narrow));
  out.emplace_back("elect.sync %d_b32|%q_pred, 0xffffffff;");
}

}  // namespace

std::vector<std::string> vector_sequences() {
  Texts out;
  vector_moves(out);
  carry_chains(out);
  carries_between_kinds(out);
  atomics(out);
  collectives(out);
  movement(out);
  barriers(out);
  further(out);
  half_precision(out);
  return out;
}

}  // namespace warptime::sim
