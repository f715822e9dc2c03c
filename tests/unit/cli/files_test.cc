// What commands do to files: older ones stay whole, no output is an input, and streams that cannot be written change
// nothing in how a command ends.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>

#include "sim/model/statistics.h"
#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Catch::EndsWith;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

const char* const kKernel =
    ".version 1.4\n.target sm_10\n.entry k (.param .u32 p) {\n  .reg .u32 %r<3>;\n  ld.param.u32 %r1, [p];\n"
    "  mov.u32 %r2, %tid.x;\n  st.global.u32 [%r1], %r2;\n  exit;\n}\n";

/// A folder with a small program, its launch file and its input; `outputs`: of the launch file.
void make_program(const TempFolder& folder, const std::string& outputs = "") {
  folder.write("k.ptx", kKernel);
  folder.write("in.bin", "abcdefgh");
  folder.write("m.yaml", "extends: geforce-8800-gtx\n");
  folder.write("k.yaml",
               "module: k.ptx\nbuffers:\n  x: {type: u8, file: in.bin}\nlaunches:\n  - {kernel: k, grid: [1], block: "
               "[1], args: [x]}\n" +
                   outputs);
}

/// A shell's command line in which `warptime` is the program.
Outcome shell(const std::string& script) {
  return run_program({"/bin/bash", "-c", "warptime() { \"" WARPTIME_BINARY "\" \"$@\"; }; " + script});
}

size_t files_in(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a standard error that is full or closed does not change the exit status") {
  TempFolder folder;
  make_program(folder);
  std::string fault = "run " + folder.path("k.ptx") + " --grid 1 --block 32 --arg u32=3";
  for (const char* redirection : {"2>/dev/full", "2>&-"}) {
    CAPTURE(redirection);
    CHECK(shell("warptime run nowhere.ptx " + std::string(redirection)).status == 2);
    CHECK(shell("warptime " + std::string(redirection)).status == 2);
    CHECK(shell("warptime " + fault + " " + redirection).status == 3);
    CHECK(shell("warptime run vecadd --param n=64 --quiet " + std::string(redirection)).status == 0);
    CHECK(shell("warptime sweep vecadd --set memory.partitions=1,2 " + std::string(redirection)).status == 0);
  }
  // Nor do messages end in a file that got the number of the closed stream.
  Outcome fault_text = shell("warptime run nowhere.ptx --stats " + folder.path("s.json") + " 2>&-");
  CHECK(fault_text.status == 2);
  CHECK_FALSE(fs::exists(folder.path("s.json")));
  CHECK(shell("warptime run vecadd --param n=64 --stats " + folder.path("s.json") + " >&- 2>&-").status == 2);
  CHECK(Json::parse(read_text(folder.path("s.json"))).at("target") == "vecadd");
}

TEST_CASE("a standard output that is full or closed is reported, whatever is written to it") {
  TempFolder folder;
  make_program(folder, "outputs:\n  x: \"-\"\n");
  for (const std::string words :
       {"run vecadd --param n=64", "run vecadd --param n=64 --json", "list instructions", "--help", "run --help",
        "--version", "machine show geforce-8800-gtx", "sweep vecadd --set memory.partitions=2",
        "trace vecadd --param n=64", "annotate vecadd --param n=64"}) {
    CAPTURE(words);
    Outcome full = shell("warptime " + words + " > /dev/full");
    CHECK(full.status == 2);
    CHECK_THAT(full.err, Contains("cannot write to standard output: No space left on device"));
    Outcome closed = shell("warptime " + words + " >&-");
    CHECK(closed.status == 2);
    CHECK_THAT(closed.err, Contains("cannot write to standard output: Bad file descriptor"));
    // A reader that has seen enough is not an error.
    Outcome enough = shell("warptime " + words + " | head -c 1 > /dev/null; exit ${PIPESTATUS[0]}");
    CHECK(enough.status == 0);
    CHECK(enough.err.empty());
  }
  Outcome bytes = shell("warptime run " + folder.path("k.yaml") + " --quiet > /dev/full");
  CHECK(bytes.status == 2);
  CHECK_THAT(bytes.err, Contains("cannot write \"-\": No space left on device"));
}

TEST_CASE("whatever writes a file leaves the older one whole when there is no room for the new one") {
  TempFolder folder;
  make_program(folder, "outputs:\n  x: out\n");
  for (const std::string words :
       {"run vecadd --param n=64 --quiet --stats out", "run vecadd --param n=64 --quiet --json=out",
        "run vecadd --param n=64 --quiet --stats out.csv", "annotate vecadd --param n=64 --json=out",
        "trace vecadd --param n=640 -o out.json", "trace vecadd --param n=640 -o out.kanata",
        "ptx kernels.ptx --json=out", "list instructions --json=out", "machine show geforce-8800-gtx --json=out",
        "sweep vecadd --set memory.partitions=2 --force --csv out",
        "sweep vecadd --set memory.partitions=2 --force --json=out",
        "validate --only issue/barrier --quiet --markdown out.md",
        "validate --only issue/barrier --quiet --force --json=out",
        "run k.ptx --buffer x=u32:65536 --arg x --grid 1 --block 32 --quiet --output x=out",
        "run mandelbrot:f32 --param size=64 --quiet --output image=out"}) {
    CAPTURE(words);
    TempFolder place;
    folder.write("kernels.ptx", read_text(WARPTIME_SOURCE_DIR "/workloads/matmul/matmul.ptx"));
    std::string name = words.substr(words.rfind("out"));
    place.write(name, "older");
    for (const char* input : {"k.ptx", "kernels.ptx"}) fs::create_symlink(folder.path(input), place.path(input));
    size_t before = files_in(place.path(""));
    Outcome outcome =
        shell("cd " + place.path("") + "; { ulimit -f 0; warptime " + words + "; } 2>&1 | cat; exit ${PIPESTATUS[0]}");
    CAPTURE(outcome.out);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.out, Contains("File too large") || Contains("ulimit -f"));
    CHECK(read_text(place.path(name)) == "older");
    CHECK(files_in(place.path("")) == before);
    // With room it is replaced, and nothing else is left.
    chmod(place.path(name).c_str(), 0604);
    outcome = shell("cd " + place.path("") + "; warptime " + words);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(read_text(place.path(name)) != "older");
    struct stat status {};
    stat(place.path(name).c_str(), &status);
    CHECK((status.st_mode & 0777) == 0604);
    CHECK(files_in(place.path("")) == before);
  }
}

/// Waits until the run in the background catches SIGTERM, bit 14 of the mask: with sanitizers, starting takes a while.
const std::string kUntilCaught =
    "for i in $(seq 200); do grep -q 'SigCgt.*[4-7c-f]...$' /proc/$!/status && break; sleep 0.05; done; ";

TEST_CASE("a run that is killed leaves the older file and nothing else, an interrupted one a whole file") {
  TempFolder folder;
  std::string file = folder.write("s.json", "older");
  for (const char* signal : {"KILL", "TERM", "INT"}) {
    CAPTURE(signal);
    Outcome outcome = shell("set -m; \"" WARPTIME_BINARY "\" run matmul:naive --param n=1024 --quiet --stats " + file +
                            " & " + kUntilCaught + "sleep 0.2; kill -" + signal + " $!; wait $!");
    CHECK(outcome.status >= 128);
    if (std::string(signal) == "KILL") CHECK(read_text(file) == "older");
    else CHECK_THAT(read_text(file), Contains("\"complete\": false") && EndsWith("}\n"));
    CHECK(files_in(folder.path("")) == 1);
  }
}

TEST_CASE("of eight runs on one file each writes a whole one") {
  TempFolder folder;
  std::string file = folder.path("s.json");
  std::string script;
  for (int i = 0; i < 8; ++i)
    script += "warptime run vecadd --param n=" + std::to_string(64 << i) + " --quiet --stats " + file + " & ";
  CHECK(shell(script + "wait").status == 0);
  CHECK(Json::parse(read_text(file)).at("target") == "vecadd");
  CHECK(files_in(folder.path("")) == 1);
}

TEST_CASE("devices, pipes and descriptors are written directly") {
  TempFolder folder;
  std::string run = "warptime run vecadd --param n=64 --quiet --stats ";
  Json expected = Json::parse(shell(run + "-").out).at("total");
  CHECK(Json::parse(shell(run + "/dev/stdout").out).at("total") == expected);
  CHECK(Json::parse(shell(run + "/dev/stdout | cat").out).at("total") == expected);
  CHECK(Json::parse(shell(run + "/dev/fd/7 7>&1").out).at("total") == expected);
  CHECK(Json::parse(shell(run + "/dev/stderr").err).at("total") == expected);
  CHECK(Json::parse(shell(run + ">(cat); sleep 0.2").out).at("total") == expected);
  CHECK(Json::parse(
            shell("mkfifo " + folder.path("p") + "; " + run + folder.path("p") + " & cat " + folder.path("p")).out)
            .at("total") == expected);
  CHECK(shell(run + "/dev/null").status == 0);
  CHECK(fs::is_character_file("/dev/null"));
  // What is there stays, and the summary does not follow the statistics.
  Outcome outcome = shell("{ echo first; warptime run vecadd --param n=64 --stats /dev/stdout; }");
  CHECK(outcome.out.starts_with("first\n{"));
  CHECK(outcome.out.ends_with("}\n"));
}

TEST_CASE("an output that is an input of the same command is refused before anything runs") {
  TempFolder folder;
  make_program(folder, "outputs:\n  x: sub/../in.bin\n");
  fs::create_directory(folder.path("sub"));
  fs::create_symlink("../k.ptx", folder.path("sub/link"));
  fs::create_hard_link(folder.path("m.yaml"), folder.path("hard"));
  folder.write("a.json", shell("warptime run vecadd --param n=64 --json").out);
  folder.write("plain.yaml",
               "module: k.ptx\nbuffers:\n  x: {type: u8, file: in.bin}\nlaunches:\n  - {kernel: k, grid: "
               "[1], block: [1], args: [x]}\nexpect:\n  x: {file: in.bin}\n");
  std::string run = "run k.ptx --grid 1 --block 1 --buffer x=u8:8:@in.bin --arg x ";
  const std::vector<std::pair<std::string, std::string>> rows{
      {run + "--stats ./k.ptx", "--stats would overwrite \"k.ptx\", which this command reads"},
      {run + "--stats sub/link", "hint: the word \"k.ptx\" names the same file"},
      {run + "--json=in.bin", "hint: --buffer names the same file"},
      {run + "--output x=in.bin", "--output would overwrite \"in.bin\""},
      {run + "--machine m.yaml --stats hard", "hint: --machine names the same file"},
      {"run k.yaml", "`outputs:` would overwrite \"in.bin\""},
      {"run plain.yaml --stats plain.yaml", "--stats would overwrite \"plain.yaml\""},
      {"run plain.yaml --stats k.ptx", "--stats would overwrite \"k.ptx\""},
      {"run plain.yaml --stats in.bin", "--stats would overwrite \"in.bin\""},
      {"annotate plain.yaml --json=k.ptx", "--json would overwrite \"k.ptx\""},
      {"sweep plain.yaml --set chip.tpcs=1 --force --csv k.ptx", "--csv would overwrite \"k.ptx\""},
      {"sweep plain.yaml --set chip.tpcs=1 --force --json=in.bin", "--json would overwrite \"in.bin\""},
      {"compare a.json a.json --json=a.json", "--json would overwrite \"a.json\""},
      {"machine show m.yaml --json=m.yaml", "--json would overwrite \"m.yaml\""},
      {"ptx k.ptx --json=k.ptx", "--json would overwrite \"k.ptx\""},
      {"occupancy k.ptx --block 32 --json=k.ptx", "--json would overwrite \"k.ptx\""},
  };
  for (const auto& [words, message] : rows) {
    CAPTURE(words);
    Outcome outcome = shell("cd " + folder.path("") + "; warptime " + words);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(message));
  }
  CHECK(read_text(folder.path("k.ptx")) == kKernel);
  CHECK(read_text(folder.path("in.bin")) == "abcdefgh");
  // A workload's PTX is read when it runs.
  fs::create_directories(folder.path("home/workloads"));
  fs::copy(WARPTIME_SOURCE_DIR "/workloads/vecadd", folder.path("home/workloads/vecadd"));
  fs::create_symlink(WARPTIME_SOURCE_DIR "/configs", folder.path("home/configs"));
  std::string ptx = folder.path("home/workloads/vecadd/vecadd.ptx"), before = read_text(ptx);
  Outcome outcome = shell("WARPTIME_HOME=" + folder.path("home") + " warptime run vecadd --param n=64 --stats " + ptx);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("--stats of this command writes the same file"));
  CHECK(read_text(ptx) == before);
}

TEST_CASE("two outputs of one command are two files") {
  TempFolder folder;
  make_program(folder, "outputs:\n  x: x.bin\n");
  fs::create_symlink("new.json", folder.path("link"));
  const std::vector<std::pair<std::string, std::string>> rows{
      {"run vecadd --param n=64 --stats new.json --json=./new.json", "--json and --stats are the same file"},
      {"run vecadd --param n=64 --stats new.json --json=link", "--json and --stats are the same file"},
      {"run k.yaml --stats x.bin", "--stats and `outputs:` are the same file"},
      {"run k.ptx --grid 1 --block 1 --buffer x=u8:8 --arg x --output x=o --output x=o", "--output and --output are"},
      {"run mandelbrot --param size=16 --output image=p --stats p", "--stats and --output are the same file"},
      {"sweep vecadd --set memory.partitions=1,2 --csv t --json=t", "and --json are the same file"},
      {"validate --only issue/barrier --markdown v.md --json=v-bars.svg", "are the same file"},
      {"run vecadd --param n=64 --stats log > log", "--stats and standard output are the same file"},
      {"run vecadd --param n=64 --stats log 2> log >&2; cat log >&2; rm log; false", ""},
  };
  for (const auto& [words, message] : rows) {
    CAPTURE(words);
    Outcome outcome = shell("cd " + folder.path("") + "; warptime " + words);
    CAPTURE(outcome.err);
    CHECK(outcome.status == (message.empty() ? 1 : 2));
    CHECK_THAT(outcome.err, Contains(message.empty() ? "--stats and standard" : message));
  }
  CHECK_FALSE(fs::exists(folder.path("new.json")));
  CHECK_FALSE(fs::exists(folder.path("x.bin")));
  // Standard output is one stream, whoever writes to it; devices are not files.
  CHECK(warptime::test::warptime({"run", "vecadd", "--param", "n=64", "--stats", "-", "--json"}).status == 0);
  CHECK(warptime::test::warptime({"run", "vecadd", "--param", "n=64", "--stats", "/dev/null", "--json=/dev/null"})
            .status == 0);
}

TEST_CASE("a sweep locks its file, and one that finds it locked is refused and leaves it alone") {
  TempFolder folder;
  std::string file = folder.path("t.csv"), sweep = "sweep matmul:tiled --no-check --csv " + file + " --param n=";
  // Polls the lock while a sweep runs. A sweep that ends before the first poll proves nothing: once more.
  bool locked = false;
  for (int attempt = 0; attempt < 20 && !locked; ++attempt) {
    folder.write("t.csv", "");
    int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    auto outcome = std::async(std::launch::async, [&] { return shell("warptime " + sweep + "16,128"); });
    while (!locked && outcome.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout) {
      locked = flock(descriptor, LOCK_SH | LOCK_NB) != 0;
      flock(descriptor, LOCK_UN);
    }
    CHECK(outcome.get().status == 0);
    close(descriptor);
  }
  CHECK(locked);

  std::string before = read_text(file);
  CHECK(std::count(before.begin(), before.end(), '\n') == 3);
  int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(flock(descriptor, LOCK_EX | LOCK_NB) == 0);
  for (const char* more : {" --force", " --resume"}) {
    CAPTURE(more);
    Outcome outcome = shell("warptime " + sweep + "16,128" + more);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains("another sweep is writing " + file));
    CHECK(read_text(file) == before);
  }
  close(descriptor);
}

TEST_CASE("the memory of a run does not grow with its launches, and its statistics have them all", "[full]") {
  TempFolder folder;
  make_program(folder);
  auto run = [&](const std::string& launches, const std::string& format) {
    folder.write("many.yaml",
                 "module: k.ptx\nbuffers:\n  x: {type: u32, count: 64}\nlaunches:\n  - {kernel: k, grid: "
                 "[1], block: [1], args: [x], repeat: " +
                     launches + "}\n");
    Outcome outcome = warptime::test::warptime({"run", folder.path("many.yaml"), "--stats", folder.path("s." + format),
                                                "--threads", "1", "--json=" + folder.path("peak.json")});
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    return outcome.out;
  };
  auto read = [&] { return Json::parse(read_text(folder.path("peak.json"))); };
  run("100", "json");
  uint64_t few = read()["host"]["peak_rss_bytes"];
  std::string summary = run("4000", "json");
  Json many = read();
  // The timeline grows by about 6 MB; the statistics of all launches would take 49 MB.
  CHECK((kSanitized || many["host"]["peak_rss_bytes"] < few + 3900 * sizeof(warptime::sim::LaunchStatistics) / 3));
  CHECK(many["launches"].size() == 4000);
  CHECK(many["timeline"].size() == 4000);
  CHECK(many["total"]["warp_instructions"] == 4000 * many["launches"][0]["warp_instructions"].get<uint64_t>());
  CHECK(many["launches"][3999] == many["launches"][0]);
  CHECK(Json::parse(read_text(folder.path("s.json")))["timeline"] == many["timeline"]);
  CHECK_THAT(summary, Contains("and more     3,800 launches after these"));
  run("4000", "csv");
  std::string rows = read_text(folder.path("s.csv"));
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 4001);
}
