// Launches of a program as launch files (WARPTIME_CAPTURE): the kernel with its module, arguments, variables and all
// memory that is allocated, at the same addresses, so that every command runs the launch again by itself. Files of
// equal contents are one. The program then computes without times. Left out: launches with textures, which are refused,
// and blocks of the heap of device code.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "host/device/device.h"
#include "ptx/module.h"

namespace warptime::cuda {

/// In the folder: a line for each launch, "FILE  KERNEL  WARP-INSTRUCTIONS" with tabs.
inline constexpr const char* kCaptureList = "launches.txt";

struct LaunchToCapture {
  uint64_t number = 0;
  const host::ModuleRef& module;
  const ptx::Kernel& kernel;
  host::Dim3 grid, block;
  uint32_t shared_bytes = 0;
  const std::vector<host::Argument>& arguments;  // Bytes
};

class LaunchCapture {
 public:
  /// Settings "capture", the folder, and "capture-launch", numbers with commas between them; without those the first
  /// launch of each kernel, grid and block. nullptr: no folder is set.
  static std::unique_ptr<LaunchCapture> of_environment();

  bool includes(const LaunchToCapture& launch);
  /// Before the launch. Throws host::InputError with a sentence.
  void write(host::Device& device, const LaunchToCapture& launch);
  /// After it.
  void ran(const LaunchToCapture& launch, uint64_t warp_instructions);

 private:
  /// The name of the file with these contents.
  std::string contents(std::string_view bytes, std::string_view suffix);

  std::string folder_;
  std::set<uint64_t> numbers_;
  using Shape = std::tuple<std::string, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>;
  std::set<Shape> seen_;
  std::string list_;
};

}  // namespace warptime::cuda
