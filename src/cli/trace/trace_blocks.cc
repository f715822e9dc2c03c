// Blocks over SMs in the terminal: a row for each place for a block on an SM, in which one block follows another. A
// column is the block that ran in most of it; 0 to 9 is the last digit of its position among the blocks of its row.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/trace/trace_output.h"
#include "host/report/summary.h"

namespace warptime::cli {

using sim::BlockStay;

namespace {

constexpr size_t kBlockColumns = 100;
constexpr size_t kBlockTick = 20;  // columns from one cycle number to the next
constexpr std::string_view kBlockHead = " SM slot  ";

class BlockDrawing {
 public:
  explicit BlockDrawing(const TraceView& view) : begin_(view.begin()), end_(std::max(view.end(), view.begin() + 1)) {
    per_column_ = (end_ - begin_ + kBlockColumns - 1) / kBlockColumns;
    columns_ = static_cast<size_t>((end_ - begin_ + per_column_ - 1) / per_column_);
    for (const BlockStay& stay : view.blocks->blocks) rows_[{stay.sm, stay.slot}].push_back(&stay);
  }

  std::string text() const {
    std::string out = fmt::format("a column is {} cycle{}\n\n{}", per_column_, per_column_ == 1 ? "" : "s", ruler());
    uint32_t sm = ~0u;
    for (const auto& [place, stays] : rows_) {
      out += place.first == sm ? fmt::format("{:>3}", "") : fmt::format("{:>3}", place.first);
      sm = place.first;
      out += fmt::format(" {:>4}  {}\n", place.second, cells(stays));
    }
    return out + legend();
  }

 private:
  using Row = std::vector<const BlockStay*>;  // one after the other

  std::string ruler() const {
    std::string numbers(kBlockHead.size(), ' '), ticks(kBlockHead);
    for (size_t at = 0; at < columns_; at += kBlockTick) {
      numbers += fmt::format("{:<{}}", begin_ + at * per_column_, kBlockTick);
      ticks += fmt::format("{:<{}}", '|', kBlockTick);
    }
    numbers.resize(numbers.find_last_not_of(' ') + 1);
    ticks.resize(ticks.find_last_not_of(' ') + 1);
    return numbers + "\n" + ticks + "\n";
  }

  std::string cells(const Row& stays) const {
    std::string out(columns_, ' ');
    std::vector<Cycle> most(columns_);
    for (size_t i = 0; i < stays.size(); ++i) {
      Cycle from = std::max(stays[i]->begin, begin_), to = std::min(stays[i]->end, end_);
      while (from < to) {
        auto at = static_cast<size_t>((from - begin_) / per_column_);
        Cycle until = std::min(to, begin_ + (at + 1) * per_column_);
        if (until - from > most[at]) {
          most[at] = until - from;
          out[at] = static_cast<char>('0' + (i + 1) % 10);
        }
        from = until;
      }
    }
    out.resize(out.find_last_not_of(' ') + 1);
    return out;
  }

  std::string legend() const {
    std::vector<Cycle> lengths;
    std::map<uint32_t, Cycle> last;  // of each SM
    for (const auto& [place, stays] : rows_)
      for (const BlockStay* stay : stays) {
        lengths.push_back(stay->end - stay->begin);
        last[place.first] = std::max(last[place.first], stay->end);
      }
    std::sort(lengths.begin(), lengths.end());
    auto first = std::min_element(last.begin(), last.end(), [](auto& a, auto& b) { return a.second < b.second; });
    return fmt::format(
        "\n  1 to 9, 0   the first, second, ... block of the row (the last digit of its number)\n"
        "  {} block{} on {} SM{}: {} to {} cycles each, half of them at most {}; SM {} is without a block from cycle "
        "{} "
        "on\n",
        host::grouped(lengths.size()), lengths.size() == 1 ? "" : "s", last.size(), last.size() == 1 ? "" : "s",
        host::grouped(lengths.front()), host::grouped(lengths.back()), host::grouped(lengths[(lengths.size() - 1) / 2]),
        first->first, host::grouped(first->second));
  }

  Cycle begin_, end_;
  Cycle per_column_ = 1;
  size_t columns_ = 0;
  std::map<std::pair<uint32_t, uint32_t>, Row> rows_;
};

}  // namespace

std::string block_drawing(const TraceView& view) { return BlockDrawing(view).text(); }

}  // namespace warptime::cli
