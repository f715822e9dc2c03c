#include "host/explain/global_access.h"

#include <algorithm>

namespace warptime::host {

namespace {

constexpr double kLargestTransaction = 128;

/// A generic access may be one of shared memory, too; it then has no transactions.
bool is_global_access(std::string_view operation) {
  if (!operation.starts_with("ld.") && !operation.starts_with("st.")) return false;
  for (std::string_view other : {".shared", ".param", ".const", ".local"})
    if (operation.find(other) != std::string_view::npos) return false;
  return true;
}

}  // namespace

GlobalAccesses::GlobalAccesses(const Facts& facts) {
  const sim::GlobalStats& g = facts.launch.global;
  requests = as_real(g.coalesced + g.uncoalesced);
  uncoalesced = as_real(g.uncoalesced);
  double excess = 0, most = 0;
  for (const InstructionRow* row : facts.rows(is_global_access)) {
    const sim::LineMemory& line = row->line_statistics.memory;
    if (line.transactions == 0) continue;
    bool load = operation(*row).starts_with("ld.");
    Transfer &of_now = load ? now.loads : now.stores, &of_ideal = load ? ideal.loads : ideal.stores;
    double moved = as_real(line.bytes_moved),
           fewest = std::min(as_real(line.ideal_transactions), as_real(line.transactions));
    of_now.transactions += as_real(line.transactions);
    of_now.bytes += moved;
    of_ideal.transactions += fewest;
    of_ideal.bytes += std::min(moved, std::max(as_real(line.bytes_requested), fewest * kSmallestTransaction));
    double beyond = as_real(line.transactions) - fewest;
    excess += beyond;
    if (beyond <= most) continue;
    most = beyond;
    worst = row;
  }
  worst_part = excess <= 0 ? 0 : most / excess;
  if (now.transactions() > 0 || requests == 0 || g.transactions == 0) return;
  double each = as_real(g.bytes_requested) / requests, fewest_each = std::max(1.0, each / kLargestTransaction);
  double loads = as_real(g.loads) / std::max(1.0, as_real(g.loads + g.stores));
  double scattered = std::max(0.0, as_real(g.transactions) - as_real(g.coalesced) * fewest_each);
  auto share_out = [&](Cost& cost, double transactions, double bytes) {
    cost.loads = {transactions * loads, bytes * loads};
    cost.stores = {transactions * (1 - loads), bytes * (1 - loads)};
  };
  double moved = scattered * kSmallestTransaction + as_real(g.coalesced) * each;
  share_out(now, as_real(g.transactions), moved);
  share_out(ideal, std::min(as_real(g.transactions), requests * fewest_each),
            std::min(moved, as_real(g.bytes_requested)));
}

}  // namespace warptime::host
