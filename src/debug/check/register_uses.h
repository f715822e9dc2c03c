// Registers that an instruction may read before they are written, and which instructions read and write them: what
// initcheck has to follow. An analysis of the control flow leaves out those that are written on every path.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace warptime::debug {

struct RegisterUses {
  /// A register that is followed, by its number in the kernel; the carry flag has the number behind the last one.
  std::vector<uint32_t> followed;
  /// Which of `followed` an instruction reads and writes.
  struct Uses {
    std::vector<uint32_t> reads, writes;
  };
  std::vector<Uses> of_instruction;  // empty: none is followed
};

RegisterUses find_register_uses(const ptx::Kernel& kernel);

}  // namespace warptime::debug
