// The Trace Event Format of Perfetto and chrome://tracing, as its public description has it: complete events (X) for
// slices, instant events (i), counters (C), metadata (M). https://ui.perfetto.dev opens the file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/trace/trace_walk.h"
#include "host/report/value_writer.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

std::string dumped(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

class Writer : public TraceSink {
 public:
  Writer(const TraceView& view, const TraceWrite& write) : view_(view), write_(write) {}

  void all() {
    Json about = {{"time", time_note(view_)},
                  {"target", view_.target},
                  {"machine", view_.machine},
                  {"machine_hash", view_.machine_hash},
                  {"kernel", view_.launch.kernel},
                  {"launch", view_.log.launch},
                  {"kernel_name", ptx::demangled(view_.launch.kernel)},
                  {"cycles", view_.launch.cycles}};
    if (!view_.blocks) about["sm"] = view_.log.sm;
    about["complete"] = view_.complete;
    out_ = "{\"displayTimeUnit\": \"ms\",\n\"otherData\": " + dumped(about) + ",\n\"traceEvents\": [\n";
    walk_trace(view_, *this);
    write_(out_ + "\n]}\n");
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
  void counter(TraceCounter of, Cycle cycle, int64_t value) override { counter(of, cycle, fmt::format("{}", value)); }
  void counter(TraceCounter of, Cycle cycle, double value) override { counter(of, cycle, host::real_text(value)); }

 private:
  void counter(TraceCounter of, Cycle cycle, const std::string& value) {
    item(fmt::format("\"ph\":\"C\",\"name\":\"{}\",\"pid\":{},\"ts\":{},\"args\":{{\"{}\":{}}}", of.name, of.process,
                     cycle, of.unit, value));
  }
  void metadata(std::string_view what, TraceTrack track, std::string_view args) {
    item(fmt::format("\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{{}}}", what, track.process,
                     track.thread, args));
  }
  static std::string members(TraceArguments arguments) {
    std::string out;
    for (const TraceArgument& argument : arguments) {
      if (argument.is_missing()) continue;
      out += fmt::format("{}\"{}\":", out.empty() ? "" : ",", argument.name);
      if (const auto* number = std::get_if<uint64_t>(&argument.value)) out += fmt::format("{}", *number);
      else out += dumped(std::get<std::string_view>(argument.value));
    }
    return out;
  }
  void item(const std::string& members) {
    out_ += fmt::format("{}{{{}}}", is_first_ ? "" : ",\n", members);
    is_first_ = false;
    if (out_.size() < kTracePiece) return;
    write_(out_);
    out_.clear();
  }

  const TraceView& view_;
  const TraceWrite& write_;
  std::string out_;
  bool is_first_ = true;
  std::vector<std::string> names_;  // of slices, quoted
};

}  // namespace

void trace_json(const TraceView& view, const TraceWrite& write) { Writer(view, write).all(); }

}  // namespace warptime::cli
