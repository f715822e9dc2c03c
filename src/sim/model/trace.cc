#include "sim/model/trace.h"

#include <algorithm>

namespace warptime::sim {

void TraceLog::close(Cycle at) {
  to = std::min(to, std::max(at, from));
  std::erase_if(events, [at](const TraceEvent& event) { return event.begin >= at; });
  for (TraceEvent& event : events) event.end = std::min(event.end, at);
  std::erase_if(queue, [at](const QueueLength& length) { return length.cycle >= at; });
  for (TracedWarp& warp : warps)
    if (warp.end >= at) warp.end = kNever;
}

}  // namespace warptime::sim
