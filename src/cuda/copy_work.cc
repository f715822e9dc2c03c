// Copies and fills as work: boxes of memory between host, device and arrays.
#include <cstring>

#include "cuda/work.h"

namespace warptime::cuda {

namespace {

/// Whether it is the device's alone, so that the host must not touch it.
bool is_device_only(Runtime& runtime, const void* pointer) {
  return runtime.host_block(pointer) == nullptr && runtime.device().allocation_at(address_of(pointer)).has_value();
}

/// For the timeline and messages.
std::string name_of(Addr address) { return fmt::format("{:#x}", address); }

/// A side of a copy by addresses.
struct Box {
  Addr address = 0;
  host::BoxSteps steps = {};
  bool is_array = false;
};

Box box_of(const CopySide& side, const CopyWork& copy) {
  Box box{.address = address_of(side.pointer), .steps = {side.pitch, side.pitch * side.height}};
  if (const Array* array = side.array) {
    box = {array->buffer.address, {array->row_bytes(), array->row_bytes() * array->height()}, true};
    const auto outside = [](size_t first, size_t count, size_t size) { return first > size || count > size - first; };
    if (outside(side.x, copy.bytes, array->row_bytes()) || outside(side.y, copy.rows, array->height()) ||
        outside(side.z, copy.slices, array->depth()))
      throw CallError{Error::InvalidValue,
                      fmt::format("error: a copy of {} x {} x {} (bytes, rows, slices) at ({}, {}, {}) is not all in "
                                  "an array of {} x {} x {}\n",
                                  copy.bytes, copy.rows, copy.slices, side.x, side.y, side.z, array->row_bytes(),
                                  array->height(), array->depth())};
  } else if ((copy.rows > 1 || copy.slices > 1) && side.pitch < copy.bytes) {
    throw CallError{Error::InvalidPitchValue};
  }
  box.address += side.x + side.y * box.steps.row + side.z * box.steps.slice;
  return box;
}

int kind_of(Runtime& runtime, const Box& to, const Box& from, int kind) {
  const bool on_device[] = {from.is_array || runtime.device().allocation_at(from.address),
                            to.is_array || runtime.device().allocation_at(to.address)};
  const int found = (on_device[0] ? kDeviceToHost : kHostToHost) + (on_device[1] ? kHostToDevice : 0);
  if (kind == kByAddress) return found;
  // An array is the device's, whatever the call says.
  const bool wrong = (from.is_array && (kind & kDeviceToHost) == 0) || (to.is_array && (kind & kHostToDevice) == 0);
  if (wrong) throw CallError{Error::InvalidMemcpyDirection};
  return kind;
}

}  // namespace

Error perform(Runtime& runtime, const CopyWork& copy, host::Stream stream) {
  if (copy.kind < kHostToHost || copy.kind > kByAddress) return Error::InvalidMemcpyDirection;
  if (copy.bytes == 0 || copy.rows == 0 || copy.slices == 0) return Error::Success;
  host::Device& device = runtime.device();
  const Box to = box_of(copy.to, copy), from = box_of(copy.from, copy);
  const int kind = kind_of(runtime, to, from, copy.kind);
  const bool from_host = (kind & kDeviceToHost) == 0, to_host = (kind & kHostToDevice) == 0;
  const Addr of_host = from_host ? from.address : to.address;
  if ((from_host && from.address == 0) || (to_host && to.address == 0)) return Error::InvalidValue;
  if ((from_host && is_device_only(runtime, pointer_to(from.address))) ||
      (to_host && is_device_only(runtime, pointer_to(to.address))))
    throw CallError{Error::InvalidValue,
                    fmt::format("error: the host would {} address {:#x}, which is memory of the device\n         hint: "
                                "the copy has the wrong direction\n",
                                from_host ? "read" : "write", of_host)};
  const host::BoxRows rows{copy.rows, copy.slices};
  if (kind == kDeviceToDevice) {
    device.copy_on_device({to.address, copy.bytes}, {from.address, copy.bytes}, copy.bytes, name_of(to.address),
                          {.stream = stream, .box = rows, .to_steps = to.steps, .from_steps = from.steps});
    return Error::Success;
  }
  const bool pinned = runtime.host_block(pointer_to(of_host)) != nullptr;
  for (size_t slice = 0; slice < copy.slices; ++slice)
    for (size_t row = 0; row < copy.rows; ++row) {
      const Addr target = to.address + slice * to.steps.slice + row * to.steps.row;
      const Addr source = from.address + slice * from.steps.slice + row * from.steps.row;
      auto* writes = static_cast<std::byte*>(pointer_to(target));
      const auto* reads = static_cast<const std::byte*>(pointer_to(source));
      if (kind == kHostToDevice) device.write_bytes(target, {reads, copy.bytes});
      else if (kind == kDeviceToHost) device.read_bytes({writes, copy.bytes}, source);
      else std::memmove(writes, reads, copy.bytes);
    }
  using Direction = host::TimelineEvent::Direction;
  const size_t total = copy.bytes * rows.count();
  const host::CopyOptions options{.pinned = pinned, .asynchronous = copy.asynchronous && pinned, .stream = stream};
  if (kind == kHostToDevice) device.time_copy(Direction::HostToDevice, total, name_of(to.address), options);
  if (kind == kDeviceToHost) device.time_copy(Direction::DeviceToHost, total, name_of(from.address), options);
  return Error::Success;
}

Error perform(Runtime& runtime, const FillWork& fill, host::Stream stream) {
  const size_t bytes = fill.width * fill.element_bytes;
  if (bytes == 0 || fill.rows == 0 || fill.slices == 0) return Error::Success;
  if ((fill.rows > 1 || fill.slices > 1) && fill.pitch < bytes) return Error::InvalidValue;
  runtime.device().fill_bytes({address_of(fill.to), bytes}, fill.value, bytes, name_of(address_of(fill.to)),
                              {.stream = stream,
                               .element_bytes = fill.element_bytes,
                               .box = {fill.rows, fill.slices},
                               .steps = {fill.pitch, fill.pitch * fill.height}});
  return Error::Success;
}

CopyWork line_copy(void* to, const void* from, size_t bytes, int kind, bool asynchronous) {
  return {.to = {.pointer = to},
          .from = {.pointer = const_cast<void*>(from)},
          .bytes = bytes,
          .kind = kind,
          .asynchronous = asynchronous};
}

CopyWork copy_work(Runtime& runtime, const Copy3D& copy, bool asynchronous) {
  auto side = [&](void* array, Position at, const PitchedPointer& memory) {
    if ((array == nullptr) == (memory.pointer == nullptr)) throw CallError{Error::InvalidValue};
    CopySide out{
        .pointer = memory.pointer, .pitch = memory.pitch, .height = memory.height, .x = at.x, .y = at.y, .z = at.z};
    if (array != nullptr) out.array = &runtime.array_of(array);
    return out;
  };
  CopyWork work{.to = side(copy.to_array, copy.to_position, copy.to),
                .from = side(copy.from_array, copy.from_position, copy.from),
                .bytes = copy.extent.width,
                .rows = copy.extent.height,
                .slices = copy.extent.depth,
                .kind = copy.kind,
                .asynchronous = asynchronous};
  // Where an array takes part, positions in it and the extent count texels.
  size_t texel = 1;
  for (CopySide* one : {&work.to, &work.from}) {
    if (one->array == nullptr) continue;
    const size_t bytes = one->array->texel_bytes();
    if (texel != 1 && texel != bytes) throw CallError{Error::InvalidValue};
    texel = bytes;
    one->x *= bytes;
  }
  work.bytes *= texel;
  return work;
}

Copy3D parameters_of(const CopyWork& work) {
  Copy3D out{};
  size_t texel = 1;
  auto side = [&](const CopySide& from, void*& array, Position& at, PitchedPointer& memory) {
    array = const_cast<Array*>(from.array);
    if (from.array != nullptr) texel = from.array->texel_bytes();
    else
      memory = {from.pointer, from.pitch == 0 ? work.bytes : from.pitch, work.bytes, std::max<size_t>(1, from.height)};
    at = {from.array == nullptr ? from.x : from.x / texel, from.y, from.z};
  };
  side(work.to, out.to_array, out.to_position, out.to);
  side(work.from, out.from_array, out.from_position, out.from);
  out.extent = {work.bytes / texel, work.rows, work.slices};
  out.kind = work.kind;
  return out;
}

CopyWork to_symbol(Runtime& runtime, const void* symbol, const void* from, size_t bytes, size_t offset, int kind,
                   bool asynchronous) {
  if (kind != kHostToDevice && kind != kDeviceToDevice && kind != kByAddress)
    throw CallError{Error::InvalidMemcpyDirection};
  void* to = pointer_to(runtime.part_of_variable(symbol, bytes, offset));
  return line_copy(to, from, bytes, kind, asynchronous);
}

CopyWork from_symbol(Runtime& runtime, void* to, const void* symbol, size_t bytes, size_t offset, int kind,
                     bool asynchronous) {
  if (kind != kDeviceToHost && kind != kDeviceToDevice && kind != kByAddress)
    throw CallError{Error::InvalidMemcpyDirection};
  const void* from = pointer_to(runtime.part_of_variable(symbol, bytes, offset));
  return line_copy(to, from, bytes, kind, asynchronous);
}

}  // namespace warptime::cuda
