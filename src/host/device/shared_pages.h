// Pages of device memory that the host reaches at their device addresses, too: managed memory of CUDA, where one
// pointer serves both. Host and device have the very same pages, so nothing is copied and nothing takes time; on real
// hardware pages migrate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

#include "base/clock.h"

namespace warptime::host {

class SharedPages {
 public:
  SharedPages() = default;
  ~SharedPages();
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;

  /// All pages of [begin, begin + bytes); `memory`: where the host has device address 0. False: this process has
  /// something else at one of these addresses.
  bool share(std::byte* memory, Addr begin, uint64_t bytes);
  /// The range was released: pages that are wholly in it are no longer shared.
  void forget(Addr begin, uint64_t bytes);

 private:
  std::set<Addr> pages_;
};

}  // namespace warptime::host
