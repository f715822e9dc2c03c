#include "report/statistics_tree.h"

#include <charconv>

#include "report/recorder.h"

namespace warptime::report {

using Json = nlohmann::ordered_json;

Json* StatisticsTree::put(std::string_view key, Json value) {
  if (open_.empty()) return &(document_ = std::move(value));
  if (open_.size() == 1) member_ = key;
  Json& parent = *open_.back();
  if (parent.is_array()) {
    parent.push_back(std::move(value));
    return &parent.back();
  }
  return &(parent[std::string(key)] = std::move(value));
}

/// Whether the value that ends now is an item of a list of the document.
bool StatisticsTree::is_item_of(std::string_view list) const {
  return open_.size() == 3 && member_ == list && open_[1]->is_array();
}

void StatisticsTree::end() {
  if (is_item_of("launches")) {
    ++launches_;
    kernels_.add(*open_.back());
    if (open_[1]->size() > kMostLaunches) open_[1]->erase(open_[1]->size() - 1);
    else if (open_.back()->is_object()) open_.back()->erase("instructions");
  } else if (is_item_of("timeline") && open_[1]->size() > kMostTimelineEvents) {
    open_[1]->erase(open_[1]->size() - 1);
    ++events_left_out_;
  }
  open_.pop_back();
  if (open_.empty() && document_.is_object()) document_.erase("host");  // differs from run to run
}

uint64_t StatisticsTree::launches_left_out() const { return launches_ > kMostLaunches ? launches_ - kMostLaunches : 0; }

void StatisticsTree::number(std::string_view key, double value, std::string_view digits) {
  uint64_t exact = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exact);
  bool whole = error == std::errc() && end == digits.data() + digits.size();
  put(key, whole ? Json(exact) : Json(value));
}

void StatisticsTree::word(std::string_view key, std::string_view value) {
  put(key, value == "null" ? Json() : Json(value == "true"));
}

}  // namespace warptime::report
