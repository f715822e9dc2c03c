#include "cli/compare/statistics_reader.h"

#include <algorithm>
#include <charconv>

namespace warptime::cli {

namespace {

/// Parts of a launch that are other views of what is read, or not numbers of one run that could move.
constexpr std::array<std::string_view, 5> kLeftOut{"sampling", "sm_cycles", "issue_by_sm", "resources", "busy_by_unit"};

constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};

template <class Names>
size_t index_of(const Names& names, std::string_view name) {
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

std::string StatisticsReader::here(std::string_view key) const {
  std::string out;
  bool in_part = false;
  for (const Open& open : open_) in_part |= open.at == At::Part;
  if (in_part) out = is_launch_ ? fmt::format("launches[{}].", file_.launches.size()) : "total.";
  else if (at() == At::Machine) out = "machine.";
  else if (at() == At::Launches) return fmt::format("launches[{}]", file_.launches.size());
  if (at() == At::Occupancy) out += "occupancy.";
  if (at() == At::Issue) out += "issue.";
  if (at() == At::Instruction || at() == At::Instructions)
    out += fmt::format("instructions[{}].", file_.instructions_.size() - part_.first_instruction);
  return out + prefix_ + std::string(key);
}

void StatisticsReader::check_kind(std::string_view key, std::string_view kind) {
  auto expect = [&](std::string_view expected, std::string_view words) {
    if (kind != expected) wrong_kind(key, words);
  };
  switch (at()) {
    case At::Nowhere: return expect("object", "an object");
    case At::Document:
      if (key == "launches") expect("list", "a list");
      if (key == "machine" || key == "total") expect("object", "an object");
      if (key == "target") expect("text", "text");
      return;
    case At::Machine:
      if (key == "name" || key == "hash") expect("text", "text");
      return;
    case At::Launches: return expect("object", "an object");
    case At::Part:
      if (key == "kernel") expect("text", "text");
      if (key == "occupancy") expect("object", "an object");
      if (key == "issue" && kind != "null") expect("object", "an object");
      if (key == "instructions") expect("list", "a list");
      if (index_of(StatisticsFile::kTimes, key) < 3 && kind != "null") expect("number", "a number");
      return;
    case At::Occupancy:
      if (key == "limiter") expect("text", "text");
      if (index_of(StatisticsFile::kOccupancy, key) < 4) expect("number", "a number");
      return;
    case At::Issue:
      if (key == "issued" || key == "slots") expect("number", "a number");
      return;
    case At::Resources: return expect("object", "an object");
    case At::Resource:
      if (key == "name") expect("text", "text");
      if (key == "busiest") expect("number", "a number");
      return;
    case At::Instructions: return expect("object", "an object");
    case At::Instruction:
      if (key == "line" || key == "issued") expect("number", "a number");
      if (key == "text") expect("text", "text");
      return;
    case At::Counted:
    case At::Extent:
    case At::LeftOut: return;
  }
}

StatisticsReader::At StatisticsReader::place_of(std::string_view key, bool is_object) {
  switch (at()) {
    case At::Nowhere: return is_object ? At::Document : At::LeftOut;
    case At::Document:
      if (key == "machine" && is_object) return At::Machine;
      if (key == "launches" && !is_object) return At::Launches;
      return key == "total" && is_object ? At::Part : At::LeftOut;
    case At::Launches: return is_object ? At::Part : At::LeftOut;
    case At::Part:
      if (key == "instructions" && !is_object) return At::Instructions;
      if (key == "resources" && !is_object) return At::Resources;
      if ((key == "grid" || key == "block") && !is_object) return At::Extent;
      if (!is_object || index_of(kLeftOut, key) < kLeftOut.size()) return At::LeftOut;
      return key == "occupancy" ? At::Occupancy : key == "issue" ? At::Issue : At::Counted;
    case At::Issue:
    case At::Instruction: return is_object && key == "stalls" ? At::Counted : At::LeftOut;
    case At::Counted: return is_object ? At::Counted : At::LeftOut;
    case At::Resources: return is_object ? At::Resource : At::LeftOut;
    case At::Instructions: return is_object ? At::Instruction : At::LeftOut;
    case At::Machine:
    case At::Occupancy:
    case At::Resource:
    case At::Extent:
    case At::LeftOut: return At::LeftOut;
  }
  return At::LeftOut;
}

void StatisticsReader::begin(std::string_view key, bool is_object) {
  check_kind(key, is_object ? "object" : "list");
  At from = at(), to = place_of(key, is_object);
  if (from == At::Document) {
    has_machine_ |= key == "machine";
    has_launches_ |= key == "launches";
    has_total_ |= key == "total";
    if (key == "schema") {
      has_schema_ = true;
      schema_ = is_object ? "{...}" : "[...]";
    }
  }
  if (to == At::Part) begin_part(from == At::Launches);
  if (to == At::Issue) saw_issue_ = part_.has_issue = true;
  if (to == At::Occupancy) part_.has_occupancy = true;
  if (to == At::Instructions) part_.has_instructions = true;
  if (to == At::Instruction) {
    instruction_ = {};
    of_instruction_.count = 0;
    has_line_ = has_text_ = has_issued_ = false;
  }
  if (to == At::Extent) {
    extent_.assign(key).append(".");
    axis_ = 0;
  }
  if (to == At::Resource) {
    resource_.clear();
    busiest_ = kNoNumber;
  }
  open_.push_back({to, prefix_.size()});
  // Reasons for stalls go by their own names, counters by all that lead to them.
  if (to == At::Counted && from != At::Issue && from != At::Instruction) prefix_.append(key).append(".");
}

void StatisticsReader::end() {
  Open closed = open_.back();
  open_.pop_back();
  prefix_.resize(closed.prefix);
  if (closed.at == At::Part) end_part();
  if (closed.at == At::Resource) {
    if (resource_.empty() || std::isnan(busiest_)) wrong(fmt::format("{} has no name or share", here("resources")));
    resources_.add("", resource_, busiest_);
  }
  if (closed.at == At::Instruction) {
    if (!has_line_ || !has_text_ || !has_issued_) wrong(fmt::format("{} lacks a member", here("")));
    instruction_.issue = keep(of_instruction_);
    file_.instructions_.push_back(instruction_);
  }
}

void StatisticsReader::begin_part(bool is_launch) {
  part_ = {};
  part_.first_instruction = file_.instructions_.size();
  is_launch_ = is_launch;
  times_ = occupancy_ = 0;
  has_limiter_ = saw_issue_ = has_issued_ = has_slots_ = false;
  issue_.count = counters_.count = resources_.count = others_.count = 0;
}

void StatisticsReader::end_part() {
  std::string name = is_launch_ ? fmt::format("launches[{}]", file_.launches.size()) : "total";
  auto require = [&](bool there, std::string_view member) {
    if (!there) wrong(fmt::format("{} has no \"{}\"", name, member));
  };
  for (size_t i = 0; i < StatisticsFile::kTimes.size(); ++i) require((times_ >> i & 1) != 0, StatisticsFile::kTimes[i]);
  require(saw_issue_, "issue");
  if (part_.has_issue) {
    require(has_issued_, "issue.issued");
    require(has_slots_, "issue.slots");
  }
  if (part_.has_occupancy) {
    require(occupancy_ == 15, "occupancy.blocks_per_sm, warps_per_sm, registers_per_thread or shared_bytes_per_block");
    require(has_limiter_, "occupancy.limiter");
  }
  part_.issue = keep(issue_);
  part_.resources = keep(resources_);
  part_.counters = keep(counters_);
  if (keeps_others_) part_.others = keep(others_);
  part_.end_of_instructions = file_.instructions_.size();
  if (is_launch_) file_.launches.push_back(part_);
  else file_.total = part_;
}

/// Lists with the same names, mostly those of the launch before, share them.
StatisticsFile::NumberList StatisticsReader::keep(Collected& collected) {
  StatisticsFile::NumberList list;
  list.first = file_.values_.size();
  file_.values_.insert(file_.values_.end(), collected.values.begin(),
                       collected.values.begin() + static_cast<ptrdiff_t>(collected.count));
  auto has_these = [&](const std::vector<std::string>& names) {
    return names.size() == collected.count && std::equal(names.begin(), names.end(), collected.names.begin());
  };
  for (uint32_t i = 0; i < 4 && i < file_.names_.size(); ++i) {
    uint32_t candidate = (last_list_ + i) % static_cast<uint32_t>(file_.names_.size());
    if (!has_these(file_.names_[candidate])) continue;
    list.names = candidate;
    last_list_ = candidate + 1;
    return list;
  }
  std::vector<std::string> names(collected.names.begin(),
                                 collected.names.begin() + static_cast<ptrdiff_t>(collected.count));
  auto [known, is_new] = lists_.try_emplace(names, static_cast<uint32_t>(file_.names_.size()));
  if (is_new) file_.names_.push_back(std::move(names));
  list.names = known->second;
  last_list_ = list.names + 1;
  return list;
}

void StatisticsReader::set_whole(std::string_view key, std::string_view digits, uint64_t& to) {
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), to);
  if (error != std::errc() || end != digits.data() + digits.size()) wrong_kind(key, "a whole number");
}

void StatisticsReader::number(std::string_view key, double value, std::string_view digits) {
  check_kind(key, "number");
  switch (at()) {
    case At::Document:
      if (key == "schema") {
        has_schema_ = true;
        schema_ = value == 1 ? std::string("1") : std::string(digits);
      }
      return;
    case At::Part:
      if (size_t time = index_of(StatisticsFile::kTimes, key); time < part_.times.size()) {
        part_.times[time] = value;
        if (digits.find_first_not_of("0123456789") == std::string_view::npos) part_.whole_times |= 1u << time;
        times_ |= 1u << time;
      } else {
        counters_.add("", key, value);
      }
      return;
    case At::Occupancy:
      if (size_t which = index_of(StatisticsFile::kOccupancy, key); which < part_.occupancy.numbers.size()) {
        set_whole(key, digits, part_.occupancy.numbers[which]);
        occupancy_ |= 1u << which;
      }
      return;
    case At::Issue:
      if (key == "issued") {
        has_issued_ = true;
        issue_.add("", key, value);
      } else if (key == "slots") {
        has_slots_ = true;
        part_.slots = value;
      }
      return;
    case At::Counted: {
      size_t outer = open_.size();
      while (open_[outer - 1].at == At::Counted) --outer;
      At of = open_[outer - 1].at;
      bool is_other = of == At::Part && prefix_.starts_with("warp_cycles.");
      (of == At::Issue         ? issue_
       : of == At::Instruction ? of_instruction_
       : is_other              ? others_
                               : counters_)
          .add(prefix_, key, value);
      return;
    }
    case At::Extent:
      if (axis_ < kAxes.size()) others_.add(extent_, kAxes[axis_++], value);
      return;
    case At::Resource:
      if (key == "busiest") busiest_ = value;
      return;
    case At::Instruction:
      if (key == "line") {
        has_line_ = true;
        set_whole(key, digits, instruction_.line);
      } else if (key == "issued") {
        has_issued_ = true;
        of_instruction_.add("", key, value);
      }
      return;
    case At::Nowhere:
    case At::Machine:
    case At::Launches:
    case At::Resources:
    case At::Instructions:
    case At::LeftOut: return;
  }
}

void StatisticsReader::text(std::string_view key, std::string_view value) {
  check_kind(key, "text");
  if (at() == At::Document && key == "target") {
    has_target_ = true;
    file_.target = value;
  } else if (at() == At::Document && key == "schema") {
    has_schema_ = true;
    schema_ = fmt::format("\"{}\"", value);
  } else if (at() == At::Document) {
    has_machine_ |= key == "machine";
    has_launches_ |= key == "launches";
    has_total_ |= key == "total";
  } else if (at() == At::Machine && key == "name") {
    file_.machine = value;
  } else if (at() == At::Machine && key == "hash") {
    file_.hash = value;
  } else if (at() == At::Part && key == "kernel") {
    part_.kernel = file_.text_number(value);
  } else if (at() == At::Occupancy && key == "limiter") {
    has_limiter_ = true;
    part_.occupancy.limiter = file_.text_number(value);
  } else if (at() == At::Resource && key == "name") {
    resource_ = value;
  } else if (at() == At::Instruction && key == "text") {
    has_text_ = true;
    instruction_.text = file_.text_number(value);
  }
}

void StatisticsReader::word(std::string_view key, std::string_view value) {
  check_kind(key, value);
  if (at() == At::Document && key == "schema") {
    has_schema_ = true;
    schema_ = value;
  }
  if (at() != At::Part || value != "null") return;
  if (size_t time = index_of(StatisticsFile::kTimes, key); time < part_.times.size()) times_ |= 1u << time;
  saw_issue_ |= key == "issue";
}

std::string StatisticsReader::finish() {
  const std::pair<bool, const char*> parts[] = {{has_schema_, "schema"},
                                                {has_machine_, "machine"},
                                                {has_target_, "target"},
                                                {has_launches_, "launches"},
                                                {has_total_, "total"}};
  if (!wrong_.empty()) return wrong_;
  for (const auto& [there, name] : parts)
    if (!there) return fmt::format("it has no \"{}\"", name);
  return {};
}

}  // namespace warptime::cli
