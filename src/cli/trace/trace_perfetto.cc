// Perfetto's own format: a Trace of TracePackets. Messages and numbers of fields as in its published schema,
// protos/perfetto/trace of github.com/google/perfetto (Apache-2.0): trace_packet.proto, interned_data.proto,
// track_event/*.proto. A slice is two packets, its start and its end; a cycle is 1000 ns on Perfetto's clock, so 1 us,
// as in the JSON. The file is written packet by packet.
#include <array>
#include <map>
#include <utility>

#include "cli/trace/proto_message.h"
#include "cli/trace/trace_walk.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

namespace {

constexpr uint64_t kNanosecondsPerCycle = 1000;

// Numbers of fields, by message.
constexpr uint32_t kTracePacket = 1;
namespace trace_packet {
constexpr uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInterned = 12, kSequenceFlags = 13,
                   kTrackDescriptor = 60;
constexpr uint64_t kStateCleared = 1, kNeedsState = 2;  // sequence_flags
}  // namespace trace_packet
namespace interned_data {
constexpr uint32_t kCategories = 1, kEventNames = 2, kArgumentNames = 3;
constexpr uint32_t kId = 1, kName = 2;  // of an entry
}  // namespace interned_data
namespace track_descriptor {
constexpr uint32_t kId = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8;
constexpr uint32_t kProcessPid = 1, kProcessOrder = 3, kProcessName = 6;
constexpr uint32_t kThreadPid = 1, kThreadTid = 2, kThreadOrder = 3, kThreadName = 5;
constexpr uint32_t kCounterUnit = 6;
}  // namespace track_descriptor
namespace track_event {
constexpr uint32_t kCategoryId = 3, kArguments = 4, kType = 9, kNameId = 10, kTrack = 11, kName = 23,
                   kCounterValue = 30, kCounterReal = 44;
constexpr uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4;  // type
constexpr uint32_t kArgumentNameId = 1, kArgumentNumber = 3, kArgumentText = 6;
}  // namespace track_event

constexpr uint64_t kOnlySequence = 1;
constexpr uint64_t kFirstCounterTrack = uint64_t{1} << 32;  // those of processes and threads have 32 bits
constexpr std::array<std::string_view, 4> kCategoryNames{kIssueCategory, kWaitCategory, kBlockCategory, kHostCategory};
constexpr std::array<std::string_view, 20> kArgumentNames{
    "line",   "lanes",  "active", "slot",     "barrier", "time",  "target",   "machine", "machine_hash", "kernel",
    "launch", "cycles", "sm",     "complete", "bytes",   "block", "start_us", "end_us",  "source",       "kernel_name"};

template <size_t N>
uint64_t id_in(const std::array<std::string_view, N>& names, std::string_view name) {
  for (size_t i = 0; i < N; ++i)
    if (names[i] == name) return i + 1;  // 0 means without a name
  return 0;
}

class PerfettoWriter : public TraceSink {
 public:
  PerfettoWriter(const TraceView& view, const TraceWrite& write) : view_(view), write_(write) {}

  void all() {
    walk_trace(view_, *this);
    write_(out_.text());
  }

  void names(const std::vector<std::string>& all) override {
    ProtoMessage data;
    auto add = [&data](uint32_t field, uint64_t id, std::string_view name) {
      data.message(field, ProtoMessage().number(interned_data::kId, id).bytes(interned_data::kName, name));
    };
    for (size_t i = 0; i < kCategoryNames.size(); ++i) add(interned_data::kCategories, i + 1, kCategoryNames[i]);
    for (size_t i = 0; i < all.size(); ++i) add(interned_data::kEventNames, i + 1, all[i]);
    for (size_t i = 0; i < kArgumentNames.size(); ++i) add(interned_data::kArgumentNames, i + 1, kArgumentNames[i]);
    put(ProtoMessage()
            .number(trace_packet::kSequence, kOnlySequence)
            .number(trace_packet::kSequenceFlags, trace_packet::kStateCleared)
            .message(trace_packet::kInterned, data));
  }

  void process(uint32_t number, std::string_view name, uint32_t order) override {
    ProtoMessage process;
    process.number(track_descriptor::kProcessPid, number).number(track_descriptor::kProcessOrder, order);
    process.bytes(track_descriptor::kProcessName, name);
    track(ProtoMessage().number(track_descriptor::kId, number).message(track_descriptor::kProcess, process));
    if (number == kFirstProcess) about();
  }
  void thread(TraceTrack place, std::string_view name, uint32_t order) override {
    ProtoMessage thread;
    thread.number(track_descriptor::kThreadPid, place.process).number(track_descriptor::kThreadTid, place.thread);
    thread.number(track_descriptor::kThreadOrder, order).bytes(track_descriptor::kThreadName, name);
    track(ProtoMessage()
              .number(track_descriptor::kId, place.thread)
              .number(track_descriptor::kParent, place.process)
              .message(track_descriptor::kThread, thread));
  }

  void slice(TraceTrack place, size_t name, std::string_view category, Cycle begin, Cycle end,
             TraceArguments arguments) override {
    ProtoMessage event = event_of(track_event::kBegin, place.thread);
    event.number(track_event::kCategoryId, id_in(kCategoryNames, category)).number(track_event::kNameId, name + 1);
    add_arguments(event, arguments);
    put(begin, event);
    put(end, event_of(track_event::kEnd, place.thread));
  }
  void instant(TraceTrack place, std::string_view name, Cycle cycle, TraceArguments arguments) override {
    ProtoMessage event = event_of(track_event::kInstant, place.thread);
    event.bytes(track_event::kName, name);
    add_arguments(event, arguments);
    put(cycle, event);
  }
  void counter(TraceCounter of, Cycle cycle, int64_t value) override {
    put(cycle,
        event_of(track_event::kCounter, track_of(of)).number(track_event::kCounterValue, static_cast<uint64_t>(value)));
  }
  void counter(TraceCounter of, Cycle cycle, double value) override {
    put(cycle, event_of(track_event::kCounter, track_of(of)).real(track_event::kCounterReal, value));
  }

 private:
  /// Described before its first value.
  uint64_t track_of(TraceCounter of) {
    auto [known, is_new] =
        counters_.try_emplace({of.process, std::string(of.name)}, kFirstCounterTrack + counters_.size());
    if (is_new)
      track(ProtoMessage()
                .number(track_descriptor::kId, known->second)
                .bytes(track_descriptor::kName, of.name)
                .number(track_descriptor::kParent, of.process)
                .message(track_descriptor::kCounter, ProtoMessage().bytes(track_descriptor::kCounterUnit, of.unit)));
    return known->second;
  }

  /// What the trace is of: an instant on the track of the first process.
  void about() {
    ProtoMessage event = event_of(track_event::kInstant, kFirstProcess);
    event.bytes(track_event::kName, "about");
    std::string time = time_note(view_), name = ptx::demangled(view_.launch.kernel);
    add_arguments(event, {{"time", time},
                          {"target", view_.target},
                          {"machine", view_.machine},
                          {"machine_hash", view_.machine_hash},
                          {"kernel", view_.launch.kernel},
                          {"kernel_name", name},
                          {"launch", view_.log.launch},
                          {"cycles", view_.launch.cycles}});
    if (!view_.blocks) add_arguments(event, {{"sm", uint64_t{view_.log.sm}}});
    add_arguments(event, {{"complete", uint64_t{view_.complete}}});
    put(view_.origin + view_.begin(), event);
  }

  static ProtoMessage event_of(uint64_t type, uint64_t track) {
    ProtoMessage event;
    event.number(track_event::kType, type).number(track_event::kTrack, track);
    return event;
  }
  static void add_arguments(ProtoMessage& event, TraceArguments arguments) {
    for (const TraceArgument& argument : arguments) {
      if (argument.is_missing()) continue;
      ProtoMessage out;
      out.number(track_event::kArgumentNameId, id_in(kArgumentNames, argument.name));
      if (const auto* number = std::get_if<uint64_t>(&argument.value))
        out.number(track_event::kArgumentNumber, *number);
      else out.bytes(track_event::kArgumentText, std::get<std::string_view>(argument.value));
      event.message(track_event::kArguments, out);
    }
  }

  void track(const ProtoMessage& description) {
    put(ProtoMessage()
            .number(trace_packet::kSequence, kOnlySequence)
            .message(trace_packet::kTrackDescriptor, description));
  }
  void put(Cycle cycle, const ProtoMessage& event) {
    put(ProtoMessage()
            .number(trace_packet::kTimestamp, cycle * kNanosecondsPerCycle)
            .number(trace_packet::kSequence, kOnlySequence)
            .number(trace_packet::kSequenceFlags, trace_packet::kNeedsState)
            .message(trace_packet::kTrackEvent, event));
  }
  void put(const ProtoMessage& packet) {
    out_.message(kTracePacket, packet);
    if (out_.text().size() < kTracePiece) return;
    write_(out_.text());
    out_.clear();
  }

  const TraceView& view_;
  const TraceWrite& write_;
  ProtoMessage out_;
  std::map<std::pair<uint32_t, std::string>, uint64_t> counters_;  // tracks, by process and name
};

}  // namespace

void trace_perfetto(const TraceView& view, const TraceWrite& write) { PerfettoWriter(view, write).all(); }

}  // namespace warptime::cli
