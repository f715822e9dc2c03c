// The host has not the memory, or not the addresses, that a run needs. It is a std::bad_alloc, as which host threads
// hand it on.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace warptime {

class HostMemoryError : public std::bad_alloc {
 public:
  explicit HostMemoryError(std::string message, std::string hint = {})
      : texts_(std::make_shared<const Texts>(std::move(message), std::move(hint))) {}
  const char* what() const noexcept override { return texts_->first.c_str(); }
  const std::string& hint() const { return texts_->second; }

 private:
  using Texts = std::pair<std::string, std::string>;
  std::shared_ptr<const Texts> texts_;  // copying an exception must not throw
};

/// `what` needs `bytes`: "device memory (memory.bytes)".
[[noreturn]] void throw_no_host_memory(std::string_view what, uint64_t bytes);

/// What limits the memory of this process, as a hint: "ulimit -v allows this process 716800000 bytes"; "" where nothing
/// that it could ask for does.
std::string host_memory_limits();

}  // namespace warptime
