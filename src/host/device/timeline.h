// Streams, and what a device's timeline records. Plain data.
#pragma once

#include <cstdint>
#include <string>

namespace warptime::host {

/// A queue of the device, as cudaStream_t. Plain data; valid for the device that created it.
struct Stream {
  uint32_t id = 0;  // 0: the default stream, with which every device begins
};

/// An operation of the device on the host's timeline.
struct TimelineEvent {
  /// Fill: a range of device memory set to one byte value (cudaMemset).
  enum class Kind : uint8_t { Copy, Kernel, Fill };
  enum class Direction : uint8_t { None, HostToDevice, DeviceToHost, DeviceToDevice };  // None: no copy
  Kind kind = Kind::Kernel;
  Direction direction = Direction::None;
  std::string name;                 // of the kernel, or of the buffer
  double start_us = 0, end_us = 0;  // microseconds since the program began
  uint64_t bytes = 0;               // copied or filled; of a kernel 0
  uint32_t stream = 0;              // Stream::id
};

/// How a copy between host and device is made.
struct CopyOptions {
  bool pinned = false;        // page-locked host memory
  bool asynchronous = false;  // of pinned memory only: the host does not wait for the copy
  Stream stream = {};
};

}  // namespace warptime::host
