// Which warp slots belong to a sub-core.
#include "sim/core/sub_core.h"

#include "sim/core/ready_set.h"

namespace warptime::sim {

SubCore::SubCore(const IssueConfig& issue, uint32_t index) : index_(index), picker_(issue, index) {
  for (uint32_t slot = index; slot < ReadySet::kMaxWarps; slot += issue.ports) slots_ |= uint64_t{1} << slot;
}

}  // namespace warptime::sim
