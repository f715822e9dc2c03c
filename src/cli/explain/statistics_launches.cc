#include "cli/explain/statistics_launches.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <type_traits>
#include <vector>

#include "base/json_reader.h"
#include "base/parse_number.h"

namespace warptime::cli {

namespace {

/// The values of one object by dotted name; those of a list are one column, in order.
struct Columns {
  std::map<std::string, std::vector<double>, std::less<>> numbers;
  std::map<std::string, std::vector<std::string>, std::less<>> texts;

  double number(const std::string& name, size_t i = 0) const {
    auto found = numbers.find(name);
    return found == numbers.end() || i >= found->second.size() ? 0 : found->second[i];
  }
  uint64_t count(const std::string& name, size_t i = 0) const {
    return static_cast<uint64_t>(std::clamp(number(name, i), 0.0, 1e18));
  }
  std::string text(const std::string& name, size_t i = 0) const {
    auto found = texts.find(name);
    return found == texts.end() || i >= found->second.size() ? "" : found->second[i];
  }
  size_t length(const std::string& name) const {
    auto found = numbers.find(name);
    return found == numbers.end() ? 0 : found->second.size();
  }
};

/// Fills a launch, row by row of its table (sim/model/statistics.h).
class LaunchFiller {
 public:
  explicit LaunchFiller(const Columns& from) : from_(from) {}

  void fill(sim::LaunchStatistics& launch) {
    sim::LaunchStatistics::visit(launch, [this](const sim::StatGroup& group, auto&& value) {
      members(group.object.empty() ? "" : std::string(group.object) + ".", group.info, value);
    });
    launch.timed = from_.length("cycles") != 0;
    launch.staged = from_.length("latency_stages.port.packets") != 0;
    launch.detailed = from_.length("queue_times.memory_queue.packets") != 0;
    launch.attributed = from_.length("issue.stalls.no_warp") != 0;
  }

 private:
  template <class T>
  void members(const std::string& prefix, const StatInfo& info, T& value) {
    if constexpr (std::is_same_v<T, sim::LatencyStats>) latency(prefix, "loads", value);
    else if constexpr (std::is_same_v<T, sim::QueueTime>) latency(prefix, "packets", value);
    else if constexpr (StatStruct<T>)
      T::visit(value, [&](const StatInfo& each, auto&& v) {
        // What a structure computes follows from its members.
        if constexpr (std::is_lvalue_reference_v<decltype(v)>) this->set(prefix, each, v);
      });
    else set(prefix, info, value);
  }
  template <class T>
  void set(const std::string& prefix, const StatInfo& info, T& value) {
    std::string name = prefix + std::string(info.name);
    if constexpr (std::is_same_v<T, std::string>) {
      value = from_.text(name);
    } else if constexpr (std::is_floating_point_v<T>) {
      value = from_.number(name);
    } else if constexpr (std::is_unsigned_v<T>) {
      value = static_cast<T>(
          std::min<uint64_t>(from_.count(info.inner.empty() ? name : name + "." + std::string(info.inner)),
                             std::numeric_limits<T>::max()));
    } else if constexpr (std::is_same_v<T, sim::StallCounts>) {
      stalls(name, 0, value);
    } else if constexpr (std::is_same_v<T, sim::ResourceUses>) {
      resources(name, value);
    } else if constexpr (std::is_same_v<T, sim::IssueBySm>) {
      value.resize(from_.length(name + ".slots"));
      for (size_t i = 0; i < value.size(); ++i) {
        value[i].slots = from_.count(name + ".slots", i);
        value[i].issued = from_.count(name + ".issued", i);
        stalls(name + ".stalls", i, value[i].stalls);
      }
    } else if constexpr (std::is_same_v<T, sim::InstructionRows>) {
      rows(name, value);
    } else if constexpr (std::is_same_v<T, sim::Extent> || std::is_same_v<T, sim::LaneHistogram>) {
      for (size_t i = 0; i < value.size(); ++i)
        value[i] = static_cast<typename T::value_type>(
            std::min<uint64_t>(from_.count(name, i), std::numeric_limits<typename T::value_type>::max()));
    } else if constexpr (StatStruct<T>) {
      members(name + ".", {}, value);
    } else {
      // Formulas follow from others; how it was sampled and which unit was busy change nothing here.
      static_assert(std::is_same_v<std::remove_const_t<T>, sim::Formula> || std::is_same_v<T, sim::SamplingRecord> ||
                    std::is_same_v<T, sim::BusyByUnit>);
    }
  }

  /// What a file has of a histogram: all are then of the mean latency.
  void latency(const std::string& prefix, std::string_view number, sim::TimeDistribution& to) {
    uint64_t loads = from_.count(prefix + std::string(number));
    if (loads == 0) return;
    double mean = std::clamp(from_.number(prefix + "mean"), 0.0, 1e9);
    to.bins[sim::LatencyStats::bin_of(static_cast<uint64_t>(mean))] = loads;
    to.cycles = static_cast<uint64_t>(mean * static_cast<double>(loads) + 0.5);
    to.least.add(from_.count(prefix + "min"));
    to.most.add(from_.count(prefix + "max"));
  }
  /// The counters of a line.
  template <class T>
  void line(const std::string& prefix, size_t i, T& to) {
    T::visit(to, [&](const StatInfo& info, auto&& value) {
      using V = std::remove_cvref_t<decltype(value)>;
      std::string name = prefix + "." + std::string(info.name);
      if constexpr (!std::is_lvalue_reference_v<decltype(value)>) return;  // follows from the others
      else if constexpr (std::is_unsigned_v<V>) value = from_.count(name, i);
      else line(name, i, value);
    });
  }
  void stalls(const std::string& name, size_t i, sim::StallCounts& to) {
    for (size_t reason = 0; reason < sim::kStallCount; ++reason)
      to[reason] = from_.count(name + "." + std::string(sim::kStalls[reason].key), i);
  }
  void resources(const std::string& name, sim::ResourceUses& to) {
    constexpr double kAvailable = 1e15;
    for (size_t i = 0; i < from_.length(name + ".busy"); ++i)
      for (size_t r = 0; r < sim::kResourceCount; ++r)
        if (sim::kResources[r].key == from_.text(name + ".name", i))
          to[r] = {.busy = share(name + ".busy", i, kAvailable),
                   .busiest = share(name + ".busiest", i, kAvailable),
                   .available = static_cast<uint64_t>(kAvailable)};
  }
  uint64_t share(const std::string& name, size_t i, double available) const {
    return static_cast<uint64_t>(std::clamp(from_.number(name, i), 0.0, 1.0) * available + 0.5);
  }
  void rows(const std::string& name, sim::InstructionRows& to) {
    to.resize(from_.length(name + ".line"));
    for (size_t i = 0; i < to.size(); ++i) {
      to[i].line = static_cast<uint32_t>(
          std::min<uint64_t>(from_.count(name + ".line", i), std::numeric_limits<uint32_t>::max()));
      to[i].text = from_.text(name + ".text", i);
      source(name, i, to[i]);
      to[i].warp_instructions = from_.count(name + ".warp_instructions", i);
      to[i].thread_instructions = from_.count(name + ".thread_instructions", i);
      to[i].issued = from_.count(name + ".issued", i);
      stalls(name + ".stalls", i, to[i].stalls);
      to[i].target = static_cast<uint32_t>(std::min<uint64_t>(from_.count(name + ".target", i), to.size()));
      line(name, i, to[i].line_statistics);
    }
  }

  /// "k.cu:7". Rows without one are at the end, if any row has one.
  void source(const std::string& name, size_t i, sim::InstructionRow& row) {
    const std::string text = from_.text(name + ".source", i);
    auto sources = from_.texts.find(name + ".source");
    const size_t colon = text.rfind(':');
    if (colon == std::string::npos || sources->second.size() + 1 < from_.length(name + ".line")) return;
    if (parse_number(std::string_view(text).substr(colon + 1), row.source_line) == NumberError::Ok)
      row.source_file = text.substr(0, colon);
  }

  const Columns& from_;
};

/// Collects each item of `launches` and of `timeline`.
class Collector : public JsonEvents {
 public:
  using Launch = std::function<void(const sim::LaunchStatistics&)>;
  Collector(const Launch& launch, host::HostRecord& record) : launch_(launch), record_(record) {}

  void begin_object(std::string_view key) override { begin(key); }
  void begin_list(std::string_view key) override { begin(key); }
  void end() override {
    open_.pop_back();
    if (open_.size() == 2) end_item();
    if (open_.size() <= 2) columns_ = {};
    prefix();
  }
  void number(std::string_view key, double value, std::string_view) override {
    if (inside()) columns_.numbers[name_ + std::string(key)].push_back(value);
  }
  void text(std::string_view key, std::string_view value) override {
    if (inside()) columns_.texts[name_ + std::string(key)].emplace_back(value);
  }
  void word(std::string_view, std::string_view) override {}

 private:
  bool inside() const { return open_.size() >= 3 && (open_[1] == "launches" || open_[1] == "timeline"); }
  void begin(std::string_view key) {
    open_.emplace_back(key);
    prefix();
  }
  /// Items of a list have no name of their own; a list of numbers is a column of the list's name.
  void prefix() {
    name_.clear();
    for (size_t i = 3; i < open_.size(); ++i)
      if (!open_[i].empty()) name_ += (name_.empty() ? "" : ".") + open_[i];
    if (!name_.empty()) name_ += ".";
  }
  void end_item() {
    if (open_[1] == "timeline") {
      using Event = host::TimelineEvent;
      std::string kind = columns_.text("kind");
      bool on_device = columns_.text("direction") == "device_to_device";
      record_.event(kind == "copy"   ? Event::Kind::Copy
                    : kind == "fill" ? Event::Kind::Fill
                                     : Event::Kind::Kernel,
                    on_device ? Event::Direction::DeviceToDevice : Event::Direction::None, columns_.number("start_us"),
                    columns_.number("end_us"));
    } else if (open_[1] == "launches") {
      // A list of numbers was collected as "grid.": its items have no key.
      for (auto it = columns_.numbers.begin(); it != columns_.numbers.end();)
        if (it->first.ends_with(".")) {
          columns_.numbers[it->first.substr(0, it->first.size() - 1)] = it->second;
          it = columns_.numbers.erase(it);
        } else {
          ++it;
        }
      sim::LaunchStatistics launch;
      LaunchFiller(columns_).fill(launch);
      if (launch.timed) record_.launch(launch.time_us);
      launch_(launch);
    }
  }

  const Launch& launch_;
  host::HostRecord& record_;
  std::vector<std::string> open_;  // keys of the open objects and lists; first the document
  std::string name_;
  Columns columns_;
};

}  // namespace

void read_launches(const ArgumentText& file, const std::function<void(const sim::LaunchStatistics&)>& launch,
                   host::HostRecord& record) {
  std::ifstream in(file.text, std::ios::binary);
  Collector collector(launch, record);
  auto read = [&in](char* to, size_t most) {
    in.read(to, static_cast<std::streamsize>(most));
    return static_cast<size_t>(in.gcount());
  };
  if (auto mistake = read_json(read, collector)) fail(file.where, fmt::format("{}: {}", file.text, mistake->what));
}

}  // namespace warptime::cli
