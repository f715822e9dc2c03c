// Statistics of small runs beside the approved ones, by workload and machine hash: a change of the model shows here, on
// purpose or not. `tests/tools/approve` writes the files anew; look at what it changed before committing.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "workloads/workload_run.h"

namespace warptime {

namespace {

const std::filesystem::path kFolder = WARPTIME_SOURCE_DIR "/tests/workloads/golden";

/// Whole numbers and words only: floating-point values follow from them.
nlohmann::ordered_json counters(const nlohmann::ordered_json& value) {
  if (!value.is_object()) return value;
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [key, member] : value.items())
    if (!member.is_number_float() && key != "issue_by_sm" && key != "busy_by_unit" && key != "instructions")
      out[key] = counters(member);
  return out;
}

std::string statistics_of(const host::RunReport& report) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  nlohmann::ordered_json json = host::to_json(report);
  for (const auto& launch : json["launches"]) out.push_back(counters(launch));
  return out.dump(1) + "\n";
}

/// The first line that differs, from both.
std::string first_difference(const std::string& got, const std::string& approved) {
  std::istringstream a(got), b(approved);
  std::string x, y;
  for (int line = 1;; ++line) {
    bool more_a = static_cast<bool>(std::getline(a, x)), more_b = static_cast<bool>(std::getline(b, y));
    if (!more_a && !more_b) return "";
    if (!more_a || !more_b || x != y) return "line " + std::to_string(line) + ":" + x + "   approved:" + y;
  }
}

void check_golden(const Target& target) {
  host::RunReport report = run(target);
  std::string name = target.name();
  for (char& c : name)
    if (c == ' ' || c == ':') c = '.';
  std::filesystem::path file = kFolder / (name + "." + report.machine.hash + ".json");
  std::string got = statistics_of(report);
  if (std::getenv("WARPTIME_APPROVE") != nullptr) {
    std::filesystem::create_directories(kFolder);
    std::ofstream(file, std::ios::binary) << got;
    return;
  }
  std::ifstream in(file, std::ios::binary);
  INFO(file.string() << " (tests/tools/approve writes it)");
  REQUIRE(in);
  std::string approved{std::istreambuf_iterator<char>(in), {}};
  CHECK(first_difference(got, approved) == "");
}

}  // namespace

TEST_CASE("vecadd and saxpy as approved", "[golden]") {
  check_golden({"vecadd", "", {"n=20000"}});
  check_golden({"saxpy", "", {"n=20000"}});
}

TEST_CASE("matmul as approved", "[golden]") {
  for (const char* variant : {"naive", "tiled", "unrolled", "prefetch"}) check_golden({"matmul", variant, {"n=64"}});
  check_golden({"matmul", "tiled", {"n=48", "tile=4"}});
  check_golden({"matmul", "tiled", {"n=48", "tile=12"}});
}

TEST_CASE("Programs of Ryoo et al. 2008 as approved", "[golden]") {
  check_golden({"cp", "several", {"size=128", "atoms=60"}});
  check_golden({"cp", "one", {"size=128", "atoms=20"}});
  check_golden({"fdtd", "", {"size=64", "steps=4"}});
  check_golden({"saxpy", "linpack", {"order=48", "steps=0"}});
  for (const char* machine : {"geforce-8800-gtx", "geforce-8800-gtx-rotate"})
    for (const char* variant : {"rolled", "unrolled"}) check_golden({"rc5", variant, {"blocks=2", "keys=2"}, machine});
}

TEST_CASE("Later programs of Ryoo et al. 2008 as approved", "[golden]") {
  check_golden({"rpes", "shared", {"atoms=2"}});
  for (const char* variant : {"texture", "global"}) check_golden({"h264", variant, {"across=1", "down=1"}});
  for (const char* variant : {"buffered", "direct", "arrays"})
    check_golden({"lbm", variant, {"rows=4", "layers=3", "steps=2"}});
  for (const char* variant : {"interleaved", "contiguous"})
    check_golden({"pns", variant, {"blocks=2", "stations=3", "ticks=5"}});
  for (const char* variant : {"renumbered", "random", "four"}) check_golden({"fem", variant, {"cells=4", "steps=2"}});
}

TEST_CASE("fmm-ulist and spmv as approved", "[golden]") {
  for (const char* variant : {"baseline", "shmem+rsqrt+vecpack"})
    check_golden({"fmm-ulist", variant, {"q=24", "levels=1", "random=1"}, "tesla-c1060"});
  for (const char* variant : {"banded", "power-law+texture"})
    check_golden({"spmv", variant, {"rows=600", "elements=4"}, "geforce-gtx-480"});
}

TEST_CASE("nbody and sgemm as approved", "[golden]") {
  for (const char* machine : {"geforce-8800-gtx", "tesla-c1060"}) {
    for (const char* variant : {"rolled", "unrolled"}) check_golden({"nbody", variant, {"n=300"}, machine});
    check_golden({"sgemm", "", {"n=64"}, machine});
  }
}

TEST_CASE("reduce and scan as approved", "[golden]") {
  for (const char* variant : {"interleaved-divergent", "sequential", "several"})
    check_golden({"reduce", variant, {"n=20000"}});
  check_golden({"scan", "", {"n=20000"}});
}

TEST_CASE("lookup as approved", "[golden]") {
  for (const char* machine : {"geforce-8800-gtx", "tesla-c1060", "geforce-gtx-480", "jetson-tk1"})
    check_golden({"lookup", "", {"n=8192", "rounds=16", "entries=4096"}, machine});
}

TEST_CASE("copy, transpose and matvec as approved", "[golden]") {
  for (const char* machine : {"geforce-8800-gtx", "geforce-gtx-280"}) {
    for (const char* variant : {"word", "float4"}) check_golden({"copy", variant, {"n=20000"}, machine});
    for (const char* variant : {"naive", "coalesced", "diagonal"})
      check_golden({"transpose", variant, {"n=96"}, machine});
  }
  for (const char* variant : {"direct", "transposed", "shared", "shared-padded"})
    check_golden({"matvec", variant, {"n=256"}});
}

TEST_CASE("mandelbrot as approved, f32 everywhere and f64 where there is double precision", "[golden]") {
  std::vector<std::string> small{"size=48", "blocks=20", "depth=40"};
  check_golden({"mandelbrot", "f32", small});
  for (const char* machine : {"tesla-c1060", "geforce-gtx-480", "jetson-tk1"}) {
    check_golden({"mandelbrot", "f32", small, machine});
    check_golden({"mandelbrot", "f64", small, machine});
  }
}

TEST_CASE("mri-q, mri-fhd and tpacf as approved", "[golden]") {
  for (const char* workload : {"mri-q", "mri-fhd"})
    for (const char* variant : {"constant", "global", "software-sine"}) check_golden({workload, variant, {"size=16"}});
  for (const char* variant : {"binary", "linear"}) check_golden({"tpacf", variant, {"size=300"}});
}

TEST_CASE("Part of a large matmul as approved", "[golden][full]") {
  check_golden({"matmul", "unrolled", {"n=4096", "blocks=48"}});
}

}  // namespace warptime
