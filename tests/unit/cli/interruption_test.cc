// A run that a fault, the limit of cycles or Ctrl-C cuts short: what was simulated so far is written.
#include "cli/interruption.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

Json read_json(const std::string& path) { return Json::parse(read_text(path)); }

/// Every issue slot of the last launch has its reason.
void check_slots(const Json& statistics) {
  const Json& launch = statistics["launches"].back();
  uint64_t charged = launch["issue"]["issued"];
  for (const auto& [reason, slots] : launch["issue"]["stalls"].items()) charged += slots.get<uint64_t>();
  CHECK(charged == launch["issue"]["slots"].get<uint64_t>());
  CHECK(launch["issue"]["slots"].get<uint64_t>() == launch["cycles"].get<uint64_t>() * 16);
}

/// Whether the process is warptime, and not yet this program, and has a handler for the signal by now.
bool handles(pid_t process, int signal) {
  if (read_text("/proc/" + std::to_string(process) + "/comm") != "warptime\n") return false;
  std::string status = read_text("/proc/" + std::to_string(process) + "/status");
  size_t at = status.find("SigCgt:");
  return at != std::string::npos && ((std::stoull(status.substr(at + 7), nullptr, 16) >> (signal - 1)) & 1) != 0;
}

/// Starts `warptime run` of something that takes minutes, signals it as soon as it can be interrupted; its status.
int interrupt_run(const std::string& stats, const std::string& err, int signal) {
  pid_t child = fork();
  if (child == 0) {
    int to = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    dup2(to, 2);
    execl(WARPTIME_BINARY, WARPTIME_BINARY, "run", "matmul:naive", "--param", "n=2048", "--no-check", "--threads", "2",
          "--stats", stats.c_str(), nullptr);
    _exit(127);
  }
  int how = 0;
  while (!handles(child, signal) && waitpid(child, &how, WNOHANG) == 0) usleep(1000);
  kill(child, signal);
  waitpid(child, &how, 0);
  return WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

}  // namespace

TEST_CASE("after --max-cycles there are statistics up to that cycle, marked as incomplete, and the warps") {
  TempFolder folder;
  std::string expected;
  for (const char* threads : {"1", "2", "3", "8"}) {
    Outcome run = warptime::test::warptime({"run", "vecadd", "--max-cycles", "1001", "--stats-per-instruction",
                                            "--stats", folder.path("s.json"), "--threads", threads});
    CHECK(run.status == 3);
    CHECK_THAT(run.err, Contains("vecadd.cu:4: error: kernel vecadd was not finished after 1001 cycles") &&
                            Contains("block (0,0,0) warp 0: ") && Contains("PTX line ") && Contains("and ") &&
                            Contains(" more\n"));
    CHECK_THAT(run.out, Contains("incomplete"));
    Json statistics = read_json(folder.path("s.json"));
    CHECK(statistics["complete"].get<bool>() == false);
    CHECK(statistics["launches"].size() == 1);
    CHECK(statistics["launches"][0]["cycles"].get<int>() == 1001);
    CHECK(statistics["launches"][0]["warp_instructions"].get<int>() > 0);
    check_slots(statistics);
    statistics.erase("host");
    if (expected.empty()) expected = statistics.dump();
    CHECK(statistics.dump() == expected);
  }
}

TEST_CASE("a run to its end is complete") {
  TempFolder folder;
  CHECK(warptime::test::warptime({"run", "vecadd", "--quiet", "--stats", folder.path("s.json")}).status == 0);
  CHECK(read_json(folder.path("s.json"))["complete"].get<bool>() == true);
}

TEST_CASE("after a fault there are statistics, outputs and the warps") {
  TempFolder folder;
  std::string ptx = folder.write("k.ptx", R"(.version 1.4
.target sm_10
.entry k(.param .u32 y)
{
  .reg .u32 %r<4>;
  ld.param.u32 %r1, [y];
  mov.u32 %r2, 7;
  st.global.u32 [%r1], %r2;
  ld.global.u32 %r3, [%r1];
  and.b32 %r3, %r3, 0;
  add.u32 %r1, %r1, %r3;
  add.u32 %r1, %r1, 65536;
  ld.global.u32 %r3, [%r1];
  exit;
}
)");
  for (bool functional : {false, true}) {
    std::vector<std::string> words{
        "run", ptx,        "--grid",  "1",      "--block", "32",       "--arg",
        "y",   "--buffer", "y=u32:4", "--json", "--quiet", "--output", "y=" + folder.path("y.bin")};
    if (functional) words.emplace_back("--functional");
    Outcome run = warptime::test::warptime(words);
    CAPTURE(run.err);
    CHECK(run.status == 3);
    CHECK_THAT(run.err, Contains("out-of-bounds load") && Contains("block (0,0,0) warp 0: "));
    Json statistics = Json::parse(run.out);
    CHECK(statistics["complete"].get<bool>() == false);
    CHECK(statistics["total"]["warp_instructions"].get<int>() > 5);
    CHECK(read_text(folder.path("y.bin")).size() == 16);
    if (functional) continue;
    check_slots(statistics);
    CHECK(read_text(folder.path("y.bin")).substr(0, 4) == std::string("\7\0\0\0", 4));
  }
}

TEST_CASE("Ctrl-C and SIGTERM end a run with what was simulated") {
  for (auto [signal, status] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    TempFolder folder;
    CHECK(interrupt_run(folder.path("s.json"), folder.path("err"), signal) == status);
    CHECK_THAT(read_text(folder.path("err")),
               Contains("was interrupted") && Contains("blocks had ended") && Contains("block (0,0,0) warp 0: "));
    Json statistics = read_json(folder.path("s.json"));
    CHECK(statistics["complete"].get<bool>() == false);
    check_slots(statistics);
  }
}

TEST_CASE("a second Ctrl-C ends the program at once, also after SIGTERM") {
  for (int first : {SIGINT, SIGTERM}) {
    pid_t child = fork();
    if (child == 0) {
      signal(SIGINT, SIG_DFL);
      signal(SIGTERM, SIG_DFL);
      warptime::cli::Interruption interruption;
      raise(first);
      if (warptime::cli::Interruption::flag() != first) _exit(1);
      raise(SIGINT);
      _exit(2);
    }
    int how = 0;
    waitpid(child, &how, 0);
    CHECK(WIFSIGNALED(how));
    CHECK(WTERMSIG(how) == SIGINT);
  }
}

TEST_CASE("a trace of a run that is cut short shows its warps up to there") {
  TempFolder folder;
  std::string file = folder.path("t.json");
  Outcome run = warptime::test::warptime({"trace", "vecadd", "--max-cycles", "600", "-o", file});
  CHECK(run.status == 3);
  Json trace = read_json(file);
  CHECK(trace["otherData"]["complete"].get<bool>() == false);
  uint64_t last = 0;
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "X") last = std::max(last, event["ts"].get<uint64_t>() + event["dur"].get<uint64_t>());
  CHECK(last >= 600);
  CHECK(warptime::test::warptime({"trace", "vecadd", "--max-cycles", "600", "--launch", "7"}).status == 3);
}
