// `warptime compare RUN.json PROFILE`: what Nsight Compute and the CUDA profiler of the first toolkits recorded.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/csv_line.h"
#include "cli/compare/kernel_names.h"
#include "tools/run_program.h"

using namespace warptime;
using Catch::Contains;
using warptime::test::Outcome;
using Json = nlohmann::ordered_json;

namespace {

const std::string kProfiles = std::string(WARPTIME_SOURCE_DIR) + "/docs/examples/profiles/";
constexpr const char* kScale = "_ZN6scaled5scaleIfEEvPT_S1_i";

/// A run with the launches of the recorded program; the second is vecadd by another name.
Json run_statistics() {
  Json report = Json::parse(test::warptime({"run", "vecadd", "--param", "n=4096", "--json"}).out);
  Json& launches = report["launches"];
  launches.push_back(launches[0]);
  launches.push_back(launches[0]);
  launches[1]["kernel"] = kScale;
  return report;
}

struct ProfileFiles {
  test::TempFolder folder;
  Json run = run_statistics();

  Outcome compare(const std::string& profile, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"compare", folder.write("run.json", run.dump(1)), profile};
    words.insert(words.end(), more.begin(), more.end());
    return test::warptime(std::move(words));
  }
  Outcome compare_text(const std::string& text, std::vector<std::string> more = {}) {
    return compare(folder.write("p.csv", text), std::move(more));
  }
  Json compare_json(const std::string& text) {
    Outcome outcome = compare_text(text, {"--json"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return Json::parse(outcome.out);
  }
};

const Json& counter(const Json& launch, const std::string& name) {
  for (const Json& row : launch["counters"])
    if (row["name"] == name) return row;
  FAIL("no counter " << name);
  return launch;
}

bool has_text(const Json& list, const std::string& text) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Json& each) { return each.get<std::string>().find(text) != std::string::npos; });
}

const std::string kHead = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";

std::string metric(const std::string& name, const std::string& unit, const std::string& value, int id = 0,
                   const std::string& kernel = "vecadd") {
  return "\"" + std::to_string(id) + "\",\"" + kernel + "\",\"" + name + "\",\"" + unit + "\",\"" + value + "\"\n";
}

const std::string kLog =
    "# CUDA_PROFILE_LOG_VERSION 1.4\n# CUDA_DEVICE 0 GeForce 8800 GTX\n"
    "method,gputime,cputime,occupancy,gld_incoherent,gld_coherent,gst_incoherent,gst_coherent\n"
    "method=[ memcopy ] gputime=[ 10.304 ] \n"
    "method=[ vecadd ] gputime=[ 6.240 ] cputime=[ 21.000 ] occupancy=[ 1.000 ] gld_incoherent=[ 0 ] gld_coherent=[ 64 "
    "] "
    "gst_incoherent=[ 0 ] gst_coherent=[ 128 ] \n";

}  // namespace

TEST_CASE("recorded metrics stand beside the statistics of the same names") {
  ProfileFiles files;
  Outcome outcome = files.compare(kProfiles + "ncu-rows.csv", {"--json"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  Json json = Json::parse(outcome.out);
  REQUIRE(json["launches"].size() == 3);
  const Json& run = files.run["launches"][0];
  const Json& first = json["launches"][0];
  CHECK(first["kernel"] == Json{{"a", "vecadd"}, {"b", "vecadd"}});
  CHECK(json["launches"][1]["kernel"] == Json{{"a", kScale}, {"b", "void scaled::scale<float>(T1 *, T1, int)"}});
  CHECK(json["launches"][2]["launch"] == Json{{"a", 2}, {"b", 2}});

  // Thousands between commas, each in the unit of the statistic.
  Json bytes = counter(first, "dram.read_bytes");
  CHECK(bytes["b"] == 35584.0);
  CHECK(bytes["a"] == run["dram"]["read_bytes"]);
  CHECK(bytes["ratio"] == bytes["a"].get<double>() / 35584);
  CHECK(bytes["counter"] == "dram__bytes_read.sum");
  CHECK(bytes["counted"] == "chip");
  CHECK(counter(first, "time_us")["b"].get<double>() == Approx(2.912));
  CHECK(counter(first, "time_us")["a"] == run["time_us"]);
  CHECK(counter(first, "dram.bandwidth_gb_s")["b"].get<double>() == Approx(12.21978022));
  CHECK(counter(first, "native_warp_instructions")["b"] == 2560.0);
  CHECK(counter(first, "occupancy.registers_per_thread")["b"] == 16.0);
  CHECK(counter(first, "issue.issued")["a"] == run["issue"]["issued"]);
  CHECK(counter(first, "warp_cycles.resident")["a"] == run["warp_cycles"]["resident"]);
  CHECK(counter(first, "grid.x")["a"] == 16.0);
  CHECK(counter(first, "grid.x")["b"] == 16.0);
  CHECK(counter(first, "block.x")["b"] == 256.0);
  // Two counters are one statistic.
  CHECK(counter(first, "global.loads")["b"] == 256.0);
  CHECK(counter(first, "global.loads")["counter"] ==
        "smsp__inst_executed_op_global_ld.sum + smsp__inst_executed_op_local_ld.sum");

  // The machine has no L2 cache.
  CHECK(json["only_b"] == Json{"lts__t_tag_requests.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed"});
  CHECK(has_text(json["only_a"], "dram.write_bytes (dram__bytes_write.sum)"));
  CHECK_FALSE(has_text(json["only_a"], "gld_coherent"));  // of another profiler
  CHECK(json["notes"].empty());
  CHECK(json["b"]["profiler"] == "Nsight Compute");
}

TEST_CASE("the form with a column for each metric has the same counters") {
  ProfileFiles files;
  Outcome outcome = files.compare(kProfiles + "ncu-raw.csv", {"--json"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  Json json = Json::parse(outcome.out);
  REQUIRE(json["launches"].size() == 3);
  CHECK(json["launches"][1]["kernel"]["b"] == kScale);
  CHECK(counter(json["launches"][0], "dram.read_bytes")["b"] == 35584.0);
  CHECK(counter(json["launches"][0], "time_us")["b"].get<double>() == Approx(3.008));
  CHECK(counter(json["launches"][0], "dram.bandwidth_gb_s")["b"].get<double>() == Approx(11.82978723));
  CHECK(counter(json["launches"][1], "native_warp_instructions")["b"] == 3328.0);
  CHECK(json["b"]["device"] == "NVIDIA H100 80GB HBM3, compute capability 9.0");
  std::string text = files.compare(kProfiles + "ncu-raw.csv").out;
  CHECK_THAT(text, Contains("launch 1 of A, " + std::string(kScale) + ", beside launch 1 of B\n"));
  CHECK_THAT(text, Contains("counters of B that A does not have\n"));
}

TEST_CASE("values are read in the unit that they are written in") {
  ProfileFiles files;
  Json json = files.compare_json(
      kHead + metric("gpu__time_duration.sum", "msecond", "1,234.5") + metric("dram__bytes_read.sum", "Kbyte", "1.5") +
      metric("dram__bytes.sum.per_second", "Mbyte/second", "250") + metric("smsp__inst_executed.sum", "Kinst", "2") +
      metric("sm__cycles_elapsed.max", "cycle", "7 (1; 2; 4)") + metric("dram__bytes_write.sum", "furlong", "5") +
      metric("lts__t_tag_requests.sum", "tag", "n/a"));
  const Json& launch = json["launches"][0];
  CHECK(counter(launch, "time_us")["b"].get<double>() == Approx(1234500));
  CHECK(counter(launch, "dram.read_bytes")["b"].get<double>() == Approx(1500));
  CHECK(counter(launch, "dram.bandwidth_gb_s")["b"].get<double>() == Approx(0.25));
  CHECK(counter(launch, "native_warp_instructions")["b"] == 2000.0);
  CHECK(counter(launch, "cycles")["b"] == 7.0);
  CHECK(json["only_b"] == Json{"dram__bytes_write.sum", "lts__t_tag_requests.sum"});
}

TEST_CASE("lines of the profiler and of the program between the rows are passed over") {
  ProfileFiles files;
  Json json = files.compare_json("==PROF== Connected to process 1 (/bin/x)\nresult, 5\n1,2\n" + kHead +
                                 metric("sm__cycles_elapsed.max", "cycle", "7") + "1,2,3\n\"done\"\n==PROF== end\r\n" +
                                 metric("gpu__time_duration.sum", "ns", "9"));
  REQUIRE(json["launches"].size() == 1);
  CHECK(counter(json["launches"][0], "cycles")["b"] == 7.0);
  CHECK(counter(json["launches"][0], "time_us")["b"].get<double>() == Approx(0.009));
}

TEST_CASE("what has no partner is said") {
  ProfileFiles files;
  Json json =
      files.compare_json(kHead + metric("sm__cycles_elapsed.max", "cycle", "7", 0, "vecadd(const float *)") +
                         metric("Duration", "ns", "7", 0) + metric("sm__cycles_elapsed.max", "", "8", 1, "other") +
                         metric("sm__cycles_elapsed.max", "", "9", 2, "other"));
  REQUIRE(json["launches"].size() == 1);
  CHECK(has_text(json["notes"], "2 launches of vecadd in A: the last 1 has no partner"));
  CHECK(has_text(json["notes"], std::string("1 launch of ") + kScale + " in A has no partner"));
  CHECK(has_text(json["notes"], "2 launches of other in B have no partner"));
  CHECK(has_text(json["notes"], "--print-metric-name name"));
  CHECK(json["only_b"] == Json{"Duration"});
}

TEST_CASE("another grid is said") {
  ProfileFiles files;
  Json json = files.compare_json(
      "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"vecadd\",\"(256, 1, 1)\",\"(32, 1, 1)\",\"sm__cycles_elapsed.max\",\"cycle\",\"7\"\n");
  CHECK(counter(json["launches"][0], "grid.x")["b"] == 32.0);
  CHECK(has_text(json["notes"], "1 of 1 pairs have another grid or block"));
}

TEST_CASE("a log of the CUDA profiler counts one SM or TPC, and that is said") {
  ProfileFiles files;
  for (bool csv : {false, true}) {
    std::string csv_log =
        "# CUDA_PROFILE_LOG_VERSION 1.4\n# CUDA_DEVICE 0 GeForce 8800 GTX\n# CUDA_PROFILE_CSV 1\n"
        "method,gputime,cputime,occupancy,gld_incoherent,gld_coherent,gst_incoherent,gst_coherent\n"
        "memcopy,10.304\nvecadd,6.240,21.000,1.000,0,64,0,128\n";
    Json json = files.compare_json(csv ? csv_log : kLog);
    REQUIRE(json["launches"].size() == 1);
    const Json& launch = json["launches"][0];
    CHECK(counter(launch, "time_us")["b"] == 6.24);
    CHECK(counter(launch, "time_us")["counted"] == "chip");
    const Json& coalesced = counter(launch, "global.coalesced");
    CHECK(coalesced["b"] == 192.0);
    CHECK(coalesced["a"] == files.run["launches"][0]["global"]["coalesced"]);
    CHECK(coalesced["counted"] == "one TPC");
    CHECK(counter(launch, "global.uncoalesced")["ratio"].is_null());
    CHECK(has_text(json["notes"], "one SM or one TPC"));
    CHECK(has_text(json["notes"], "copies and fills of B are left out (1)"));
    CHECK(json["b"]["device"] == "GeForce 8800 GTX");
    CHECK(json["only_b"] == Json{"cputime", "occupancy"});
    CHECK(has_text(json["only_a"], "native_warp_instructions (instructions)"));
  }
  std::string text = files.compare_text(kLog).out;
  CHECK_THAT(text, Contains("B counts"));
  CHECK_THAT(text, Contains("note: counters of one SM or one TPC are not those of the whole chip"));
}

TEST_CASE("of a sum that is not complete nothing is compared") {
  ProfileFiles files;
  Json json = files.compare_json(
      "# CUDA_PROFILE_LOG_VERSION 2.0\nmethod=[ _Z6vecaddPKfS0_Pfi ] gputime=[ 5 ] gld_coherent=[ 64 ] instructions=[ "
      "9 ]\n");
  const Json& launch = json["launches"][0];
  CHECK(launch["counters"].size() == 2);
  CHECK(counter(launch, "native_warp_instructions")["counted"] == "one SM");
  CHECK(json["only_b"] == Json{"gld_coherent"});
  CHECK(has_text(json["only_a"], "global.coalesced (gld_coherent + gst_coherent)"));
}

TEST_CASE("a profile that is broken is an error with its place") {
  ProfileFiles files;
  struct Broken {
    std::string text, message, hint;
  };
  const std::string row = metric("sm__cycles_elapsed.max", "cycle", "7");
  const Broken table[] = {
      {kHead + metric("sm__cycles_elapsed.max", "cycle", "7,00"),
       "p.csv:2:48: error: the value of sm__cycles_elapsed.max", "LC_ALL=C"},
      {kHead + metric("sm__cycles_elapsed.max", "cycle", "1.2.3"), "p.csv:2:48: error: the value", "commas"},
      {kHead + "\"0\",\"vecadd\"\n", "p.csv:2:1: error: this row has 2 cells; the header has 5", "cut off"},
      {kHead + "\"0\",\"vecadd\",\"sm__\n", "p.csv:2:14: error: this cell has no closing quote", "cut off"},
      {kHead, "has no launch of a kernel", ""},
      {"==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM\n", "p.csv:2:1: error: Nsight Compute recorded nothing",
       "again"},
      {"==PROF== Connected\n", "has no table with a column \"Kernel Name\"", "ncu --csv"},
      {"\"Kernel Name\",\"Invocations\",\"Metric Name\",\"Metric Value\"\n",
       "p.csv:1:1: error: this table has no column \"ID\"", "--print-summary"},
      {"\"ID\",\"Kernel Name\",\"Metric Name\"\n", "p.csv:1:1: error: this table has no column \"Metric Value\"", ""},
      {"\"ID\",\"Kernel Name\"\n", "p.csv:1:1: error: this table has no metric", "gpu__time_duration.sum"},
      {kHead + metric("sm__cycles_elapsed.max", "cycle", "7", 0, "nothing"), "have no kernel in common", "\"nothing\""},
      {"# CUDA_PROFILE_LOG_VERSION 1.4\nvecadd,5\n", "p.csv:2:1: error: expected the names of the columns", "method=["},
      {"method=[ vecadd ] gputime=[ 5\n", "p.csv:1:27: error: this value has no closing bracket", "cut off"},
      {"method=[ vecadd ] 5 gputime=[ 5 ]\n", "p.csv:1:19: error: expected a column", "gputime=[ 12.3 ]"},
      {"method=[ vecadd ] gputime=[ x5 ]\n", "p.csv:1:29: error: the value of gputime is not a number", "point"},
      {"# CUDA_PROFILE_CSV 1\nmethod,gputime\nvecadd,5,6\n",
       "p.csv:3:10: error: this row has 3 cells; there are 2 columns", ""},
      {"# CUDA_PROFILE_CSV 1\nmethod,gputime\n,5\n", "p.csv:3:1: error: this row has no method", ""},
      {"# CUDA_PROFILE_CSV 1\nmethod,gputime\nmemcpyHtoD,5\n", "has no launch of a kernel", "copies only"},
  };
  for (const Broken& broken : table) {
    Outcome outcome = files.compare_text(broken.text);
    INFO(broken.text << outcome.out << outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(broken.message));
    CHECK_THAT(outcome.err, Contains(broken.hint));
  }
}

TEST_CASE("the run comes first, then its profile") {
  ProfileFiles files;
  std::string run = files.folder.write("run.json", files.run.dump(1)), log = files.folder.write("x.log", kLog);
  Outcome swapped = test::warptime({"compare", log, run});
  CHECK(swapped.status == 2);
  CHECK_THAT(swapped.err, Contains("is a profile") && Contains("come first"));
  CHECK(test::warptime({"compare", log, log}).status == 2);
  Outcome option = test::warptime({"compare", run, log, "--threads", "2"});
  CHECK(option.status == 2);
  CHECK_THAT(option.err, Contains("--threads needs a TARGET"));
}

TEST_CASE("kernels are known by their names in all spellings") {
  auto name = [](const char* text) {
    cli::KernelName found = cli::kernel_name(text);
    return found.base + "<" + found.arguments + ">";
  };
  CHECK(name("vecadd") == "vecadd<>");
  CHECK(name("vecadd(const float *, int)") == "vecadd<>");
  CHECK(name("_Z6vecaddPKfS0_Pfi") == "vecadd<>");
  CHECK(name("Z6vecaddPKfS0_Pfi") == "vecadd<>");
  CHECK(name("__globfunc__Z6vecaddPKfS0_Pfi") == "vecadd<>");
  CHECK(name("_ZN6scaled5scaleIfEEvPT_S1_i") == "scale<float>");
  CHECK(name("void scaled::scale<float>(T1 *, T1, int)") == "scale<float>");
  CHECK(name("_Z5tiledILi16EjEvPT0_") == "tiled<16,unsignedint>");
  CHECK(name("void tiled<(int)16, unsigned int>(T2 *)") == "tiled<16,unsignedint>");
  CHECK(name("_Z5scaleI6float2EvPT_") == "scale<float2>");
  CHECK(name("_ZN12_GLOBAL__N_11kEv") == "k<>");
  CHECK(name("(anonymous namespace)::k()") == "k<>");
  CHECK(name("void a::f<b::c<int>>(b::c<int> *)") == "f<b::c<int>>");
  for (const char* odd :
       {"", "_Z", "_Z9", "_Z99999999999999999999x", "Z5", "_ZN", "_Z1aI", "_Z1aILi", ">", "<", "(", "a>", "_Z0"})
    cli::kernel_name(odd);  // any text has a name

  using Pairs = std::vector<std::optional<size_t>>;
  CHECK(cli::pair_launches({"k", "k", "k"}, {"k", "j", "k"}) == Pairs{0, 2, {}});
  // Equal template arguments are better than the same base.
  CHECK(cli::pair_launches({"_Z1kIfEvv", "_Z1kIdEvv"}, {"void k<double>()", "void k<float>()"}) == Pairs{1, 0});
  CHECK(cli::pair_launches({"_Z1kIfEvv"}, {"k"}) == Pairs{0});
}

TEST_CASE("cells may have quotes, and commas in them") {
  SourceText source("x", "a, \"b, \"\"c\"\" \" ,,d\n\"open, e\n");
  CsvLine line = read_csv_line(source, 1);
  REQUIRE(line.cells.size() == 4);
  CHECK(line.cells[0].text == "a");
  CHECK(line.cells[1].text == "b, \"c\" ");
  CHECK(text_of(line.cells[1].where) == "b, \"\"c\"\" ");
  CHECK(line.cells[2].text.empty());
  CHECK(line.cells[3].text == "d");
  CHECK_FALSE(line.is_quoted);
  CHECK(line.open_quote.source == nullptr);
  line = read_csv_line(source, 2);
  CHECK(line.is_quoted);
  CHECK(line.open_quote.source == &source);
}
