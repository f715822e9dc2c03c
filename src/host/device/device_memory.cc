// Memory of a device: allocation, copies, fills, and the variables of modules.
#include <algorithm>
#include <cstring>

#include "base/plural.h"
#include "host/device/device_impl.h"
#include "host/report/report.h"
#include "sim/gpu/launch_observer.h"

namespace warptime::host {

uint64_t Device::bytes_free() const {
  return impl_->real != nullptr ? impl_->real->bytes_free() : impl_->memory.bytes_free();
}

std::optional<Buffer> Device::try_allocate(uint64_t bytes, std::string name, uint32_t alignment) {
  if (impl_->real != nullptr) return Buffer{impl_->real->allocate(bytes, name), bytes};
  auto address = impl_->memory.allocate(bytes, std::move(name), alignment);
  if (!address) return std::nullopt;
  if (auto* observer = impl_->launch_observer()) observer->host_allocates(*address, bytes, false);
  return Buffer{*address, bytes};
}

std::optional<Buffer> Device::try_allocate_at(Addr address, uint64_t bytes, std::string name) {
  if (impl_->real != nullptr) throw_error(fmt::format("a GPU chooses the address of \"{}\" itself", name));
  if (!impl_->memory.allocate_at(address, bytes, std::move(name))) return std::nullopt;
  if (auto* observer = impl_->launch_observer()) observer->host_allocates(address, bytes, false);
  return Buffer{address, bytes};
}

std::vector<Device::NamedBuffer> Device::allocations() const {
  std::vector<NamedBuffer> out;
  for (const sim::DeviceMemory::Allocation& one : impl_->memory.allocations())
    out.push_back({{one.begin, one.bytes}, one.name});
  return out;
}

Buffer Device::allocate_bytes(uint64_t bytes, std::string name, uint32_t alignment) {
  if (auto buffer = try_allocate(bytes, name, alignment)) return *buffer;
  throw_error(
      fmt::format("\"{}\" ({}) does not fit in device memory: {} of {} bytes "
                  "are free (memory.bytes of "
                  "machine \"{}\")",
                  name, plural(bytes, "byte"), impl_->memory.bytes_free(), impl_->machine.config.memory.bytes,
                  impl_->machine.name));
}

void Device::free(const Buffer& buffer, bool waits) {
  if (buffer.address == 0) return;
  if (impl_->real != nullptr) return impl_->real->free(buffer.address);
  impl_->run_queue();
  if (waits && !impl_->options.functional) impl_->clock.wait_for_device();
  if (impl_->memory.release(buffer.address)) {
    if (auto* observer = impl_->launch_observer()) observer->host_frees(buffer.address, buffer.bytes);
    impl_->shared.forget(buffer.address, buffer.bytes);
    return impl_->unbind_textures(buffer);
  }
  if (const auto* around = impl_->memory.find(buffer.address, 1))
    throw_error(fmt::format("the host frees address {:#x}, which is inside \"{}\"", buffer.address, around->name),
                fmt::format("free the whole buffer, which begins at {:#x}", around->begin));
  const sim::DeviceMemory::Allocation* old = impl_->memory.released_at(buffer.address);
  if (old != nullptr && old->begin == buffer.address)
    throw_error(fmt::format("\"{}\" ({}) is freed twice", old->name, plural(old->bytes, "byte")));
  throw_error(fmt::format("the host frees address {:#x}, where no buffer begins", buffer.address));
}

std::optional<Buffer> Device::allocation_at(Addr address, uint64_t bytes) const {
  const sim::DeviceMemory::Allocation* found = impl_->memory.find(address, bytes);
  return found == nullptr ? std::nullopt : std::optional(Buffer{found->begin, found->bytes});
}

bool Device::share_with_host(const Buffer& buffer) {
  impl_->allocated(buffer.address, buffer.bytes, "the host shares");
  if (!impl_->shared.share(impl_->memory.at(0), buffer.address, buffer.bytes)) return false;
  // What it writes there from now on is not seen.
  if (auto* observer = impl_->launch_observer()) observer->host_writes(buffer.address, buffer.bytes);
  return true;
}

std::byte* Device::Impl::allocated(Addr from, uint64_t bytes, std::string_view act) {
  if (memory.find(from, bytes) != nullptr) return memory.at(from);
  std::string what = fmt::format("{} {} at address {:#x}, ", act, plural(bytes, "byte"), from);
  if (memory.find(from, 1) == nullptr)
    if (const sim::DeviceMemory::Allocation* old = memory.released_at(from))
      throw_error(what + fmt::format("in \"{}\", which has been freed", old->name));
  throw_error(what + "where nothing is allocated");
}

double Device::Impl::dram_us(uint64_t bytes) const {
  return static_cast<double>(bytes) / (peak_bandwidth_gb_s(machine.config) * 1000);
}

void Device::write_bytes(Addr to, std::span<const std::byte> from) {
  impl_->run_queue();
  if (from.empty()) return;
  if (impl_->real != nullptr) return impl_->real->write(to, from);
  std::memcpy(impl_->allocated(to, from.size(), "the host writes"), from.data(), from.size());
  impl_->gpu.host_writes(to, from.size());
  if (impl_->checkpoints != nullptr) impl_->checkpoints->written(to, from);
  if (auto* observer = impl_->launch_observer()) observer->host_writes(to, from.size());
}

void Device::read_bytes(std::span<std::byte> to, Addr from) const {
  impl_->run_queue();
  if (to.empty()) return;
  if (impl_->real != nullptr) return impl_->real->read(to, from);
  std::memcpy(to.data(), impl_->allocated(from, to.size(), "the host reads"), to.size());
  if (impl_->checkpoints != nullptr) impl_->checkpoints->read(to);
}

void Device::copy_to_bytes(const Buffer& to, std::span<const std::byte> from, std::string_view name, uint64_t offset,
                           CopyOptions options) {
  impl_->check(options.stream);
  write_bytes(to.address + offset, from);
  time_copy(TimelineEvent::Direction::HostToDevice, from.size(), name, options);
}

void Device::copy_from_bytes(std::span<std::byte> to, const Buffer& from, std::string_view name, uint64_t offset,
                             CopyOptions options) {
  impl_->check(options.stream);
  read_bytes(to, from.address + offset);
  time_copy(TimelineEvent::Direction::DeviceToHost, to.size(), name, options);
}

namespace {

/// Calls work(offset to, offset from) for each row.
template <class Work>
void for_rows(const BoxRows& box, const BoxSteps& to, const BoxSteps& from, Work work) {
  for (uint64_t slice = 0; slice < box.slices; ++slice)
    for (uint64_t row = 0; row < box.rows; ++row)
      work(slice * to.slice + row * to.row, slice * from.slice + row * from.row);
}

void fill_row(std::byte* to, uint32_t value, uint64_t bytes, uint32_t element_bytes) {
  if (element_bytes == 1) std::memset(to, static_cast<uint8_t>(value), bytes);
  else
    for (uint64_t at = 0; at < bytes; at += element_bytes) std::memcpy(to + at, &value, element_bytes);
}

}  // namespace

void Device::copy_on_device(const Buffer& to, const Buffer& from, uint64_t bytes, std::string_view name,
                            DeviceCopyOptions options) {
  impl_->run_queue();
  if (impl_->real != nullptr) throw_error("copies within a GPU that exists are not supported");
  impl_->check(options.stream);
  const Addr first_target = to.address + options.to_offset, first_source = from.address + options.from_offset;
  if (bytes > 0)
    for_rows(options.box, options.to_steps, options.from_steps, [&](uint64_t to_row, uint64_t from_row) {
      const Addr target = first_target + to_row, source = first_source + from_row;
      const std::byte* at = impl_->allocated(source, bytes, "a copy reads");
      std::byte* there = impl_->allocated(target, bytes, "a copy writes");
      if (std::max(source, target) - std::min(source, target) < bytes)
        throw_error(fmt::format("a copy of {} from address {:#x} to {:#x} overlaps itself", plural(bytes, "byte"),
                                source, target));
      std::memcpy(there, at, bytes);
      impl_->gpu.host_writes(target, bytes);
      if (auto* observer = impl_->launch_observer()) observer->host_copies(target, source, bytes);
    });
  if (impl_->options.functional) return;
  const uint64_t all = bytes * options.box.count();
  impl_->clock.device_copy(all, name, impl_->dram_us(2 * all), options.stream);
  impl_->publish_event();
}

void Device::fill_bytes(const Buffer& buffer, uint32_t value, uint64_t bytes, std::string_view name,
                        FillOptions options) {
  impl_->run_queue();
  impl_->check(options.stream);
  if (bytes > 0)
    for_rows(options.box, options.steps, {}, [&](uint64_t row, uint64_t) {
      const Addr at = buffer.address + options.offset + row;
      if (impl_->real != nullptr) {
        std::vector<std::byte> row_bytes(bytes);
        fill_row(row_bytes.data(), value, bytes, options.element_bytes);
        return impl_->real->write(at, row_bytes);
      }
      fill_row(impl_->allocated(at, bytes, "a fill writes"), value, bytes, options.element_bytes);
      impl_->gpu.host_writes(at, bytes);
      if (auto* observer = impl_->launch_observer()) observer->host_writes(at, bytes);
    });
  if (impl_->options.functional) return;
  const uint64_t all = bytes * options.box.count();
  impl_->clock.fill(all, name, impl_->dram_us(all), options.stream);
  impl_->publish_event();
}

void Device::time_copy(TimelineEvent::Direction direction, uint64_t bytes, std::string_view name, CopyOptions options) {
  impl_->run_queue();
  using Direction = TimelineEvent::Direction;
  if (direction != Direction::HostToDevice && direction != Direction::DeviceToHost)
    throw_error("time_copy is for copies between host and device", "copy_on_device copies within the device");
  impl_->check(options.stream);
  if (impl_->options.functional) return;
  impl_->clock.copy(direction, bytes, name, options);
  impl_->publish_event();
}

}  // namespace warptime::host
