#include "sim/exec/video.h"

#include <algorithm>
#include <string>

#include "ptx/isa/cards.h"
#include "sim/exec/lanes_of_mask.h"

namespace warptime::sim {

namespace {

using ptx::Mod, ptx::Type;
using Operation = VideoPayload::Operation;
using Second = VideoPayload::Second;
using Part = VideoPayload::Part;

Operation operation_of(const ptx::Instruction& in) {
  if (ptx::is<ptx::Vsub, ptx::Vsub2, ptx::Vsub4>(in)) return Operation::Sub;
  if (ptx::is<ptx::Vabsdiff, ptx::Vabsdiff2, ptx::Vabsdiff4>(in)) return Operation::Difference;
  if (ptx::is<ptx::Vmin, ptx::Vmin2, ptx::Vmin4>(in)) return Operation::Min;
  if (ptx::is<ptx::Vmax, ptx::Vmax2, ptx::Vmax4>(in)) return Operation::Max;
  if (ptx::is<ptx::Vavrg2, ptx::Vavrg4>(in)) return Operation::Average;
  if (ptx::is<ptx::Vshl>(in)) return Operation::ShiftLeft;
  if (ptx::is<ptx::Vshr>(in)) return Operation::ShiftRight;
  if (ptx::is<ptx::Vmad>(in)) return Operation::Product;
  if (ptx::is<ptx::Vset, ptx::Vset2, ptx::Vset4>(in)) {
    if (in.mods.has(Mod::Eq)) return Operation::Equal;
    if (in.mods.has(Mod::Ne)) return Operation::NotEqual;
    if (in.mods.has(Mod::Lt)) return Operation::Less;
    if (in.mods.has(Mod::Le)) return Operation::LessOrEqual;
    return in.mods.has(Mod::Gt) ? Operation::Greater : Operation::GreaterOrEqual;
  }
  return Operation::Add;
}

uint32_t elements_of(const ptx::Instruction& in) {
  if (ptx::is<ptx::Vadd2, ptx::Vsub2, ptx::Vavrg2, ptx::Vabsdiff2, ptx::Vmin2, ptx::Vmax2, ptx::Vset2>(in)) return 2;
  if (ptx::is<ptx::Vadd4, ptx::Vsub4, ptx::Vavrg4, ptx::Vabsdiff4, ptx::Vmin4, ptx::Vmax4, ptx::Vset4>(in)) return 4;
  return 1;
}

/// The characters of a selector: "b0", "h32"; empty: none is written.
std::string characters_of(uint64_t selector) {
  std::string out;
  for (; selector != 0; selector >>= 8) out += static_cast<char>(selector & 0xff);
  return out;
}

/// The part that "b2" or "h1" names.
Part part_of(uint64_t selector, uint32_t first_bit) {
  std::string text = characters_of(selector);
  if (text.empty()) return {static_cast<uint8_t>(first_bit), 32};
  uint32_t width = text[0] == 'b' ? 8 : 16;
  return {static_cast<uint8_t>(first_bit + width * static_cast<uint32_t>(text[1] - '0')), static_cast<uint8_t>(width)};
}

/// The parts of the 64 bits of b and a that "h32" or "b7654" names, lowest element first.
void set_parts(std::array<Part, 4>& parts, uint64_t selector, uint32_t elements, uint32_t first) {
  std::string text = characters_of(selector);
  uint32_t width = 32 / elements;
  for (uint32_t e = 0; e < elements; ++e) {
    uint32_t place = text.empty() ? first + e : static_cast<uint32_t>(text[text.size() - 1 - e] - '0');
    parts[e] = {static_cast<uint8_t>(place * width), static_cast<uint8_t>(width)};
  }
}

/// The part of `bits` as the number that it is.
int64_t number(uint64_t bits, Part part, bool is_signed) {
  uint64_t top = bits << (64 - part.bits - part.first);
  return is_signed ? static_cast<int64_t>(top) >> (64 - part.bits) : static_cast<int64_t>(top >> (64 - part.bits));
}

int64_t shifted(int64_t a, int64_t by, bool left, bool wraps) {
  by = wraps ? by & 31 : std::min<int64_t>(by, 32);
  return left ? static_cast<int64_t>(static_cast<uint64_t>(a) << by) : a >> by;
}

int64_t computed(Operation operation, int64_t a, int64_t b, const VideoPayload& video) {
  switch (operation) {
    case Operation::Add: return a + b;
    case Operation::Sub: return a - b;
    case Operation::Difference: return a > b ? a - b : b - a;
    case Operation::Min: return std::min(a, b);
    case Operation::Max: return std::max(a, b);
    case Operation::Average: return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Operation::ShiftLeft: return shifted(a, b, true, video.wraps);
    case Operation::ShiftRight: return shifted(a, b, false, video.wraps);
    case Operation::Equal: return a == b;
    case Operation::NotEqual: return a != b;
    case Operation::Less: return a < b;
    case Operation::LessOrEqual: return a <= b;
    case Operation::Greater: return a > b;
    case Operation::GreaterOrEqual: return a >= b;
    case Operation::Product: break;  // run_product
  }
  return 0;
}

int64_t saturated(int64_t value, uint32_t bits, bool is_signed) {
  int64_t most = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  return std::clamp(value, is_signed ? -most - 1 : 0, most);
}

uint32_t combined(Second second, uint32_t value, uint32_t c, bool is_signed) {
  bool below = is_signed ? static_cast<int32_t>(value) < static_cast<int32_t>(c) : value < c;
  switch (second) {
    case Second::None: break;
    case Second::Add: return value + c;
    case Second::Min: return below ? value : c;
    case Second::Max: return below ? c : value;
  }
  return value;
}

uint64_t sources(const std::byte* a, const std::byte* b, uint32_t lane) {
  return lane_of<uint32_t>(a, lane) | uint64_t{lane_of<uint32_t>(b, lane)} << 32;
}

void run_single(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  const VideoPayload& video = insn.video();
  const std::byte *a = insn.src[0].in(warp), *b = insn.src[1].in(warp), *c = insn.src[2].in(warp);
  Part to = video.result;
  for_lanes_of(mask, [&](uint32_t lane) {
    uint64_t from = sources(a, b, lane);
    int64_t value = computed(video.operation, number(from, video.a[0], video.is_signed[1]),
                             number(from, video.b[0], video.is_signed[2]), video);
    if (video.saturates) value = saturated(value, to.bits, video.is_signed[0]);
    auto result = static_cast<uint32_t>(value);
    if (to.bits < 32) {
      uint32_t place = ((1u << to.bits) - 1) << to.first;
      result = (result << to.first & place) | (lane_of<uint32_t>(c, lane) & ~place);
    } else if (video.second != Second::None) {
      result = combined(video.second, result, lane_of<uint32_t>(c, lane), video.is_signed[0]);
    }
    set_lane(warp.rows() + insn.dst, lane, result);
  });
}

void run_side_by_side(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  const VideoPayload& video = insn.video();
  const std::byte *a = insn.src[0].in(warp), *b = insn.src[1].in(warp), *c = insn.src[2].in(warp);
  uint32_t width = 32u / video.elements, all = (1u << width) - 1;
  for_lanes_of(mask, [&](uint32_t lane) {
    uint64_t from = sources(a, b, lane);
    auto result = lane_of<uint32_t>(c, lane);
    for (uint32_t e = 0; e < video.elements; ++e) {
      if ((video.written >> e & 1) == 0) continue;
      int64_t value = computed(video.operation, number(from, video.a[e], video.is_signed[1]),
                               number(from, video.b[e], video.is_signed[2]), video);
      if (video.saturates) value = saturated(value, width, video.is_signed[0]);
      uint32_t place = all << (width * e);
      if (video.second == Second::Add) result += static_cast<uint32_t>(value);
      else result = (result & ~place) | (static_cast<uint32_t>(value) << (width * e) & place);
    }
    set_lane(warp.rows() + insn.dst, lane, result);
  });
}

/// a * b + c of up to 65 bits; what is negated is inverted, and one is added.
void run_product(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  const VideoPayload& video = insn.video();
  const std::byte *a = insn.src[0].in(warp), *b = insn.src[1].in(warp), *c = insn.src[2].in(warp);
  using Wide = ptx::Sint128;
  for_lanes_of(mask, [&](uint32_t lane) {
    uint64_t from = sources(a, b, lane);
    Wide value = Wide{number(from, video.a[0], video.is_signed[1])} * number(from, video.b[0], video.is_signed[2]);
    auto added = lane_of<uint32_t>(c, lane);
    if (video.negates_c) added = ~added;
    if (video.negates_product) value = ~value;
    value += video.is_signed[0] ? Wide{static_cast<int32_t>(added)} : Wide{added};
    value = (value + (video.adds_one ? 1 : 0)) >> video.shift;
    if (video.saturates) {
      Wide most = video.is_signed[0] ? INT32_MAX : Wide{UINT32_MAX}, least = video.is_signed[0] ? INT32_MIN : 0;
      value = std::clamp(value, least, most);
    }
    set_lane(warp.rows() + insn.dst, lane, static_cast<uint32_t>(value));
  });
}

}  // namespace

VideoPayload video_payload(const ptx::Instruction& in, std::span<const ptx::Operand> operands) {
  VideoPayload out;
  out.operation = operation_of(in);
  out.elements = static_cast<uint8_t>(elements_of(in));
  bool compares = ptx::is<ptx::Vset, ptx::Vset2, ptx::Vset4>(in);
  out.is_signed = {in.type == Type::S32, in.type2 == Type::S32, in.mods.has(Mod::SourceS32)};
  if (compares) out.is_signed = {in.type == Type::S32, in.type == Type::S32, in.type2 == Type::S32};
  out.saturates = in.mods.has(Mod::Sat);
  out.wraps = in.mods.has(Mod::Wrap);
  if (in.mods.has(Mod::Add)) out.second = Second::Add;
  if (in.mods.has(Mod::Min)) out.second = Second::Min;
  if (in.mods.has(Mod::Max)) out.second = Second::Max;
  auto selector = [&](size_t i) { return operands[i].kind == ptx::Operand::Kind::Register ? operands[i].bits : 0; };
  if (out.elements == 1) {
    out.result = part_of(selector(0), 0);
    out.a[0] = part_of(selector(1), 0);
    out.b[0] = part_of(selector(2), 32);
  } else {
    set_parts(out.a, selector(1), out.elements, 0);
    set_parts(out.b, selector(2), out.elements, out.elements);
    std::string written = characters_of(selector(0));
    for (uint32_t e = 0; e < out.elements; ++e)
      if (written.empty() || written.find(static_cast<char>('0' + e), 1) != std::string::npos)
        out.written |= static_cast<uint8_t>(1u << e);
  }
  if (out.operation != Operation::Product) return out;
  out.negates_product = operands[1].negated != operands[2].negated;
  out.negates_c = operands[3].negated;
  out.adds_one = in.mods.has(Mod::PlusOne) || out.negates_product || out.negates_c;
  out.is_signed[0] = out.is_signed[1] || out.is_signed[2] || out.negates_product || out.negates_c;
  out.shift = in.mods.has(Mod::Shr7) ? 7 : in.mods.has(Mod::Shr15) ? 15 : 0;
  return out;
}

Handler video_handler(const ptx::Instruction& in) {
  if (elements_of(in) > 1) return run_side_by_side;
  if (in.form->feature != ptx::Feature::Video) return nullptr;
  return ptx::is<ptx::Vmad>(in) ? run_product : run_single;
}

}  // namespace warptime::sim
