// The functions of CUDA's runtime within an SM: output of printf, and failed assertions. malloc and free use the
// device's heap, which all SMs share; the chip performs them between steps (device_heap.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "ptx/runtime_functions.h"
#include "sim/runtime/device_heap.h"
#include "sim/runtime/printf_buffer.h"

namespace warptime::sim {

/// Why a call is a fault, in words.
struct RuntimeError {
  std::string message, hint;
};

/// One thread's call.
struct RuntimeCall {
  std::array<uint64_t, 5> arguments{};
  uint64_t block = 0;  // linear in the grid
  Cycle cycle = 0;
  uint8_t address_bytes = 8;
  /// Copies what the thread reads from a generic address on; how many bytes it may read, at most as many as there is
  /// room for.
  std::function<size_t(Addr, std::span<std::byte>)> read;
};

class DeviceRuntime {
 public:
  explicit DeviceRuntime(uint64_t printf_fifo_bytes);

  /// vprintf's result. nullopt: the call is a fault, and error() says why.
  std::optional<int32_t> print(const RuntimeCall& call);
  /// __assertfail: error() says what.
  void fail_assertion(const RuntimeCall& call);
  /// Why the heap does not take an address back.
  void refuse_free(Addr address, const DeviceHeap& heap);

  const RuntimeError& error() const { return error_; }
  PrintfBuffer& printed() { return printed_; }

 private:
  std::optional<std::string> string_at(const RuntimeCall& call, Addr address, uint64_t most, std::string_view what);
  std::string shown(const RuntimeCall& call, Addr address, uint64_t character_bytes) const;

  uint64_t longest_;  // string
  PrintfBuffer printed_;
  RuntimeError error_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(printed_);
  }
};

}  // namespace warptime::sim
