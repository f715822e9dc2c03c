#include "host/device/shared_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/host_memory.h"

namespace warptime::host {

namespace {

uint64_t page_size() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }
void* host_place(Addr address) { return reinterpret_cast<void*>(address); }  // NOLINT: the device's address is meant

/// What is in the pages, without those that are zero.
std::vector<std::pair<uint64_t, std::vector<std::byte>>> contents(const std::byte* from, uint64_t bytes) {
  std::vector<std::pair<uint64_t, std::vector<std::byte>>> kept;
  const uint64_t page = page_size();
  for (uint64_t at = 0; at < bytes; at += page)
    if (std::any_of(from + at, from + at + page, [](std::byte b) { return b != std::byte{0}; }))
      kept.emplace_back(at, std::vector<std::byte>(from + at, from + at + page));
  return kept;
}

}  // namespace

SharedPages::~SharedPages() {
  for (Addr page : pages_) munmap(host_place(page), page_size());
}

bool SharedPages::share(std::byte* memory, Addr begin, uint64_t bytes) {
  const uint64_t page = page_size();
  const Addr first = begin / page * page, end = (begin + std::max<uint64_t>(bytes, 1) + page - 1) / page * page;
  for (Addr from = first, to = first; from < end; from = to) {
    to = from + page;
    if (pages_.count(from) != 0) continue;
    while (to < end && pages_.count(to) == 0) to += page;
    // Nothing of this process may be there.
    void* place = mmap(host_place(from), to - from, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (place != host_place(from)) {
      if (place != MAP_FAILED) munmap(place, to - from);
      return false;
    }
    const auto kept = contents(memory + from, to - from);
    if (mmap(memory + from, to - from, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
             -1, 0) == MAP_FAILED ||
        // An old size of 0 makes a second mapping of the same pages.
        mremap(memory + from, 0, to - from, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED)
      throw_no_host_memory("memory that host and device share", to - from);
    for (const auto& [at, what] : kept) std::memcpy(memory + from + at, what.data(), what.size());
    for (Addr shared = from; shared < to; shared += page) pages_.insert(shared);
  }
  return true;
}

void SharedPages::forget(Addr begin, uint64_t bytes) {
  const uint64_t page = page_size();
  const Addr end = begin + bytes;
  for (auto it = pages_.lower_bound(begin); it != pages_.end() && *it + page <= end; it = pages_.erase(it))
    munmap(host_place(*it), page);
}

}  // namespace warptime::host
