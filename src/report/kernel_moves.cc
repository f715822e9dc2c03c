#include "report/kernel_moves.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>

namespace warptime::report {

using Json = nlohmann::ordered_json;
using sim::InstructionRow;

namespace {

uint64_t cost_of(const InstructionRow* row) {
  return row == nullptr ? 0 : std::accumulate(row->stalls.begin(), row->stalls.end(), row->issued);
}

Json side(const InstructionRow* row) {
  static const InstructionRow kNothing;
  const InstructionRow& from = row == nullptr ? kNothing : *row;
  return {{"executions", from.warp_instructions}, {"issued", from.issued}, {"stalls", from.stalls}};
}

Json row_moved(const InstructionRow* a, const InstructionRow* b) {
  return {{"line_a", a == nullptr ? Json() : Json(a->line)},
          {"line_b", b == nullptr ? Json() : Json(b->line)},
          {"text", b == nullptr ? a->text : b->text},
          {"a", side(a)},
          {"b", side(b)}};
}

/// Each row of `b` with that of `a`, then the rest of `a`.
std::vector<std::pair<const InstructionRow*, const InstructionRow*>> paired_rows(const KernelRows& a,
                                                                                 const KernelRows& b) {
  std::map<std::string_view, std::vector<size_t>> places;  // in `a`, the first last
  for (size_t i = a.rows.size(); i-- > 0;) places[a.rows[i].text].push_back(i);
  std::vector<bool> taken(a.rows.size());
  std::vector<std::pair<const InstructionRow*, const InstructionRow*>> out;
  for (const InstructionRow& row : b.rows) {
    auto same = places.find(row.text);
    const InstructionRow* other = nullptr;
    if (same != places.end() && !same->second.empty()) {
      other = &a.rows[same->second.back()];
      taken[same->second.back()] = true;
      same->second.pop_back();
    }
    out.emplace_back(other, &row);
  }
  for (size_t i = 0; i < a.rows.size(); ++i)
    if (!taken[i]) out.emplace_back(&a.rows[i], nullptr);
  return out;
}

}  // namespace

Json kernel_moves(const std::vector<KernelRows>& a, const std::vector<KernelRows>& b) {
  Json out = Json::array();
  for (const KernelRows& to : b) {
    auto from = std::find_if(a.begin(), a.end(), [&](const KernelRows& k) { return k.kernel == to.kernel; });
    if (from == a.end() && a.size() == 1 && b.size() == 1) from = a.begin();
    if (from == a.end()) continue;
    Json rows = Json::array();
    for (const auto& [before, after] : paired_rows(*from, to))
      if (cost_of(before) + cost_of(after) > 0) rows.push_back(row_moved(before, after));
    out.push_back({{"a", from->kernel},
                   {"b", to.kernel},
                   {"slots_a", from->issue.slots},
                   {"slots_b", to.issue.slots},
                   {"rows", std::move(rows)}});
  }
  return out;
}

}  // namespace warptime::report
