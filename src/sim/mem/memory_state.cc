// Saves the memory system of a running launch between steps, and restores it.
#include "base/state_archive.h"
#include "sim/mem/memory_system_impl.h"

namespace warptime::sim {

void MemorySystem::save(StateWriter& archive) { archive(*impl_); }
void MemorySystem::restore(StateReader& archive) { archive(*impl_); }

}  // namespace warptime::sim
