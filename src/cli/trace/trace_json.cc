// The Trace Event Format of Perfetto and chrome://tracing, as its public description has it: complete events (X) for
// slices, instant events (i), counters (C), metadata (M). https://ui.perfetto.dev opens the file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/trace/trace_walk.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

std::string dumped(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

class Writer : public TraceSink {
 public:
  explicit Writer(const TraceView& view) : view_(view) {}

  std::string text() {
    Json about = {{"time", "1 us is 1 shader cycle"}, {"target", view_.target},
                  {"machine", view_.machine},         {"machine_hash", view_.machine_hash},
                  {"kernel", view_.launch.kernel},    {"launch", view_.log.launch},
                  {"cycles", view_.launch.cycles},    {"sm", view_.log.sm},
                  {"complete", view_.complete}};
    out_ = "{\"displayTimeUnit\": \"ms\",\n\"otherData\": " + dumped(about) + ",\n\"traceEvents\": [\n";
    walk_trace(view_, *this);
    out_ += "\n]}\n";
    return std::move(out_);
  }

  void names(const std::vector<std::string>& all) override {
    for (const std::string& name : all) names_.push_back(dumped(name));
  }
  void process(uint32_t number, std::string_view name, uint32_t order) override {
    metadata("process_name", {number, number}, fmt::format("\"name\":\"{}\"", name));
    metadata("process_sort_index", {number, number}, fmt::format("\"sort_index\":{}", order));
  }
  void thread(TraceTrack track, std::string_view name, uint32_t order) override {
    metadata("thread_name", track, fmt::format("\"name\":\"{}\"", name));
    metadata("thread_sort_index", track, fmt::format("\"sort_index\":{}", order));
  }
  void slice(TraceTrack track, size_t name, std::string_view category, Cycle begin, Cycle end,
             TraceArguments arguments) override {
    item(fmt::format(
        "\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{{}}}",
        names_[name], category, track.process, track.thread, begin, end - begin, members(arguments)));
  }
  void instant(TraceTrack track, std::string_view name, Cycle cycle, TraceArguments arguments) override {
    item(fmt::format("\"ph\":\"i\",\"s\":\"t\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"args\":{{{}}}", name,
                     track.process, track.thread, cycle, members(arguments)));
  }
  void counter(std::string_view name, std::string_view unit, Cycle cycle, int64_t value) override {
    item(fmt::format("\"ph\":\"C\",\"name\":\"{}\",\"pid\":{},\"ts\":{},\"args\":{{\"{}\":{}}}", name, kSmProcess,
                     cycle, unit, value));
  }

 private:
  void metadata(std::string_view what, TraceTrack track, std::string_view args) {
    item(fmt::format("\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{{}}}", what, track.process,
                     track.thread, args));
  }
  static std::string members(TraceArguments arguments) {
    std::string out;
    for (const TraceArgument& argument : arguments) {
      out += fmt::format("{}\"{}\":", out.empty() ? "" : ",", argument.name);
      if (const auto* number = std::get_if<uint64_t>(&argument.value)) out += fmt::format("{}", *number);
      else out += fmt::format("\"{}\"", std::get<std::string_view>(argument.value));
    }
    return out;
  }
  void item(const std::string& members) {
    out_ += fmt::format("{}{{{}}}", is_first_ ? "" : ",\n", members);
    is_first_ = false;
  }

  const TraceView& view_;
  std::string out_;
  bool is_first_ = true;
  std::vector<std::string> names_;  // of slices, quoted
};

}  // namespace

std::string trace_json(const TraceView& view) { return Writer(view).text(); }

}  // namespace warptime::cli
