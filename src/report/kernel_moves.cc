#include "report/kernel_moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>

#include "base/diagnostics.h"

namespace warptime::report {

using Json = nlohmann::ordered_json;
using sim::InstructionRow;

namespace {

constexpr size_t kNone = ~size_t{0};

/// Indices of items with the same key, those that are still free, the first last.
class FreeItems {
 public:
  void add(std::string key, size_t item) { items_[std::move(key)].push_back(item); }
  void reverse() {
    for (auto& [key, items] : items_) std::reverse(items.begin(), items.end());
  }
  /// kNone: there is none.
  size_t take(const std::string& key) {
    auto found = items_.find(key);
    if (found == items_.end() || found->second.empty()) return kNone;
    const size_t item = found->second.back();
    found->second.pop_back();
    return item;
  }

 private:
  std::map<std::string, std::vector<size_t>> items_;
};

/// Gives each item of `b` that has no partner a free one of `a` with the same key. Items without a key are left alone.
template <class KeyOfA, class KeyOfB>
void pair_by(std::vector<size_t>& partners, std::vector<bool>& taken, KeyOfA key_of_a, KeyOfB key_of_b) {
  FreeItems free;
  for (size_t i = 0; i < taken.size(); ++i)
    if (std::string key = key_of_a(i); !taken[i] && !key.empty()) free.add(std::move(key), i);
  free.reverse();
  for (size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] != kNone) continue;
    partners[i] = free.take(key_of_b(i));
    if (partners[i] != kNone) taken[partners[i]] = true;
  }
}

/// The lines of CUDA of a kernel, in the order of their first instruction.
class CudaLines {
 public:
  explicit CudaLines(const KernelRows& kernel) {
    ptx::CudaSources sources = cuda_sources(kernel);
    std::map<std::string, size_t> numbers;
    for (const InstructionRow& row : kernel.rows) {
      if (row.source_line == 0) {
        of_row_.push_back(kNone);
        continue;
      }
      std::string place = short_place(UserLine{.file = row.source_file, .line = row.source_line});
      auto [entry, is_new] = numbers.try_emplace(place, places_.size());
      if (is_new) {
        places_.push_back(std::move(place));
        texts_.emplace_back(trimmed(sources.line(row.source_file, row.source_line)));
      }
      of_row_.push_back(entry->second);
    }
  }
  size_t size() const { return places_.size(); }
  const std::string& place(size_t line) const { return places_[line]; }
  const std::string& text(size_t line) const { return texts_[line]; }
  /// kNone: the row has no line.
  size_t of_row(size_t row) const { return of_row_[row]; }

 private:
  static std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
  }
  std::vector<std::string> places_, texts_;
  std::vector<size_t> of_row_;
};

/// "ld.global.f32" of "@%p1 ld.global.f32 %f1, [%rd1];"
std::string operation_of(const std::string& text) {
  size_t begin = 0;
  if (text.starts_with('@')) begin = std::min(text.find_first_of(" \t"), text.size());
  begin = std::min(text.find_first_not_of(" \t", begin), text.size());
  return text.substr(begin, std::min(text.find_first_of(" \t;", begin), text.size()) - begin);
}

struct Pair {
  const InstructionRow* a = nullptr;
  const InstructionRow* b = nullptr;
  size_t line = kNone;  // in the list of pairs of lines
};

uint64_t cost_of(const InstructionRow* row) {
  return row == nullptr ? 0 : std::accumulate(row->stalls.begin(), row->stalls.end(), row->issued);
}

void add(InstructionRow& to, const InstructionRow* from) {
  if (from == nullptr) return;
  to.warp_instructions += from->warp_instructions;
  to.issued += from->issued;
  for (size_t i = 0; i < to.stalls.size(); ++i) to.stalls[i] += from->stalls[i];
}

Json side(const InstructionRow* row) {
  static const InstructionRow kNothing;
  const InstructionRow& from = row == nullptr ? kNothing : *row;
  return {{"executions", from.warp_instructions}, {"issued", from.issued}, {"stalls", from.stalls}};
}

/// Two kernels side by side.
class KernelPair {
 public:
  KernelPair(const KernelRows& a, const KernelRows& b) : a_(a), b_(b), lines_a_(a), lines_b_(b) {
    partner_lines_.assign(lines_b_.size(), kNone);
    std::vector<bool> taken(lines_a_.size());
    pair_by(
        partner_lines_, taken, [&](size_t i) { return lines_a_.place(i); },
        [&](size_t i) { return lines_b_.place(i); });
    pair_by(
        partner_lines_, taken, [&](size_t i) { return lines_a_.text(i); }, [&](size_t i) { return lines_b_.text(i); });
    for (size_t i = 0; i < partner_lines_.size(); ++i) pairs_of_lines_.emplace_back(partner_lines_[i], i);
    for (size_t i = 0; i < taken.size(); ++i)
      if (!taken[i]) pairs_of_lines_.emplace_back(i, kNone);
    pair_rows();
  }

  Json json() const {
    Json rows = Json::array();
    std::vector<Json> rows_of(pairs_of_lines_.size(), Json::array());
    std::vector<InstructionRow> sums_a(pairs_of_lines_.size()), sums_b(pairs_of_lines_.size());
    for (const Pair& pair : pairs_) {
      if (cost_of(pair.a) + cost_of(pair.b) == 0) continue;
      if (pair.line != kNone) {
        rows_of[pair.line].push_back(rows.size());
        add(sums_a[pair.line], pair.a);
        add(sums_b[pair.line], pair.b);
      }
      rows.push_back({{"line_a", pair.a == nullptr ? Json() : Json(pair.a->line)},
                      {"line_b", pair.b == nullptr ? Json() : Json(pair.b->line)},
                      {"text", pair.b == nullptr ? pair.a->text : pair.b->text},
                      {"a", side(pair.a)},
                      {"b", side(pair.b)}});
    }
    Json lines = Json::array();
    for (size_t i = 0; i < pairs_of_lines_.size(); ++i) {
      if (rows_of[i].empty()) continue;
      const auto [in_a, in_b] = pairs_of_lines_[i];
      lines.push_back({{"source_a", in_a == kNone ? Json() : Json(lines_a_.place(in_a))},
                       {"source_b", in_b == kNone ? Json() : Json(lines_b_.place(in_b))},
                       {"text", in_b == kNone ? lines_a_.text(in_a) : lines_b_.text(in_b)},
                       {"a", side(&sums_a[i])},
                       {"b", side(&sums_b[i])},
                       {"rows", std::move(rows_of[i])}});
    }
    return {
        {"a", a_.kernel},          {"b", b_.kernel},           {"slots_a", a_.issue.slots}, {"slots_b", b_.issue.slots},
        {"rows", std::move(rows)}, {"lines", std::move(lines)}};
  }

 private:
  /// The pair of lines that a row of `a` is of.
  size_t pair_of_a(size_t row) const {
    const size_t line = lines_a_.of_row(row);
    if (line == kNone) return kNone;
    auto of = [&](const auto& pair) { return pair.first == line; };
    return static_cast<size_t>(std::find_if(pairs_of_lines_.begin(), pairs_of_lines_.end(), of) -
                               pairs_of_lines_.begin());
  }

  void pair_rows() {
    // Where only one side has CUDA lines, rows are paired over the whole kernel.
    const bool by_line = lines_a_.size() > 0 && lines_b_.size() > 0;
    auto group = [&](size_t line) { return by_line ? fmt::format("{} ", line) : std::string(" "); };
    std::vector<std::string> groups_a, groups_b;
    for (size_t i = 0; i < a_.rows.size(); ++i) groups_a.push_back(group(pair_of_a(i)));
    for (size_t i = 0; i < b_.rows.size(); ++i) groups_b.push_back(group(lines_b_.of_row(i)));
    std::vector<size_t> partners(b_.rows.size(), kNone);
    std::vector<bool> taken(a_.rows.size());
    auto pair_by_text = [&](auto text_of) {
      pair_by(
          partners, taken, [&](size_t i) { return groups_a[i] + text_of(a_.rows[i].text); },
          [&](size_t i) { return groups_b[i] + text_of(b_.rows[i].text); });
    };
    pair_by_text([](const std::string& text) { return text; });
    pair_by_text(operation_of);
    for (size_t i = 0; i < partners.size(); ++i)
      pairs_.push_back({partners[i] == kNone ? nullptr : &a_.rows[partners[i]], &b_.rows[i], lines_b_.of_row(i)});
    for (size_t i = 0; i < taken.size(); ++i)
      if (!taken[i]) pairs_.push_back({&a_.rows[i], nullptr, pair_of_a(i)});
  }

  const KernelRows& a_;
  const KernelRows& b_;
  CudaLines lines_a_, lines_b_;
  std::vector<size_t> partner_lines_;                      // by line of `b`
  std::vector<std::pair<size_t, size_t>> pairs_of_lines_;  // those of `b`, in its order, then the rest of `a`
  std::vector<Pair> pairs_;
};

}  // namespace

Json kernel_moves(const std::vector<KernelRows>& a, const std::vector<KernelRows>& b) {
  Json out = Json::array();
  for (const KernelRows& to : b) {
    auto from = std::find_if(a.begin(), a.end(), [&](const KernelRows& k) { return k.kernel == to.kernel; });
    if (from == a.end() && a.size() == 1 && b.size() == 1) from = a.begin();
    if (from != a.end()) out.push_back(KernelPair(*from, to).json());
  }
  return out;
}

}  // namespace warptime::report
