// Member masks of .sync instructions that part a warp: lanes execute one instruction together, and each computes with
// those that have its mask alone (PTX ISA 9.7.9.6, 9.7.13.2 and 9.7.13.9 to 15). Masks come from data, so that no
// compiler knows them.
#include <fmt/format.h>

#include "vector_forms.h"

namespace warptime::sim {

namespace {

/// Instructions that leave %m_b32: the mask of the lane's own group.
std::vector<std::string> partitions() {
  std::vector<std::string> out;
  std::string masks = "match.any.sync.b32 %m_b32, %k_u32, 0xffffffff; ";
  // Lanes in turn.
  for (uint32_t groups : {2u, 3u, 5u, 32u})
    out.push_back(fmt::format("mov.u32 %k_u32, %laneid; rem.u32 %k_u32, %k_u32, {}; {}", groups, masks));
  // Keys from the data, so that groups are of any size.
  for (uint32_t groups : {2u, 3u, 5u}) out.push_back(fmt::format("rem.u32 %k_u32, %g_u32, {}; {}", groups, masks));
  return out;
}

/// What is executed with the mask %m_b32, and its results.
struct Instruction {
  std::string text;
  std::vector<std::string> results;
};

std::vector<Instruction> instructions() {
  std::vector<Instruction> out;
  for (const char* mode : {"all", "any", "uni"})
    out.push_back({fmt::format("vote.sync.{}.pred %d_pred, %a_pred, %m_b32;", mode), {"%d_pred"}});
  out.push_back({"vote.sync.ballot.b32 %d_b32, %a_pred, %m_b32;", {"%d_b32"}});
  for (const char* mode : {"up", "down", "bfly", "idx"})
    for (const char* c : {"0", "0x1f", "0x1803"})
      if (std::string_view(c) != (std::string_view(mode) == "up" ? "0x1f" : "0"))
        out.push_back({fmt::format("shfl.sync.{}.b32 %d_b32|%q_pred, %a_b32, %b_u32, {}, %m_b32;", mode, c),
                       {"%d_b32", "%q_pred"}});
  for (const char* width : {"b32", "b64"}) {
    std::string few = fmt::format("and.{0} %n_{0}, %a_{0}, 1; ", width);
    out.push_back({few + fmt::format("match.any.sync.{0} %d_b32, %n_{0}, %m_b32;", width), {"%d_b32"}});
    out.push_back(
        {few + fmt::format("match.all.sync.{0} %d_b32|%q_pred, %n_{0}, %m_b32;", width), {"%d_b32", "%q_pred"}});
  }
  for (const char* op : {"add", "min", "max"})
    for (const char* type : {"u32", "s32"})
      out.push_back(
          {fmt::format("redux.sync.{0}.{1} %d_{1}, %a_{1}, %m_b32;", op, type), {fmt::format("%d_{}", type)}});
  for (const char* op : {"and", "or", "xor"})
    out.push_back({fmt::format("redux.sync.{}.b32 %d_b32, %a_b32, %m_b32;", op), {"%d_b32"}});
  out.push_back({"elect.sync %d_b32|%q_pred, %m_b32;", {"%d_b32", "%q_pred"}});
  // Each reads what the last lane of its group has written.
  out.push_back(
      {"st.shared.b32 [%shared], %a_b32; bar.warp.sync %m_b32; mov.u32 %i_u32, %laneid; "
       "bfind.u32 %j_u32, %m_b32; sub.u32 %j_u32, %j_u32, %i_u32; mad.wide.s32 %o_s64, %j_u32, 8, %shared; "
       "ld.shared.b32 %d_b32, [%o_s64];",
       {"%d_b32"}});
  return out;
}

/// Clears the results in all lanes, so that those which stay away have one.
std::string cleared(const std::vector<std::string>& results) {
  std::string out;
  for (const std::string& result : results) {
    std::string type = result.substr(result.find('_') + 1);
    out += type == "pred" ? fmt::format("setp.ne.u32 {}, 0, 0; ", result) : fmt::format("mov.{} {}, 0; ", type, result);
  }
  return out;
}

}  // namespace

std::vector<std::string> vector_groups() {
  std::vector<std::string> out;
  for (const Instruction& instruction : instructions()) {
    for (const std::string& masks : partitions()) out.push_back(masks + instruction.text);
    // Only the lanes of a group for which a predicate holds take part.
    out.push_back(cleared(instruction.results) + partitions()[1] +
                  "vote.sync.ballot.b32 %k_u32, %e_pred, %m_b32; and.b32 %m_b32, %m_b32, %k_u32; @!%e_pred bra DONE; " +
                  instruction.text + " DONE:");
  }
  return out;
}

}  // namespace warptime::sim
