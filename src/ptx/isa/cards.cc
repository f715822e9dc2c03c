// All cards as one table.
#include "ptx/isa/cards.h"

#include <algorithm>

namespace warptime::ptx {

namespace {

template <class... Cards>
constexpr auto rows_of(CardList<Cards...>) {
  std::array<CardRow, sizeof...(Cards)> rows{CardRow{&Cards::card, Cards::forms, kCardId<Cards>}...};
  std::sort(rows.begin(), rows.end(), [](const CardRow& a, const CardRow& b) { return a.id < b.id; });
  return rows;
}

constexpr std::array kRows = rows_of(AllCards{});
static_assert(
    [] {
      for (size_t i = 0; i < kRows.size(); ++i)
        if (kRows[i].id != i) return false;
      return true;
    }(),
    "two cards have one name");

}  // namespace

std::span<const CardRow> cards() { return kRows; }

const CardRow* find_card(std::string_view name) {
  const CardRow* row = std::lower_bound(kRows.begin(), kRows.end(), name,
                                        [](const CardRow& r, std::string_view n) { return r.card->name < n; });
  return row != kRows.end() && row->card->name == name ? row : nullptr;
}

}  // namespace warptime::ptx
