// Types of C and C++, as far as a debugger shows values of them. A type is a number in a table, so that a structure may
// hold a pointer to its own kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa/types.h"

namespace warptime::debug {

struct CType {
  enum class Kind : uint8_t { Unknown, Scalar, Pointer, Array, Struct };
  struct Member {
    std::string name;
    uint32_t type = 0;
    uint64_t offset = 0;  // bytes
  };
  Kind kind = Kind::Unknown;
  std::string name{};                  // "float", "Point"; pointers and arrays have none of their own
  ptx::Type scalar = ptx::Type::None;  // of a Scalar
  bool is_truth = false;               // bool
  bool is_character = false;           // char, which is shown as a character too
  uint64_t bytes = 0;                  // 0: not known
  uint32_t target = 0;                 // what a Pointer points to, and an Array consists of
  uint64_t count = 0;                  // elements of an Array; 0: not known
  std::vector<Member> members{};       // of a Struct

  bool is_aggregate() const { return kind == Kind::Array || kind == Kind::Struct; }
};

class CTypes {
 public:
  /// Number 0 is a type of which nothing is known.
  CTypes() : all_(1) {}

  const CType& operator[](uint32_t type) const { return all_[type < all_.size() ? type : 0]; }
  uint32_t add(CType type);
  /// Fills in a type that was added before what it consists of was known.
  void set(uint32_t type, CType is) { all_[type] = std::move(is); }
  uint32_t pointer_to(uint32_t type, uint64_t bytes);
  uint32_t array_of(uint32_t element, uint64_t count);
  /// The type that these words of C name ("const unsigned int*"), 0 if there is none that is known. `address_bytes`: of
  /// a pointer.
  uint32_t named(std::string_view words, uint64_t address_bytes);
  /// "float*", "float[16][17]".
  std::string name_of(uint32_t type) const;

 private:
  uint32_t simple(const std::string& name);
  std::vector<CType> all_;
};

}  // namespace warptime::debug
