// Saving the state of running objects, and restoring it into objects that were made for the same purpose: cereal
// archives over memory. A class lists its members once, beside them, in a template `serialize(archive)`, which saves or
// restores. Numbers are as the host has them: little endian, as the lanes of registers and device memory are.
//
// Pointers between objects become numbers: both archives count the objects that are announced (`object`, `function`),
// in the same order, before pointers to them are passed (`pointer`, `function_pointer`).
//
// A state may have been changed by whoever could write the file that it is from, so nothing in one is used before it is
// known to be in bounds. The archive that restores checks what it can see by itself: lengths, values of enumerations,
// the kinds of the objects that pointers name. What else is an index, a mask of bits or a count says so (`index`,
// `mask`, `expect`), with its bound, or with one that the launch has set (`limits`).
//
// Only the files that instantiate `serialize` include this one; the classes need no header for it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cereal/cereal.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/state_error.h"

namespace warptime {

static_assert(std::endian::native == std::endian::little, "saved numbers are little endian");

/// bytes() saves parts of this size; those that are all zero are left out.
inline constexpr size_t kStatePart = 1024;

/// Bounds of what a state has numbers of, as the launch that is restored has them.
struct StateLimits {
  uint64_t code = 0;           // instructions of the kernel
  uint64_t warps = 0;          // slots of an SM
  uint64_t blocks = 0;         // slots of an SM
  uint64_t sms = 0, tpcs = 0;  // of the chip
  uint64_t shared = 0;         // bytes of a block
  uint64_t partitions = 0;
  uint64_t memory = 0;          // first device address beyond all memory
  uint64_t queues = 0;          // of what is restored: units at the other side of the crossbar
  std::vector<uint64_t> loads;  // by SM: numbers of loads under way
  std::vector<uint64_t> lines;  // by TPC: numbers of lines that its caches wait for
  std::vector<uint64_t> runs;   // by TPC: one more than the largest number of a run that a request or answer has
};

namespace state {

/// Whether the value has a name: what the compiler prints for one that has none ends with ")7".
template <auto kValue>
constexpr bool is_named() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(0, text.rfind(']'));
  if (const size_t end = text.find(';'); end != text.npos) text = text.substr(0, end);
  const size_t last = text.find_last_not_of("0123456789");
  return last == text.npos || last + 1 == text.size() || (text[last] != ')' && text[last] != '-');
}
inline constexpr size_t kMostValues = 128;
template <class E, size_t... kNumbers>
constexpr std::array<bool, kMostValues> named_values(std::index_sequence<kNumbers...>) {
  return {is_named<static_cast<E>(kNumbers)>()...};
}
template <class E>
inline constexpr std::array<bool, kMostValues> kNamed = named_values<E>(std::make_index_sequence<kMostValues>());
template <class E>
constexpr bool has_name(E value) {
  const auto number = static_cast<uint64_t>(value);
  return number < kMostValues && kNamed<E>[number];
}

/// An address that stands for the type.
template <class T>
inline constexpr char kKind = 0;

}  // namespace state

class StateWriter : public cereal::OutputArchive<StateWriter> {
 public:
  static constexpr bool kRestores = false;
  static constexpr size_t kPart = kStatePart;

  /// Appends to `to`.
  explicit StateWriter(std::vector<std::byte>& to) : OutputArchive(this), to_(to) {}

  void write(const void* from, size_t bytes) {
    const auto* begin = static_cast<const std::byte*>(from);
    to_.insert(to_.end(), begin, begin + bytes);
  }
  void bytes(const std::byte* at, size_t count) {
    static constexpr std::array<std::byte, kStatePart> kZeros{};
    for (size_t begin = 0; begin < count; begin += kStatePart) {
      const size_t part = std::min(kStatePart, count - begin);
      const bool any = std::memcmp(at + begin, kZeros.data(), part) != 0;
      (*this)(any);
      if (any) write(at + begin, part);
    }
  }
  void bytes(std::span<const std::byte> all) { bytes(all.data(), all.size()); }

  StateLimits limits;
  /// A number below `bound`, or `none`.
  template <class T>
  void index(const T& value, uint64_t /*bound*/, T /*none*/ = 0) {
    (*this)(value);
  }
  /// Bits below `bound`.
  void mask(const uint64_t& bits, uint64_t /*bound*/) { (*this)(bits); }
  void expect(bool /*holds*/) {}
  template <class D, class T>
  void expect_kind(const T* /*object*/, bool /*is*/) {}

  /// All elements of a container whose size is fixed.
  template <class C>
  void table(const C& all) {
    (*this)(static_cast<uint64_t>(all.size()));
    for (const auto& element : all) (*this)(element);
  }

  template <class T>
  void object(const T& announced) {
    numbers_.emplace(&announced, static_cast<uint32_t>(numbers_.size() + 1));
  }
  /// Announces a T whose pointers are saved as pointers to its base B; expect_kind tells a T from other Bs.
  template <class B, class T>
  void object_as(const T& announced) {
    object(static_cast<const B&>(announced));
  }
  template <class T>
  void pointer(T* const& to) {
    (*this)(number_of(to));
  }
  template <class F>
  void function(F* code) {
    functions_.emplace(reinterpret_cast<const void*>(code), static_cast<uint32_t>(functions_.size() + 1));
  }
  template <class F>
  void function_pointer(F* const& code) {
    const auto found = functions_.find(reinterpret_cast<const void*>(code));
    if (code != nullptr && found == functions_.end()) throw StateError("a function that was not announced");
    (*this)(code == nullptr ? 0u : found->second);
  }

 private:
  uint32_t number_of(const void* object) const {
    if (object == nullptr) return 0;
    const auto found = numbers_.find(object);
    if (found == numbers_.end()) throw StateError("a pointer to an object that was not announced");
    return found->second;
  }

  std::vector<std::byte>& to_;
  std::unordered_map<const void*, uint32_t> numbers_, functions_;  // 0 is the null pointer
};

class StateReader : public cereal::InputArchive<StateReader> {
 public:
  static constexpr bool kRestores = true;
  static constexpr size_t kPart = kStatePart;

  explicit StateReader(std::span<const std::byte> from) : InputArchive(this), from_(from) {}

  void read(void* to, size_t bytes) {
    if (bytes > left()) throw StateError("the state is too short");
    if (bytes != 0) std::memcpy(to, from_.data() + at_, bytes);
    at_ += bytes;
  }
  size_t left() const { return from_.size() - at_; }
  void bytes(std::byte* at, size_t count) {
    for (size_t begin = 0; begin < count; begin += kStatePart) {
      const size_t part = std::min(kStatePart, count - begin);
      bool any = false;
      (*this)(any);
      if (any) read(at + begin, part);
      else clear(at + begin, part);
    }
  }
  void bytes(std::span<std::byte> all) { bytes(all.data(), all.size()); }

  StateLimits limits;
  /// A value equal to `none`, if one is given, is not below `bound`.
  template <class T>
  void index(T& value, uint64_t bound, T none = 0) {
    (*this)(value);
    expect(value < bound || (none != 0 && value == none));
  }
  void mask(uint64_t& bits, uint64_t bound) {
    (*this)(bits);
    expect(bound >= 64 || bits >> bound == 0);
  }
  void expect(bool holds) const {
    if (!holds) throw StateError("a number is out of its bounds");
  }
  /// The object that a pointer has named was announced as a D, too, or was not.
  template <class D, class T>
  void expect_kind(const T* object, bool is) const {
    const auto found = also_.find(object);
    const bool is_one = found != also_.end() && found->second == &state::kKind<D>;
    expect(object == nullptr || is_one == is);
  }

  template <class C>
  void table(C& all) {
    uint64_t size = 0;
    (*this)(size);
    if (size != all.size()) throw StateError("a table of another size");
    for (auto& element : all) (*this)(element);
  }

  template <class T>
  void object(T& announced) {
    objects_.push_back({const_cast<std::remove_const_t<T>*>(&announced), &state::kKind<std::remove_const_t<T>>});
  }
  template <class B, class T>
  void object_as(T& announced) {
    object(static_cast<B&>(announced));
    also_[static_cast<B*>(&announced)] = &state::kKind<T>;
  }
  template <class T>
  void pointer(T*& to) {
    to = static_cast<T*>(named(objects_, &state::kKind<std::remove_const_t<T>>));
  }
  template <class F>
  void function(F* code) {
    const auto* at = reinterpret_cast<const void*>(code);
    if (known_.insert(at).second) functions_.push_back({const_cast<void*>(at), &state::kKind<F>});
  }
  template <class F>
  void function_pointer(F*& code) {
    code = reinterpret_cast<F*>(named(functions_, &state::kKind<F>));
  }

 private:
  struct Announced {
    void* at;
    const char* kind;
  };
  void* named(const std::vector<Announced>& all, const char* kind) {
    uint32_t number = 0;
    (*this)(number);
    if (number > all.size()) throw StateError("a pointer to an object that does not exist");
    if (number != 0 && all[number - 1].kind != kind) throw StateError("a pointer to an object of another kind");
    return number == 0 ? nullptr : all[number - 1].at;
  }
  /// A page that nobody wrote takes no memory of the host, so zeros are written only where something else was.
  static void clear(std::byte* at, size_t count) {
    static constexpr std::array<std::byte, kStatePart> kZeros{};
    if (std::memcmp(at, kZeros.data(), count) != 0) std::memset(at, 0, count);
  }

  std::span<const std::byte> from_;
  size_t at_ = 0;
  std::vector<Announced> objects_, functions_;
  std::unordered_set<const void*> known_;
  std::unordered_map<const void*, const char*> also_;
};

}  // namespace warptime

namespace cereal {

// Enumerations by the functions below, not by cereal's own, which take any number.
template <class T>
requires std::is_enum_v<T>
struct specialize<warptime::StateWriter, T, specialization::non_member_load_save> : std::true_type {
};
template <class T>
requires std::is_enum_v<T>
struct specialize<warptime::StateReader, T, specialization::non_member_load_save> : std::true_type {
};

}  // namespace cereal

namespace warptime {

template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(StateWriter& archive, const T& value) { archive.write(&value, sizeof value); }
template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(StateReader& archive, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    uint8_t byte = 0;
    archive.read(&byte, 1);
    archive.expect(byte <= 1);
    value = byte != 0;
  } else {
    archive.read(&value, sizeof value);
  }
}
template <class T>
requires std::is_enum_v<T>
void CEREAL_SAVE_FUNCTION_NAME(StateWriter& archive, const T& value) { archive.write(&value, sizeof value); }
template <class T>
requires std::is_enum_v<T>
void CEREAL_LOAD_FUNCTION_NAME(StateReader& archive, T& value) {
  std::underlying_type_t<T> number{};
  archive.read(&number, sizeof number);
  value = static_cast<T>(number);
  archive.expect(state::has_name(value));
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(StateWriter& archive, const cereal::BinaryData<T>& data) {
  archive.write(data.data, data.size);
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(StateReader& archive, cereal::BinaryData<T>& data) {
  archive.read(data.data, data.size);
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(StateWriter& archive, const cereal::SizeTag<T>& tag) {
  archive(static_cast<uint64_t>(tag.size));
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(StateReader& archive, cereal::SizeTag<T>& tag) {
  uint64_t size = 0;
  archive(size);
  // Each element takes a byte at least: a damaged state must not ask for more memory than that.
  if (size > archive.left()) throw StateError("a list is longer than the state");
  tag.size = size;
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(StateWriter& archive, const cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(StateReader& archive, cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}

/// Structs of statistics (stats_struct.h) list their members for other purposes already.
template <class Archive, class T>
requires requires(T& value) {
  T::zip(value, value, [](auto&, const auto&) {});
}
void serialize(Archive& archive, T& value) {
  T::zip(value, value, [&archive](auto& member, const auto&) { archive(member); });
}

}  // namespace warptime

CEREAL_SETUP_ARCHIVE_TRAITS(warptime::StateReader, warptime::StateWriter)
