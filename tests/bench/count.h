// What a benchmark does in each iteration: the table of `./dev bench` has the time of one.
#pragma once

#include <benchmark/benchmark.h>

#include <string>

namespace warptime::bench {

/// Each iteration did `items` of what `item` names.
inline void count(benchmark::State& state, uint64_t items, const std::string& item) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(items));
  state.SetLabel(item);
}

}  // namespace warptime::bench
