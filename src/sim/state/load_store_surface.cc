// Accesses to surfaces: where each lane's bytes are, and what formatted stores and reductions make of their operands.
// PTX ISA 9.0, sections 9.7.11.2 and 9.7.11.3.
//
// Left out: formats of surfaces that CUDA arrays of integers and f32 do not have.
#include <algorithm>
#include <bit>

#include "sim/exec/lanes_of_mask.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kAddressBytes = kWarpSize * 8;  // of the row of addresses, before those of channels

/// A number of 32 bits as a channel of this type: integers are clamped, f32 keep their bits.
uint32_t as_channel(uint32_t bits, ptx::Type channel) {
  const uint32_t width = ptx::bits(channel);
  if (width == 32) return bits;
  if (info(channel).kind == ptx::TypeKind::Unsigned) return std::min(bits, (1u << width) - 1);
  const int32_t most = (1 << (width - 1)) - 1;
  return static_cast<uint32_t>(std::clamp(static_cast<int32_t>(bits), -most - 1, most));
}

bool same_format(const Texture& a, const Texture& b) { return a.channel == b.channel && a.channels == b.channels; }

/// The access that a formatted store or reduction makes in a surface of this format.
Insn in_format(const Insn& insn, const Texture& surface) {
  Insn out = insn;
  if (insn.effect == ptx::Effect::Store) {
    LoadStorePayload& payload = out.load_store();
    payload.access.element_bytes = static_cast<uint8_t>(ptx::bytes(surface.channel));
    payload.access.vector = surface.channels;
    payload.register_bytes = 4;
    for (uint32_t c = 0; c < surface.channels; ++c)
      payload.data[c] = {payload.access.address.base.bits + kAddressBytes + c * kRowBytes};
  } else {
    AtomicPayload payload = insn.atomic();  // `shared`: the operation on numbers with a sign
    if (info(surface.channel).kind == ptx::TypeKind::Signed) payload.global = payload.shared;
    out.set_payload(payload);
  }
  return out;
}

}  // namespace

/// Where each lane's bytes are in its surface: into the row that is the access's address. Lanes that are outside and do
/// not access it leave the mask; a load gives them zeros.
bool LoadStore::find_in_surface(const Insn& insn, Warp& warp, uint32_t& mask, FaultRecord& fault) {
  const AccessPayload& access = insn.access();
  std::byte* to = warp.values.rows() + access.address.base.bits;
  uint32_t dropped = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const Texture* surface = bound_texture(lane_of<uint64_t>(insn.src[3].in(warp.values), lane), lane, fault);
    if (surface == nullptr) return false;
    // x counts bytes, or what the access is to: texels, of a formatted reduction words (seen on an H200).
    const uint64_t bytes = access.bytes(), unit = access.formatted ? bytes : 1;
    const std::array<uint64_t, 3> sizes{uint64_t{surface->size[0]} * surface->texel_bytes(), surface->size[1],
                                        surface->size[2]};
    std::array<uint64_t, 3> at{};
    bool outside = false;
    auto place = [&](size_t axis, size_t source, uint64_t step, uint64_t width) {
      const int64_t wanted = lane_of<int32_t>(insn.src[source].in(warp.values), lane) * static_cast<int64_t>(step);
      const auto last = static_cast<int64_t>(sizes[axis]) - static_cast<int64_t>(width);
      outside |= wanted < 0 || wanted > last;
      at[axis] = static_cast<uint64_t>(std::clamp<int64_t>(wanted, 0, std::max<int64_t>(last, 0)));
    };
    for (size_t axis = 0; axis < access.dimensions; ++axis)
      place(axis, axis, axis == 0 ? unit : 1, axis == 0 ? bytes : 1);
    if (access.has_layers) place(2, access.dimensions, 1, 1);
    if (outside && access.bounds == SurfaceBounds::Zero) dropped |= 1u << lane;
    const uint64_t row = surface->row_bytes();
    Addr address = surface->base + at[0] + row * (at[1] + at[2] * surface->size[1]);
    if (outside && access.bounds == SurfaceBounds::Trap) {
      fault.raised = true;
      fault.kind = Fault::Kind::OutsideSurface;
      fault.thread = lane;
      fault.address = address;
      fault.bytes = static_cast<uint32_t>(bytes);
      return false;
    }
    set_lane(to, lane, address);
  }
  if (insn.effect == ptx::Effect::Load) write_zeros(insn, warp, dropped);
  mask &= ~dropped;
  return true;
}

/// The lanes whose surfaces have the format of the first lane's go together.
std::optional<Insn> LoadStore::next_format(const Insn& insn, const Warp& warp, uint32_t& mask, FaultRecord& fault) {
  const std::byte* handles = insn.src[3].in(warp.values);
  const Texture* first = nullptr;
  uint32_t same = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const Texture* surface = bound_texture(lane_of<uint64_t>(handles, lane), lane, fault);
    if (surface == nullptr) return std::nullopt;
    if (first == nullptr) first = surface;
    if (same_format(*first, *surface)) same |= 1u << lane;
  }
  mask = same;
  return in_format(insn, *first);
}

/// sust.p: the first channels of a texel are the elements of the vector, the others zero.
void LoadStore::write_channels(const Insn& insn, Warp& warp, uint32_t mask, const Texture& surface) {
  const LoadStorePayload& payload = insn.load_store();
  std::byte* rows = warp.values.rows() + payload.access.address.base.bits + kAddressBytes;
  for (uint32_t c = 0; c < surface.channels; ++c)
    for_lanes_of(mask, [&](uint32_t lane) {
      uint32_t bits = 0;
      if (c < payload.access.vector)
        std::memcpy(&bits, payload.data[c].in(warp.values) + size_t{lane} * payload.register_bytes, sizeof bits);
      set_lane(rows + size_t{c} * kRowBytes, lane, as_channel(bits, surface.channel));
    });
}

bool LoadStore::formatted(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out,
                          FaultRecord& fault) {
  while (mask != 0) {
    uint32_t lanes = mask;
    const std::optional<Insn> access = next_format(insn, warp, lanes, fault);
    if (!access) return false;
    mask &= ~lanes;
    const auto first = static_cast<uint32_t>(std::countr_zero(lanes));
    if (!find_in_surface(*access, warp, lanes, fault)) return false;
    if (lanes == 0) continue;
    if (insn.effect == ptx::Effect::Store)
      write_channels(insn, warp, lanes,
                     *bound_texture(lane_of<uint64_t>(insn.src[3].in(warp.values), first), first, fault));
    lane_addresses(warp.values, access->access().address, lanes, addresses_);
    if (!access_space(*access, warp, warp_slot, lanes, out, fault)) return false;
  }
  return true;
}

}  // namespace warptime::sim
