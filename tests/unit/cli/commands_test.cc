// The program as scripts and people see it: commands, exit statuses, where output goes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli.h"
#include "cli/help_text.h"
#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

// A quick target: a few blocks, on the whole path from PTX to report.
const std::vector<std::string> kSmall{"run", "vecadd", "--param", "n=4096"};

Outcome small(std::vector<std::string> more, const Environment& environment = {}, const std::string& out_file = {}) {
  more.insert(more.begin(), kSmall.begin(), kSmall.end());
  return warptime::test::warptime(more, environment, out_file);
}

Outcome call(std::vector<std::string> words) { return warptime::test::warptime(std::move(words)); }

}  // namespace

TEST_CASE("help is there for everything, with examples, on standard output") {
  Outcome general = call({"--help"});
  CHECK(general.status == 0);
  auto fits = [](const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= warptime::cli::kHelpColumns);
  };
  fits(general.out);
  for (const warptime::cli::Entry& entry : warptime::cli::commands()) {
    const std::string command = entry.describe().name;
    CHECK_THAT(general.out, Contains(command));
    Outcome help = call({command, "--help"});
    fits(help.out);
    CAPTURE(command);
    CHECK(help.status == 0);
    CHECK_THAT(help.out, Contains("usage: warptime " + command));
    CHECK_THAT(help.out, Contains("examples:\n  warptime "));
    CHECK(help.err.empty());
  }
}

TEST_CASE("no command at all is bad input, with the help on standard error") {
  Outcome nothing = call({});
  CHECK(nothing.status == 2);
  CHECK(nothing.out.empty());
  CHECK_THAT(nothing.err, Contains("usage: warptime COMMAND"));
}

TEST_CASE("Option --version names the version, and in a clone the commit") {
  Outcome version = call({"--version"});
  CHECK(version.status == 0);
  CHECK_THAT(version.out, Catch::Matches("warptime [0-9]+\\.[0-9]+\\.[0-9]+ "
                                         "\\(([0-9a-f]{12}(, with changes [0-9a-f]{12})?|sources [0-9a-f]{12})\\)\n"));
}

TEST_CASE("run --cpu times the CPU reference, too") {
  Outcome words = call({"run", "saxpy", "--param", "n=20000", "--cpu"});
  CHECK(words.status == 0);
  CHECK_THAT(words.out, Contains("CPU baseline ") && Contains("s scalar, ") && Contains("(cpu-opteron-248)") &&
                            Contains("the kernels are "));
  Outcome part = call({"run", "matmul:naive", "--param", "n=128", "--functional", "--cpu"});
  CHECK_THAT(part.out, Contains("counted: 64 of 128 rows of A") && !Contains("the kernels are"));
  auto cpu = [](const std::string& threads) {
    return Json::parse(
        call({"run", "saxpy", "--param", "n=20000", "--threads", threads, "--json", "--cpu"}).out)["cpu"];
  };
  CHECK(cpu("1")["machine"] == "cpu-opteron-248");
  CHECK(cpu("1")["operations"]["mul"] == 20000);
  CHECK(cpu("1")["scalar_seconds"].get<double>() > 0);
  CHECK(cpu("1").dump() == cpu("2").dump());
  CHECK_FALSE(Json::parse(call({"run", "saxpy", "--param", "n=64", "--json"}).out).contains("cpu"));
}

TEST_CASE("words that fit nothing are bad input, and the nearest legal one is named") {
  auto [words, message] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"rnu", "matmul"}, "did you mean \"run\"?"},
      {{"--frobnicate"}, "no option \"--frobnicate\""},
      {{"run"}, "needs a TARGET"},
      {{"run", "vecad"}, "did you mean \"vecadd\"?"},
      {{"run", "matmul:tilde"}, "did you mean \"tiled\"?"},
      {{"run", "matmul:"}, "which variant of matmul?"},
      {{"run", "saxpy", "--cpu=opteron"}, "no processor \"opteron\""},
      {{"run", "saxpy", "--cpu=geforce-8800-gtx"}, "no processor \"geforce-8800-gtx\""},
      {{"run", "saxpy", "--machine", "cpu-opteron-248"}, "no machine \"cpu-opteron-248\""},
      {{"run", "vecadd", "--cpu"}, "workload \"vecadd\" has no CPU baseline"},
      {{"run", WARPTIME_SOURCE_DIR "/docs/examples/scale.yaml", "--cpu"}, "only a workload has a CPU baseline"},
      {{"run", "vecadd", "--treads", "2"}, "did you mean --threads?"},
      {{"run", "vecadd", "--sample=foo"}, "--sample is given alone or as --sample=timing, not \"foo\""},
      {{"run", "vecadd", "--sample=timign"}, "did you mean \"timing\"?"},
      {{"run", "vecadd", "--sample", "--functional"}, "--sample is about time, and --functional has none"},
      {{"run", "vecadd", "--sample", "--machine", "generic"}, "--sample is about time, and this machine has none"},
      {{"run", "vecadd", "--sample", "--sample-seed", "one"}, "--sample-seed requires a whole number, not \"one\""},
      {{"run", "vecadd", "--sample-seed", "2"}, "--sample-seed goes with --sample only"},
      {{"run", "vecadd", "--threads", "0"}, "--threads must be 1 to"},
      {{"run", "vecadd", "--threads", "two"}, "--threads requires a whole number, not \"two\""},
      {{"run", "vecadd", "--step", "third"}, "half or quarter, not \"third\""},
      {{"run", "vecadd", "--max-cycles", "0"}, "--max-cycles must be 1 to"},
      {{"run", "vecadd", "--grid", "4"}, "--grid goes with a PTX file only"},
      {{"run", "vecadd", "--param", "m=4"}, "has no parameter \"m\""},
      {{"run", "vecadd", "--param", "n=many"}, "not a whole number"},
      {{"run", "vecadd", "--param", "n=0"}, "out of range"},
      {{"run", "matmul:tiled", "--param", "tile=5"}, "4, 8, 12, 16"},
      {{"run", "vecadd", "--machine", "geforce-8800-gtz"}, "geforce-8800-gtx"},
      {{"run", "vecadd", "--set", "chip.tpsc=4"}, "chip.tpcs"},
      {{"run", "vecadd", "--set", "chip.tpcs=0"}, "1 to 256"},
      {{"run", "vecadd", "--set", "chip.tpcs=4x"}, "4x"},
      {{"run", "vecadd", "--set", "chip.tpcs"}, "chip.tpcs"},
      {{"run", "nowhere.ptx", "--grid", "1", "--block", "32"}, "cannot read \"nowhere.ptx\""},
      {{"run", "nowhere.yaml"}, "nowhere.yaml"},
      {{"run", "some/thing.txt"}, "\"some/thing.txt\" is not a known kind of target"},
      {{"ptx", "nowhere.ptx"}, "cannot read \"nowhere.ptx\""},
      {{"ptx", "/tmp"}, "is a directory"},
      {{"list", "workload"}, "did you mean \"workloads\"?"},
      {{"list"}, "needs a kind of thing"},
      {{"machine", "snow", "geforce-8800-gtx"}, "has no \"snow\""},
      {{"machine", "show", "geforce-8800-gt"}, "geforce-8800-gtx"},
      {{"occupancy", "--shared", "0", "--block", "32"}, "--registers R"},
      {{"occupancy", "--registers", "10", "--shared", "0", "--block", "4,0"}, "--block takes one to three"},
      {{"occupancy", "--registers", "100", "--shared", "0", "--block", "512"},
       "does not fit on geforce-8800-gtx: too many registers"},
      {{"occupancy", "--registers", "33", "--shared", "0", "--block", "1024", "--machine", "jetson-tk1"},
       "hint: 1024 threads with 33 registers each need 40960 registers; a block has at most 32768"},
  }));
  Outcome outcome = call(words);
  CAPTURE(words, outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains("error: "));
  CHECK_THAT(outcome.err, Contains(message));
}

TEST_CASE("sampled runs say so: in the summary, the statistics and their CSV, with an interval") {
  std::vector<std::string> words{"run",     "saxpy",
                                 "--param", "n=600000",
                                 "--set",   "chip.tpcs=1",
                                 "--set",   "chip.sms_per_tpc=1",
                                 "--set",   "memory.partitions=1"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return call(more);
  };
  Outcome summary = with({"--sample"});
  CAPTURE(summary.err);
  CHECK(summary.status == 0);
  CHECK_THAT(summary.out, Contains("estimated from 11 samples (") && Contains(" blocks); 95 %: "));
  CHECK_THAT(summary.out, Contains("1 passed"));

  Json json = Json::parse(with({"--sample", "--sample-seed", "7", "--json", "--quiet"}).out);
  const Json& launch = json.at("launches").at(0);
  const Json& sampling = launch.at("sampling");
  CHECK(sampling.at("mode") == "full_values");
  CHECK(sampling.at("seed") == 7);
  CHECK(sampling.at("samples") >= 10);
  CHECK(sampling.at("blocks_timed") > 100);
  CHECK(sampling.at("cycles_low") <= launch.at("cycles"));
  CHECK(sampling.at("cycles_high") >= launch.at("cycles"));
  CHECK(json.at("checks").size() == 1);

  Json timing = Json::parse(with({"--sample=timing", "--json", "--quiet"}).out);
  CHECK(timing.at("launches").at(0).at("sampling").at("mode") == "timing");
  CHECK(timing.at("checks").empty());

  CHECK(Json::parse(with({"--json", "--quiet"}).out).at("launches").at(0).at("sampling").is_null());
  TempFolder folder;
  with({"--sample", "--stats", folder.path("s.csv"), "--quiet"});
  CHECK_THAT(read_text(folder.path("s.csv")), Contains("sampling.cycles_low") && Contains("full_values"));
}

TEST_CASE("a launch that is too small to sample is told once, and timing alone refuses unequal blocks") {
  Outcome small_launch = small({"--sample", "--quiet"});
  CHECK(small_launch.status == 0);
  CHECK_THAT(small_launch.err, Contains("note: kernel vecadd: 16 blocks are 0.3 waves of 48, too few to sample"));
  Outcome unequal =
      call({"run", "mandelbrot:f32", "--param", "size=512", "--param", "blocks=1024", "--param", "depth=40", "--set",
            "chip.tpcs=1", "--set", "chip.sms_per_tpc=1", "--sample=timing", "--quiet"});
  CHECK(unequal.status == 2);
  CHECK_THAT(unequal.err, Contains("differ by") && Contains("use --sample"));
}

TEST_CASE("every list shows its table, as text and as JSON") {
  auto [kind, row] = GENERATE(table<std::string, std::string>({{"workloads", "matmul:tiled"},
                                                               {"machines", "geforce-8800-gtx"},
                                                               {"instructions", "fma"},
                                                               {"statistics", "issue.stalls.barrier"},
                                                               {"parameters", "sm.shared.bytes"}}));
  Outcome text = call({"list", kind});
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Contains(row));
  Outcome json = call({"list", kind, "--json"});
  CHECK(json.status == 0);
  CHECK(Json::parse(json.out).at(kind).size() > 0);
}

TEST_CASE("a machine that was shown can be used as a file, and is the same machine") {
  TempFolder folder;
  Outcome shown = call({"machine", "show", "geforce-8800-gtx", "--set", "chip.tpcs=4"});
  REQUIRE(shown.status == 0);
  std::string file = folder.write("mine.yaml", shown.out);
  Json original = Json::parse(call({"machine", "show", "geforce-8800-gtx", "--set", "chip.tpcs=4", "--json"}).out);
  Json again = Json::parse(call({"machine", "show", file, "--json"}).out);
  CHECK(original.at("hash") == again.at("hash"));
  CHECK(original.at("parameters").at("chip.tpcs").at("value") == 4);
  CHECK(original.at("parameters").at("chip.tpcs").at("origin") == "--set");
}

TEST_CASE("machine show --inherited has what the machine's own file does not state") {
  TempFolder folder;
  const std::string file = folder.write("mine.yaml", "extends: geforce-8800-gtx\nclocks: {shader_mhz: 1500}\n");
  Outcome shown = call({"machine", "show", file, "--inherited", "--set", "chip.tpcs=4"});
  REQUIRE(shown.status == 0);
  CHECK_THAT(shown.out, Contains("values of the machine mine are not in its own file"));
  CHECK_THAT(shown.out, Contains("geforce-8800-gtx.yaml:"));
  CHECK_THAT(shown.out, !Contains("shader_mhz:"));
  CHECK_THAT(shown.out, !Contains("  tpcs:"));
  CHECK_THAT(shown.out, Contains("memory_mhz:"));
  const Json values = Json::parse(call({"machine", "show", file, "--inherited", "--json"}).out).at("parameters");
  CHECK(!values.contains("clocks.shader_mhz"));
  CHECK(values.contains("clocks.memory_mhz"));
  CHECK(values.contains("chip.tpcs"));
}

TEST_CASE("occupancy from figures names the limiter") {
  // Ryoo 2008, 4.2: 10 registers let three blocks of 256 threads run (7680 of 8192 registers), 11 only two.
  Json ten = Json::parse(call({"occupancy", "--registers", "10", "--shared", "2084", "--block", "256", "--json"}).out);
  CHECK(ten.at("blocks_per_sm") == 3);
  CHECK(ten.at("limiter") == "threads");
  Json eleven =
      Json::parse(call({"occupancy", "--registers", "11", "--shared", "2084", "--block", "16,16", "--json"}).out);
  CHECK(eleven.at("blocks_per_sm") == 2);
  CHECK(eleven.at("warps_per_sm") == 16);
  CHECK(eleven.at("limiter") == "registers");
  Outcome text = call({"occupancy", "--registers", "11", "--shared", "2084", "--block", "256"});
  CHECK_THAT(text.out, Contains("registers"));
  CHECK_THAT(text.out, !Contains("GPC"));
  Outcome grouped = call({"occupancy", "--registers", "11", "--block", "256", "--set", "chip.tpcs_per_gpc=3"});
  CHECK_THAT(grouped.out, Contains("16 in 3 GPCs"));
}

TEST_CASE("occupancy and ptx of a file know its kernels") {
  std::string file = std::string(WARPTIME_SOURCE_DIR) + "/workloads/vecadd/vecadd.ptx";
  Json found = Json::parse(call({"occupancy", file, "--block", "256", "--json"}).out);
  CHECK(found.at("registers_per_thread") == found.at("registers_estimated"));
  CHECK(found.at("registers_per_thread") > 0);
  // Three addresses and a count at least, after the header of 16 bytes (4 bytes each on a G80).
  CHECK(found.at("shared_bytes_per_block") >= 16 + 3 * 4);
  Outcome ptx = call({"ptx", file});
  CHECK(ptx.status == 0);
  CHECK_THAT(ptx.out, Contains("registers"));
  Outcome unknown = call({"occupancy", file, "--block", "256", "--kernel", "vecsub"});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Contains("has no kernel \"vecsub\""));
}

TEST_CASE("a run ends with 0, its summary on standard output and nothing else") {
  Outcome run = small({});
  CAPTURE(run.out, run.err);
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("vecadd"));
  CHECK(run.err.empty());
  CHECK(small({"--quiet"}).out.empty());
}

TEST_CASE("statistics go where they are asked to") {
  TempFolder folder;
  std::string file = folder.path("stats.json"), csv = folder.path("stats.csv"), json = folder.path("more.json");
  CHECK(small({"--stats", file, "--json=" + json, "--quiet"}).status == 0);
  Json stats = Json::parse(read_text(file));
  CHECK(stats.at("schema") == 1);
  CHECK(stats.at("target") == "vecadd");
  CHECK(stats.at("launches").at(0).at("thread_instructions") > 4096);
  CHECK(stats.at("checks").at(0).at("ok") == true);
  CHECK(Json::parse(read_text(json)).at("total") == stats.at("total"));

  CHECK(small({"--stats", csv, "--quiet"}).status == 0);
  std::string rows = read_text(csv);
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 2);

  // With the statistics on standard output there is nothing else on it.
  CHECK(Json::parse(small({"--stats", "-"}).out).at("total") == stats.at("total"));
  CHECK(Json::parse(small({"--json"}).out).at("total") == stats.at("total"));
}

TEST_CASE("options of a run reach the simulation") {
  auto stats = [](std::vector<std::string> more) {
    more.push_back("--json");
    return Json::parse(small(std::move(more)).out);
  };
  Json plain = stats({});
  Json launch = plain.at("launches").at(0);
  CHECK(launch.at("instructions").empty());
  CHECK(stats({"--stats-per-instruction"}).at("launches").at(0).at("instructions").size() > 5);
  CHECK(stats({"--attribution", "off"}).at("launches").at(0).at("issue").at("stalls").is_null());
  CHECK(stats({"--functional"}).at("launches").at(0).at("cycles").is_null());
  CHECK(stats({"--no-check"}).at("checks").empty());
  CHECK(stats({"--threads", "2"}).at("host").at("threads") == 2);
  CHECK(stats({"--threads", "100"}).at("host").at("threads") == 8);
  CHECK(stats({"--step", "quarter"}).at("total") == plain.at("total"));
  CHECK(stats({"--set", "chip.tpcs=1"}).at("machine").at("hash") != plain.at("machine").at("hash"));
}

TEST_CASE("what cannot be written is bad input, told before the run where it can be") {
  Outcome missing = small({"--stats", "/nonexistent/stats.json"});
  CHECK(missing.status == 2);
  CHECK_THAT(missing.err, Contains("cannot write /nonexistent/stats.json: No such file or directory"));
  Outcome folder = small({"--stats", "/tmp"});
  CHECK(folder.status == 2);
  CHECK_THAT(folder.err, Contains("Is a directory"));
  for (std::vector<std::string> more : {std::vector<std::string>{}, {"--stats", "-"}}) {
    Outcome full = small(more, {}, "/dev/full");
    CHECK(full.status == 2);
    CHECK_THAT(full.err, Contains("cannot write to standard output: No space left on device"));
  }
}

TEST_CASE("a reader that has seen enough is nobody's mistake") {
  // `true` is gone by the time of the first write.
  Outcome outcome = run_program(
      {"/bin/bash", "-c", "{ sleep 0.1; " WARPTIME_BINARY " list instructions; } | true; exit ${PIPESTATUS[0]}"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
}

TEST_CASE("a program that is moved with its files finds these: beside it, one and two folders above") {
  namespace fs = std::filesystem;
  for (const char* place : {"warptime", "bin/warptime", "out/bin/warptime"}) {
    INFO(place);
    TempFolder folder;
    fs::create_directories(fs::path(folder.path(place)).parent_path());
    fs::copy_file(WARPTIME_BINARY, folder.path(place));
    fs::copy(WARPTIME_SOURCE_DIR "/configs", folder.path("configs"));
    fs::create_directories(folder.path("workloads/vecadd"));
    fs::copy(WARPTIME_SOURCE_DIR "/workloads/vecadd/vecadd.ptx", folder.path("workloads/vecadd"));
    folder.write("configs/only-here.yaml", "extends: geforce-8800-gtx\n");
    CHECK_THAT(run_program({folder.path(place), "list", "machines"}).out, Contains("only-here"));
    Outcome outcome =
        run_program({folder.path(place), "run", "vecadd", "--param", "n=64", "--machine", "only-here", "--json"});
    CHECK(outcome.err == "");
    CHECK(outcome.status == 0);
    // A folder of the name that is another program's does not count.
    fs::remove_all(folder.path("configs"));
    folder.write("x", "");
    fs::create_directories(folder.path("configs"));
    outcome = run_program({folder.path(place), "list", "machines"});
    CHECK_THAT(outcome.out, !Contains("only-here") && Contains("geforce-8800-gtx"));
  }
}

TEST_CASE("CSV has the instructions in a table of their own") {
  TempFolder folder;
  Outcome outcome = small({"--stats", folder.path("v.csv"), "--stats-per-instruction", "--json"});
  REQUIRE(outcome.status == 0);
  Json launch = Json::parse(outcome.out)["launches"][0];
  std::istringstream csv(read_text(folder.path("v.instructions.csv")));
  std::string header;
  std::getline(csv, header);
  CHECK_THAT(header, Catch::Matchers::StartsWith(
                         "launch,kernel,function,line,text,warp_instructions,thread_instructions,issued,stalls."));
  size_t rows = 0;
  for (std::string line; std::getline(csv, line); ++rows) {
    INFO(line);
    const Json& row = launch["instructions"].at(rows);
    std::string text = row["text"].get<std::string>();
    if (text.find(',') != std::string::npos) text = "\"" + text + "\"";
    std::string begin = "0," + launch["kernel"].get<std::string>() + ",," + row["line"].dump() + "," + text + "," +
                        row["warp_instructions"].dump() + "," + row["thread_instructions"].dump() + "," +
                        row["issued"].dump() + ",";
    CHECK_THAT(line, Catch::Matchers::StartsWith(begin));
    CHECK_THAT(line,
               Catch::Matchers::EndsWith("," + (row["latency"]["max"].is_null() ? "" : row["latency"]["max"].dump())));
  }
  CHECK(rows == launch["instructions"].size());
  CHECK(rows > 5);
  CHECK(std::count(header.begin(), header.end(), ',') == 8 + 19 + 17);  // stalls; memory, branches, caches, latency
  // Without the option there is no such file.
  CHECK(small({"--stats", folder.path("w.csv")}).status == 0);
  CHECK_FALSE(std::filesystem::exists(folder.path("w.instructions.csv")));
}

TEST_CASE("WARPTIME_HOME says where machines and workloads are") {
  Outcome wrong = small({}, {{"WARPTIME_HOME", "/nonexistent"}});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("WARPTIME_HOME is /nonexistent"));
  CHECK(small({}, {{"WARPTIME_HOME", WARPTIME_SOURCE_DIR}}).status == 0);
}
