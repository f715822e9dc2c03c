// `warptime report`: a page from a run and from a statistics file, with the numbers of the other commands; mistakes.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tools/run_program.h"
#include "unit/report/test_page.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

Json page_of(std::vector<std::string> words, const std::string& file) {
  words.insert(words.begin(), "report");
  words.insert(words.end(), {"-o", file});
  Outcome outcome = ::warptime::test::warptime(words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("the page is"));
  return page_data(read_text(file));
}

}  // namespace

TEST_CASE("the page of a run has the largest findings of explain") {
  TempFolder folder;
  Json found = Json::parse(::warptime::test::warptime({"explain", "matmul:naive", "--param", "n=128", "--json"})
                               .out)["launches"][0]["findings"];
  Json page = page_of({"matmul:naive", "--param", "n=128"}, folder.path("a.html"))["findings"];
  REQUIRE(found.size() >= 2);
  REQUIRE(page.size() == std::min<size_t>(found.size(), 3));
  for (size_t i = 0; i < page.size(); ++i)
    for (const char* key : {"rule", "line", "message", "promised"}) CHECK(page[i][key] == found[i][key]);
}

TEST_CASE("the resident warps of a finding are those of the statistics of its page") {
  TempFolder folder;
  Json page = page_of({"matmul:tiled", "--param", "n=256", "--machine", "h200-sxm"}, folder.path("a.html"));
  const Json& cycles = page["statistics"]["launches"][0]["sm_cycles"];
  const std::string resident =
      fmt::format("{:.1f} warps are resident", cycles["warps"].get<double>() / cycles["active"].get<double>());
  size_t named = 0;
  for (const Json& finding : page["findings"]) {
    const std::string message = finding["message"].get<std::string>();
    if (message.find("warps are resident") == std::string::npos) continue;
    CHECK_THAT(message, Contains(resident));
    ++named;
  }
  CHECK(named == 1);
}

TEST_CASE("the page of a run has the numbers of run, annotate and trace") {
  TempFolder folder;
  const std::vector<std::string> target{"matmul:tiled", "--param", "n=32"};
  std::vector<std::string> run{"run"};
  run.insert(run.end(), target.begin(), target.end());
  run.insert(run.end(), {"--stats", "-", "--quiet", "--stats-per-instruction"});
  Json statistics = Json::parse(::warptime::test::warptime(run).out);
  Json page = page_of(target, folder.path("a.html"));

  const Json& launch = statistics["launches"][0];
  CHECK(page["statistics"]["launches"][0]["cycles"] == launch["cycles"]);
  CHECK(page["statistics"]["total"] == statistics["total"]);
  CHECK_FALSE(page["statistics"].contains("host"));
  REQUIRE(page["kernels"].size() == 1);
  const Json& rows = page["kernels"][0]["rows"];
  REQUIRE(rows.size() == launch["instructions"].size());
  uint64_t issued = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i]["executions"] == launch["instructions"][i]["warp_instructions"]);
    issued += rows[i]["issued"].get<uint64_t>();
  }
  CHECK(issued == launch["issue"]["issued"]);
  CHECK(rows[0].contains("native"));

  const Json& trace = page["trace"];
  CHECK(trace["cycles"] == launch["cycles"]);
  CHECK(trace["recorded"]["from"] == 0);
  CHECK(trace["recorded"]["to"] == launch["cycles"]);
  CHECK_FALSE(trace["warps"].empty());
  for (const Json& warp : trace["warps"]) {  // a warp is in a state in every cycle
    uint64_t cycles = 0;
    for (size_t i = 0; i < warp["length"].size(); ++i) {
      cycles += warp["length"][i].get<uint64_t>();
      CHECK(warp["state"][i] != -1);
    }
    CHECK(warp["first"] == warp["begin"]);
    CHECK(warp["begin"].get<uint64_t>() + cycles == warp["end"].get<uint64_t>());
  }
  CHECK(page["catalogue"].size() > 50);
}

TEST_CASE("the accesses of a page add up to the statistics of the run") {
  TempFolder folder;
  Json page = page_of({"matmul:tiled", "--param", "n=64"}, folder.path("a.html"));
  const Json& launch = page["statistics"]["launches"][0];
  const Json& memory = page["memory"];
  auto sum = [](const Json& lists) {
    uint64_t out = 0;
    for (const Json& list : lists)
      for (const Json& number : list) out += number.get<uint64_t>();
    return out;
  };
  uint64_t read = 0, written = 0, hits = 0, accesses = 0, moved = 0, lanes = 0;
  for (const Json& partition : memory["moments"]["partitions"]) {
    read += sum(Json::array({partition["read"]}));
    written += sum(Json::array({partition["write"]}));
    hits += sum(Json::array({partition["hits"]}));
  }
  CHECK(read == launch["dram"]["read_bytes"]);
  CHECK(written == launch["dram"]["write_bytes"]);
  CHECK(hits == launch["dram"]["row_hits"]);
  for (const Json& row : page["kernels"][0]["rows"]) {
    if (!row.contains("memory")) continue;
    moved += row["memory"]["bytes_moved"].get<uint64_t>();
    if (row["memory"]["transactions"] > 0) lanes += row["threads"].get<uint64_t>();
    accesses += row["memory"]["accesses"].get<uint64_t>();
  }
  CHECK(sum(memory["bank_bytes"]) == moved);
  CHECK(accesses > 1000);
  uint64_t counted = 0;
  for (const Json& buffer : memory["buffers"]) counted += sum(buffer["counts"]);
  CHECK(counted == lanes);
  CHECK(memory["others"] == 0);

  size_t global = 0, shared = 0;
  for (const Json& sample : memory["samples"]) {
    if (sample["space"] == "shared") {
      ++shared;
      CHECK(sample["degree"] == 1);
    } else if (sample["space"] == "global") {
      ++global;
      CHECK(sample["transactions"].size() == 2);  // a half-warp each
      CHECK(sample["ideal"] == 2);
    }
  }
  CHECK(global > 10);
  CHECK(shared > 10);

  const Json& requests = page["trace"]["requests"];
  REQUIRE(requests["warp"].size() > 10);
  for (size_t i = 0; i < requests["warp"].size(); ++i) {
    CHECK(requests["answers"][i].size() == requests["count"][i]);
    CHECK(requests["answers"][i].back() > 100);
  }
}

TEST_CASE("SIMT stacks of a divergent kernel: entries have lanes, and those that wait are not active") {
  TempFolder folder;
  Json page = page_of({WARPTIME_SOURCE_DIR "/docs/examples/block_sum.yaml"}, folder.path("a.html"));
  const Json& stacks = page["trace"]["stacks"];
  size_t deep = 0;
  for (size_t i = 0; i < stacks["warp"].size(); ++i) {
    const Json& entries = stacks["entries"][i];
    REQUIRE(entries.size() % 3 == 0);
    if (!entries.empty()) ++deep;
    for (size_t e = 0; e < entries.size(); e += 3) {
      CHECK(entries[e + 2] != 0);
      CHECK(entries[e] < page["kernels"][0]["rows"].size());
    }
  }
  CHECK(deep > 0);
  CHECK(deep < stacks["warp"].size());  // they reconverge
  const Json& row = page["kernels"][0]["rows"][1];
  CHECK(row["reads"].is_array());
  CHECK(row["writes"].size() == 1);
}

TEST_CASE("a page is the same for any number of threads, and has the CUDA source") {
  TempFolder folder;
  auto text = [&](const std::string& threads) {
    Outcome outcome = ::warptime::test::warptime(
        {"report", WARPTIME_SOURCE_DIR "/docs/examples/block_sum.yaml", "-o", "-", "--threads", threads});
    CHECK(outcome.status == 0);
    return outcome.out;
  };
  std::string one = text("1");
  CHECK(one == text("2"));
  CHECK(page_data(one)["kernels"][0]["ptx"] == "block_sum.ptx");
}

TEST_CASE("a statistics file gives a page without warps") {
  TempFolder folder;
  std::string stats = folder.path("s.json");
  REQUIRE(::warptime::test::warptime({"run", "vecadd", "--param", "n=4096", "--quiet", "--stats", stats}).status == 0);
  Json page = page_of({stats}, folder.path("a.html"));
  CHECK(page["trace"].is_null());
  CHECK(page["kernels"].empty());
  CHECK(page["notes"].size() == 1);
  CHECK(page["roofline"]["peak_gflops"].get<double>() > 300);

  std::vector<std::string> changed{
      "run",     "vecadd", "--param", "n=4096", "--quiet", "--stats-per-instruction", "--set", "memory.partitions=3",
      "--stats", stats};
  REQUIRE(::warptime::test::warptime(changed).status == 0);
  page = page_of({stats}, folder.path("a.html"));
  CHECK(page["kernels"].size() == 1);
  CHECK(page["roofline"].is_null());
  CHECK(page_of({stats, "--set", "memory.partitions=3"}, folder.path("a.html"))["roofline"].is_object());
  Outcome wrong =
      ::warptime::test::warptime({"report", stats, "--set", "memory.partitions=2", "-o", folder.path("b.html")});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("was measured on another machine"));
}

TEST_CASE("two statistics files give a page with what moved, as compare has it") {
  TempFolder folder;
  std::string a = folder.path("a.json"), b = folder.path("b.json");
  auto run = [&](const std::string& file, std::vector<std::string> more) {
    std::vector<std::string> words{
        "run", "matmul:tiled", "--param", "n=32", "--quiet", "--stats-per-instruction", "--stats", file};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(::warptime::test::warptime(words).status == 0);
  };
  run(a, {});
  run(b, {"--set", "memory.partitions=1"});
  Json page = page_of({a, b}, folder.path("c.html"))["comparison"];
  Json compared = Json::parse(::warptime::test::warptime({"compare", a, b, "--json"}).out);
  for (const char* key : {"kernel", "time", "issue", "resources", "counters"})
    CHECK(page["total"][key] == compared["total"][key]);
  CHECK(page["launches"][0]["time"] == compared["launches"][0]["time"]);
  CHECK(page["a"]["roofline"].is_object());
  CHECK(page["b"]["roofline"].is_null());  // of a machine that no file describes
  int64_t moved = 0, difference = 0;
  auto cost = [](const Json& side) {
    int64_t out = side["issued"].get<int64_t>();
    for (const Json& cycles : side["stalls"]) out += cycles.get<int64_t>();
    return out;
  };
  for (const Json& row : page["kernels"][0]["rows"]) moved += cost(row["b"]) - cost(row["a"]);
  for (const Json& reason : page["total"]["issue"])
    difference += static_cast<int64_t>(reason["difference"].get<double>());
  CHECK(moved == difference);
  CHECK(moved > 0);
}

TEST_CASE("two runs give a page with both, compared by line of CUDA") {
  TempFolder folder;
  const std::string wide = WARPTIME_SOURCE_DIR "/docs/examples/twice-the-registers.yaml";
  Json page = page_of({"matmul:tiled", "--param", "n=32", "--machine", "geforce-8800-gtx", "--machine", wide},
                      folder.path("a.html"));
  const Json& comparison = page["comparison"];
  CHECK(comparison["a"]["machine"] == "geforce-8800-gtx");
  CHECK(comparison["b"]["machine"] == "twice-the-registers");
  CHECK(comparison["a"]["trace"]["cycles"] == comparison["a"]["statistics"]["launches"][0]["cycles"]);
  CHECK(page["trace"]["cycles"] == comparison["b"]["statistics"]["launches"][0]["cycles"]);
  CHECK(comparison["a"]["kernels"][0]["rows"].size() == page["kernels"][0]["rows"].size());
  CHECK(page["files"].size() == 1);  // that of both
  const Json& lines = comparison["kernels"][0]["lines"];
  REQUIRE(lines.size() > 5);
  for (const Json& line : lines) {
    CHECK(line["source_a"] == line["source_b"]);
    CHECK_FALSE(line["text"].get<std::string>().empty());
    uint64_t issued = 0;
    for (const Json& row : line["rows"])
      issued += comparison["kernels"][0]["rows"][row.get<size_t>()]["b"]["issued"].get<uint64_t>();
    CHECK(issued == line["b"]["issued"]);
  }

  page = page_of({"matmul:naive", "matmul:tiled", "--param", "n=32"}, folder.path("b.html"));
  CHECK(page["comparison"]["a"]["target"] == "matmul:naive");
  CHECK(page["statistics"]["target"] == "matmul:tiled");
  CHECK(page["comparison"]["a"]["trace"]["kernel"] == "naive");
  CHECK(page["trace"]["kernel"] == "tiled_16");
  size_t alone = 0;
  const Json& paired = page["comparison"]["kernels"][0]["lines"];
  for (const Json& line : paired) alone += line["source_a"].is_null() || line["source_b"].is_null() ? 1 : 0;
  CHECK(alone > 5);
  CHECK(alone < paired.size());  // `C[row * widthB + column] = sum;` is a line of both
}

TEST_CASE("two statistics files with the traces of their runs have the warps of both") {
  TempFolder folder;
  auto file = [&](const std::string& command, const std::string& name, const std::string& partitions) {
    std::vector<std::string> words{command, "matmul:tiled", "--param",
                                   "n=32",  "--set",        "memory.partitions=" + partitions};
    if (command == "run") words.insert(words.end(), {"--quiet", "--stats-per-instruction", "--stats"});
    else words.emplace_back("-o");
    words.push_back(folder.path(name));
    REQUIRE(::warptime::test::warptime(words).status == 0);
    return folder.path(name);
  };
  const std::string a = file("run", "a.json", "2"), b = file("run", "b.json", "4");
  const std::string of_a = file("trace", "ta.json", "2"), of_b = file("trace", "tb.json", "4");
  Json page = page_of({a, of_a, b, of_b}, folder.path("c.html"));
  CHECK(page["comparison"]["a"]["trace"]["cycles"] == page["comparison"]["a"]["statistics"]["launches"][0]["cycles"]);
  CHECK(page["trace"]["cycles"] == page["statistics"]["launches"][0]["cycles"]);
  CHECK(page["kernels"][0]["rows"][0]["source"] == "matmul.cu:54");
  Outcome wrong = ::warptime::test::warptime({"report", a, of_b, b, of_a, "-o", folder.path("d.html")});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("is a trace on another machine"));
}

TEST_CASE("what check found is in the page, with its places") {
  TempFolder folder;
  const std::string target = WARPTIME_SOURCE_DIR "/docs/examples/block_sum_no_barrier.yaml";
  const std::string found = folder.path("found.json"), html = folder.path("a.html");
  REQUIRE(::warptime::test::warptime({"check", target, "--json=" + found, "--quiet"}).status == 3);
  Json page = page_of({target, "--no-check", "--findings", found}, html);
  REQUIRE(page["faults"].size() == 1);
  const Json& fault = page["faults"][0];
  CHECK(fault["kind"] == "race_war_shared");
  CHECK(fault["kernel"] == "block_sum");
  CHECK(fault["line"] == 51);
  CHECK(fault["source"] == "block_sum_no_barrier.cu:5");
  CHECK(fault["count"] == 512);
  CHECK(fault["other"]["line"] == 56);
  CHECK(fault["other"]["source"] == "block_sum_no_barrier.cu:7");
  CHECK_THAT(fault["remedy"].get<std::string>(), Contains("__syncthreads()"));
  page = page_of({"vecadd", "--param", "n=64", "--findings", found}, html);
  CHECK_THAT(page["notes"].dump(), Contains("The findings of check are of"));
  CHECK(page_of({"vecadd", "--param", "n=64"}, html)["faults"].empty());

  folder.write("odd.json",
               R"({"findings": [1, {"line": -3, "other": 7, "kind": [], "source_line": 1e30, "count": 2}]})");
  page = page_of({"vecadd", "--param", "n=64", "--findings", folder.path("odd.json")}, html);
  REQUIRE(page["faults"].size() == 1);
  CHECK(page["faults"][0]["line"] == 0);
  CHECK(page["faults"][0]["count"] == 2);
  for (const char* text : {"", "{", "[]", "7", R"({"findings": 3})"}) {
    folder.write("bad.json", text);
    Outcome outcome = ::warptime::test::warptime(
        {"report", "vecadd", "--param", "n=64", "--findings", folder.path("bad.json"), "-o", folder.path("x.html")});
    CAPTURE(text);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains("has no findings"));
  }
  CHECK_FALSE(std::filesystem::exists(folder.path("x.html")));
}

TEST_CASE("a trace beside the statistics of its run gives the warps of the run's page") {
  TempFolder folder;
  const std::vector<std::string> target{"matmul:tiled", "--param", "n=32"};
  std::string stats = folder.path("s.json"), trace = folder.path("t.json");
  auto with = [&](std::vector<std::string> words, std::vector<std::string> more) {
    words.insert(words.end(), target.begin(), target.end());
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(::warptime::test::warptime(words).status == 0);
  };
  with({"run"}, {"--quiet", "--stats", stats, "--stats-per-instruction"});
  with({"trace"}, {"-o", trace});
  Json from_file = page_of({stats, trace}, folder.path("a.html"))["trace"];
  CHECK(page_of({trace, stats}, folder.path("b.html"))["trace"] == from_file);
  Json from_run = page_of(target, folder.path("c.html"))["trace"];
  REQUIRE(from_file["warps"].size() == from_run["warps"].size());
  for (size_t i = 0; i < from_run["warps"].size(); ++i)
    for (const char* key : {"slot", "block", "index", "first", "length", "state"})
      CHECK(from_file["warps"][i][key] == from_run["warps"][i][key]);

  std::string other = folder.path("o.json"), empty = folder.path("e.json"), cut = folder.path("cut.json");
  REQUIRE(::warptime::test::warptime({"trace", "vecadd", "--param", "n=64", "-o", other}).status == 0);
  Json document = Json::parse(read_text(trace));
  document["traceEvents"] = Json::array();
  folder.write("e.json", document.dump());
  folder.write("cut.json", read_text(trace).substr(0, 20'000));
  document["otherData"]["launch"] = 9;
  document["traceEvents"] = Json::parse(read_text(trace))["traceEvents"];
  folder.write("late.json", document.dump());
  folder.write("foreign.json", R"({"traceEvents": [{"ph": "X", "cat": "issue", "ts": 1, "dur": 2}]})");
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{stats, other}, "is a trace of kernel"},
      {{stats, empty}, "is an empty trace"},
      {{stats, cut}, "is not a whole trace"},
      {{stats, folder.path("late.json")}, "is a trace of launch 9"},
      {{stats, folder.path("foreign.json")}, "is not a trace of warptime"},
      {{trace, other}, "one of them must be a statistics file"},
      {{trace}, "is a trace, not a statistics file"},
      {{stats, "vecadd"}, "a target does not go with files"},
      {{stats, folder.path("none.json")}, "none.json"},
  };
  for (const auto& [given, message] : mistakes) {
    std::vector<std::string> words = given;
    words.insert(words.begin(), "report");
    words.insert(words.end(), {"-o", folder.path("x.html")});
    CAPTURE(words);
    Outcome outcome = ::warptime::test::warptime(words);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(message));
  }
  CHECK_FALSE(std::filesystem::exists(folder.path("x.html")));
}

TEST_CASE("a report of nothing is a sentence") {
  TempFolder folder;
  std::string html = folder.path("a.html");
  std::string empty = folder.path("empty.json"), other = folder.path("other.json"), trace = folder.path("trace.json");
  std::string gone = folder.path("gone.json");
  REQUIRE(::warptime::test::warptime({"run", "vecadd", "--param", "n=64", "--functional", "--quiet", "--stats", other})
              .status == 0);
  REQUIRE(::warptime::test::warptime({"trace", "vecadd", "--param", "n=64", "-o", trace}).status == 0);
  Json none = Json::parse(read_text(other));
  none["launches"] = Json::array();
  folder.write("empty.json", none.dump());
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{"vecadd"}, "where should the page go?"},
      {{"vecadd", "-o", "a.htm"}, "does not end in .html"},
      {{"vecadd", "-o", html, "--sm", "99"}, "--sm must be 0 to 15"},
      {{"vecadd", "--param", "n=64", "-o", html, "--launch", "5"}, "there is no launch 5"},
      {{"vecadd", "--param", "n=64", "-o", html, "--window", "900000:900001"}, "the launch is over"},
      {{"vecadd", "--param", "n=64", "-o", html, "--sm", "15"}, "the trace is empty: SM 15 has no warp"},
      {{"vecadd", "-o", html, "--machine", "generic"}, "has no timing"},
      {{empty, "-o", html}, "has no launches"},
      {{other, "-o", html}, "is of a functional run"},
      {{trace, "-o", html}, "is a trace, not a statistics file"},
      {{gone, "-o", html}, "gone.json"},
      {{"a", "b", "c", "-o", html}, "a page compares two targets, and 3 are given"},
      {{"vecadd", "--machine", "a", "--machine", "b", "--machine", "c", "-o", html}, "a page compares two machines"},
      {{"vecadd", "--machine", "geforce-8800-gtx", "--machine", "none", "-o", html}, "none"},
      {{"vecadd", "nosuch", "-o", html}, "nosuch"},
      {{other, "--machine", "a", "--machine", "b", "-o", html}, "--machine is given twice"},
      {{other, other, other, "-o", html}, "a page compares two statistics files"},
      {{other, other, trace, "-o", html}, "each statistics file goes with the trace of its run"},
      {{other, "-o", html, "--grid", "4"}, "--grid needs a TARGET; it has no effect on a statistics file"},
  };
  for (const auto& [given, message] : mistakes) {
    std::vector<std::string> words = given;
    CAPTURE(words);
    words.insert(words.begin(), "report");
    Outcome outcome = ::warptime::test::warptime(words);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(message));
    CHECK_FALSE(std::filesystem::exists(html));
  }
}
