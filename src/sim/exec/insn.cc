// The check of a payload that is not the instruction's (debug builds).
#include "sim/exec/insn.h"

#include "base/assert.h"

namespace warptime::sim {

/// Not in the header, which code for newer processors includes (isa.cmake).
void Insn::wrong_payload() const {
  assertion_failed(__FILE__, __LINE__, "payload",
                   fmt::format("an instruction of effect {} has payload {}, and another is asked for",
                               static_cast<int>(effect), static_cast<int>(payload)));
}

}  // namespace warptime::sim
