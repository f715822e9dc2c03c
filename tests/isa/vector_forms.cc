#include "vector_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace warptime::sim {

using ptx::Type;

namespace {

/// A number that looks random and depends on nothing but its argument (the finaliser of splitmix64).
uint64_t mixed(uint64_t v) {
  v += 0x9e3779b97f4a7c15u;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return v ^ (v >> 31);
}

/// A random operand: any bits, or a number of moderate size, so that sums and products of two are neither trivial nor
/// out of range.
uint64_t random_value(Type type, uint64_t seed) {
  if (type == Type::Pred) return mixed(seed) & 1;
  uint64_t bits = mixed(seed), how = mixed(seed + 1);
  uint32_t width = ptx::bits(type);
  if (info(type).kind == ptx::TypeKind::Packed) {
    Type element = element_type(type);
    return random_value(element, seed) | random_value(element, seed + 4) << ptx::bits(element);
  }
  if (type == Type::BF16) return random_value(Type::F32, seed) >> 16;
  if (type == Type::F16) return how % 4 != 0 ? (bits & 0x83ff) | (8 + how / 4 % 15) << 10 : bits & 0xffff;
  if (type == Type::F32 && how % 4 != 0)  // exponent -16 to 15 around 1
    bits = (bits & 0x807fffff) | (111 + how / 4 % 32) << 23;
  else if (type == Type::F64 && how % 4 != 0) bits = (bits & 0x800fffffffffffff) | (1007 + how / 4 % 32) << 52;
  else if (type != Type::F32 && type != Type::F64 && how % 4 == 0) bits >>= 64 - width + how / 4 % width;
  else if (type != Type::F32 && type != Type::F64 && how % 4 == 1)
    bits = uint64_t{0} - (bits >> (64 - width + how / 4 % width));
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

/// `count` tuples of the lists' values: all of them, if they are that few, again and again, else as evenly as it goes.
void append_crossed(std::vector<uint64_t>& out, const std::vector<std::vector<uint64_t>>& lists, uint64_t count) {
  uint64_t crossed = 1;
  for (const auto& list : lists) crossed *= list.size();
  uint64_t step = crossed <= count ? 1 : crossed / count + 1;
  while (std::gcd(step, crossed) != 1) ++step;
  for (uint64_t k = 0; k < count; ++k) {
    uint64_t tuple = k * step % crossed;
    for (const auto& list : lists) {
      out.push_back(list[tuple % list.size()]);
      tuple /= list.size();
    }
  }
}

/// Every register of the text, once, in the order of appearance.
std::vector<VectorForm::Register> registers_of(const std::string& text) {
  std::vector<VectorForm::Register> out;
  for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
    size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", at + 1);
    std::string name = text.substr(at, end - at);
    size_t bar = name.find('_');
    if (bar == std::string::npos) continue;  // %word, %shared, %thread: every kernel has them
    VectorForm::Register found{name, *ptx::type_named(name.substr(bar + 1))};
    if (std::find(out.begin(), out.end(), found) == out.end()) out.push_back(found);
  }
  return out;
}

std::string kernel_text(const VectorForm& form, size_t index) {
  std::string out = fmt::format(".visible .entry k{}(.param .u64 operands, .param .u64 results)\n{{\n", index);
  out += "  .reg .u32 %thread, %lane;\n  .reg .u64 %in, %out, %word, %shared;\n";
  for (auto* list : {&form.operands, &form.results, &form.others})
    for (const VectorForm::Register& r : *list)
      out += fmt::format("  .reg .{} {};\n", name(declared_type(r.type)), r.name);
  out += fmt::format(
      "  .reg .u32 %flag;\n"
      "  mov.u32 %thread, %tid.x;\n  mov.u32 %lane, %ctaid.x;\n  mad.lo.u32 %lane, %lane, {}, %thread;\n"
      "  ld.param.u64 %in, [operands];\n  mad.wide.u32 %in, %lane, {}, %in;\n"
      "  ld.param.u64 %out, [results];\n  mad.wide.u32 %out, %lane, {}, %out;\n",
      kVectorBlock, 8 * form.operands.size(), kVectorStride);
  if (form.text.find("%word") != std::string::npos) out += "  add.u64 %word, %out, 32;\n";
  if (form.text.find("%shared") != std::string::npos)
    out += fmt::format(
        "  .shared .align 8 .b8 words[{}];\n  mov.u64 %shared, words;\n"
        "  mad.wide.u32 %shared, %thread, 8, %shared;\n",
        8 * kVectorBlock);
  for (size_t i = 0; i < form.operands.size(); ++i) {
    const auto& [reg, type] = form.operands[i];
    if (type == Type::Pred)
      out += fmt::format("  ld.global.u32 %flag, [%in+{}];\n  setp.ne.u32 {}, %flag, 0;\n", 8 * i, reg);
    else out += fmt::format("  ld.global.b{} {}, [%in+{}];\n", ptx::bits(type), reg, 8 * i);
  }
  out += "  " + form.text + "\n";
  for (size_t i = 0; i < form.results.size(); ++i) {
    const auto& [reg, type] = form.results[i];
    if (type == Type::Pred)
      out += fmt::format("  selp.u32 %flag, 1, 0, {};\n  st.global.u32 [%out+{}], %flag;\n", reg, 8 * i);
    else out += fmt::format("  st.global.b{} [%out+{}], {};\n", ptx::bits(type), 8 * i, reg);
  }
  return out + "  ret;\n}\n";
}

/// Bytes of the lanes of one result.
size_t result_bytes(Type type) {
  return type == Type::Pred ? kVectorLanes / 8 : size_t{kVectorLanes} * ptx::bytes(type);
}

}  // namespace

VectorForm form_of(std::string text) {
  VectorForm form;
  form.text = std::move(text);
  for (VectorForm::Register& found : registers_of(form.text)) {
    char letter = found.name[1];
    auto& list = letter == 'd' || (letter >= 'q' && letter <= 's') ? form.results
                 : letter <= 'g'                                   ? form.operands
                                                                   : form.others;
    list.push_back(std::move(found));
  }
  for (std::string_view word : {"shfl.", "vote."}) {
    size_t at = form.text.find(word);
    form.unsynchronized |= at != std::string::npos && form.text.compare(at + word.size(), 5, "sync.") != 0;
  }
  return form;
}

std::vector<VectorForm> vector_forms() {
  std::vector<VectorForm> out;
  for (const ptx::CardRow& card : ptx::cards()) {
    for (const ptx::Form& form : card.forms) {
      if (effect_of(*card.card, form) != ptx::Effect::None || card.card->name == "cvta") continue;
      for (const Case& c : cases_of(card, form, false)) {
        out.push_back(form_of(c.text));
        out.back().single = c;
      }
    }
  }
  for (auto sequences : {vector_sequences, vector_groups, vector_video})
    for (std::string& text : sequences()) out.push_back(form_of(std::move(text)));
  std::stable_partition(out.begin(), out.end(), [](const VectorForm& f) { return !f.unsynchronized; });
  return out;
}

std::vector<uint64_t> vector_operands(const VectorForm& form) {
  constexpr uint64_t kThird = kVectorLanes / 3;
  std::vector<std::vector<uint64_t>> edges, cores;
  for (const auto& operand : form.operands) {
    edges.push_back(form.single ? operand_values(form.single->spelled, operand.type) : edge_values(operand.type));
    cores.push_back(core_values(operand.type));
    if (form.single && edges.back().size() > kThird) {  // too many for one third of the lanes: half of them here
      cores.back().clear();
      for (size_t i = 1; i < edges.back().size(); i += 2) cores.back().push_back(edges.back()[i]);
      for (size_t i = 0; 2 * i < edges.back().size(); ++i) edges.back()[i] = edges.back()[2 * i];
      edges.back().resize((edges.back().size() + 1) / 2);
    }
  }
  std::vector<uint64_t> out;
  append_crossed(out, edges, kThird);
  for (uint64_t lane = 0; lane < kThird; ++lane) {  // a quarter of them edge values
    for (size_t i = 0; i < edges.size(); ++i) {
      uint64_t seed = lane * 64 + i * 8;
      bool edge = mixed(seed + 2) % 4 == 0;
      out.push_back(edge ? edges[i][mixed(seed + 3) % edges[i].size()] : random_value(form.operands[i].type, seed));
    }
  }
  append_crossed(out, cores, kThird);
  return out;
}

std::string vector_module(std::span<const VectorForm> forms, size_t first) {
  bool old = !forms.empty() && forms.front().unsynchronized;
  std::string out = old ? ".version 6.0\n.target sm_60\n" : ".version 9.0\n.target sm_90\n";
  out += ".address_size 64\n";
  for (const VectorForm& form : forms) out += kernel_text(form, first++);
  return out;
}

size_t packed_bytes(const VectorForm& form) {
  size_t bytes = 0;
  for (const auto& result : form.results) bytes += result_bytes(result.type);
  return bytes;
}

std::string packed(const VectorForm& form, std::span<const std::byte> output) {
  std::string out;
  for (size_t i = 0; i < form.results.size(); ++i) {
    Type type = form.results[i].type;
    std::string lanes(result_bytes(type), '\0');
    for (uint32_t lane = 0; lane < kVectorLanes; ++lane) {
      const std::byte* from = output.data() + size_t{lane} * kVectorStride + 8 * i;
      if (type != Type::Pred) std::memcpy(lanes.data() + size_t{lane} * ptx::bytes(type), from, ptx::bytes(type));
      else if (*from != std::byte{}) lanes[lane / 8] = static_cast<char>(lanes[lane / 8] | 1 << lane % 8);
    }
    out += lanes;
  }
  return out;
}

uint64_t packed_value(const VectorForm& form, const std::string& bytes, size_t result, uint32_t lane) {
  size_t at = 0;
  for (size_t i = 0; i < result; ++i) at += result_bytes(form.results[i].type);
  Type type = form.results[result].type;
  if (type == Type::Pred) return static_cast<unsigned char>(bytes[at + lane / 8]) >> lane % 8 & 1;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + at + size_t{lane} * ptx::bytes(type), ptx::bytes(type));
  return bits;
}

}  // namespace warptime::sim
