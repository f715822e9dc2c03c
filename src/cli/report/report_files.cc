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

bool is_json(const ArgumentText& word) { return word.text.ends_with(".json"); }

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

WordKinds kinds_of(const Arguments& arguments) {
  const std::vector<ArgumentText>& words = arguments.words();
  if (words.size() == 1 && !is_json(words[0])) return WordKinds::Target;
  for (const ArgumentText& word : words)
    if (!is_json(word))
      fail(word.where, fmt::format("{} is not a .json file, and a target stands alone", word.text),
           "two words are two statistics files, or a statistics file and the trace of its run");
  const bool first = is_trace_file(words[0]);
  if (words.size() == 1) {
    if (first)
      fail(words[0].where, fmt::format("{} is a trace, not a statistics file", words[0].text),
           "give the statistics of its run first: `warptime report STATS.json TRACE.json -o FILE.html`");
    return WordKinds::Statistics;
  }
  const bool second = is_trace_file(words[1]);
  if (first && second)
    fail(words[1].where, fmt::format("{} is a trace, and so is {}: one of them must be a statistics file",
                                     words[1].text, words[0].text));
  if (first) return WordKinds::TraceAndStatistics;
  return second ? WordKinds::StatisticsAndTrace : WordKinds::TwoStatistics;
}

void read_trace_input(const Arguments& arguments, const ArgumentText& statistics, const ArgumentText& word,
                      ReportInput& input) {
  const StatisticsFile file = read_statistics_input(arguments, statistics, input);
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
