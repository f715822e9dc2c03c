// The builds of an SM (sm_policy.h).
#include "sim/core/sm.h"

#include "sim/core/sm_life.h"

namespace warptime::sim {

template class Sm<Attributed>;
template class Sm<Unattributed>;
template class Sm<Traced>;
template class Sm<Counted>;
template class Sm<Probed>;

}  // namespace warptime::sim
