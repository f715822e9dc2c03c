// Reads a statistics file as a stream of JSON: keeps the values that `compare` shows, and checks the kind of each
// value.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "cli/compare/statistics_file.h"

namespace warptime::cli {

/// The position in the document follows from the open objects and lists; other parts are skipped.
class StatisticsReader : public JsonEvents {
 public:
  /// `others`: also the numbers that only profiles are compared with.
  StatisticsReader(StatisticsFile& file, bool others) : file_(file), keeps_others_(others) {
    file_.text_number("total");
  }

  void begin_object(std::string_view key) override { begin(key, true); }
  void begin_list(std::string_view key) override { begin(key, false); }
  void end() override;
  void number(std::string_view key, double value, std::string_view digits) override;
  void text(std::string_view key, std::string_view value) override;
  void word(std::string_view key, std::string_view value) override;
  /// After the last value: the reason why it is not a statistics file; empty: it is one.
  std::string finish();
  const std::string& schema() const { return schema_; }

 private:
  enum class At : uint8_t {
    Nowhere,  // before the document
    Document,
    Machine,
    Launches,
    Part,
    Occupancy,
    Issue,
    Counted,  // an object whose numbers all count
    Resources,
    Resource,
    Extent,  // of the grid or a block
    Instructions,
    Instruction,
    LeftOut,
  };
  struct Open {
    At at = At::Nowhere;
    size_t prefix = 0;  // length of prefix_ before it
  };
  /// Numbers in the making.
  struct Collected {
    std::vector<std::string> names;
    std::vector<double> values;
    size_t count = 0;
    void add(std::string_view prefix, std::string_view name, double value) {
      if (count == names.size()) {
        names.emplace_back();
        values.push_back(0);
      }
      names[count].assign(prefix).append(name);
      values[count++] = value;
    }
  };

  At at() const { return open_.empty() ? At::Nowhere : open_.back().at; }
  void begin(std::string_view key, bool is_object);
  At place_of(std::string_view key, bool is_object);
  void begin_part(bool is_launch);
  void end_part();
  void wrong(std::string why) {
    if (wrong_.empty()) wrong_ = std::move(why);
  }
  /// "launches[3].issue", for messages.
  std::string here(std::string_view key) const;
  void wrong_kind(std::string_view key, std::string_view expected) {
    wrong(fmt::format("{} is not {}", at() == At::Nowhere ? "it" : here(key), expected));
  }
  /// A value of this kind where another is expected.
  void check_kind(std::string_view key, std::string_view kind);
  StatisticsFile::NumberList keep(Collected& collected);
  void set_whole(std::string_view key, std::string_view digits, uint64_t& to);

  StatisticsFile& file_;
  bool keeps_others_;
  std::vector<Open> open_;
  std::string prefix_, wrong_, schema_;
  bool has_schema_ = false, has_machine_ = false, has_target_ = false, has_launches_ = false, has_total_ = false;
  // The part that is read:
  StatisticsFile::Part part_;
  bool is_launch_ = false;
  unsigned times_ = 0, occupancy_ = 0;  // bits of those present
  bool has_limiter_ = false, saw_issue_ = false, has_issued_ = false, has_slots_ = false;
  Collected issue_, counters_, resources_, others_;
  std::string resource_;
  double busiest_ = kNoNumber;
  std::string extent_;  // "grid."
  size_t axis_ = 0;
  StatisticsFile::Instruction instruction_;
  Collected of_instruction_;
  bool has_line_ = false, has_text_ = false;
  std::map<std::vector<std::string>, uint32_t> lists_;
  uint32_t last_list_ = 0;
};

}  // namespace warptime::cli
