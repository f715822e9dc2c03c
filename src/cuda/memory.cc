// Memory of the device, and of the host where the device has it, too.
#include <unistd.h>

#include <cstdlib>

#include "cuda/runtime.h"

namespace warptime::cuda {

namespace {

uint64_t page() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

std::string Runtime::next_name(std::string_view function) {
  std::string name = fmt::format("{} {}", function, ++allocations_);
  allocated_[name] = call_site();
  return name;
}

void* Runtime::allocate(uint64_t bytes, std::string_view function, bool waits) {
  if (waits) captures.check_unsafe();
  if (bytes == 0) return nullptr;
  auto buffer = device().try_allocate(bytes, next_name(function));
  if (!buffer) throw CallError{Error::MemoryAllocation};
  return pointer_to(buffer->address);
}

void* Runtime::allocate_shared(uint64_t bytes, std::string_view function, HostBlock::Kind kind, unsigned flags,
                               bool must) {
  captures.check_unsafe();
  if (bytes == 0) return nullptr;
  // A program that is not position-independent lies at addresses of the device: other places are tried, each further
  // on.
  constexpr uint64_t kSkipped = uint64_t{16} << 20;
  constexpr int kTries = 64;
  std::vector<host::Buffer> skipped;
  void* found = nullptr;
  for (int i = 0; i < kTries && found == nullptr; ++i) {
    auto buffer = device().try_allocate(bytes, next_name(function), static_cast<uint32_t>(page()));
    if (!buffer) break;
    if (device().share_with_host(*buffer)) {
      found = pointer_to(buffer->address);
      host_blocks[buffer->address] = {bytes, kind, true, flags};
      break;
    }
    skipped.push_back(*buffer);
    if (auto gap = device().try_allocate(kSkipped, "skipped")) skipped.push_back(*gap);
  }
  for (const host::Buffer& buffer : skipped) device().free(buffer);
  if (found != nullptr) return found;
  if (must) throw CallError{Error::MemoryAllocation};
  found = std::aligned_alloc(page(), (bytes + page() - 1) / page() * page());
  if (found == nullptr) throw CallError{Error::MemoryAllocation};
  host_blocks[reinterpret_cast<uintptr_t>(found)] = {bytes, kind, false, flags};
  return found;
}

void Runtime::free(void* pointer, bool waits) {
  if (pointer == nullptr) return;
  if (waits) captures.check_unsafe();
  auto block = host_blocks.find(reinterpret_cast<uintptr_t>(pointer));
  if (block != host_blocks.end() && block->second.kind != HostBlock::Kind::Managed)
    throw CallError{Error::InvalidValue};
  const auto buffer = device().allocation_at(address_of(pointer));
  device().free({address_of(pointer), buffer ? buffer->bytes : 0}, waits);
  graph_memory.erase(pointer);
  if (auto of_pool = pool_memory.find(pointer); of_pool != pool_memory.end()) {
    of_pool->second.pool->used -= of_pool->second.bytes;
    pool_memory.erase(of_pool);
  }
  if (block != host_blocks.end()) host_blocks.erase(block);
}

void Runtime::free_host(void* pointer) {
  if (pointer == nullptr) return;
  captures.check_unsafe();
  auto block = host_blocks.find(reinterpret_cast<uintptr_t>(pointer));
  if (block == host_blocks.end() || block->second.kind != HostBlock::Kind::PageLocked)
    throw CallError{Error::InvalidValue};
  if (block->second.shared) device().free({address_of(pointer), block->second.bytes});
  else std::free(pointer);
  host_blocks.erase(block);
}

const Array& Runtime::array_of(const void* array) const {
  auto found = arrays.find(array);
  if (found == arrays.end()) throw CallError{Error::InvalidResourceHandle};
  return *found->second;
}

const MipmappedArray& Runtime::mipmapped_array_of(const void* array) const {
  auto found = mipmapped_arrays.find(array);
  if (found == mipmapped_arrays.end()) throw CallError{Error::InvalidResourceHandle};
  return *found->second;
}

const HostBlock* Runtime::host_block(const void* pointer) const {
  const auto at = reinterpret_cast<uintptr_t>(pointer);
  auto after = host_blocks.upper_bound(at);
  if (after == host_blocks.begin()) return nullptr;
  const auto& [begin, block] = *std::prev(after);
  return at - begin < block.bytes ? &block : nullptr;
}

}  // namespace warptime::cuda
