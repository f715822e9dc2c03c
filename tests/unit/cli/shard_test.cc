// Shards of a sweep: the same bytes as one run, and what is refused.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "cli/commit.h"
#include "cli/plan/shard_file.h"
#include "cli/plan/slurm_client.h"
#include "cli/plan/tasks.h"
#include "host/report/report.h"
#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using ShardWords = std::vector<std::string>;

namespace warptime::cli {

TEST_CASE("parts have every task once, are nearly equal, and spread neighbours") {
  std::vector<size_t> all(100);
  std::iota(all.begin(), all.end(), 0);
  for (size_t parts : {1, 3, 7, 100, 120}) {
    std::set<size_t> seen;
    size_t least = 100, most = 0;
    for (size_t part = 1; part <= parts; ++part) {
      std::vector<size_t> tasks = tasks_of_part(all, part, parts);
      CHECK(std::is_sorted(tasks.begin(), tasks.end()));
      for (size_t task : tasks) CHECK(seen.insert(task).second);
      least = std::min(least, tasks.size()), most = std::max(most, tasks.size());
    }
    CHECK(seen.size() == 100);
    CHECK(most - least <= 1);
  }
  // Not every fourth one: that would be one value of an inner axis.
  std::set<size_t> residues;
  for (size_t task : tasks_of_part(all, 1, 4)) residues.insert(task % 4);
  CHECK(residues.size() == 4);
}

TEST_CASE("a shard's text says what is wrong with it") {
  ShardHeader header{program_build(), "plan", "sweep", 3, {"sweep", "x y", "ä", "\xff\n", ""}};
  TempFolder folder;
  std::string file = folder.path("s");
  ShardWriter writer;
  CHECK(writer.open({file, {}}, header, false).empty());
  writer.append(2, "{\"status\":0}");
  writer.append(0, "{\"status\":3,\"a\":1}");
  writer.close();
  std::string text = read_text(file);
  ShardContents shard = parse_shard(text, "s");
  CHECK(shard.damage.empty());
  CHECK(shard.header.words == header.words);
  CHECK(shard.header.tasks == 3);
  CHECK(shard.done.results == TaskResults{{0, "{\"status\":3,\"a\":1}"}, {2, "{\"status\":0}"}});

  CHECK(parse_shard(text.substr(0, text.size() - 1), "s").damage == "s ends within a line");
  CHECK(parse_shard(text.substr(0, text.size() - 1), "s").done.results.size() == 1);
  CHECK(parse_shard("n,status\n1,0\n", "s").damage == "s is not a shard of warptime");
  CHECK(parse_shard("", "s").damage == "s is not a shard of warptime");
  // Any one byte, but for those of its last line's end.
  size_t header_end = text.find('\n');
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == '7' ? '8' : '7';
    ShardContents bad = parse_shard(changed, "s");
    CAPTURE(i, changed);
    CHECK_FALSE(bad.damage.empty());
    CHECK(bad.readable == (i > header_end));
  }
}

TEST_CASE("a result has a status, and a crash of warptime is none") {
  CHECK(status_of_result("{\"status\":3,\"message\":\"\"}") == 3);
  CHECK(status_of_result("{\"status\":0}") == 0);
  for (const char* text : {"", "{}", "7", "{\"status\":}", "{\"status\":1.5}", "{\"status\":99999999999}",
                           "{\"status\":0", "{\"status\":0,}", "{\"a\":1,\"status\":0}"})
    CHECK(status_of_result(text) == std::nullopt);
  CHECK(status_of_result("{\"status\":0,\"a\":" + std::string(1000, '[') + std::string(1000, ']') + "}") ==
        std::nullopt);
  TasksDone one, two;
  one.add(1, "crash", 4);
  one.add(2, "crash", 4);
  two.add(1, "well", 0);
  one.add(two);
  CHECK(*one.find(1) == "well");
  CHECK(*one.find(2) == "crash");
  CHECK(one.find(3) == nullptr);
  CHECK(one.results == TaskResults{{1, "well"}});
}

TEST_CASE("the job's number among what sbatch prints") {
  for (const char* answer : {"12", "12;cluster", "Welcome\n12", "12\n", "Node 7 is down\n12;c\nbye"})
    CHECK(job_number(answer) == "12");
  for (const char* answer : {"", "Submitted batch job 12", "x12", "-1", "12x"}) CHECK(job_number(answer).empty());
}

TEST_CASE("sbatch's limits of time") {
  CHECK(slurm_seconds("90") == 5400);
  CHECK(slurm_seconds("1:30") == 90);
  CHECK(slurm_seconds("2:00:05") == 7205);
  CHECK(slurm_seconds("1-2") == 93600);
  CHECK(slurm_seconds("1-2:03:04") == 93784);
  for (const char* text : {"", "x", "1:2:3:4", "1-", "infinite"}) CHECK(slurm_seconds(text) == 0);
}

}  // namespace warptime::cli

namespace {

// 12 points, of which 4 fail.
const ShardWords kPlan{"vecadd", "--param", "n=64:256:+64", "--set", "chip.window_cycles=32,64,128"};

Outcome call_sweep(ShardWords words, const ShardWords& more) {
  words.insert(words.begin(), "sweep");
  words.insert(words.end(), more.begin(), more.end());
  return warptime::test::warptime(words);
}

}  // namespace

TEST_CASE("shards merged are the bytes of one run, messages too") {
  TempFolder folder;
  Outcome whole = call_sweep(kPlan, {"--csv", folder.path("whole.csv"), "--json=" + folder.path("whole.json")});
  REQUIRE(whole.status == 0);
  for (size_t parts : {1, 5, 13}) {
    ShardWords merge{"--merge"};
    std::string name = folder.path("p" + std::to_string(parts));
    for (size_t part = parts; part >= 1; --part) {
      std::string number = std::to_string(part);
      Outcome outcome =
          call_sweep(kPlan, {"--csv", name + "-" + number, "--shard", number + "/" + std::to_string(parts)});
      CAPTURE(outcome.err);
      CHECK(outcome.status == 0);
      CHECK(outcome.out.empty());
      merge.push_back(name + "-" + number);
    }
    Outcome outcome = call_sweep(merge, {"--csv", name + ".csv", "--json=" + name + ".json"});
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.err == whole.err);
    CHECK(read_text(name + ".csv") == read_text(folder.path("whole.csv")));
    CHECK(read_text(name + ".json") == read_text(folder.path("whole.json")));
    CHECK(call_sweep(merge, {"--quiet"}).out == read_text(folder.path("whole.csv")));
  }
}

TEST_CASE("a shard cut anywhere and resumed is a whole one") {
  TempFolder folder;
  std::string file = folder.path("s");
  ShardWords part{"--csv", file, "--shard", "2/3"};
  REQUIRE(call_sweep(kPlan, part).status == 0);
  std::string whole = read_text(file);
  Outcome again = call_sweep(kPlan, part);
  CHECK(again.status == 2);
  CHECK_THAT(again.err, Contains(file + " exists"));
  part.push_back("--resume");
  // The first line names the options with which the shard was begun.
  size_t header = whole.find('\n') + 1;
  for (size_t length : {header, header + 5, whole.size() - 1, whole.size()}) {
    CAPTURE(length);
    folder.write("s", whole.substr(0, length));
    CHECK(call_sweep(kPlan, part).status == 0);
    CHECK(read_text(file) == whole);
  }
  // Another plan's, and a damaged one, are left alone.
  ShardWords other = kPlan;
  other.push_back("--no-check");
  Outcome refused = call_sweep(other, part);
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("was written by a different sweep (points, target, machine or options differ)"));
  std::string damaged = whole;
  damaged[header + 40] = '~';
  folder.write("s", damaged);
  refused = call_sweep(kPlan, part);
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("line 2 of " + file + " is damaged"));
  CHECK(read_text(file) == damaged);
}

TEST_CASE("what cannot be merged is told in a sentence, and nothing is overwritten") {
  TempFolder folder;
  std::string one = folder.path("one"), two = folder.path("two"), csv = folder.write("x.csv", "mine\n");
  REQUIRE(call_sweep(kPlan, {"--csv", one, "--shard", "1/2"}).status == 0);
  REQUIRE(call_sweep(kPlan, {"--csv", two, "--shard", "2/2"}).status == 0);
  auto refused = [&](const ShardWords& words, const std::string& why) {
    ShardWords call{"--merge"};
    call.insert(call.end(), words.begin(), words.end());
    Outcome outcome = call_sweep(call, {"--csv", csv, "--force"});
    CAPTURE(words, outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(why));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') <= 6);
    CHECK(read_text(csv) == "mine\n");
  };
  std::string text = read_text(two);
  refused({one}, "6 of 12 points are missing (");
  refused({one, folder.path("none")}, "cannot read");
  refused({one, folder.write("cut", text.substr(0, text.size() - 9))}, "cut ends within a line");
  size_t at = text.find("\"status\":0");
  std::string changed = text;
  changed.replace(at, 10, "\"status\":3");
  refused({one, folder.write("changed", changed)}, "is damaged: its checksum is another");
  refused({one, folder.write("table", "n,status\n1,0\n")}, "table is not a shard of warptime");
  REQUIRE(call_sweep(kPlan, {"--no-check", "--csv", folder.path("other"), "--shard", "2/2"}).status == 0);
  refused({one, folder.path("other")}, "are shards of different plans");

  warptime::cli::ShardContents shard = warptime::cli::parse_shard(text, two);
  shard.header.version = "9.9.9";
  std::string later = shard.header.line() + text.substr(text.find('\n') + 1);
  refused({one, folder.write("later", later)}, "was written by warptime 9.9.9, and this is ");
  // Equal versions, built from other sources.
  shard.header.version = std::string(warptime::host::version()) + " (0123456789ab)";
  later = shard.header.line() + text.substr(text.find('\n') + 1);
  refused({one, folder.write("build", later)}, " (0123456789ab), and this is " + warptime::cli::program_build());
  shard = warptime::cli::parse_shard(text, two);
  warptime::cli::ShardWriter forged;
  forged.open({folder.path("forged"), {}}, shard.header, false);
  for (const auto& [task, result] : shard.done.results) forged.append(task, "{\"status\":0,\"message\":[]}");
  forged.close();
  refused({one, folder.path("forged")}, "a point's result is not one of this command");
  shard = warptime::cli::parse_shard(text, two);
  shard.header.plan = "0123456789abcdef";
  std::string changed_target = shard.header.line() + text.substr(text.find('\n') + 1);
  refused({folder.write("target", changed_target)}, "the target, its files or a machine have changed");
  refused({one, two, "--set", "chip.tpcs=1"}, "--set does not go with --merge");
  Outcome full = call_sweep({"--merge", one, two}, {"--csv", "/dev/full"});
  CHECK(full.status == 2);
  CHECK_THAT(full.err, Contains("cannot write /dev/full: No space left on device"));
  CHECK(call_sweep({"--merge", one, two}, {"--csv", csv}).status == 2);
  CHECK(call_sweep({"--merge", one, two}, {"--csv", csv, "--force", "--quiet"}).status == 0);
  CHECK(read_text(csv) == call_sweep(kPlan, {"--quiet"}).out);
}

TEST_CASE("without Slurm a sentence says so") {
  TempFolder folder;
  Outcome outcome =
      run_program({WARPTIME_BINARY, "sweep", "vecadd", "--param", "n=64,96", "--csv", folder.path("x.csv"), "--slurm"},
                  {{"PATH", "/nowhere"}});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("there is no Slurm here: sbatch is not on PATH"));
  CHECK(std::filesystem::is_empty(std::filesystem::path(folder.path("x.csv")).parent_path()));
}

TEST_CASE("a what-if in shards is one what-if") {
  TempFolder folder;
  ShardWords words{"whatif", "vecadd", "--param", "n=1024", "--only", "dram.", "--csv", folder.path("x.csv")};
  Outcome whole = warptime::test::warptime(words);
  REQUIRE(whole.status == 0);
  ShardWords merge{"whatif", "--merge"};
  for (const char* part : {"1/2", "2/2"}) {
    words.back() = folder.path(std::string("s") + part[0]);
    ShardWords call = words;
    call.insert(call.end(), {"--shard", part});
    CHECK(warptime::test::warptime(call).status == 0);
    merge.push_back(words.back());
  }
  merge.insert(merge.end(), {"--csv", folder.path("y.csv")});
  Outcome merged = warptime::test::warptime(merge);
  CAPTURE(merged.err);
  CHECK(merged.status == 0);
  CHECK(merged.out == whole.out);
  CHECK(read_text(folder.path("y.csv")) == read_text(folder.path("x.csv")));
}
