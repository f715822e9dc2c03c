// `warptime validate` on measured launches, and the bands of error of `warptime run`, through the program itself. The
// launches are small ones of validation/hopper/more.list, under other names.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

const std::string kSource = WARPTIME_SOURCE_DIR;

/// A home with machines and workloads as shipped, and other groups of figures.
class OtherHome {
 public:
  OtherHome() {
    std::filesystem::create_directories(folder_.path("validation"));
    for (const char* name : {"configs", "workloads"})
      std::filesystem::create_directory_symlink(kSource + "/" + name, folder_.path(name));
    write("open.yaml",
          "source: S\nruns: {a: {target: vecadd, param: {n: 64}}}\n"
          "rows: {flops: {published: 64, quantity: operations, role: predicted, value: a.flops}}\n");
    write("named.yaml",
          "source: S\nonly_if_named: true\nmeasured:\n  copies:\n    csv: measured.csv\n    where: {group: some}\n"
          "    name: \"{file}\"\n    target: " +
              kSource + "/validation/hopper/{file}\n" +
              "    launch: \"{kernel}\"\n    published: cold_us - 1.3\n    machine: h200-sxm\n"
              "    conditions: {chip.caches_between_launches.l2: empty}\n    role: predicted\n"
              "    roles: {embedding.16.yaml: fitted}\n");
    write("measured.csv",
          "group,file,kernel,cold_us\n"
          "some,to_halves.1024.yaml,to_halves,3.488\n"
          "others,no-such-file.yaml,k,3\n"
          "some,embedding.16.yaml,embedding,4.0\n");
  }
  void write(const std::string& name, const std::string& text) const { folder_.write("validation/" + name, text); }
  std::string path(const std::string& name) const { return folder_.path("validation/" + name); }
  Outcome run(std::vector<std::string> words) const {
    words.insert(words.begin(), WARPTIME_BINARY);
    return run_program(words, {{"WARPTIME_HOME", folder_.path("")}});
  }

 private:
  TempFolder folder_;
};

}  // namespace

TEST_CASE("validate: measured launches have an error, a class and their role, which conditions do not change") {
  OtherHome home;
  Outcome outcome = home.run({"validate", "named", "--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  Json report = Json::parse(outcome.out);
  REQUIRE(report["rows"].size() == 2);
  const Json& row = report["rows"][0];
  CHECK(row["name"] == "to_halves.1024.yaml");
  CHECK(row["published"].get<double>() == Approx(2.188));
  CHECK(row["role"] == "predicted");
  CHECK(row["class"] == "small");
  CHECK(row["conditions"] == Json{"chip.caches_between_launches.l2=empty"});
  CHECK_FALSE(row.contains("set"));
  CHECK(report["rows"][1]["role"] == "fitted");
  // The launch, not the program's other ones.
  const Json stats = Json::parse(
      home.run({"run", kSource + "/validation/hopper/to_halves.1024.yaml", "--machine", "h200-sxm", "--json"}).out);
  REQUIRE(stats["launches"][0]["kernel"] == "to_halves");
  CHECK(row["simulated"] == stats["launches"][0]["time_us"]);
  CHECK(report["machine_hashes"]["h200-sxm"] == stats["machine"]["hash"]);
  REQUIRE(report["classes"].size() == 2);
  CHECK(report["classes"][0]["class"] == "small");
  CHECK(report["classes"][1]["launches"] == 2);
  CHECK(report["classes"][1]["mean_abs_error"].get<double>() ==
        Approx((std::abs(row["error"].get<double>()) + std::abs(report["rows"][1]["error"].get<double>())) / 2));
  CHECK(home.run({"validate", "named", "--json", "--jobs", "1"}).out == outcome.out);
  CHECK_THAT(home.run({"validate", "named", "--csv", "-"}).out, Contains("/to_halves.1024.yaml,small\n"));
  CHECK_THAT(home.run({"validate", "named"}).out,
             Contains("class of kernel") && Contains("\nall              h200-sxm"));
}

TEST_CASE("validate: conditions hold in the run, and the row stays one of the machine as its file has it") {
  OtherHome home;
  home.write("measured.csv",
             "group,file,kernel,cold_us\nsome,embedding.16.yaml,embedding,4.0\nsome,chase.4096.yaml,chase,5.5\n");
  const Json row = Json::parse(home.run({"validate", "named", "--only", "chase", "--json"}).out)["rows"][0];
  const auto simulated = [&](const std::string& contents) {
    const std::vector<std::string> words{
        "run",   kSource + "/validation/hopper/chase.4096.yaml", "--machine", "h200-sxm",
        "--set", "chip.caches_between_launches.l2=" + contents,  "--json"};
    return Json::parse(home.run(words).out)["launches"][1]["time_us"].get<double>();
  };
  CHECK(row["simulated"] == simulated("empty"));
  CHECK(row["simulated"] > simulated("keep"));
  CHECK(row["role"] == "predicted");
}

TEST_CASE("validate: a group that is only_if_named does not run with the others") {
  OtherHome home;
  Outcome outcome = home.run({"validate", "--json"});
  REQUIRE(outcome.status == 0);
  Json report = Json::parse(outcome.out);
  REQUIRE(report["rows"].size() == 1);
  CHECK(report["rows"][0]["group"] == "open");
  CHECK_FALSE(report.contains("classes"));
  CHECK_THAT(home.run({"validate", "open"}).out, !Contains("class of kernel"));
  CHECK_THAT(home.run({"validate", "--only", "to_halves"}).err, Contains("no row has such a name"));
  CHECK(Json::parse(home.run({"validate", "open", "named", "--json"}).out)["rows"].size() == 3);
  CHECK_THAT(home.run({"validate", "nmed"}).err, Contains("did you mean \"named\"?"));
}

TEST_CASE("validate: --set on a measured machine makes its rows those of another") {
  OtherHome home;
  Json report = Json::parse(home.run({"validate", "named", "--set", "clocks.shader_mhz=1000", "--json"}).out);
  CHECK(report["rows"][0]["role"] == "predicted");  // as for every group: what was asked for is the base
  CHECK(report["rows"][0]["simulated"] !=
        Json::parse(home.run({"validate", "named", "--json"}).out)["rows"][0]["simulated"]);
}

TEST_CASE("validate: a kernel that the program does not launch is named, with the ones that it does") {
  OtherHome home;
  home.write("measured.csv", "group,file,kernel,cold_us\nsome,embedding.16.yaml,embeding,4.0\n");
  Outcome outcome = home.run({"validate", "named"});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("has no figure \"launches.embeding.time_us\"") &&
                              Contains("did you mean \"launches.embedding.time_us\"?"));
}

TEST_CASE("run: the band of the launch's class stands beside its time") {
  const std::vector<std::string> words{"run", "vecadd", "--param", "n=4096", "--machine", "h200-sxm"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return warptime::test::warptime(more);
  };
  CHECK_THAT(with({}).out, Contains(" % for kernels like it (small: ") && Contains(" measured launches)\n"));
  Json band = Json::parse(with({"--json"}).out)["launches"][0]["error_band"];
  CHECK(band["class"] == "small");
  CHECK(band["machine"] == "h200-sxm");
  CHECK(band["launches"].get<unsigned>() >= 8);
  CHECK(band["percent"].get<double>() > 0);
  CHECK(Json::parse(with({"--json", "--threads", "2"}).out)["launches"][0]["error_band"] == band);
  // A value that is the file's own changes nothing.
  CHECK(Json::parse(with({"--json", "--set", "clocks.shader_mhz=1980"}).out)["launches"][0]["error_band"] == band);
  CHECK(Json::parse(with({"--json", "--functional"}).out)["launches"][0]["error_band"].is_null());
}

TEST_CASE("run: a changed machine, its relatives and others have no band") {
  auto run_on = [](const std::string& machine, const std::string& option) {
    return warptime::test::warptime(
        {"run", "vecadd", "--param", "n=4096", "--machine", machine, option, "--set", "chip.launch_cycles=1000"});
  };
  CHECK_THAT(run_on("h200-sxm", "--no-check").out,
             Contains("  error        changed machine") && !Contains("kernels like it"));
  const Json changed = Json::parse(run_on("h200-sxm", "--json").out)["launches"][0];
  REQUIRE(changed.contains("error_band"));
  CHECK(changed["error_band"].is_null());
  TempFolder folder;
  const std::string own = folder.write("h200-sxm.yaml", "extends: h200-sxm\ndescription: of my own\n");
  CHECK_THAT(run_on(own, "--no-check").out, Contains("no measured rows for h200-sxm.yaml; h200-sxm, its nearest\n") &&
                                                Contains("has a mean error of"));
  CHECK_FALSE(Json::parse(run_on(own, "--json").out)["launches"][0].contains("error_band"));
  CHECK_THAT(run_on("a100-sxm", "--no-check").out, Contains("no measured rows for a100-sxm; h200-sxm, its nearest"));
  CHECK_THAT(run_on("geforce-gtx-480", "--no-check").out, !Contains("error  ") && !Contains("kernels like it"));
  CHECK_FALSE(Json::parse(run_on("geforce-gtx-480", "--json").out)["launches"][0].contains("error_band"));
}

TEST_CASE("run: a file of bands with a mistake is refused, and without one there are none") {
  OtherHome home;
  const std::vector<std::string> words{"run", "vecadd", "--param", "n=4096", "--machine", "h200-sxm"};
  CHECK_THAT(home.run(words).out, !Contains("kernels like it"));
  home.write("error_bands.csv", "machine,class\n");
  Outcome outcome = home.run(words);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("error_bands.csv:1:1: error: these are not the columns of error bands"));
}
