// A trace file as the page reads it: states by warp and slot, rows by line; of too many states the longest are kept.
#include "report/trace_file.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "report/trace_data.h"

using namespace warptime;
using namespace warptime::report;
using Json = nlohmann::ordered_json;

namespace {

std::string document(const std::string& events) {
  return R"({"displayTimeUnit": "ms", "otherData": {"target": "t", "machine": "m", "machine_hash": "h", "kernel": "k",
    "launch": 2, "cycles": 500, "sm": 3}, "traceEvents": [)" +
         events + "]}";
}

std::string slice(int process, int thread, const std::string& category, const std::string& name, int begin, int length,
                  const std::string& arguments) {
  return fmt::format(R"({{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"line":{}}}}})",
                     name, category, process, thread, begin, length, arguments);
}

const std::string kTrackNames =
    R"x({"ph":"M","name":"process_name","pid":2,"tid":2,"args":{"name":"block (3,1)"}},
       {"ph":"M","name":"thread_name","pid":2,"tid":4,"args":{"name":"warp 5"}},
       {"ph":"i","s":"t","name":"starts","pid":2,"tid":4,"ts":10,"args":{"slot":7}},)x";

void read_trace(const std::string& text, TraceFile& trace) {
  size_t at = 0;
  auto mistake = read_json(
      [&](char* to, size_t most) {
        size_t n = std::min({most, size_t{5}, text.size() - at});
        text.copy(to, n, at);
        at += n;
        return n;
      },
      trace);
  REQUIRE_FALSE(mistake);
}

}  // namespace

TEST_CASE("a trace file gives the states of its warps") {
  TraceFile trace(100);
  read_trace(document(kTrackNames + slice(2, 4, "issue", "add", 10, 4, R"(9,"lanes":3,"active":"0000000f")") + "," +
                      slice(2, 4, "wait", "global_dependency", 14, 6, "12") + "," +
                      slice(2, 4, "wait", "not_selected", 22, 1, "12") + "," +
                      slice(2, 6, "issue", "mul", 12, 2, R"(12,"lanes":32,"active":"ffffffff")")),
             trace);
  CHECK(trace.has_events());
  CHECK(trace.states() == 4);
  CHECK(trace.kernel == "k");
  CHECK(trace.launch == 2);
  CHECK(trace.machine_hash == "h");
  KernelRows rows;
  for (uint32_t line : {9U, 12U}) {
    sim::InstructionRow row;
    row.line = line;
    rows.rows.push_back(row);
  }
  std::vector<std::string> notes;
  Json json = trace.json(&rows, 100, notes);
  CHECK(notes.empty());
  CHECK(json["sm"] == 3);
  CHECK(json["cycles"] == 500);
  CHECK(json["from"] == 10);
  CHECK(json["to"] == 23);
  REQUIRE(json["warps"].size() == 2);
  const Json& other = json["warps"][0];  // it has no slot: the first that is free
  CHECK(other["slot"] == 0);
  const Json& warp = json["warps"][1];
  CHECK(warp["slot"] == 7);
  CHECK(warp["block"] == Json({3, 1, 0}));
  CHECK(warp["index"] == 5);
  CHECK(warp["length"] == Json({4, 6, 2, 1}));
  CHECK(warp["state"][0] == kIssueState);
  CHECK(json["states"][warp["state"][1].get<size_t>()]["key"] == "global_dependency");
  CHECK(warp["state"][2] == -1);
  CHECK(warp["state"][3] == kReadyState);
  CHECK(warp["pc"] == Json({0, 1, 1, 1}));
  CHECK(warp["lanes"] == Json({7}));
  CHECK(json["masks"][warp["mask"][0].get<size_t>()] == 15);
}

TEST_CASE("a trace of many states keeps the longest of every so many cycles, in bounded memory") {
  TraceFile trace(1000);
  std::string events = kTrackNames;
  for (int i = 0; i < 20'000; ++i) {
    if (i > 0) events += ",";
    const bool waits = i % 2 == 1;
    events += slice(2, 4, waits ? "wait" : "issue", waits ? "barrier" : "add", 20 * i, waits ? 16 : 4, "9");
  }
  read_trace(document(events), trace);
  CHECK(trace.states() == 20'000);
  std::vector<std::string> notes;
  Json json = trace.json(nullptr, 1000, notes);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("20,000 states") != std::string::npos);
  const Json& warp = json["warps"][0];
  CHECK(warp["state"].size() <= 1000);
  CHECK(warp["state"].size() > 200);
  uint64_t cycles = 0, barrier = 0;
  for (size_t i = 0; i < warp["state"].size(); ++i) {
    cycles += warp["length"][i].get<uint64_t>();
    if (warp["state"][i] >= kFirstReason) barrier += warp["length"][i].get<uint64_t>();
  }
  CHECK(cycles == 20 * 20'000 - 4);
  CHECK(barrier > cycles * 9 / 10);
}

TEST_CASE("other documents have no events, or no states") {
  TraceFile empty(10), other(10), odd(10);
  read_trace(document(""), empty);
  CHECK(empty.has_events());
  CHECK(empty.states() == 0);
  read_trace(R"({"launches": [{"name": "x", "ph": "X"}], "otherData": 5})", other);
  CHECK_FALSE(other.has_events());
  read_trace(R"({"traceEvents": [{"ph":"X","cat":"issue","pid":-5,"tid":1e300,"ts":-1,"dur":1e18,"args":[1,{"line":2}]},
      {"ph":"X","cat":"wait","name":"no such reason"}, 7, [], {"ph": {"args": {}}}]})",
             odd);
  CHECK(odd.states() == 1);
  std::vector<std::string> notes;
  CHECK(odd.json(nullptr, 10, notes)["warps"].size() == 1);
}
