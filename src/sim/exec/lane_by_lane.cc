#include "sim/exec/lane_by_lane.h"

#include <algorithm>
#include <array>

#include "ptx/isa/cards.h"
#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/predicate_handlers.h"
#include "sim/model/address_space.h"

namespace warptime::sim {

namespace {

using ptx::Mod;

/// PTX ISA 9.7.1.18: offset 0 asks for bit `base` itself, n or -n for the n-th set bit from it on. The offset that has
/// no magnitude gives zero, as on an H100.
uint32_t nth_set_bit(uint32_t bits, uint32_t base, int32_t offset) {
  constexpr uint32_t kNone = ~uint32_t{0};
  if (offset == INT32_MIN) return 0;
  if (base > 31) return kNone;
  if (offset == 0) return (bits >> base & 1) != 0 ? base : kNone;
  uint32_t step = offset > 0 ? 1 : ~uint32_t{0};
  uint32_t wanted = offset > 0 ? static_cast<uint32_t>(offset) : uint32_t{0} - static_cast<uint32_t>(offset);
  for (uint32_t at = base; at < 32; at += step)
    if ((bits >> at & 1) != 0 && --wanted == 0) return at;
  return kNone;
}
void run_fns(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  const std::byte *a = insn.src[0].in(warp), *b = insn.src[1].in(warp), *c = insn.src[2].in(warp);
  for_lanes_of(mask, [&](uint32_t lane) {
    set_lane(warp.rows() + insn.dst, lane,
             nth_set_bit(lane_of<uint32_t>(a, lane), lane_of<uint32_t>(b, lane), lane_of<int32_t>(c, lane)));
  });
}

enum class Window { Shared, SharedCluster, Local, Const, Param, Global };

template <class A, Window kWindow>
void run_isspacep(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  const std::byte* address = insn.src[0].in(warp);
  auto inside = [&](size_t window, uint32_t lane, Addr bytes = GenericWindows::kBytes) {
    auto begin = lane_of<A>(insn.src[window].in(warp), lane);
    return static_cast<A>(lane_of<A>(address, lane) - begin) < bytes;
  };
  uint32_t result = 0;
  for_lanes_of(mask, [&](uint32_t lane) {
    bool is = false;
    switch (kWindow) {
      case Window::Shared: is = inside(1, lane); break;
      case Window::SharedCluster: is = inside(1, lane, (kMostClusterBlocks + 1) * GenericWindows::kBytes); break;
      case Window::Local: is = inside(2, lane); break;
      case Window::Const: is = inside(3, lane); break;
      case Window::Param: is = inside(3, lane, 2 * GenericWindows::kBytes) && !inside(3, lane); break;
      case Window::Global:
        is = !inside(1, lane) && !inside(2, lane) && !inside(3, lane, 2 * GenericWindows::kBytes);
        break;
    }
    result |= uint32_t{is} << lane;
  });
  write_predicate(warp, insn.dst, mask, result);
}
template <class A>
Handler isspacep(const ptx::Instruction& in) {
  if (in.mods.has(Mod::Shared) || in.mods.has(Mod::SharedCta)) return run_isspacep<A, Window::Shared>;
  if (in.mods.has(Mod::SharedCluster)) return run_isspacep<A, Window::SharedCluster>;
  if (in.mods.has(Mod::Local)) return run_isspacep<A, Window::Local>;
  if (in.mods.has(Mod::Const)) return run_isspacep<A, Window::Const>;
  return in.mods.has(Mod::Global) ? run_isspacep<A, Window::Global> : run_isspacep<A, Window::Param>;
}

/// d = lop3(a, b, c), q = (d != 0) combined with the predicate src[3].
void run_lop3(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  const std::byte *a = insn.src[0].in(warp), *b = insn.src[1].in(warp), *c = insn.src[2].in(warp);
  uint32_t table = insn.logic_table().table;
  uint32_t not_zero = 0;
  for_lanes_of(mask, [&](uint32_t lane) {
    uint32_t x = lane_of<uint32_t>(a, lane), y = lane_of<uint32_t>(b, lane), z = lane_of<uint32_t>(c, lane), d = 0;
    for (uint32_t row = 0; row < 8; ++row)
      if ((table >> row & 1) != 0)
        d |= ((row & 4) != 0 ? x : ~x) & ((row & 2) != 0 ? y : ~y) & ((row & 1) != 0 ? z : ~z);
    set_lane(warp.rows() + insn.dst, lane, d);
    not_zero |= uint32_t{d != 0} << lane;
  });
  uint32_t with = predicate_source(warp, insn, 3);
  write_predicate(warp, insn.dst2, mask, insn.combine == Combine::And ? not_zero & with : not_zero | with);
}

template <uint32_t kBits, bool kSigned>
uint32_t clamped_to(int32_t value) {
  constexpr int32_t kLeast = kSigned ? -(1 << (kBits - 1)) : 0;
  constexpr int32_t kMost = kSigned ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
  return static_cast<uint32_t>(std::clamp(value, kLeast, kMost)) & ((1u << kBits) - 1);
}

/// d = a and b, clamped to so many bits, and as many of c as there is room for.
template <uint32_t kBits, bool kSigned>
void run_cvt_pack(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  auto word = [&](size_t source, uint32_t lane) {
    const std::byte* row = insn.src[source].in(warp);
    return insn.packing().source_is_64[source] ? static_cast<uint32_t>(lane_of<uint64_t>(row, lane))
                                               : lane_of<uint32_t>(row, lane);
  };
  std::array<uint32_t, kWarpSize> result{};  // the rows of wide and narrow registers may overlap
  for_lanes_of(mask, [&](uint32_t lane) {
    auto number = [&](size_t source) { return clamped_to<kBits, kSigned>(static_cast<int32_t>(word(source, lane))); };
    result[lane] = number(0) << kBits | number(1);
    if constexpr (kBits < 16) result[lane] |= word(2, lane) << (2 * kBits);
  });
  for_lanes_of(mask, [&](uint32_t lane) {
    if (insn.packing().result_is_64) set_lane(warp.rows() + insn.dst, lane, uint64_t{result[lane]});
    else set_lane(warp.rows() + insn.dst, lane, result[lane]);
  });
}
Handler cvt_pack(const ptx::Instruction& in) {
  if (in.mods.has(Mod::ToU2)) return run_cvt_pack<2, false>;
  if (in.mods.has(Mod::ToS2)) return run_cvt_pack<2, true>;
  if (in.mods.has(Mod::ToU4)) return run_cvt_pack<4, false>;
  if (in.mods.has(Mod::ToS4)) return run_cvt_pack<4, true>;
  if (in.mods.has(Mod::ToU8)) return run_cvt_pack<8, false>;
  if (in.mods.has(Mod::ToS8)) return run_cvt_pack<8, true>;
  return in.mods.has(Mod::ToU16) ? run_cvt_pack<16, false> : run_cvt_pack<16, true>;
}

void run_createpolicy(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  for_lanes_of(mask, [&](uint32_t lane) { set_lane(warp.rows() + insn.dst, lane, uint64_t{0}); });
}

/// src[2]: the number of the block itself, whose addresses stay as they are.
template <class A>
void run_mapa(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  const std::byte *address = insn.src[0].in(warp), *block = insn.src[1].in(warp), *own = insn.src[2].in(warp);
  for_lanes_of(mask, [&](uint32_t lane) {
    const auto plain = static_cast<A>(lane_of<A>(address, lane) & ~static_cast<A>(kClusterBlockMask));
    const auto number = lane_of<uint32_t>(block, lane);
    const A bits = number == lane_of<uint32_t>(own, lane)
                       ? A{0}
                       : static_cast<A>(static_cast<A>(number + 1) << kClusterBlockShift);
    set_lane(warp.rows() + insn.dst, lane, static_cast<A>(plain | bits));
  });
}

/// src[1]: the number of the block itself.
template <class A>
void run_getctarank(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  const std::byte *address = insn.src[0].in(warp), *own = insn.src[1].in(warp);
  for_lanes_of(mask, [&](uint32_t lane) {
    const uint32_t bits = cluster_block_bits(lane_of<A>(address, lane));
    set_lane(warp.rows() + insn.dst, lane, bits == 0 ? lane_of<uint32_t>(own, lane) : bits - 1);
  });
}

}  // namespace

Handler lane_by_lane_handler(const ptx::Instruction& in) {
  if (ptx::is<ptx::Fns>(in)) return run_fns;
  if (ptx::is<ptx::Lop3>(in)) return run_lop3;
  if (ptx::is<ptx::Cvt>(in)) return cvt_pack(in);
  if (ptx::is<ptx::Createpolicy>(in)) return run_createpolicy;
  if (ptx::is<ptx::Mapa>(in)) return ptx::bytes(in.type) == 8 ? run_mapa<uint64_t> : run_mapa<uint32_t>;
  if (ptx::is<ptx::Getctarank>(in))
    return ptx::bytes(in.type) == 8 ? run_getctarank<uint64_t> : run_getctarank<uint32_t>;
  return nullptr;
}

Handler isspacep_handler(const ptx::Instruction& in, uint32_t address_bytes) {
  return address_bytes == 8 ? isspacep<uint64_t>(in) : isspacep<uint32_t>(in);
}

}  // namespace warptime::sim
