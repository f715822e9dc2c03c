// What `warptime exec` has of a program's launches, however the program ends, and which of them are timed
// (tests/cuda/host_program.cc).
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cuda/launch_choice.h"
#include "tools/run_program.h"

using namespace warptime;
using namespace warptime::test;
using Catch::Contains;
using nlohmann::json;

namespace {

Outcome exec_program(std::vector<std::string> options, std::vector<std::string> words) {
  std::vector<std::string> all{WARPTIME_BINARY, "exec"};
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), {"--", WARPTIME_CUDA_PROGRAM});
  all.insert(all.end(), words.begin(), words.end());
  return run_program(all);
}

/// The statistics of such a run.
json statistics_of(std::vector<std::string> options, std::vector<std::string> words, Outcome* outcome = nullptr) {
  TempFolder folder;
  options.insert(options.end(), {"--stats", folder.path("s.json")});
  Outcome run = exec_program(std::move(options), std::move(words));
  INFO(run.err);
  REQUIRE(std::filesystem::exists(folder.path("s.json")));
  if (outcome != nullptr) *outcome = run;
  return json::parse(read_text(folder.path("s.json")));
}

std::string executable(const TempFolder& folder, const std::string& name, const std::string& text) {
  const std::string file = folder.write(name, "#!/bin/sh\n" + text);
  chmod(file.c_str(), 0755);
  return file;
}

size_t files_in_folder(const std::string& folder) {
  std::filesystem::directory_iterator all(folder);
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

TEST_CASE("exec: a program that is killed leaves the statistics of the launches that ended") {
  for (const auto& [how, status] : std::vector<std::pair<std::string, int>>{
           {"kill", 128 + 9}, {"term", 128 + 15}, {"abort", 128 + 6}, {"_exit", 5}}) {
    CAPTURE(how);
    Outcome outcome;
    const json statistics = statistics_of({}, {"end", how}, &outcome);
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.err, Contains("3 launches"));
    CHECK(statistics["launches"].size() == 3);
    CHECK(statistics["total"]["time_us"] > 0);
    CHECK_FALSE(statistics["timeline"].empty());
    CHECK(statistics["complete"] == false);
  }
  CHECK(statistics_of({}, {"compute"})["complete"] == true);
  CHECK(statistics_of({}, {"fault"})["complete"] == false);
}

TEST_CASE("exec: without room for the statistics the older file stays, and the program runs to its end") {
  TempFolder folder;
  for (const std::string option : {"--stats out.json", "--stats out.csv", "--json=out.json", "--timeline out.json",
                                   "--report out.html", "--interval 100=out.csv"}) {
    CAPTURE(option);
    TempFolder place;
    const std::string file = option.substr(option.find("out"));
    place.write(file, "older");
    const std::string command = "cd " + place.path("") + "; { ulimit -f 0; " + WARPTIME_BINARY + " exec " + option +
                                " -- " + WARPTIME_CUDA_PROGRAM + "; } 2>&1 | cat; exit ${PIPESTATUS[0]}";
    Outcome outcome = run_program({"/bin/bash", "-c", command});
    CAPTURE(outcome.out);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.out, Contains("File too large") && Contains("last: cudaSuccess"));
    CHECK(read_text(place.path(file)) == "older");
    CHECK(files_in_folder(place.path("")) == 1);
  }
}

TEST_CASE("launch lists: what they choose, and what is none") {
  cuda::LaunchChoice choice;
  REQUIRE(cuda::parse_launches("0:3,100,7:", choice));
  for (uint64_t launch : {0, 2, 7, 100, 1000000}) CHECK(choice.is_timed(launch));
  for (uint64_t launch : {3, 6}) CHECK_FALSE(choice.is_timed(launch));
  choice.functional_before = 8;
  CHECK_FALSE(choice.is_timed(7));
  CHECK(choice.is_timed(8));
  for (const char* wrong : {"", ",", "1,", "3:3", "3:2", "a", "1:b", "-1", "1 2", "1.5", "99999999999999999999"}) {
    CAPTURE(wrong);
    CHECK_FALSE(cuda::parse_launches(wrong, choice));
  }
}

TEST_CASE("exec: launches that are not chosen are computed only") {
  Outcome outcome, whole;
  statistics_of({}, {"many", "20"}, &whole);
  const json chosen = statistics_of({"--launches", "0:3,10"}, {"many", "20"}, &outcome);
  CHECK(outcome.out.substr(0, outcome.out.find(',')) == whole.out.substr(0, whole.out.find(',')));
  for (size_t i = 0; i < 20; ++i) CHECK(chosen["launches"][i]["cycles"].is_number() == (i < 3 || i == 10));
  CHECK(chosen["launches_by_time"]["timed"] == 4);
  CHECK(chosen["launches_by_time"]["not_timed"] == 16);
  CHECK_THAT(outcome.err, Contains("4 launches timed, 16 only computed"));
  const json later = statistics_of({"--functional-before", "18"}, {"many", "20"});
  for (size_t i = 0; i < 20; ++i) CHECK(later["launches"][i]["cycles"].is_number() == (i >= 18));
  // Only kernels that were timed are on the timeline.
  size_t kernels = 0;
  for (const json& event : later["timeline"]) kernels += event["kind"] == "kernel" ? 1 : 0;
  CHECK(kernels == 2);
}

TEST_CASE("exec: of launches that are alike the first are timed, and the others take their time") {
  Outcome whole, first;
  const json all = statistics_of({}, {"many", "20"}, &whole);
  const json some = statistics_of({"--first-per-kernel", "2"}, {"many", "20"}, &first);
  CHECK(first.out == whole.out);  // values, and what events measure
  for (size_t i = 0; i < 20; ++i) {
    CAPTURE(i);
    CHECK(some["launches"][i]["cycles"] == all["launches"][i]["cycles"]);
    CHECK(some["launches"][i]["warp_instructions"] == all["launches"][i]["warp_instructions"]);
    CHECK(some["launches"][i]["sampling"].is_null() == (i < 4));
  }
  CHECK(some["launches"][19]["sampling"]["samples"] == 2);
  CHECK(some["total"]["cycles"] == all["total"]["cycles"]);
  CHECK(some["launches_by_time"]["timed"] == 4);
  CHECK(some["launches_by_time"]["extrapolated"] == 16);
  CHECK(some["launches_by_time"]["extrapolated_share"] == Approx(0.8).epsilon(0.01));
  CHECK_FALSE(all.contains("launches_by_time"));
  CHECK_THAT(first.err, Contains("4 launches timed, 16 extrapolated from launches like them: 80.0 %"));
  const json both = statistics_of({"--first-per-kernel", "1", "--launches", "4:"}, {"many", "8"});
  CHECK(both["launches_by_time"]["timed"] == 2);
  CHECK(both["launches_by_time"]["extrapolated"] == 2);
  CHECK(both["launches_by_time"]["not_timed"] == 4);
}

TEST_CASE(
    "exec: options that contradict one another, and values that mean nothing, are refused before the program starts") {
  const auto why = [](std::vector<std::string> options) {
    const Outcome outcome = exec_program(std::move(options), {});
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK_THAT(why({"--launches", "3:1"}), Contains("\"3:1\" is not a list of launches") && Contains("0:3,100"));
  CHECK_THAT(why({"--launches", "1", "--functional"}), Contains("--functional has none"));
  CHECK_THAT(why({"--first-per-kernel", "1", "--machine", "generic"}), Contains("this machine has none"));
  CHECK_THAT(why({"--first-per-kernel", "0"}), Contains("--first-per-kernel"));
  CHECK_THAT(why({"--first-per-kernel", "1", "--sample"}), Contains("does not go with --sample"));
  CHECK_THAT(why({"--sample=timing"}), Contains("does not compute all values"));
  CHECK_THAT(why({"--report", "x.htm"}), Contains("does not end in .html"));
  CHECK_THAT(why({"--report", "x.html", "--functional"}), Contains("--report is about time"));
  CHECK_THAT(why({"--window", "1:2"}), Contains("--window goes with --report"));
  CHECK_THAT(why({"--timeline", "x.kanata"}), Contains("cannot tell the format"));
  CHECK_THAT(why({"--stats", "/no/such/place"}), Contains("cannot write"));
  const std::string folder = run_program({WARPTIME_BINARY, "exec", "--library-path"}).out;
  for (const auto& [name, value] : Environment{{"WARPTIME_LAUNCHES", "x"}, {"WARPTIME_FIRST_PER_KERNEL", "-1"}}) {
    const Outcome outcome =
        run_program({WARPTIME_CUDA_PROGRAM}, {{"LD_LIBRARY_PATH", folder.substr(0, folder.size() - 1)}, {name, value}});
    CHECK_THAT(outcome.err, Contains("error: " + name + " is \"" + value + "\", not a "));
  }
}

TEST_CASE("exec: a program that is started otherwise writes the same statistics at its end") {
  TempFolder folder;
  const std::string library = run_program({WARPTIME_BINARY, "exec", "--library-path"}).out;
  run_program({WARPTIME_CUDA_PROGRAM, "many", "4"}, {{"LD_LIBRARY_PATH", library.substr(0, library.size() - 1)},
                                                     {"WARPTIME_STATS", folder.path("s.json")},
                                                     {"WARPTIME_FIRST_PER_KERNEL", "1"}});
  json alone = json::parse(read_text(folder.path("s.json")));
  json under = statistics_of({"--first-per-kernel", "1"}, {"many", "4"});
  for (json* one : {&alone, &under})
    for (const char* name : {"host", "target"}) one->erase(name);
  CHECK(alone == under);
}

TEST_CASE(
    "exec: several processes are counted together, one time after the other, and a forked child changes nothing") {
  TempFolder folder;
  const std::string script = executable(
      folder, "two", std::string(WARPTIME_CUDA_PROGRAM) + " many 2 && exec " + WARPTIME_CUDA_PROGRAM + " many 3\n");
  const std::string file = folder.path("s.json");
  CHECK(run_program({WARPTIME_BINARY, "exec", "--stats", file, "--", script}).status == 0);
  const json both = json::parse(read_text(file));
  CHECK(both["launches"].size() == 5);
  CHECK(both["complete"] == true);
  double before = 0;
  for (const json& event : both["timeline"]) {
    CHECK(event["end_us"] > before);
    before = event["end_us"];
  }
  Outcome forked;
  const json parent = statistics_of({}, {"fork"}, &forked);
  CHECK(forked.out ==
        "child: cudaErrorInitializationError\nreset: cudaErrorInitializationError\nparent: cudaSuccess\n");
  CHECK(forked.status == 0);
  CHECK(parent["launches"].size() == 1);
  CHECK(parent["complete"] == true);
}

TEST_CASE("exec: copies and kernels of different streams overlap on the timeline where the machine can") {
  for (const std::string machine : {"geforce-8800-gtx", "geforce-gtx-480"}) {
    CAPTURE(machine);
    TempFolder folder;
    Outcome outcome;
    const json statistics =
        statistics_of({"--machine", machine, "--timeline", folder.path("t.json")}, {"streams"}, &outcome);
    CHECK(outcome.out == "host function: one\nlast: cudaSuccess\n");
    bool kernels_overlap = false, copy_overlaps = false;
    for (const json& a : statistics["timeline"])
      for (const json& b : statistics["timeline"]) {
        const bool apart = a["end_us"] <= b["start_us"] || b["end_us"] <= a["start_us"];
        if (apart || a.value("stream", 0) >= b.value("stream", 0)) continue;
        (a["kind"] == "kernel" && b["kind"] == "kernel" ? kernels_overlap : copy_overlaps) = true;
      }
    CHECK(kernels_overlap == (machine == "geforce-gtx-480"));
    CHECK(copy_overlaps == (machine == "geforce-gtx-480"));
    CHECK((outcome.err.find("overlap: one after the other") != std::string::npos) == (machine == "geforce-gtx-480"));
    // The trace has them on a track for each stream.
    const std::string trace = read_text(folder.path("t.json"));
    CHECK_THAT(trace, Contains("\"launches, stream 1\"") && Contains("\"copies to the device, stream 2\""));
    CHECK(json::parse(trace)["traceEvents"].size() > statistics["timeline"].size());
  }
}

TEST_CASE("exec: the page has all launches, and the warps of one") {
  TempFolder folder;
  const std::string page = folder.path("a.html");
  CHECK(exec_program({"--report", page}, {"many", "3"}).status == 0);
  const size_t with_warps = read_text(page).size();
  CHECK(exec_program({"--report", page, "--launch", "9"}, {"many", "3"}).status == 0);
  CHECK(read_text(page).size() + 500 < with_warps);
  CHECK(exec_program({"--report", page, "--launch", "2", "--launches", "2:"}, {"many", "4"}).status == 0);
  const Outcome none = exec_program({"--report", page, "--launches", "100"}, {"many", "4"});
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Contains("no launch was timed, so there is nothing to report"));
}

TEST_CASE("exec: a table of intervals, rows for instructions, and CSV") {
  TempFolder folder;
  const std::string table = folder.path("i.csv"), csv = folder.path("s.csv");
  CHECK(exec_program({"--interval", "100=" + table, "--stats", csv, "--stats-per-instruction"}, {"many", "3"}).status ==
        0);
  CHECK_THAT(read_text(table), Contains("launch,kernel,cycle") && Contains("\n0,add,100,100") && Contains("\n2,add,"));
  CHECK_THAT(read_text(csv), Contains("add"));
  CHECK_THAT(read_text(folder.path("s.instructions.csv")), Contains("fma.rn.f32"));
}

TEST_CASE("exec: a program that takes too long is ended, and what it had done is there") {
  TempFolder folder;
  const std::string script =
      executable(folder, "slow", std::string(WARPTIME_CUDA_PROGRAM) + " many 2; sleep 100; echo never\n");
  const std::string file = folder.path("s.json");
  const Outcome outcome = run_program({WARPTIME_BINARY, "exec", "--timeout", "1", "--stats", file, "--", script});
  CHECK(outcome.status == 124);
  CHECK_THAT(outcome.err, Contains("was ended after 1 second (--timeout)"));
  CHECK(outcome.out.find("never") == std::string::npos);
  const json statistics = json::parse(read_text(file));
  CHECK(statistics["launches"].size() == 2);
  CHECK(statistics["complete"] == false);
}

TEST_CASE("run PROG.cu: the compiler that is there makes the program, and exec runs it") {
  TempFolder folder;
  executable(folder, "nvcc",
             "[ \"$1\" = --list-gpu-arch ] && printf 'compute_75\\ncompute_80\\n' && exit 0\n"
             "for word in \"$@\"; do last=$word; done\n"
             "grep -q wrong \"$5\" && echo 'x.cu(1): error' >&2 && exit 1\n"
             "cp " WARPTIME_CUDA_PROGRAM " \"$last\"\n");
  const std::string source = folder.write("many.cu", "int main() {}\n"), wrong = folder.write("x.cu", "wrong\n");
  const auto run = [&](std::vector<std::string> words, const std::string& path) {
    words.insert(words.begin(), WARPTIME_BINARY);
    return run_program(words, {{"PATH", path}});
  };
  const std::string path = folder.path("") + ":/usr/bin:/bin";
  const Outcome done = run({"run", source, "--", "many", "2"}, path);
  CHECK(done.status == 0);
  CHECK_THAT(done.out, Contains("y 4 2"));
  CHECK_THAT(done.err, Contains("$ nvcc -cudart shared -lineinfo -arch=compute_75 " + source + " -o ") &&
                           Contains("many.cu on geforce-8800-gtx: 2 launches"));
  CHECK(run({"exec", "--quiet", "--", source, "7"}, path).status == 7);
  const Outcome refused = run({"run", wrong}, path);
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("x.cu(1): error") && Contains("nvcc has not compiled"));
  const Outcome nothing = run({"run", source}, folder.path("empty"));
  CHECK(nothing.status == 2);
  CHECK_THAT(nothing.err, Contains("there is neither nvcc nor clang++"));
  CHECK_THAT(run({"run", source, "--param", "n=1"}, path).err, Contains("--param does not go with a CUDA program"));
  CHECK_THAT(run({"run", "vecadd", "matmul"}, path).err, Contains("takes one TARGET"));
}
