// `warptime plot`: the columns of tables as pictures.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/drawing_program.h"
#include "cli/plot/plot_units.h"
#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;

namespace {

constexpr const char* kCsv =
    "n,scheduler,time_us,dram.read_bytes,status\n"
    "1024,fr_fcfs,2.5,4096,0\n1024,fcfs,3.5,4096,0\n4096,fr_fcfs,8,16384,0\n4096,fcfs,,,2\n";

struct Picture {
  TempFolder folder;
  std::string table = folder.write("t.csv", kCsv);
  Outcome draw(std::vector<std::string> more, const std::string& name = "p.svg") {
    std::vector<std::string> words{"plot", table, "-o", folder.path(name)};
    words.insert(words.end(), more.begin(), more.end());
    return warptime::test::warptime(words);
  }
  std::string svg() { return read_text(folder.path("p.svg")); }
};

}  // namespace

TEST_CASE("plot: every kind of picture has its axes and units") {
  for (const char* kind : {"line", "bar", "scatter"}) {
    Picture picture;
    Outcome outcome =
        picture.draw({"-x", "n", "-y", "time_us", "--by", "scheduler", "--kind", kind, "--title", "A & B"});
    CAPTURE(kind, outcome.err);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.err, Contains("note: 1 of 4 rows have no value to draw and are left out"));
    CHECK_THAT(picture.svg(), Contains("time (µs)") && Contains("fr_fcfs") && Contains("fcfs") && Contains(">1024<") &&
                                  Contains("A &amp; B") && Contains("</svg>"));
  }
  Picture heat;
  CHECK(heat.draw({"-x", "n", "-y", "time_us", "--by", "scheduler", "--kind", "heat"}).status == 0);
  CHECK_THAT(heat.svg(), Contains(">2.5<") && Contains(">8<") && Contains("scheduler") && Contains("time (µs)"));
}

TEST_CASE("plot: words on the x axis make bars and numbers lines") {
  Picture picture;
  CHECK(picture.draw({"-x", "scheduler", "-y", "time_us"}).status == 0);
  CHECK_THAT(picture.svg(), Contains("scheduler"));
  Outcome log = picture.draw({"-x", "n", "-y", "time_us,dram.read_bytes", "--log", "xy", "--reference", "3"});
  CHECK(log.status == 0);
  CHECK_THAT(log.err, Contains("several units") && Contains("the mean of several rows"));
  CHECK_THAT(picture.svg(), Contains("reference 3") && Contains("dram.read (bytes)"));
  CHECK(picture.draw({"-x", "n", "-y", "time_us", "--reference", "n"}).status == 0);
}

TEST_CASE("plot: a PNG, and the same bytes again") {
  Picture picture;
  REQUIRE(picture.draw({"-x", "n", "-y", "time_us"}, "p.png").status == 0);
  std::string first = read_text(picture.folder.path("p.png"));
  CHECK(first.substr(1, 3) == "PNG");
  CHECK(picture.draw({"-x", "n", "-y", "time_us"}, "p.png").status == 0);
  CHECK(read_text(picture.folder.path("p.png")) == first);
}

TEST_CASE("plot: sweeps, validations and statistics in JSON") {
  Picture picture;
  picture.table = picture.folder.path("s.json");
  Outcome sweep = warptime::test::warptime(
      {"sweep", "vecadd", "--param", "n=64,4096", "--set", "memory.partitions=2,6", "--json=" + picture.table});
  REQUIRE(sweep.status == 0);
  CHECK(picture.draw({"-x", "memory.partitions", "-y", "time_us", "--by", "n"}).status == 0);
  CHECK_THAT(picture.svg(), Contains("memory.partitions") && Contains("4096"));

  std::string a = picture.folder.path("a.json"), b = picture.folder.path("b.json");
  CHECK(warptime::test::warptime({"run", "vecadd", "--param", "n=64", "--quiet", "--stats", a}).status == 0);
  CHECK(warptime::test::warptime({"run", "saxpy", "--param", "n=64", "--quiet", "--stats", b}).status == 0);
  picture.table = a;
  CHECK(picture.draw({"-x", "kernel", "-y", "issue.stalls.barrier"}).status == 0);
  CHECK(picture.draw({b, "-x", "target", "-y", "time_us"}).status == 0);
  CHECK_THAT(picture.svg(), Contains("vecadd") && Contains("saxpy"));
}

TEST_CASE("plot: mistakes have their place, and nothing is written") {
  auto [words, message] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"-x", "n"}, "`warptime plot` needs -y"},
      {{"-x", "m", "-y", "time_us"}, "has no column \"m\""},
      {{"-x", "n", "-y", "tim_us"}, "did you mean \"time_us\"?"},
      {{"-x", "n", "-y", "scheduler"}, "t.csv:2:6: error: \"fr_fcfs\" in column \"scheduler\" is not a number"},
      {{"-x", "n", "-y", "status", "--log", "y"},
       "t.csv:2:23: error: 0 in column \"status\" has no place on a logarithmic"},
      {{"-x", "scheduler", "-y", "time_us", "--log", "x"}, "the x axis of a bar chart is not of numbers"},
      {{"-x", "n", "-y", "time_us", "--kind", "heat"}, "a heat map needs a second axis"},
      {{"-x", "n", "-y", "time_us", "--kind", "pie"}, "line"},
      {{"-x", "n", "-y", "time_us", "--log", "y", "--reference", "-1"}, "-1 has no place on a logarithmic axis"},
      {{"-x", "n", "-y", "time_us", "--reference", "1e308"}, "1e308 is too large to be drawn: at most 1e+300"},
      {{"-x", "n", "-y", "time_us", "--reference", "tine_us"}, "did you mean \"time_us\"?"},
  }));
  Picture picture;
  Outcome outcome = picture.draw(words);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains(message));
  CHECK_FALSE(std::filesystem::exists(picture.folder.path("p.svg")));
  CHECK(picture.draw({"-x", "n", "-y", "time_us"}, "p.gif").status == 2);
}

TEST_CASE("plot: names appear as they are, whatever they mean to gnuplot") {
  Picture picture;
  const std::vector<std::string> names{"50% faster", "10%", "a_b^c@{d}~e", R"(back\slash)", "A & B", "`x` $y", "<b>"};
  std::string rows = "x,y_%d,s\n";
  for (const std::string& name : names) rows += name + ",5," + name + "\n";
  picture.table = picture.folder.write("names.csv", rows + "\"say \"\"hi\"\"\",6,%g\n");
  auto escaped = [](std::string text) {
    for (auto [from, to] : {std::pair("&", "&amp;"), {"<", "&lt;"}})
      for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += 4) text.replace(at, 1, to);
    return text;
  };
  for (const char* kind : {"bar", "line", "heat"}) {
    Outcome outcome =
        picture.draw({"-x", "x", "-y", "y_%d", "--by", "s", "--kind", kind, "--title", R"(100 % of "all" \t &amp;)"});
    CAPTURE(kind, outcome.err);
    REQUIRE(outcome.status == 0);
    std::string svg = picture.svg();
    for (const std::string& name : names) CHECK_THAT(svg, Contains(">" + escaped(name) + "<"));
    CHECK_THAT(svg, Contains(">say \"hi\"<") && Contains(R"(>100 % of "all" \t &amp;amp;<)") && Contains("y %d"));
  }
  CHECK(picture.draw({"-x", "x", "-y", "y_%d"}, "p.png").status == 0);
}

TEST_CASE("plot: axes over all powers of ten, and values beyond them") {
  Picture picture;
  picture.table =
      picture.folder.write("far.csv", "x,y,z,w\n1e-160,1e-300,-1e300,1\n1e160,1e300,1e300,1.000000000001\n");
  for (const char* kind : {"line", "scatter"})
    for (const char* y : {"y", "w"}) {
      Outcome outcome = picture.draw({"-x", "x", "-y", y, "--log", "xy", "--kind", kind});
      CAPTURE(kind, y, outcome.err);
      CHECK(outcome.status == 0);
    }
  CHECK(picture.draw({"-x", "x", "-y", "y", "--log", "y", "--kind", "bar"}).status == 0);
  CHECK(picture.draw({"-x", "x", "-y", "z"}).status == 0);
  CHECK(picture.draw({"-x", "y", "-y", "w"}).status == 0);
  picture.table = picture.folder.write("beyond.csv", "x,y\n1,1e-301\n2,1e301\n");
  CHECK_THAT(picture.draw({"-x", "x", "-y", "y"}).err,
             Contains("beyond.csv:3:3: error: 1e301 in column \"y\" is too large to be drawn: at most 1e+300"));
  CHECK_THAT(picture.draw({"-x", "x", "-y", "y", "--log", "y"}).err,
             Contains("beyond.csv:2:3: error: 1e-301 in column \"y\" is too small to be drawn: at least 1e-300"));
}

TEST_CASE("plot: a program that does not end is stopped") {
  using namespace std::chrono_literals;
  CHECK_THROWS_WITH(warptime::cli::run_drawing("/bin/sleep", {"100"}, "", 50ms),
                    Contains("\"/bin/sleep\" had not drawn the chart after 0.05 s and was stopped"));
  CHECK(warptime::cli::run_drawing("/bin/cat", {}, "a script").picture == "a script");
}

TEST_CASE("plot: without gnuplot a sentence says what to install") {
  Picture picture;
  Outcome outcome =
      warptime::test::warptime({"plot", picture.table, "-x", "n", "-y", "time_us", "-o", picture.folder.path("p.svg")},
                               {{"PATH", picture.folder.path("")}});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("draws its charts with gnuplot") && Contains("apt-get install gnuplot-nox"));
}

TEST_CASE("plot: more series than can be told apart are refused") {
  Picture picture;
  std::string rows = "x,s,y\n";
  for (int i = 0; i < 25; ++i) rows += "1," + std::to_string(i) + ",5\n";
  picture.table = picture.folder.write("many.csv", rows);
  Outcome outcome = picture.draw({"-x", "x", "-y", "y", "--by", "s"});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("25 series are too many to tell apart: at most 24") && Contains("--kind heat"));
  CHECK(picture.draw({"-x", "x", "-y", "y", "--by", "s", "--kind", "heat"}).status == 0);
}

TEST_CASE("plot: units follow from the names of columns") {
  using namespace warptime::cli;
  CHECK(unit_of_column("time_us") == "µs");
  CHECK(unit_of_column("issue.stalls.barrier") == "cycles");
  CHECK(unit_of_column("dram.bandwidth_gb_s") == "GB/s");
  CHECK(unit_of_column("memory.partitions").empty());
  CHECK(words_of_column("dram.read_bytes") == "dram.read");
  CHECK(name_with_unit("gflops") == "gflops (GFLOP/s)");
  PlotAxis large = plot_axis({"dram.read_bytes"}, 3e6, true);
  CHECK(large.label == "dram.read (kB)");
  CHECK(large.scale == 1000);
  CHECK(plot_axis({"dram.read_bytes"}, 9999, true).label == "dram.read (bytes)");
  CHECK(plot_axis({"time_us", "kernels_us"}, 5, true).label == "µs");
  CHECK_FALSE(have_one_unit({"time_us", "flops"}));
}
