// The content of a trace for viewers that draw slices on tracks, once for all formats. Of the warps of an SM: processes
// (the SM with its counters, then each block), threads (the warps), slices for their states, instants, counters. Of
// blocks: a process for each SM, a thread for each of its places for blocks. Of both: the chip's counters, and the
// copies and launches of the host.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/trace/trace_output.h"

namespace warptime::cli {

// Processes and threads are numbered through, from 1 on: viewers take 0 for an idle process, and a thread with the
// number of a process for the main thread of that.
struct TraceTrack {
  uint32_t process = 0, thread = 0;
};
inline constexpr uint32_t kFirstProcess = 1;  // the SM, or the chip

/// A counter's track; the text is valid only during the call.
struct TraceCounter {
  uint32_t process;
  std::string_view name, unit;
};

struct TraceArgument {
  std::string_view name;
  std::variant<uint64_t, std::string_view> value;
  /// A text that is not known: it is left out.
  bool is_missing() const {
    const auto* text = std::get_if<std::string_view>(&value);
    return text != nullptr && text->empty();
  }
};
using TraceArguments = std::initializer_list<TraceArgument>;

/// One format. Text is valid only during the call.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// Once, before everything else: the names of all slices, which then go by their index.
  virtual void names(const std::vector<std::string>& all) = 0;
  /// `order`: among the processes, and among the threads of a process.
  virtual void process(uint32_t number, std::string_view name, uint32_t order) = 0;
  virtual void thread(TraceTrack track, std::string_view name, uint32_t order) = 0;
  virtual void slice(TraceTrack track, size_t name, std::string_view category, Cycle begin, Cycle end,
                     TraceArguments arguments) = 0;
  virtual void instant(TraceTrack track, std::string_view name, Cycle cycle, TraceArguments arguments) = 0;
  virtual void counter(TraceCounter of, Cycle cycle, int64_t value) = 0;
  virtual void counter(TraceCounter of, Cycle cycle, double value) = 0;
};

void walk_trace(const TraceView& view, TraceSink& sink);

/// The categories of slices.
inline constexpr std::string_view kIssueCategory = "issue", kWaitCategory = "wait", kBlockCategory = "block",
                                  kHostCategory = "host";

}  // namespace warptime::cli
