// What a decoded instruction works on: the handler of its form and types, the rows of its registers and constants.
#include <algorithm>

#include "base/assert.h"
#include "ptx/analysis/register_uses.h"
#include "ptx/syntax/mnemonic.h"
#include "sim/decode/decoder.h"
#include "sim/decode/function_linkage.h"
#include "sim/exec/atomic_operation.h"
#include "sim/exec/carry_handlers.h"
#include "sim/exec/lane_by_lane.h"
#include "sim/exec/memory_values.h"
#include "sim/exec/predicate_handlers.h"
#include "sim/exec/single_for_double.h"
#include "sim/exec/small_floats.h"
#include "sim/exec/video.h"
#include "sim/exec/warp_handlers.h"
#include "sim/model/address_space.h"

namespace warptime::sim {

using ptx::Effect, ptx::Mod, ptx::Operand, ptx::Type;

namespace {

/// Whether a result written chunk by chunk would overwrite a source's lanes that are not read yet: the source lies on
/// the destination's rows, but its lanes at other bytes.
bool overlaps(uint32_t destination, uint32_t lane_bytes, RowRef source, uint32_t source_lane_bytes) {
  if (!source.is_register()) return false;
  if (source.bits == destination && lane_bytes == source_lane_bytes) return false;
  uint32_t end = destination + lane_bytes * kWarpSize, source_end = source.bits + source_lane_bytes * kWarpSize;
  return source.bits < end && destination < source_end;
}

}  // namespace

void Decoder::values(const ptx::Instruction& in, Insn& out) {
  std::span<const Operand> operands = kernel_.operands_of(in);
  if (std::any_of(operands.begin(), operands.end(), [](const Operand& o) { return o.kind == Operand::Kind::Vector; })) {
    pack(in, out);
    return;
  }
  registers(operands, out);
  if (in.mods.has(Mod::And)) out.combine = Combine::And;
  if (in.mods.has(Mod::Or)) out.combine = Combine::Or;
  if (in.mods.has(Mod::Xor)) out.combine = Combine::Xor;

  HandlerKey key{.card = in.card->id,
                 .form = static_cast<uint8_t>(in.form - in.card->forms.data()),
                 .type = in.type,
                 .type2 = in.type2,
                 .mods = value_mods(*in.card->card, *in.form, in.mods, in.type, in.type2, flushes_always(in))};
  if (ptx::is<ptx::Cvt>(in)) conversion(in, key, out);
  if (ptx::is<ptx::Cvta>(in)) window_address(in, key, out);
  out.run = handlers_.find(key);
  SIM_ASSERT(out.run != nullptr, "no lane code for {} of type {} in line {}", in.card->card->name, name(in.type),
             in.line);
}

/// Where the handler's lanes are not those of the registers: f64 as f32, and cvt of floating point in registers that
/// are wider than the type. Integer registers of any width have handlers of their own.
void Decoder::lane_widths(const ptx::Instruction& in, bool single_for_double, Insn& out) {
  LaneWidths lanes{.run = out.run, .sources = {}, .result = {}};
  bool differ = false;
  size_t sources = 0;
  for (const Operand& operand : kernel_.operands_of(in)) {
    if (operand.kind == Operand::Kind::None) continue;
    LaneWidths::Operand of;
    if (operand.type != Type::Pred) {
      ptx::TypeKind kind = info(operand.type).kind;
      bool is_float = kind == ptx::TypeKind::Float || kind == ptx::TypeKind::Packed;
      of.in_register = static_cast<uint8_t>(ptx::bytes(rows_.stored_type(operand)));
      of.is_single_for_double = single_for_double && operand.type == Type::F64;
      of.in_handler = of.is_single_for_double ? 4
                      : is_float              ? static_cast<uint8_t>(ptx::bytes(operand.type))
                                              : of.in_register;
    }
    differ |= of.in_handler != of.in_register;
    (operand.destination ? lanes.result : lanes.sources[sources++]) = of;
  }
  if (!differ) return;
  out_.lane_widths.push_back(std::make_unique<const LaneWidths>(lanes));
  ConversionPayload payload;
  if (out.payload == Payload::Conversion) payload = out.conversion();
  payload.lanes = out_.lane_widths.back().get();
  out.set_payload(payload);
  out.run = run_with_lane_widths;
}

/// Rows of the destinations and sources, in their order.
void Decoder::registers(std::span<const Operand> operands, Insn& out) {
  bool first = true;
  size_t sources = 0;
  uint32_t lane_bytes = 0;
  for (const Operand& operand : operands) {
    if (!operand.destination) {
      if (operand.kind == Operand::Kind::None) continue;
      SIM_ASSERT(sources < out.src.size(), "an instruction has too many sources");
      bool is_true = operand.kind == Operand::Kind::Immediate && operand.type == Type::Pred && operand.bits != 0;
      out.src_negated[sources] = operand.negated != is_true;  // what is true is what is not false
      out.src[sources++] = rows_.source(operand);
    } else if (first) {
      first = false;
      out.dst = rows_.destination(operand);
      out.dst_is_predicate = operand.type == Type::Pred;
      lane_bytes = out.dst_is_predicate ? 0 : ptx::bytes(rows_.stored_type(operand));
    } else {
      out.dst2 = static_cast<uint16_t>(rows_.destination(operand));
    }
  }

  sources = 0;
  for (const Operand& operand : operands) {
    if (operand.destination || operand.kind == Operand::Kind::None) continue;
    RowRef row = out.src[sources++];
    if (operand.type != Type::Pred && overlaps(out.dst, lane_bytes, row, ptx::bytes(rows_.stored_type(operand))))
      out.staged = true;
  }
  if (out.dst_is_predicate) out.staged = false;
}

/// Whether a .sync instruction must wait: converged lanes do not, and a constant mask of all lanes never splits them.
bool Decoder::waits_for_members(const ptx::Instruction& in) const {
  const Operand& mask = kernel_.operands_of(in).back();
  bool names_all = mask.kind == Operand::Kind::Immediate && static_cast<uint32_t>(mask.bits) == kFullMask;
  return !names_all || machine_.sm.reconvergence == Reconvergence::independent;
}

/// What has handlers of its own.
void Decoder::collective(const ptx::Instruction& in, Insn& out) {
  std::span<const Operand> operands = kernel_.operands_of(in);
  if (ptx::is<ptx::Mov>(in)) return move_vector(in, out);
  if (ptx::is<ptx::Cvt>(in) && in.mods.has(Mod::Rs)) return random_rounding(in, out);
  if (ptx::is<ptx::Lop3>(in)) {  // d, q, a, b, c, table, f: the table is not a source
    std::array<Operand, 6> others{operands[0], operands[1], operands[2], operands[3], operands[4], operands[6]};
    registers(others, out);
    out.set_payload(LogicTablePayload{static_cast<uint8_t>(operands[5].bits)});
    out.combine = in.mods.has(Mod::And) ? Combine::And : Combine::Or;
  } else if (ptx::is<ptx::Createpolicy>(in)) {
    registers(operands.first(1), out);
  } else {
    registers(operands, out);
  }
  if (ptx::is<ptx::Cvt>(in) && in.mods.has(Mod::Pack)) {  // cvt.pack, whose registers may be wider than its types
    PackingPayload& payload = out.set_payload<PackingPayload>();
    payload.result_is_64 = ptx::bytes(rows_.stored_type(operands[0])) == 8;
    for (size_t i = 1; i < operands.size(); ++i)
      payload.source_is_64[i - 1] = ptx::bytes(rows_.stored_type(operands[i])) == 8;
  }
  if (Handler video = video_handler(in); video != nullptr) {
    out.set_payload(video_payload(in, operands));
    out.run = video;
  }
  if (in.mods.has(Mod::Sync)) {
    auto source = std::find_if(operands.begin(), operands.end(),
                               [](const Operand& o) { return !o.destination && o.kind != Operand::Kind::None; });
    bool is_predicate = source->type == Type::Pred;
    uint32_t bytes = is_predicate ? 0 : ptx::bytes(rows_.stored_type(*source));
    out.set_payload(MemberMaskPayload{rows_.source(operands.back()), static_cast<uint8_t>(bytes)});
  }
  if (ptx::is<ptx::Getctarank>(in) || ptx::is<ptx::Mapa>(in)) {
    Operand own;
    own.kind = Operand::Kind::Special;
    own.index = static_cast<uint32_t>(ptx::Special::ClusterCtarank);
    own.type = Type::U32;
    out.src[ptx::is<ptx::Mapa>(in) ? 2 : 1] = rows_.source(own);
  }
  if (writes_carry(in)) out.dst2 = rows_.carry();
  if (reads_carry(in)) out.src[3].bits = rows_.carry();
  if (ptx::is<ptx::Isspacep>(in)) {
    GenericWindows windows = GenericWindows::for_address_bytes(module_.address_bytes);
    uint32_t bytes = ptx::bytes(rows_.stored_type(operands.back()));
    out.src[1] = rows_.constant(windows.shared_base, bytes);
    out.src[2] = rows_.constant(windows.local_base, bytes);
    out.src[3] = rows_.constant(windows.const_base, bytes);
    out.run = isspacep_handler(in, bytes);
  }
  for (auto handler : {warp_handler, carry_handler, small_float_handler, lane_by_lane_handler})
    if (out.run == nullptr) out.run = handler(in);
  SIM_ASSERT(out.run != nullptr, "no handler for {} in line {}", in.card->card->name, in.line);
}

/// .red: d, a, b, c; others: a, b. The number a and the thread count b may be registers.
void Decoder::barrier(const ptx::Instruction& in, Insn& out) {
  std::span<const Operand> operands = kernel_.operands_of(in);
  BarrierPayload& payload = out.set_payload<BarrierPayload>();
  if (in.mods.has(Mod::Arrive)) payload.kind = BarrierKind::Arrive;
  if (in.mods.has(Mod::Red)) {
    payload.kind = in.mods.has(Mod::Popc)  ? BarrierKind::Popc
                   : in.mods.has(Mod::And) ? BarrierKind::All
                                           : BarrierKind::Any;
    std::array<Operand, 2> reduced{operands.front(), operands.back()};
    registers(reduced, out);
    operands = operands.subspan(1, operands.size() - 2);
  }
  out.src[2] = rows_.constant(0, 4);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind == Operand::Kind::None) continue;
    out.src[i + 1] = rows_.source(operands[i]);
    if (operands[i].kind != Operand::Kind::Immediate) payload.in_registers = true;
    else (i == 1 ? payload.threads : payload.number) = static_cast<uint32_t>(operands[i].bits);
  }
}

/// cvt.rs: d, a, b, random bits; or d, a list of four numbers, random bits.
void Decoder::random_rounding(const ptx::Instruction& in, Insn& out) {
  std::span<const Operand> operands = kernel_.operands_of(in), numbers = operands.subspan(1, 2);
  if (operands[1].kind == Operand::Kind::Vector)
    numbers = {kernel_.operands.data() + operands[1].index, operands[1].count};
  RandomRoundingPayload& payload = out.set_payload<RandomRoundingPayload>();
  for (size_t i = 0; i < numbers.size(); ++i) payload.numbers[i] = rows_.source(numbers[i]);
  payload.random = rows_.source(operands.back());
  payload.result_is_64 = ptx::bytes(rows_.stored_type(operands[0])) == 8;
  out.dst = rows_.destination(operands[0]);
  out.run = small_float_handler(in);
}

/// mov with a brace list on one side.
void Decoder::pack(const ptx::Instruction& in, Insn& out) {
  std::span<const Operand> operands = kernel_.operands_of(in);
  bool packs = operands[1].kind == Operand::Kind::Vector;
  const Operand& list = packs ? operands[1] : operands[0];
  uint32_t bytes = ptx::bytes(in.type) / list.count;
  std::span<const Operand> elements(kernel_.operands.data() + list.index, list.count);
  if (packs) {
    for (size_t i = 0; i < elements.size(); ++i) out.src[i] = rows_.source(elements[i]);
    out.dst = rows_.destination(operands[0]);
  } else {
    RegistersPayload& payload = out.set_payload<RegistersPayload>();
    for (size_t i = 0; i < elements.size(); ++i) payload.rows[i] = {rows_.destination(elements[i])};
    out.src[0] = rows_.source(operands[1]);
  }
  out.run = packs ? pack_handler(bytes, list.count) : unpack_handler(bytes, list.count);
}

/// mov.v2, mov.v4: both operands are lists.
void Decoder::move_vector(const ptx::Instruction& in, Insn& out) {
  std::span<const Operand> operands = kernel_.operands_of(in);
  RegistersPayload& payload = out.set_payload<RegistersPayload>();
  for (uint32_t i = 0; i < in.vector; ++i) {
    payload.rows[i] = {rows_.destination(kernel_.operands[operands[0].index + i])};
    payload.rows[in.vector + i] = rows_.source(kernel_.operands[operands[1].index + i]);
  }
  out.run = move_vector_handler(ptx::bytes(in.type), in.vector);
}

/// The handlers of cvt with an integer are made for registers of a width; the types' widths are numbers.
void Decoder::conversion(const ptx::Instruction& in, HandlerKey& key, Insn& out) {
  auto integer = [](Type type) {
    return info(type).kind == ptx::TypeKind::Signed || info(type).kind == ptx::TypeKind::Unsigned;
  };
  auto stored = [this](const Operand& operand) {
    switch (ptx::bytes(rows_.stored_type(operand))) {
      case 1: return Type::U8;
      case 2: return Type::U16;
      case 4: return Type::U32;
      default: return Type::U64;
    }
  };
  std::span<const Operand> operands = kernel_.operands_of(in);
  ConversionPayload& payload = out.set_payload<ConversionPayload>();
  auto number = [&](size_t i, Type type) {
    payload.width[i] = static_cast<uint8_t>(ptx::bits(type));
    payload.is_signed[i] = info(type).kind == ptx::TypeKind::Signed;
  };
  number(0, in.type);
  number(1, in.type2);
  if (integer(in.type)) key.type = stored(operands[0]);
  if (integer(in.type2)) key.type2 = stored(operands[1]);
  if (integer(in.type) && integer(in.type2)) key.form = 0;  // the others are those of .sat
  if (integer(in.type) || integer(in.type2)) {
    payload.clamps = in.mods.has(Mod::Sat);  // floating point to integer clamps always
    key.mods = key.mods.without(ptx::mods(Mod::Sat));
  }
}

/// cvta is an addition of the first address of the space's window.
void Decoder::window_address(const ptx::Instruction& in, HandlerKey& key, Insn& out) {
  GenericWindows windows = GenericWindows::for_address_bytes(module_.address_bytes);
  uint64_t base = 0;
  if (in.mods.has(Mod::Shared) || in.mods.has(Mod::SharedCta)) base = windows.shared_base;
  if (in.mods.has(Mod::Local)) base = windows.local_base;
  if (in.mods.has(Mod::Const)) base = windows.const_base;
  if (in.mods.has(Mod::Param) || in.mods.has(Mod::ParamEntry)) base = windows.param_base();
  out.src[1] = rows_.constant(in.mods.has(Mod::To) ? uint64_t{0} - base : base, ptx::bytes(in.type));
  key = {.card = ptx::kCardId<ptx::Add>, .form = 0, .type = in.type};
}

const Decoder::RegisterUse& Decoder::use_of(uint32_t reg) {
  if (uses_.empty()) {
    uses_.resize(kernel_.registers.size());
    for (uint32_t i = 0; i < kernel_.instructions.size(); ++i)
      ptx::for_each_register(kernel_, kernel_.instructions[i], [&](uint32_t of, bool written) {
        RegisterUse& use = uses_[of];
        use.writes += written;
        uint32_t& first = written ? use.first_write : use.first_read;
        first = std::min(first, i);
      });
  }
  return uses_[reg];
}

/// Whether some instruction may read the register.
bool Decoder::is_read(uint32_t reg) { return !kernel_.functions.empty() || use_of(reg).first_read != ptx::kNoIndex; }

/// Whether the register is written by one instruction, which all who read it have executed before.
bool Decoder::is_written_first(uint32_t reg) {
  if (!kernel_.functions.empty()) return false;
  const RegisterUse& use = use_of(reg);
  // In the text, too, as readers are decoded in its order.
  if (use.writes != 1 || use.first_read == ptx::kNoIndex || use.first_read <= use.first_write) return false;
  const std::vector<uint16_t>& read_before = kernel_.rows.live_at_start;
  return std::find(read_before.begin(), read_before.end(), kernel_.rows.row_of[reg]) == read_before.end();
}

/// Where the source is not a register of the warp, who reads the copy reads the source: it costs its time, but neither
/// work nor a row in the host's caches.
void Decoder::copy(const ptx::Instruction& in, Insn& out) {
  std::span<const Operand> operands = kernel_.operands_of(in);
  bool copies = ptx::is<ptx::Mov>(in) ||
                (ptx::is<ptx::Cvta>(in) && out.src[1].bits == rows_.constant(0, ptx::bytes(in.type)).bits);
  if (!copies || out.dst_is_predicate || out.src[0].is_register()) return;
  if (operands[0].kind != Operand::Kind::Register || operands[1].kind == Operand::Kind::Vector) return;
  bool same_width = ptx::bytes(rows_.stored_type(operands[0])) == ptx::bytes(rows_.stored_type(operands[1]));
  if (!same_width || !is_written_first(operands[0].index)) return;
  rows_.set_known(operands[0].index, out.src[0]);
  out.run = [](const WarpValues&, const Insn&, uint32_t) {};
}

}  // namespace warptime::sim
