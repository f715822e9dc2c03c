// The fat binary of a CUDA program: a container with its device code, as PTX and as machine code for several compute
// capabilities, which nvcc puts into the program and registers with the runtime. Numbers are little-endian; what lies
// in it is checked before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace warptime::cuda {

/// Something in a container is not as it must be. what() is the end of a sentence that begins with its name.
class FatBinaryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct FatEntry {
  enum class Kind : uint16_t { Ptx = 1, MachineCode = 2, Other = 0 };
  enum class Packing : uint8_t { None, Lz4, Zstd };
  Kind kind = Kind::Other;
  Packing packing = Packing::None;
  uint32_t capability = 0;          // 75: compute capability 7.5
  std::span<const std::byte> data;  // as it lies there, packed
  uint64_t bytes = 0;               // unpacked
};

/// What __cudaRegisterFatBinary gets.
struct FatWrapper {
  static constexpr uint32_t kMagic = 0x466243b1;
  static constexpr uint32_t kLinked = 2;  // the version of code that is linked when the program starts (-rdc=true)
  uint32_t magic, version;
  const void* container;
  const void* const* linked;  // of kLinked: containers, behind the last of them a null pointer
};

/// The bytes of a container in this process, from its header. Throws FatBinaryError.
std::span<const std::byte> container_at(const void* begin);
/// Throws FatBinaryError.
std::vector<FatEntry> entries_of(std::span<const std::byte> container);
/// The PTX for the highest compute capability that a machine has; else that for the lowest. nullptr: there is none.
const FatEntry* best_ptx(std::span<const FatEntry> entries, uint32_t capability);
/// Unpacks an entry. Throws FatBinaryError.
std::string text_of(const FatEntry& entry);

}  // namespace warptime::cuda
