// `warptime trace -o FILE.pftrace`, decoded by libprotobuf with Perfetto's schema: the same as the JSON.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "perfetto_trace.pb.h"
#include "tools/run_program.h"
#include "unit/cli/trace_readers.h"

using Catch::Contains;
using warptime::test::ChromeTrace;
using warptime::test::Outcome;
using warptime::test::TempFolder;

namespace {

namespace pb = perfetto::protos;

/// A decoded trace, in the terms of the JSON's reader.
struct PerfettoTrace {
  std::map<ChromeTrace::Track, std::vector<ChromeTrace::Slice>> slices;
  std::map<ChromeTrace::Track, std::vector<ChromeTrace::Instant>> instants;
  std::map<ChromeTrace::Track, std::string> threads;
  std::map<uint64_t, std::string> processes;
  std::map<std::string, std::vector<std::pair<uint64_t, int64_t>>> counters;
  std::map<std::string, std::vector<std::pair<uint64_t, double>>> rates;
  std::map<std::string, std::string> about;
  std::map<ChromeTrace::Track, std::vector<std::vector<std::pair<std::string, std::string>>>> arguments;  // of slices

  explicit PerfettoTrace(const std::string& bytes) {
    pb::Trace trace;
    REQUIRE(trace.ParseFromString(bytes));
    for (const pb::TracePacket& packet : trace.packet()) {
      warptime::test::require(packet.trusted_packet_sequence_id() == 1);
      if (packet.has_interned_data()) intern(packet);
      if (packet.has_track_descriptor()) add(packet.track_descriptor());
      if (packet.has_track_event()) add(packet.timestamp(), packet.track_event());
    }
    for (const auto& [track, open] : open_) warptime::test::require(!open);
  }

 private:
  void intern(const pb::TracePacket& packet) {
    CHECK(packet.sequence_flags() == 1);  // the state begins here
    for (const auto& each : packet.interned_data().event_categories()) categories_[each.iid()] = each.name();
    for (const auto& each : packet.interned_data().event_names()) names_[each.iid()] = each.name();
    for (const auto& each : packet.interned_data().debug_annotation_names()) arguments_[each.iid()] = each.name();
  }
  void add(const pb::TrackDescriptor& track) {
    if (track.has_process()) {
      processes[track.uuid()] = track.process().process_name();
      warptime::test::require(track.uuid() == static_cast<uint64_t>(track.process().pid()));
    } else if (track.has_thread()) {
      ChromeTrace::Track place{static_cast<uint64_t>(track.thread().pid()),
                               static_cast<uint64_t>(track.thread().tid())};
      warptime::test::require(track.parent_uuid() == place.first && processes.count(place.first) == 1);
      tracks_[track.uuid()] = place;
      threads[place] = track.thread().thread_name();
    } else {
      warptime::test::require(track.has_counter() && processes.count(track.parent_uuid()) == 1 &&
                              !track.counter().unit_name().empty());
      counter_tracks_[track.uuid()] = track.name();
    }
  }
  void add(uint64_t nanoseconds, const pb::TrackEvent& event) {
    warptime::test::require(nanoseconds % 1000 == 0);
    uint64_t cycle = nanoseconds / 1000;
    if (event.type() == pb::TrackEvent::TYPE_COUNTER) {
      const std::string& name = counter_tracks_.at(event.track_uuid());
      if (event.has_double_counter_value()) rates[name].emplace_back(cycle, event.double_counter_value());
      else counters[name].emplace_back(cycle, event.counter_value());
      return;
    }
    if (event.name() == "about") {
      for (const auto& [name, value] : arguments_of(event)) about[name] = value;
      return;
    }
    ChromeTrace::Track track = tracks_.at(event.track_uuid());
    bool& open = open_[track];
    if (event.type() == pb::TrackEvent::TYPE_SLICE_BEGIN) {
      warptime::test::require(!open && event.category_iids_size() == 1);
      slices[track].push_back({cycle, 0, names_.at(event.name_iid()), categories_.at(event.category_iids(0))});
      arguments[track].push_back(arguments_of(event));
      open = true;
    } else if (event.type() == pb::TrackEvent::TYPE_SLICE_END) {
      warptime::test::require(open);
      slices[track].back().end = cycle;
      open = false;
    } else {
      warptime::test::require(event.type() == pb::TrackEvent::TYPE_INSTANT);
      instants[track].push_back({cycle, event.name()});
    }
  }
  std::vector<std::pair<std::string, std::string>> arguments_of(const pb::TrackEvent& event) const {
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& each : event.debug_annotations())
      out.emplace_back(arguments_.at(each.name_iid()),
                       each.has_string_value() ? each.string_value() : std::to_string(each.uint_value()));
    return out;
  }

  std::map<uint64_t, std::string> categories_, names_, arguments_, counter_tracks_;
  std::map<uint64_t, ChromeTrace::Track> tracks_;
  std::map<ChromeTrace::Track, bool> open_;
};

template <class Slices>
auto slice_values(const Slices& slices) {
  std::vector<std::tuple<uint64_t, uint64_t, std::string, std::string>> out;
  for (const auto& slice : slices) out.emplace_back(slice.begin, slice.end, slice.name, slice.category);
  return out;
}
template <class Instants>
auto instant_values(const Instants& instants) {
  std::vector<std::pair<uint64_t, std::string>> out;
  for (const auto& instant : instants) out.emplace_back(instant.cycle, instant.name);
  return out;
}

std::string traced_file(std::vector<std::string> words, const std::string& file) {
  words.insert(words.begin(), "trace");
  words.insert(words.end(), {"-o", file});
  Outcome outcome = warptime::test::warptime(std::move(words));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return warptime::test::read_text(file);
}

}  // namespace

TEST_CASE("trace: Perfetto's own format has what the JSON has") {
  TempFolder folder;
  const std::vector<std::vector<std::string>> runs{
      {"vecadd", "--param", "n=1001"},
      {"mandelbrot:f32", "--param", "size=32", "--param", "depth=16"},
      {"matmul:tiled", "--param", "n=64", "--window", "3000:4000", "--sm", "2"},
      {"matmul:tiled", "--param", "n=64", "--window", "3000:4000", "--interval", "250", "--host"},
      {"matmul:tiled", "--param", "n=128", "--level", "block", "--interval", "1000"}};
  for (const auto& words : runs) {
    CAPTURE(words);
    ChromeTrace json(traced_file(words, folder.path("t.json")));
    PerfettoTrace trace(traced_file(words, folder.path("t.pftrace")));
    CHECK(trace.processes == json.processes);
    CHECK(trace.threads == json.threads);
    CHECK(trace.counters == json.counters);
    CHECK(trace.rates == json.rates);
    CHECK(trace.rates.empty() == (std::find(words.begin(), words.end(), "--interval") == words.end()));
    REQUIRE(trace.slices.size() == json.slices.size());
    size_t count = 0;
    for (const auto& [track, slices] : json.slices) {
      CHECK(slice_values(trace.slices[track]) == slice_values(slices));
      count += slices.size();
    }
    CHECK(count > 20);
    REQUIRE(trace.instants.size() == json.instants.size());
    for (const auto& [track, instants] : json.instants)
      CHECK(instant_values(trace.instants[track]) == instant_values(instants));
    CHECK(trace.about["time"] == json.about["time"].get<std::string>());
    CHECK(trace.about["machine_hash"] == json.about["machine_hash"]);
    CHECK(trace.about["cycles"] == std::to_string(json.about["cycles"].get<uint64_t>()));
    // An instruction that issued: its line, and how many of its lanes.
    for (const auto& [track, slices] : trace.slices)
      for (size_t i = 0; i < slices.size(); ++i) {
        const auto& arguments = trace.arguments[track][i];
        bool of_warp = slices[i].category == "issue" || slices[i].category == "wait";
        if (!of_warp) continue;
        auto has = [&](std::string_view name) {
          return std::any_of(arguments.begin(), arguments.end(), [&](const auto& a) { return a.first == name; });
        };
        warptime::test::require(has("line") && (slices[i].category == "issue") == has("lanes"));
      }
  }
}

TEST_CASE("trace: a compressed file of Perfetto holds the same bytes, and a second run the same") {
  TempFolder folder;
  const std::vector<std::string> words{"vecadd", "--param", "n=1001"};
  std::string plain = traced_file(words, folder.path("t.pftrace"));
  std::string compressed = traced_file(words, folder.path("t.pftrace.gz"));
  CHECK(compressed.size() * 3 < plain.size());
  CHECK(warptime::test::gunzip(folder.path("t.pftrace.gz")) == plain);
  CHECK(traced_file(words, folder.path("u.pftrace")) == plain);
}
