// Saving the state of running objects, and restoring it into objects that were made for the same purpose: cereal
// archives over memory. A class lists its members once, beside them, in a template `serialize(archive)`, which saves or
// restores. Numbers are as the host has them: little endian, as the lanes of registers and device memory are.
//
// Pointers between objects become numbers: both archives count the objects that are announced (`object`, `function`),
// in the same order, before pointers to them are passed (`pointer`, `function_pointer`).
//
// Only the files that instantiate `serialize` include this one; the classes need no header for it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cereal/cereal.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/common.hpp>
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
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/state_error.h"

namespace warptime {

static_assert(std::endian::native == std::endian::little, "saved numbers are little endian");

/// bytes() saves parts of this size; those that are all zero are left out.
inline constexpr size_t kStatePart = 1024;

class StateWriter : public cereal::OutputArchive<StateWriter> {
 public:
  static constexpr bool kRestores = false;

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

  template <class C>
  void table(C& all) {
    uint64_t size = 0;
    (*this)(size);
    if (size != all.size()) throw StateError("a table of another size");
    for (auto& element : all) (*this)(element);
  }

  template <class T>
  void object(T& announced) {
    objects_.push_back(const_cast<std::remove_const_t<T>*>(&announced));
  }
  template <class T>
  void pointer(T*& to) {
    to = static_cast<T*>(named(objects_));
  }
  template <class F>
  void function(F* code) {
    const auto* at = reinterpret_cast<const void*>(code);
    if (known_.insert(at).second) functions_.push_back(const_cast<void*>(at));
  }
  template <class F>
  void function_pointer(F*& code) {
    code = reinterpret_cast<F*>(named(functions_));
  }

 private:
  void* named(const std::vector<void*>& all) {
    uint32_t number = 0;
    (*this)(number);
    if (number > all.size()) throw StateError("a pointer to an object that does not exist");
    return number == 0 ? nullptr : all[number - 1];
  }
  /// A page that nobody wrote takes no memory of the host, so zeros are written only where something else was.
  static void clear(std::byte* at, size_t count) {
    static constexpr std::array<std::byte, kStatePart> kZeros{};
    if (std::memcmp(at, kZeros.data(), count) != 0) std::memset(at, 0, count);
  }

  std::span<const std::byte> from_;
  size_t at_ = 0;
  std::vector<void*> objects_, functions_;
  std::unordered_set<const void*> known_;
};

template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(StateWriter& archive, const T& value) { archive.write(&value, sizeof value); }
template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(StateReader& archive, T& value) { archive.read(&value, sizeof value); }
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
