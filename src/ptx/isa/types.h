// The fundamental types and state spaces of PTX (PTX ISA 9.0, chapter 5).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/isa/mods.h"

namespace warptime::ptx {

//        enumerator  spelling  bits  kind
#define PTX_TYPES(X)                \
  X(U8, "u8", 8, Unsigned)          \
  X(U16, "u16", 16, Unsigned)       \
  X(U32, "u32", 32, Unsigned)       \
  X(U64, "u64", 64, Unsigned)       \
  X(S8, "s8", 8, Signed)            \
  X(S16, "s16", 16, Signed)         \
  X(S32, "s32", 32, Signed)         \
  X(S64, "s64", 64, Signed)         \
  X(B8, "b8", 8, Bits)              \
  X(B16, "b16", 16, Bits)           \
  X(B32, "b32", 32, Bits)           \
  X(B64, "b64", 64, Bits)           \
  X(B128, "b128", 128, Bits)        \
  X(F16, "f16", 16, Float)          \
  X(F16x2, "f16x2", 32, Packed)     \
  X(BF16, "bf16", 16, Float)        \
  X(BF16x2, "bf16x2", 32, Packed)   \
  X(TF32, "tf32", 32, Float)        \
  X(F32, "f32", 32, Float)          \
  X(F64, "f64", 64, Float)          \
  X(U16x2, "u16x2", 32, Packed)     \
  X(S16x2, "s16x2", 32, Packed)     \
  X(F32x2, "f32x2", 64, Packed)     \
  X(E4M3x2, "e4m3x2", 16, Packed)   \
  X(E5M2x2, "e5m2x2", 16, Packed)   \
  X(E2M3x2, "e2m3x2", 16, Packed)   \
  X(E3M2x2, "e3m2x2", 16, Packed)   \
  X(E2M1x2, "e2m1x2", 8, Packed)    \
  X(UE8M0x2, "ue8m0x2", 16, Packed) \
  X(E4M3x4, "e4m3x4", 32, Packed)   \
  X(E5M2x4, "e5m2x4", 32, Packed)   \
  X(E2M3x4, "e2m3x4", 32, Packed)   \
  X(E3M2x4, "e3m2x4", 32, Packed)   \
  X(E2M1x4, "e2m1x4", 16, Packed)   \
  X(Pred, "pred", 1, Predicate)     \
  X(S4, "s4", 4, Element)           \
  X(U4, "u4", 4, Element)           \
  X(B1, "b1", 1, Element)           \
  X(E4M3, "e4m3", 8, Element)       \
  X(E5M2, "e5m2", 8, Element)

enum class Type : uint8_t {
#define X(name, spelling, bits, kind) name,
  PTX_TYPES(X)
#undef X
      None
};

/// Element: of matrices alone, whose registers hold several; no register and no variable has such a type.
enum class TypeKind : uint8_t { Unsigned, Signed, Bits, Float, Packed, Predicate, Element };

struct TypeInfo {
  std::string_view name;
  uint32_t bits;
  TypeKind kind;
};

inline constexpr std::array kTypes {
#define X(name, spelling, bits, kind) TypeInfo{spelling, bits, TypeKind::kind},
  PTX_TYPES(X)
#undef X
};

constexpr const TypeInfo& info(Type type) { return kTypes[static_cast<size_t>(type)]; }
constexpr uint32_t bits(Type type) { return info(type).bits; }
/// Bytes in memory and in a register row; a predicate has none, nor has an element of less than 8 bits.
constexpr uint32_t bytes(Type type) { return info(type).bits / 8; }
/// The half-precision type of each element of a register: of .f16x2 .f16, of .bf16x2 .bf16; None for all other types.
constexpr Type half_element(Type type) {
  if (type == Type::F16 || type == Type::F16x2) return Type::F16;
  return type == Type::BF16 || type == Type::BF16x2 ? Type::BF16 : Type::None;
}
/// The type of each of the numbers that lie side by side in a register, where instructions compute on it; else None.
constexpr Type element_type(Type type) {
  if (type == Type::U16x2) return Type::U16;
  if (type == Type::S16x2) return Type::S16;
  return type == Type::F32x2 ? Type::F32 : half_element(type);
}
constexpr bool is_half(Type type) { return half_element(type) != Type::None; }
/// The bits of 1.0, of one element.
constexpr uint32_t half_one(Type type) { return half_element(type) == Type::F16 ? 0x3c00 : 0x3f80; }
constexpr std::string_view name(Type type) { return type == Type::None ? "" : info(type).name; }
std::optional<Type> type_named(std::string_view name);  // without the dot

/// Types of instructions only: no variable and no register is declared with them.
constexpr bool is_declared(Type type) { return type < Type::U16x2 || type >= Type::Pred; }

/// A set of types, as a form of a card allows them.
struct TypeSet {
  uint64_t mask = 0;
  constexpr bool has(Type type) const { return (mask >> static_cast<unsigned>(type)) & 1; }
  constexpr bool empty() const { return mask == 0; }
  constexpr bool operator==(const TypeSet&) const = default;
  constexpr TypeSet operator|(TypeSet other) const { return {mask | other.mask}; }
};
template <class... Ts>
constexpr TypeSet types(Ts... list) {
  return {((uint64_t{1} << static_cast<unsigned>(list)) | ... | uint64_t{0})};
}

enum class Space : uint8_t { None, Reg, Const, Global, Local, Param, Shared, Sreg, Tex, Generic };
std::string_view name(Space space);

}  // namespace warptime::ptx
