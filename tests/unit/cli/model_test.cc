// `warptime model`: its terms fit together, --simulate stands beside them, launches that lack something get a sentence,
// and the work flow graph is written.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

Outcome model_words(std::vector<std::string> words) {
  words.insert(words.begin(), "model");
  return warptime::test::warptime(words);
}

Json model_of(std::vector<std::string> words) {
  words.push_back("--json");
  const Outcome outcome = model_words(words);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out);
}

const std::vector<std::string> kTiled{"matmul:tiled", "--param", "n=64"};

std::vector<std::string> with(std::vector<std::string> words, std::vector<std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A kernel of a PTX file with this body, launched with one block of 32 threads.
std::vector<std::string> kernel_with(const TempFolder& folder, const std::string& body) {
  const std::string file =
      folder.write("k.ptx", ".version 1.4\n.target sm_10\n.entry k() {\n.reg .u32 %r<4>;\n.reg .f32 %f<4>;\n" + body +
                                "\nexit;\n}\n");
  return {file, "--kernel", "k", "--grid", "1", "--block", "32"};
}

}  // namespace

TEST_CASE("model: the terms are those of the equations") {
  const Json launch = model_of(kTiled)["launches"][0];
  const Json& terms = launch["terms"];
  auto of = [&](const char* name) { return terms[name].get<double>(); };
  CHECK(launch["kernel"] == "tiled_16");
  CHECK(launch["simulated_us"].is_null());
  CHECK(of("T_exec") == Approx(of("T_comp") + of("T_mem") - of("T_overlap")));
  CHECK(of("T_comp") == Approx(of("W_parallel") + of("W_serial")));
  CHECK(of("W_serial") == Approx(of("O_sync") + of("O_SFU") + of("O_CFdiv") + of("O_bank")));
  CHECK(launch["predicted_us"].get<double>() == Approx((of("T_exec") + of("T_fetch")) / 1350));
  // 16 blocks of 8 warps, one on each SM; 2 barriers in each of 4 tiles; 2 loads a tile and a store.
  CHECK(of("#total_warps") == 128);
  CHECK(of("N") == 8);
  CHECK(of("#sync_insts") == 8);
  CHECK(of("#mem_insts") == 9);
  CHECK(of("W/D") == Approx(of("W") / of("D")));
  for (const char* name : {"B_itilp", "B_memlp", "B_fp", "B_serial"}) CHECK(launch["benefits"][name].is_number());
  for (const auto& [name, value] : terms.items()) {
    INFO(name);
    CHECK(value.is_number());
    CHECK(launch["about"][name]["from"].get<std::string>() != "");
  }
}

TEST_CASE("model: no host thread count changes a byte") {
  CHECK(model_words(with(kTiled, {"--threads", "1"})).out == model_words(with(kTiled, {"--threads", "3"})).out);
}

TEST_CASE("model: --simulate has the time of a run beside it") {
  const Json launch = model_of(with(kTiled, {"--simulate"}))["launches"][0];
  const Outcome run = warptime::test::warptime({"run", "matmul:tiled", "--param", "n=64", "--json", "--quiet"});
  CHECK(launch["simulated_us"] == Json::parse(run.out)["launches"][0]["time_us"]);
  CHECK(launch["compared"].size() >= 4);
}

TEST_CASE("model: a disagreement is a warning with the term that differs most") {
  // A model of DRAM rows that are always open cannot know how long opening one takes here.
  const Outcome outcome = model_words({"vecadd", "--param", "n=65536", "--simulate", "--set", "dram.tRC=900", "--set",
                                       "dram.tRP=400", "--set", "dram.row_bytes=128"});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.err, Contains("warning: kernel ") && Contains("most differs T_mem - T_overlap"));
}

TEST_CASE("model: what a launch lacks is said") {
  TempFolder folder;
  const Outcome outcome = model_words(kernel_with(folder, "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, %r1;"));
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("nothing accesses global memory") && Contains("no floating-point instruction") &&
                              Contains("one warp per SM") && !Contains("nan") && !Contains("inf\n"));
  const Outcome empty = model_words(kernel_with(folder, ""));
  CHECK(empty.status == 0);
  CHECK_THAT(empty.out, Contains("no instruction takes time") && !Contains("nan"));
}

TEST_CASE("model: the work flow graph as Graphviz' text") {
  TempFolder folder;
  const Outcome outcome = model_words(with(kTiled, {"--graph", folder.path("g.dot")}));
  REQUIRE(outcome.status == 0);
  const std::string text = read_text(folder.path("g.dot"));
  CHECK_THAT(text, Catch::StartsWith("digraph work_flow {") && Contains("bar.sync") && Contains("color=red") &&
                       Contains("style=dashed") && Catch::EndsWith("}\n"));
}

TEST_CASE("model: what cannot be modelled is bad input") {
  auto [words, message] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"vecadd", "--param", "n=64", "--machine", "generic"}, "the machine generic has no timing to predict"},
      {{"vecadd", "--param", "n=64", "--graph", "g.png"}, "ends in \".dot\" or \".svg\""},
  }));
  const Outcome outcome = model_words(words);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains(message));
}
