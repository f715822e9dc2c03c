#include "debug/check/race_shadow.h"

#include <utility>

namespace warptime::debug {

RaceShadow::Page& RaceShadow::find_page(Addr number) {
  std::unique_ptr<Page>& place = pages_[number];
  if (place == nullptr) {
    if (pages_.size() > most_pages_) {
      ++forgotten_;
      auto oldest = pages_.find(order_.front());
      order_.pop_front();
      place = std::move(oldest->second);
      recent_[place->number % recent_.size()] = nullptr;
      place->generation = 0;
      pages_.erase(oldest);
    } else {
      place = std::make_unique<Page>();
    }
    order_.push_back(number);
    place->number = number;
  }
  if (place->generation != generation_) {
    place->cells.fill({});
    place->split.clear();
    place->generation = generation_;
  }
  recent_[number % recent_.size()] = place.get();
  return *place;
}

RaceShadow::Bytes& RaceShadow::bytes_of(Addr address) {
  Page& of = page(address / kPageBytes);
  Cell& cell = of.cells[address % kPageBytes / 4];
  if (cell.split == 0) {
    Bytes& bytes = of.split.emplace_back();
    bytes.fill(cell);
    for (uint32_t i = 0; i < 4; ++i) bytes[i].value = cell.value >> (8 * i) & 0xff;
    cell.split = static_cast<uint32_t>(of.split.size());
  }
  return of.split[cell.split - 1];
}

}  // namespace warptime::debug
