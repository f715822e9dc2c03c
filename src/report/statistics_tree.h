// A statistics file as a page needs it, read value by value: the first launches without their rows, the rows summed by
// kernel, everything else as it is. Memory does not grow with the number of launches.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "base/json_reader.h"
#include "report/kernel_rows.h"

namespace warptime::report {

class StatisticsTree : public JsonEvents {
 public:
  void begin_object(std::string_view key) override { open(key, nlohmann::ordered_json::object()); }
  void begin_list(std::string_view key) override { open(key, nlohmann::ordered_json::array()); }
  void end() override;
  void number(std::string_view key, double value, std::string_view digits) override;
  void text(std::string_view key, std::string_view value) override { put(key, value); }
  void word(std::string_view key, std::string_view value) override;

  nlohmann::ordered_json take() { return std::move(document_); }
  std::vector<KernelRows> take_kernels() { return kernels_.take(); }
  uint64_t launches() const { return launches_; }
  uint64_t launches_left_out() const;
  uint64_t events_left_out() const { return events_left_out_; }

 private:
  nlohmann::ordered_json* put(std::string_view key, nlohmann::ordered_json value);
  void open(std::string_view key, nlohmann::ordered_json value) { open_.push_back(put(key, std::move(value))); }
  bool is_item_of(std::string_view list) const;

  nlohmann::ordered_json document_;
  std::vector<nlohmann::ordered_json*> open_;
  std::string member_;  // of the document, that is being read
  uint64_t launches_ = 0, events_left_out_ = 0;
  KernelSums kernels_;
};

}  // namespace warptime::report
