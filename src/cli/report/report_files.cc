// What the words of `warptime report` are: a target, statistics files, a trace file, told by their content; and the
// page of a statistics file with the trace of its run beside it.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/json_reader.h"
#include "base/plural.h"
#include "cli/compare/statistics_file.h"
#include "cli/report/report_input.h"
#include "report/trace_data.h"

namespace warptime::cli {

namespace {

constexpr size_t kBytesForKind = 4096;

/// The names of the members of the document.
struct TopMembers : JsonEvents {
  void begin_object(std::string_view key) override { open(key, false); }
  void begin_list(std::string_view key) override { open(key, true); }
  void end() override { --depth; }
  void number(std::string_view key, double, std::string_view) override { note(key); }
  void text(std::string_view key, std::string_view) override { note(key); }
  void word(std::string_view key, std::string_view) override { note(key); }

  bool is_trace = false;

 private:
  void note(std::string_view key) {
    if (depth == 1 && (key == "traceEvents" || key == "otherData" || key == "displayTimeUnit")) is_trace = true;
  }
  void open(std::string_view key, bool is_list) {
    note(key);
    if (depth == 0 && is_list) is_trace = true;  // the format's other form
    ++depth;
  }
  size_t depth = 0;
};

bool is_json_word(const ArgumentText& word) { return word.text.ends_with(".json"); }

/// Told by the start of the file.
bool is_trace_file(const ArgumentText& word) {
  std::ifstream in = open_statistics(word);
  TopMembers members;
  size_t left = kBytesForKind;
  // A document that ends in the middle is a mistake, but what came before it has been told.
  static_cast<void>(read_json(
      [&](char* to, size_t most) {
        in.read(to, static_cast<std::streamsize>(std::min(most, left)));
        left -= static_cast<size_t>(in.gcount());
        return static_cast<size_t>(in.gcount());
      },
      members));
  return members.is_trace;
}

[[noreturn]] void fail_trace(const ArgumentText& word, const std::string& why) {
  fail(word.where, fmt::format("{} {}", word.text, why), "`warptime trace TARGET -o FILE.json` writes one");
}

void check_same_run(const ArgumentText& word, const report::TraceFile& trace, const StatisticsFile& file) {
  if (trace.machine_hash != file.hash)
    fail(word.where, fmt::format("{} is a trace on another machine than {}: {} ({}), not {} ({})", word.text, file.file,
                                 trace.machine, trace.machine_hash, file.machine, file.hash));
  if (trace.launch >= file.launches.size())
    fail(word.where, fmt::format("{} is a trace of launch {}, and {} has {}", word.text, trace.launch, file.file,
                                 plural(file.launches.size(), "launch", "launches")));
  const std::string& kernel = file.name(file.launches[trace.launch].kernel);
  if (trace.kernel != kernel)
    fail(word.where, fmt::format("{} is a trace of kernel {}, but launch {} of {} is of kernel {}", word.text,
                                 trace.kernel, trace.launch, file.file, kernel));
}

}  // namespace

ReportWords report_words(const Arguments& arguments) {
  const std::vector<ArgumentText>& words = arguments.words();
  ReportWords out;
  if (const auto& machines = arguments.all("machine"); machines.size() > 1 && !arguments.program().empty())
    fail(machines[1].where, "a program runs on one machine: --machine is given twice");
  if (std::none_of(words.begin(), words.end(), is_json_word)) {
    out.targets = words;
    if (words.size() > 2)
      fail(words[2].where, fmt::format("a page compares two targets, and {} are given", words.size()),
           "`warptime compare` sets more side by side");
    return out;
  }
  for (const ArgumentText& word : words)
    if (!is_json_word(word))
      fail(word.where, fmt::format("{} is not a .json file, and a target does not go with files", word.text),
           "words are one or two targets, or statistics files and the traces of their runs");
  if (const auto& machines = arguments.all("machine"); machines.size() > 1)
    fail(machines[1].where, "statistics files are of one machine: --machine is given twice");
  for (const ArgumentText& word : words) (is_trace_file(word) ? out.traces : out.statistics).push_back(word);
  if (out.statistics.empty()) {
    if (words.size() == 1)
      fail(words[0].where, fmt::format("{} is a trace, not a statistics file", words[0].text),
           "give the statistics of its run first: `warptime report STATS.json TRACE.json -o FILE.html`");
    fail(words[1].where, fmt::format("{} is a trace, and so is {}: one of them must be a statistics file",
                                     words[1].text, words[0].text));
  }
  if (out.statistics.size() > 2)
    fail(out.statistics[2].where,
         fmt::format("a page compares two statistics files, and {} are given", out.statistics.size()));
  if (!out.traces.empty() && out.traces.size() != out.statistics.size())
    fail(out.traces.back().where,
         fmt::format("{} and {}: each statistics file goes with the trace of its run, or none does",
                     plural(out.statistics.size(), "statistics file", "statistics files"),
                     plural(out.traces.size(), "trace", "traces")));
  return out;
}

void read_trace_input(const ArgumentText& word, const StatisticsFile& file, ReportInput& input) {
  input.trace_file.emplace(report::kMostStates);
  report::TraceFile& trace = *input.trace_file;
  std::ifstream in = open_statistics(word);
  auto mistake = read_json(
      [&in](char* to, size_t most) {
        in.read(to, static_cast<std::streamsize>(most));
        return static_cast<size_t>(in.gcount());
      },
      trace);
  if (mistake) fail_trace(word, fmt::format("is not a whole trace: at byte {}, {}", mistake->offset, mistake->what));
  if (!trace.has_events() || trace.kernel.empty()) fail_trace(word, "is not a trace of warptime");
  if (trace.states() == 0) fail_trace(word, "is an empty trace: no warp does anything in it");
  check_same_run(word, trace, file);
  input.page.trace_file = &trace;
}

}  // namespace warptime::cli
