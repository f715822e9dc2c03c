// Tasks of sweeps where there are no processes: one after the other, in this one. A fault of warptime itself ends them
// all.
#include <new>

#include "cli/sweep/sweep_children.h"

namespace warptime::cli {

namespace {

ChildResult result_of(const ChildWork& what, size_t number) {
  using End = ChildResult::End;
  try {
    return {End::Result, what.work(number)};
  } catch (const NoRoom& none) {
    return {End::NotDone, none.why};
  } catch (const std::bad_alloc&) {
    return {End::NotDone, "the host has not enough memory for it"};
  }
}

}  // namespace

void run_children(size_t first, size_t last, unsigned /*jobs*/, const ChildWork& what) {
  for (size_t number = first; number < last; ++number) {
    const ChildResult result = result_of(what, number);
    what.progress(number + 1 - first);
    what.done(number, result);
  }
}

}  // namespace warptime::cli
