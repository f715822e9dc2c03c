#include "host/report/statistics_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/spool.h"
#include "base/system_error.h"
#include "host/report/report_values.h"

namespace warptime::host {

namespace {

/// Launches as they come; the timeline, which stands behind their total, is kept aside as text.
class JsonStatistics : public StatisticsText {
 public:
  JsonStatistics(const sim::Machine& machine, const std::string& target, Write write, ErrorBands bands)
      : machine_(machine),
        bands_(std::move(bands)),
        out_(std::move(write)),
        events_([this](std::string_view text) { timeline_.write(text); }, kDepthOfEvents) {
    out_.begin_object({});
    out_.number("schema", 1);
    out_.begin_object("program");
    out_.text("name", "warptime");
    out_.text("version", version());
    out_.end();
    write_head(out_, machine, target);
    out_.begin_list("launches");
  }

  void launch(const sim::LaunchStatistics& launch) override {
    out_.begin_object({});
    write_launch(out_, launch, machine_.config, true);
    bands_.write(out_, launch);
    out_.end();
  }
  void event(const TimelineEvent& event) override { write_event(events_, event); }
  void end(const RunReport& report, const sim::LaunchStatistics& total) override {
    out_.end();
    out_.begin_object("total");
    write_total(out_, total);
    out_.end();
    out_.begin_list("timeline");
    events_.flush();
    timeline_.drain([this](std::string_view text) { out_.items(text); });
    if (timeline_.error() != 0)
      throw InputError(
          fmt::format("error: the timeline cannot be kept in a temporary file: {}\n", error_text(timeline_.error())));
    out_.end();
    write_tail(out_, report, total);
    out_.end();
    out_.finish("\n");
  }

 private:
  static constexpr size_t kDepthOfEvents = 2;  // in the report's list

  const sim::Machine machine_;
  const ErrorBands bands_;
  JsonText out_;
  Spool timeline_;
  JsonText events_;
};

/// One row per launch. The columns are those of the first one; only if launches may be sampled or not they are those of
/// the launch that has most, and the rows wait.
class LaunchTable : public StatisticsText {
 public:
  LaunchTable(const sim::Machine& machine, std::string target, bool may_sample, Write write)
      : machine_(machine), target_(std::move(target)), waits_(may_sample), write_(std::move(write)) {}

  void launch(const sim::LaunchStatistics& launch) override {
    FlatCells flat;
    write_head(flat, machine_, target_);
    write_launch(flat, launch, machine_.config, false);
    if (waits_) {
      rows_.push_back(std::move(flat.cells()));
      return;
    }
    if (columns_.empty()) begin(flat.cells());
    write_row(flat.cells());
  }

  void event(const TimelineEvent&) override {}
  void end(const RunReport&, const sim::LaunchStatistics&) override {
    size_t most = 0;
    for (const FlatCells::Cells& row : rows_)
      if (row.size() > rows_[most].size()) most = static_cast<size_t>(&row - rows_.data());
    if (!rows_.empty()) begin(rows_[most]);
    for (const FlatCells::Cells& row : rows_) write_row(row);
  }

 private:
  void begin(const FlatCells::Cells& cells) {
    std::string line;
    for (const auto& [name, cell] : cells) {
      line += (columns_.empty() ? "" : ",") + csv_cell(name);
      columns_.push_back(name);
    }
    write_(line + "\n");
  }
  void write_row(const FlatCells::Cells& cells) {
    std::string line;
    size_t next = 0;
    for (size_t i = 0; i < columns_.size(); ++i) {
      // A launch that was not sampled has fewer cells; what both have is in the same order.
      auto found = std::find_if(cells.begin() + static_cast<ptrdiff_t>(next), cells.end(),
                                [&](const auto& cell) { return cell.first == columns_[i]; });
      if (i > 0) line += ',';
      if (found == cells.end()) continue;
      line += csv_cell(found->second);
      next = static_cast<size_t>(found - cells.begin()) + 1;
    }
    write_(line + "\n");
  }

  const sim::Machine machine_;
  std::string target_;
  bool waits_;
  Write write_;
  std::vector<std::string> columns_;
  std::vector<FlatCells::Cells> rows_;  // that wait
};

class InstructionTable : public StatisticsText {
 public:
  explicit InstructionTable(Write write) : write_(std::move(write)) {
    std::string line = "launch,kernel,function,line,text,warp_instructions,thread_instructions,issued";
    for (const sim::StallInfo& stall : sim::kStalls) line += fmt::format(",stalls.{}", stall.key);
    for_each_of_line({}, [&](const StatInfo& part, const StatInfo& each, uint64_t) {
      line += fmt::format(",{}.{}", part.name, each.name);
    });
    write_(line + "\n");
  }

  void launch(const sim::LaunchStatistics& launch) override {
    for (const sim::InstructionRow& row : launch.instructions) {
      std::string line =
          fmt::format("{},{},{},{},{},{},{},", launches_, csv_cell(launch.kernel), csv_cell(row.function), row.line,
                      csv_cell(row.text), row.warp_instructions, row.thread_instructions);
      if (launch.timed) line += fmt::format("{}", row.issued);
      for (uint64_t cycles : row.stalls)
        line += launch.timed && launch.attributed ? fmt::format(",{}", cycles) : std::string(",");
      for_each_of_line(row.line_statistics, [&](const StatInfo& part, const StatInfo&, uint64_t number) {
        bool of_time = part.name == "caches" || part.name == "latency";
        line += launch.timed || !of_time ? fmt::format(",{}", number) : std::string(",");
      });
      write_(line + "\n");
    }
    ++launches_;
  }
  void event(const TimelineEvent&) override {}
  void end(const RunReport&, const sim::LaunchStatistics&) override {}

 private:
  template <class F>
  static void for_each_of_line(const sim::LineStatistics& line, F&& f) {
    sim::LineStatistics::visit(line, [&f]<class Part>(const StatInfo& part, const Part& numbers) {
      Part::visit(numbers, [&](const StatInfo& each, uint64_t number) { f(part, each, number); });
    });
  }

  Write write_;
  size_t launches_ = 0;
};

}  // namespace

std::unique_ptr<StatisticsText> statistics_text(StatisticsFormat format, const sim::Machine& machine,
                                                const std::string& target, bool may_sample, StatisticsText::Write write,
                                                ErrorBands bands) {
  switch (format) {
    case StatisticsFormat::Json:
      return std::make_unique<JsonStatistics>(machine, target, std::move(write), std::move(bands));
    case StatisticsFormat::Launches:
      return std::make_unique<LaunchTable>(machine, target, may_sample, std::move(write));
    case StatisticsFormat::Instructions: return std::make_unique<InstructionTable>(std::move(write));
  }
  return nullptr;
}

}  // namespace warptime::host
