// --native of `ptx`, `annotate`, `trace`, `report` and `debug`: the machine program, the same in all of them.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"
#include "unit/report/test_page.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

// A load that could go earlier; a product of four native instructions; a shared word that its reader takes from s[].
const char* const kNativeKernel = R"(.version 1.4
.target sm_10
.entry k (.param .u32 p) {
  .reg .u32 %r<8>;
  .reg .f32 %f<6>;
  .shared .f32 tile[64];
  ld.param.u32 %r1, [p];
  mov.u32 %r2, %tid.x;
  mul.lo.u32 %r3, %r1, %r1;
  shl.b32 %r4, %r2, 2;
  add.u32 %r5, %r4, %r1;
  ld.global.f32 %f1, [%r5];
  ld.shared.f32 %f2, [tile];
  mul.f32 %f3, %f2, %f1;
  cvt.rn.f32.u32 %f4, %r3;
  add.f32 %f5, %f3, %f4;
  st.global.f32 [%r5], %f5;
  exit;
}
)";
constexpr uint32_t kParameterLine = 7, kProductLine = 9, kSharedLine = 13, kReaderLine = 14, kExitLine = 18;

const std::vector<std::string> kArrangedMachine{
    "--machine", "geforce-gtx-480", "--set", "native.schedule=list", "--set", "native.allocate=linear_scan"};
const std::vector<std::string> kG80Machine{"--machine", "geforce-8800-gtx"};

Outcome listed(const std::string& file, std::vector<std::string> options) {
  options.insert(options.begin(), {"ptx", file, "--native"});
  return ::warptime::test::warptime(options);
}

Outcome on_native_kernel(const TempFolder& folder, const std::string& command, std::vector<std::string> options) {
  options.insert(options.begin(), {command, folder.write("k.ptx", kNativeKernel), "--grid", "1", "--block", "32",
                                   "--buffer", "a=f32:32", "--arg", "a"});
  return ::warptime::test::warptime(options);
}

Json machine_program(const TempFolder& folder, std::vector<std::string> options) {
  options.push_back("--json");
  Outcome outcome = listed(folder.write("k.ptx", kNativeKernel), options);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out)["kernels"][0]["native"];
}

/// What issues of one PTX line.
Json issued_at(const Json& native, uint32_t line) {
  for (const Json& each : native["instructions"])
    if (each["line"] == line) return each;
  FAIL("no native instruction of line " << line);
  return {};
}

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.find(part) != std::string::npos) out.push_back(line);
  return out;
}

}  // namespace

TEST_CASE("the machine program of a G80: counts, recipes, and what issues as a part of another instruction") {
  TempFolder folder;
  const Json native = machine_program(folder, kG80Machine);
  CHECK(native["order"] == "source");
  CHECK(native["physical_registers"] == false);
  const Json product = issued_at(native, kProductLine);
  CHECK(product["native_count"] == 4);
  CHECK(product["native"] == "mul.u16 mad.u16 shl mad.u16");
  CHECK(product["unit"] == "sp");
  CHECK(product["issue_cycles"] == 8);
  CHECK(product["pipe_cycles"] == 16);
  CHECK(product["latency"] == 88);
  CHECK(product["writes"] == Json{"%r3"});
  CHECK(product["waits_for"] == Json({"%r3", "%r1"}));
  const Json reader = issued_at(native, kReaderLine);
  CHECK(reader["native"] == "mul s[%f2]");
  CHECK(reader["shared_operand"] == "%f2");
  CHECK(reader["issue_cycles"] == 6);  // 2 + 4 x degree
  CHECK(reader["may_issue_longer"] == true);
  REQUIRE(reader["parts"].size() == 1);
  CHECK(reader["parts"][0]["line"] == kSharedLine);
  CHECK(reader["parts"][0]["issues_with_line"] == kReaderLine);
  CHECK(reader["parts"][0]["native_count"] == 0);
  CHECK(issued_at(native, kExitLine - 1)["parts"][0]["line"] == kExitLine);

  const Outcome table = listed(folder.path("k.ptx"), kG80Machine);
  CHECK(table.status == 0);
  CHECK_THAT(table.out, Contains("kernel k on geforce-8800-gtx: 12 PTX instructions, "));
  CHECK_THAT(lines_with(table.out, "mul.lo.u32").at(0),
             Contains("    4  sp ") && Contains("mul.u16 mad.u16 shl mad.u16"));
  CHECK_THAT(table.out, Contains("operand of the instruction that reads it"));
}

TEST_CASE("the machine program of an arranged kernel: its order, and physical registers") {
  TempFolder folder;
  const Json native = machine_program(folder, kArrangedMachine);
  CHECK(native["order"] == "list");
  CHECK(native["physical_registers"] == true);
  std::vector<uint32_t> lines;
  uint32_t number = 0;
  for (const Json& each : native["instructions"]) {
    lines.push_back(each["line"]);
    CHECK(each["number"] == number);
    number += each["native_count"].get<uint32_t>();
    for (const char* list : {"writes", "waits_for"})
      for (const Json& name : each[list]) CHECK(name.get<std::string>().starts_with("R"));
  }
  CHECK(number == native["native_count"]);
  CHECK(lines.size() == 12);
  CHECK_FALSE(std::is_sorted(lines.begin(), lines.end()));
  CHECK(std::find(lines.begin(), lines.end(), kProductLine + 1) < std::find(lines.begin(), lines.end(), kProductLine));
  const Outcome table = listed(folder.path("k.ptx"), kArrangedMachine);
  CHECK_THAT(table.out, Contains("in the order of native.schedule: list"));
  CHECK_THAT(lines_with(table.out, "mul.lo.u32 %r3").at(0), Contains("mul.lo.u32 R"));
}

TEST_CASE("every PTX instruction of a module is in its machine program once") {
  for (const std::string machine : {"geforce-8800-gtx", "geforce-gtx-280", "geforce-gtx-480"})
    for (const char* file : {"matmul/matmul.ptx", "scan/scan.ptx", "nbody/nbody.ptx"}) {
      INFO(machine << " " << file);
      Outcome outcome = listed(std::string(WARPTIME_SOURCE_DIR "/workloads/") + file, {"--json", "--machine", machine});
      REQUIRE(outcome.status == 0);
      const Json module = Json::parse(outcome.out);
      for (const Json& kernel : module["kernels"]) {
        size_t instructions = 0;
        uint64_t native = 0;
        for (const Json& each : kernel["native"]["instructions"]) {
          instructions += 1 + (each.contains("parts") ? each["parts"].size() : 0);
          native += each["native_count"].get<uint64_t>();
        }
        CHECK(instructions == kernel["instructions"]);
        CHECK(native == kernel["native"]["native_count"]);
      }
    }
}

TEST_CASE("annotate, trace, report and debug show the same native instructions, and none without --native") {
  TempFolder folder;
  for (const std::vector<std::string>& machine : {kG80Machine, kArrangedMachine}) {
    auto with = [&](std::vector<std::string> more) {
      more.insert(more.end(), machine.begin(), machine.end());
      return more;
    };
    const std::string text = on_native_kernel(folder, "annotate", with({"--native"})).out;
    CHECK(lines_with(text, "; issue ").size() == machine_program(folder, machine)["instructions"].size());
    const std::string product = lines_with(text, machine == kG80Machine ? "mul.u16" : "mul.lo.u32 R").at(0);
    const std::string line = product.substr(product.find('#'));
    CHECK_THAT(line, Contains("#") && Contains(" sp: ") && Contains("; writes "));
    CHECK_THAT(on_native_kernel(folder, "annotate", machine).out, !Contains("; issue "));

    CHECK_THAT(on_native_kernel(folder, "trace", with({"--warp", "0", "--native"})).out, Contains(line));
    CHECK_THAT(on_native_kernel(folder, "trace", with({"--warp", "0"})).out, !Contains("; issue "));
    for (const char* file : {"t.json", "t.kanata", "t.pftrace"}) {
      INFO(file);
      REQUIRE(on_native_kernel(folder, "trace", with({"-o", folder.path(file), "--native"})).status == 0);
      CHECK_THAT(read_text(folder.path(file)), Contains(line));
    }

    REQUIRE(on_native_kernel(folder, "report", with({"-o", folder.path("r.html"), "--native"})).status == 0);
    const Json rows = page_data(read_text(folder.path("r.html")))["kernels"][0]["rows"];
    CHECK(std::count_if(rows.begin(), rows.end(), [&](const Json& row) { return row.value("issues", "") == line; }) ==
          1);
    REQUIRE(on_native_kernel(folder, "report", with({"-o", folder.path("r.html")})).status == 0);
    CHECK_FALSE(page_data(read_text(folder.path("r.html")))["kernels"][0]["rows"][0].contains("issues"));

    const std::string script = folder.write("script", "list/native 9\n\nbreak 9\ncontinue\ninfo native\n");
    const std::string debug = on_native_kernel(folder, "debug", with({"--script", script})).out;
    CHECK(lines_with(debug, line).size() == 2);  // list, info native
    CHECK(lines_with(on_native_kernel(folder, "debug", with({"--native", "--script", script})).out, line).size() == 3);
  }
}

TEST_CASE("the cycles of issue that are shown are those that a run takes") {
  for (const char* machine : {"geforce-8800-gtx", "tesla-c1060", "geforce-gtx-480"}) {
    INFO(machine);
    const Outcome outcome = ::warptime::test::warptime(
        {"annotate", "matmul:tiled", "--param", "n=32", "--native", "--json", "--machine", machine});
    REQUIRE(outcome.status == 0);
    const Json kernel = Json::parse(outcome.out)["kernels"][0];
    for (const Json& line : kernel["lines"]) {
      if (!line.contains("native")) continue;
      INFO(line["text"]);
      const Json& native = line["native"];
      const uint64_t issued = line["issued"],
                     shown = native.value("issue_cycles", uint64_t{0}) * line["warp_instructions"].get<uint64_t>();
      if (native.value("may_issue_longer", false)) CHECK(issued >= shown);
      else CHECK(issued == shown);
    }
  }
}

TEST_CASE("annotate --native --json has what issues for each line") {
  TempFolder folder;
  const Json kernel = Json::parse(on_native_kernel(folder, "annotate", {"--native", "--json"}).out)["kernels"][0];
  for (const Json& line : kernel["lines"])
    if (line["line"] == kProductLine) CHECK(line["native"]["native_count"] == 4);
  CHECK(kernel["lines"][0]["native"]["line"] == kParameterLine);
  CHECK_FALSE(
      Json::parse(on_native_kernel(folder, "annotate", {"--json"}).out)["kernels"][0]["lines"][0].contains("native"));
}

TEST_CASE("mistakes with --native are errors at their place") {
  TempFolder folder;
  const std::string file = folder.write("k.ptx", kNativeKernel);
  struct NativeMistake {
    std::vector<std::string> words;
    const char* message;
  };
  const std::string doubles = folder.write("d.ptx", R"(.version 1.4
.target sm_13
.entry d (.param .u32 p) {
  .reg .f64 %d<3>;
  add.f64 %d1, %d2, %d2;
  exit;
}
)");
  const std::string nothing = folder.write("n.ptx", ".version 1.4\n.target sm_10\n");
  const std::vector<NativeMistake> mistakes{
      {{"ptx", file, "--native", "--machine", "geforce-8800-gtx", "--kernel", "q"}, "has no kernel \"q\""},
      {{"ptx", file, "--machine", "geforce-8800-gtx"}, "--machine goes with --native"},
      {{"ptx", file, "--set", "chip.tpcs=1"}, "--set goes with --native"},
      {{"ptx", file, "--native", "--machine", "generic"}, "has no timing, so it issues no native instructions"},
      {{"ptx", doubles, "--native", "--machine", "geforce-8800-gtx"}, "needs a machine with the feature f64"},
      {{"ptx", nothing, "--native", "--machine", "geforce-8800-gtx"}, "has no kernel, so nothing issues"},
      {{"annotate", "vecadd", "--native", "--machine", "generic"}, "so it issues no native instructions"},
      {{"trace", "vecadd", "--native"}, "the drawing has no instructions"},
      {{"trace", "vecadd", "--native", "--level", "block"}, "--level block records none"},
  };
  for (const NativeMistake& mistake : mistakes) {
    Outcome outcome = ::warptime::test::warptime(mistake.words);
    CAPTURE(mistake.message, outcome.out);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(mistake.message));
  }
  // A kernel that the machine cannot run is a warning, if it can run others.
  std::string two = kNativeKernel;
  two.replace(two.find("sm_10"), 5, "sm_13");
  const std::string both =
      folder.write("b.ptx", two + ".entry d () {\n  .reg .f64 %d<3>;\n  add.f64 %d1, %d2, %d2;\n}\n");
  Outcome outcome = listed(both, kG80Machine);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("kernel k on") && !Contains("kernel d on"));
  CHECK_THAT(outcome.err, Contains("warning: ") && Contains("needs a machine with the feature f64"));
}
