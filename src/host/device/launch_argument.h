// Device memory and values as arguments of kernels (device.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/source_text.h"
#include "ptx/isa/types.h"

namespace warptime::host {

/// A piece of device memory. Plain data: copying it does not copy the memory, and its end does not free it.
struct Buffer {
  Addr address = 0;    // on the device
  uint64_t bytes = 0;  // as requested
};

/// A kernel argument: the bytes of a scalar or struct, or a buffer's address (which takes the width of the parameter).
struct Argument {
  enum class Kind : uint8_t { Scalar, Bytes, Address };
  Kind kind = Kind::Scalar;
  ptx::Type type = ptx::Type::None;  // of a Scalar
  uint64_t bits = 0;                 // Scalar: value; Address: device address
  std::vector<std::byte> bytes;      // Bytes
  std::string text;                  // as the user wrote it, for messages
  SourceSpan where;                  // in a launch file or on the command line, if it came from there

  Argument() = default;
  Argument(const Buffer& buffer) : kind(Kind::Address), bits(buffer.address) {}  // NOLINT: implicit on purpose
};
/// Scalars. A launch throws InputError if the kernel's parameter has another size.
Argument arg_u16(uint16_t value);
Argument arg_u32(uint32_t value);
Argument arg_s32(int32_t value);
Argument arg_f32(float value);
Argument arg_u64(uint64_t value);
Argument arg_f64(double value);

}  // namespace warptime::host
