#include "debug/names/c_type.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/ascii.h"

namespace warptime::debug {

using ptx::Type;

namespace {

struct Name {
  std::string_view text;
  Type type;
};

// CUDA's types of one number, with the sizes of 64-bit Linux.
constexpr std::array kNames{Name{"char", Type::S8},
                            Name{"signed char", Type::S8},
                            Name{"unsigned char", Type::U8},
                            Name{"int8_t", Type::S8},
                            Name{"uint8_t", Type::U8},
                            Name{"bool", Type::U8},
                            Name{"short", Type::S16},
                            Name{"short int", Type::S16},
                            Name{"unsigned short", Type::U16},
                            Name{"unsigned short int", Type::U16},
                            Name{"int16_t", Type::S16},
                            Name{"uint16_t", Type::U16},
                            Name{"int", Type::S32},
                            Name{"signed", Type::S32},
                            Name{"signed int", Type::S32},
                            Name{"unsigned", Type::U32},
                            Name{"unsigned int", Type::U32},
                            Name{"int32_t", Type::S32},
                            Name{"uint32_t", Type::U32},
                            Name{"uint", Type::U32},
                            Name{"long", Type::S64},
                            Name{"long int", Type::S64},
                            Name{"long long", Type::S64},
                            Name{"long long int", Type::S64},
                            Name{"int64_t", Type::S64},
                            Name{"ptrdiff_t", Type::S64},
                            Name{"unsigned long", Type::U64},
                            Name{"unsigned long int", Type::U64},
                            Name{"unsigned long long", Type::U64},
                            Name{"unsigned long long int", Type::U64},
                            Name{"uint64_t", Type::U64},
                            Name{"size_t", Type::U64},
                            Name{"float", Type::F32},
                            Name{"double", Type::F64},
                            Name{"half", Type::F16},
                            Name{"__half", Type::F16},
                            Name{"__nv_bfloat16", Type::BF16},
                            Name{"nv_bfloat16", Type::BF16}};

// The elements of float2, uint4 and the like (CUDA C++ Programming Guide, built-in vector types).
constexpr std::array kVectors{Name{"char", Type::S8},      Name{"uchar", Type::U8},      Name{"short", Type::S16},
                              Name{"ushort", Type::U16},   Name{"int", Type::S32},       Name{"uint", Type::U32},
                              Name{"longlong", Type::S64}, Name{"ulonglong", Type::U64}, Name{"float", Type::F32},
                              Name{"double", Type::F64}};

bool says_nothing(std::string_view word) {
  for (std::string_view other : {"const", "volatile", "__restrict__", "__restrict", "restrict", "struct", "class",
                                 "__grid_constant__", "typename", "register"})
    if (word == other) return true;
  return false;
}

}  // namespace

uint32_t CTypes::add(CType type) {
  all_.push_back(std::move(type));
  return static_cast<uint32_t>(all_.size() - 1);
}

uint32_t CTypes::pointer_to(uint32_t type, uint64_t bytes) {
  return add({.kind = CType::Kind::Pointer, .bytes = bytes, .target = type});
}

uint32_t CTypes::array_of(uint32_t element, uint64_t count) {
  return add({.kind = CType::Kind::Array, .bytes = all_[element].bytes * count, .target = element, .count = count});
}

uint32_t CTypes::simple(const std::string& name) {
  if (name.empty()) return 0;
  for (uint32_t type = 1; type < all_.size(); ++type)
    if (all_[type].name == name) return type;
  for (const Name& known : kNames)
    if (known.text == name)
      return add({.kind = CType::Kind::Scalar,
                  .name = name,
                  .scalar = known.type,
                  .is_truth = name == "bool",
                  .is_character = name.ends_with("char"),
                  .bytes = ptx::bytes(known.type)});
  const char last = name.back();
  if (last < '1' || last > '4') return 0;
  for (const Name& known : kVectors) {
    if (known.text != std::string_view(name).substr(0, name.size() - 1)) continue;
    const uint64_t bytes = ptx::bytes(known.type), count = static_cast<uint64_t>(last - '0');
    const uint32_t element = add({.kind = CType::Kind::Scalar, .scalar = known.type, .bytes = bytes});
    CType out{.kind = CType::Kind::Struct, .name = name, .bytes = bytes * count};
    for (uint64_t i = 0; i < count; ++i) out.members.push_back({std::string(1, "xyzw"[i]), element, i * bytes});
    return add(std::move(out));
  }
  return 0;
}

uint32_t CTypes::named(std::string_view words, uint64_t address_bytes) {
  std::string name;
  uint32_t pointers = 0;
  for (size_t at = 0; at < words.size();) {
    size_t end = at;
    while (end < words.size() && (ascii::is_letter_or_digit(words[end]) || words[end] == '_' || words[end] == ':'))
      ++end;
    if (end == at) {
      pointers += words[at] == '*' || words[at] == '&' ? 1 : 0;
      ++at;
      continue;
    }
    std::string_view word = words.substr(at, end - at);
    if (word.starts_with("std::")) word = word.substr(5);
    if (!says_nothing(word)) name += (name.empty() ? "" : " ") + std::string(word);
    at = end;
  }
  uint32_t type = simple(name);
  for (; pointers > 0; --pointers) type = pointer_to(type, address_bytes);
  return type;
}

std::string CTypes::name_of(uint32_t type) const {
  std::string after;
  for (; (*this)[type].kind == CType::Kind::Array; type = (*this)[type].target)
    after += (*this)[type].count == 0 ? "[]" : fmt::format("[{}]", (*this)[type].count);
  for (; (*this)[type].kind == CType::Kind::Pointer; type = (*this)[type].target) after = "*" + after;
  const std::string& name = (*this)[type].name;
  return (name.empty() ? "?" : name) + after;
}

}  // namespace warptime::debug
