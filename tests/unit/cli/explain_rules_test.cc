// The rules of `warptime explain`, one by one: each on a kernel of a few lines that has the fault, and on one like it
// that has not. docs/explain.md shows one of them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Json = nlohmann::ordered_json;

namespace {

/// A kernel of the buffer x, with the thread's index in the block in %r1, in the grid in %r4, and its element in %r5.
std::string explained_kernel(const std::string& body, const std::string& target, const std::string& declarations) {
  const std::string version = target == "sm_90" ? "8.0" : "1.4";
  return ".version " + version + "\n.target " + target + "\n" + declarations + R"(.entry k (.param .u32 x)
{
.reg .u32 %r<64>;
.reg .f32 %f<64>;
.reg .pred %p<8>;
.shared .align 4 .b8 s[8192];
ld.param.u32 %r0, [x];
cvt.u32.u16 %r1, %tid.x;
cvt.u32.u16 %r2, %ctaid.x;
cvt.u32.u16 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1;
shl.b32 %r5, %r4, 2;
add.u32 %r5, %r5, %r0;
mov.u32 %r6, 0;
mov.f32 %f0, 0f3F800000;
mov.f32 %f1, 0f3F800000;
mov.f32 %f2, 0f3F800000;
mov.f32 %f3, 0f3F800000;
mov.f32 %f4, 0f3F800000;
)" + body +
         R"(
st.global.f32 [%r5], %f1;
exit;
}
)";
}

/// `count` rounds of the body.
std::string loop(const std::string& body, const std::string& count = "64") {
  return "again:\n" + body + "\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p0, %r6, " + count + ";\n@%p0 bra again;\n";
}

std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text + "\n";
  return out;
}

const std::string kMads = repeated(
    "mad.f32 %f1, %f1, %f0, %f0;\nmad.f32 %f2, %f2, %f0, %f0;\nmad.f32 %f3, %f3, %f0, %f0;\nmad.f32 %f4, %f4, %f0, "
    "%f0;",
    4);
const std::string kChain = repeated("mad.f32 %f1, %f1, %f0, %f0;", 16);

using Words = std::vector<std::string>;

struct Launched {
  std::string body;
  std::string grid, block;
  Words more = {};
  std::string target = "sm_11", declarations = "";
};

Json explained(const Launched& launched, const Words& options = {}) {
  TempFolder folder;
  Words words{
      "explain",  folder.write("k.ptx", explained_kernel(launched.body, launched.target, launched.declarations)),
      "--grid",   launched.grid,
      "--block",  launched.block,
      "--buffer", "x=f32:4194304:zeros",
      "--arg",    "x",
      "--json"};
  words.insert(words.end(), launched.more.begin(), launched.more.end());
  words.insert(words.end(), options.begin(), options.end());
  Outcome outcome = warptime::test::warptime(words);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out)["launches"][0];
}

const Json* finding(const Json& launch, const std::string& rule) {
  for (const Json& each : launch["findings"])
    if (each["rule"] == rule) return &each;
  return nullptr;
}

/// `line`: what the named line contains; empty: none is named.
void check_rule(const std::string& rule, const Launched& faulty, const Launched& sound, const std::string& operation) {
  Json with = explained(faulty), without = explained(sound);
  INFO(rule << "\n" << with.dump(2) << "\n" << without.dump(2));
  const Json* found = finding(with, rule);
  REQUIRE(found != nullptr);
  CHECK((*found)["promised"].get<double>() >= 0.05);
  CHECK((*found)["promised"].get<double>() <= 1);
  CHECK((*found)["won"].is_null());
  auto line = (*found)["line"].get<uint32_t>();
  CHECK((line != 0) == !operation.empty());
  std::string message = (*found)["message"];
  CHECK(message.ends_with("."));
  if (line != 0) CHECK(message.starts_with("Line " + std::to_string(line) + " (`" + operation));
  CHECK(finding(without, rule) == nullptr);
}

/// The element is `bytes` apart for neighbouring threads.
std::string strided_loads(int shift) {
  return "shl.b32 %r7, %r4, " + std::to_string(shift) + ";\nand.b32 %r7, %r7, 4194303;\nadd.u32 %r7, %r7, %r0;\n" +
         loop(
             "ld.global.f32 %f2, [%r7];\nadd.f32 %f1, %f1, %f2;\nadd.u32 %r7, %r7, 65536;\nsub.u32 %r8, %r7, "
             "%r0;\nand.b32 %r8, %r8, 8388607;\nadd.u32 %r7, %r8, %r0;");
}

std::string shared_loads(int shift) {
  return "shl.b32 %r7, %r1, " + std::to_string(shift) +
         ";\nand.b32 %r7, %r7, 8188;\nmov.u32 %r8, s;\nadd.u32 %r7, %r7, %r8;\n" +
         loop(repeated("ld.shared.f32 %f2, [%r7];\nadd.f32 %f1, %f1, %f2;", 4));
}

const Launched kBusy{loop(kMads), "96", "256"};

}  // namespace

TEST_CASE("explain: accesses that do not coalesce") {
  check_rule("uncoalesced", {strided_loads(6), "96", "256"}, {strided_loads(2), "96", "256"}, "ld.global.f32");
}

TEST_CASE("explain: bank conflicts") {
  std::string one = "shl.b32 %r7, %r1, 6;\nand.b32 %r7, %r7, 8188;\nmov.u32 %r8, s;\nadd.u32 %r7, %r7, %r8;\n" +
                    loop("ld.shared.f32 %f2, [%r7];\nadd.f32 %f1, %f1, %f2;");
  check_rule("bank_conflicts", {one, "96", "256"}, {shared_loads(2), "96", "256"}, "ld.shared.f32");
}

TEST_CASE("explain: addresses in one partition") {
  // 1536 bytes are six partitions of 256.
  std::string body =
      "mul.lo.u32 %r7, %r2, 1536;\nshl.b32 %r8, %r1, 2;\nadd.u32 %r7, %r7, %r8;\nadd.u32 %r7, %r7, %r0;\n" +
      loop("ld.global.f32 %f2, [%r7];\nadd.f32 %f1, %f1, %f2;\nadd.u32 %r7, %r7, 98304;");
  Words plain{"--set", "memory.address_map=short"}, hashed{"--set", "memory.address_map=hashed"};
  check_rule("partition_camping", {body, "48", "64", plain}, {body, "48", "64", hashed}, "");
}

TEST_CASE("explain: a resource that is busy all the time") {
  check_rule("sp_bound", kBusy, {loop(kChain), "16", "32"}, "mad.f32");
  check_rule("issue_bound", {kBusy.body, "96", "256", {"--set", "sp.initiation=2"}}, kBusy, "mad.f32");
  check_rule("sfu_bound", {loop(repeated("rsqrt.f32 %f2, %f0;\nrsqrt.f32 %f3, %f0;", 4)), "96", "256"}, kBusy,
             "rsqrt.f32");
  Launched stream{strided_loads(2), "96", "256"};
  check_rule("dram_bound", {stream.body, "96", "256", {"--set", "clocks.memory_mhz=300"}}, kBusy, "");
  check_rule("memory_port_bound", {stream.body, "96", "256", {"--set", "memory.request_cycles=100"}}, stream, "");
  std::string stores = stream.body;
  stores.replace(stores.find("ld.global.f32 %f2, [%r7];"), 25, "st.global.f32 [%r7], %f2;");
  check_rule("request_port_bound", {stores, "96", "256", {"--set", "interconnect.tpc_width_bytes=8"}}, stream, "");
  check_rule("response_port_bound", {stream.body, "96", "256", {"--set", "interconnect.tpc_width_bytes=4"}}, stream,
             "");
  check_rule("partition_bound", {stream.body, "96", "256", {"--set", "interconnect.partition_width_bytes=4"}}, stream,
             "");
}

TEST_CASE("explain: latencies with too few warps") {
  std::string dependent = loop("ld.global.u32 %r8, [%r5];\nadd.u32 %r5, %r5, %r8;");
  check_rule("memory_latency", {dependent, "16", "32"}, kBusy, "ld.global.u32");
  check_rule("arithmetic_latency", {loop(kChain), "16", "32"}, kBusy, "mad.f32");
  std::string shared =
      "shl.b32 %r7, %r1, 2;\nmov.u32 %r8, s;\nadd.u32 %r7, %r7, %r8;\n" +
      loop("ld.shared.u32 %r9, [%r7];\nadd.u32 %r7, %r7, %r9;\nmov.u32 %r9, 0;\nst.shared.u32 [%r7], %r9;");
  check_rule("shared_latency", {shared, "16", "32", {"--machine", "geforce-gtx-480"}}, kBusy, "add.u32");
}

TEST_CASE("explain: barriers and fences") {
  check_rule("barrier", {loop("add.f32 %f1, %f1, %f0;\nbar.sync 0;"), "16", "64"}, kBusy, "bar.sync");
  // Each store is waited for before the next one begins.
  std::string store = "st.global.f32 [%r5], %f1;\nadd.f32 %f1, %f1, %f0;\n";
  check_rule("fence", {loop(store + "membar.gl;"), "16", "32"}, {loop(store), "16", "32"}, "add.u32");
}

TEST_CASE("explain: constants") {
  // A table of 32 KB, read in steps of a line of the cache: every read misses. From one line of it, none but the first.
  const std::string table = ".const .align 4 .b8 table[32768];\n";
  auto reads = [](const std::string& mask) {
    return "mov.u32 %r8, 0;\n" +
           loop(
               "mov.u32 %r9, table;\nadd.u32 %r9, %r9, %r8;\nld.const.f32 %f2, [%r9];\nadd.f32 %f1, %f1, %f2;\n"
               "add.u32 %r8, %r8, 64;\nand.b32 %r8, %r8, " +
                   mask + ";\n" + kMads,
               "512");
  };
  check_rule("constant_cache", {reads("32767"), "16", "32", {}, "sm_11", table},
             {reads("0"), "16", "256", {}, "sm_11", table}, "add.f32");
}

namespace {

Launched constants(const std::string& address) {
  return {"mov.u32 %r9, table;\nshl.b32 %r7, %r1, 2;\nand.b32 %r7, %r7, 252;\nadd.u32 %r7, %r7, %r9;\n" +
              loop(repeated("ld.const.f32 %f2, [" + address + "];\nadd.f32 %f1, %f1, %f2;", 4)),
          "96",
          "256",
          {},
          "sm_11",
          ".const .align 4 .b8 table[256];\n"};
}

/// All threads change one word, or each its own.
Launched shared_atomics(const std::string& address) {
  return {"shl.b32 %r7, %r1, 2;\nmov.u32 %r8, s;\nadd.u32 %r7, %r7, %r8;\n" +
              loop("atom.shared.add.u32 %r9, [" + address + "], 1;\nadd.u32 %r10, %r10, %r9;", "16"),
          "60",
          "256",
          {"--machine", "tesla-c1060"},
          "sm_13"};
}
Launched global_atomics(const std::string& address) {
  return {loop("red.global.add.u32 [" + address + "], 1;", "16"), "60", "256", {"--machine", "tesla-c1060"}};
}

Launched loop_of(const std::string& passes) {
  return {"and.b32 %r7, %r1, 31;\nmov.u32 %r8, 16;\n" + loop(kMads, passes), "96", "256"};
}

const Launched kLocalArray{
    ".local .align 4 .b8 array[256];\nmov.u32 %r8, array;\nshl.b32 %r7, %r1, 2;\nand.b32 %r7, %r7, 252;\nadd.u32 %r7, "
    "%r7, %r8;\n" +
        loop("ld.local.f32 %f2, [%r7];\nadd.f32 %f2, %f2, %f0;\nst.local.f32 [%r7], %f2;", "16"),
    "96", "256"};

}  // namespace

TEST_CASE("explain: constants that lanes read one after the other") {
  check_rule("serialized_constants", constants("%r7"), constants("%r9"), "ld.const.f32");
}

TEST_CASE("explain: lanes that change one word by atomic operations") {
  check_rule("shared_atomics", shared_atomics("%r8"), shared_atomics("%r7"), "atom.shared");
  check_rule("global_atomics", global_atomics("%r0"), global_atomics("%r5"), "red.global");
}

TEST_CASE("explain: an array in local memory") { check_rule("local_memory", kLocalArray, kBusy, "ld.local.f32"); }

TEST_CASE("explain: a loop that lanes leave one after the other") {
  check_rule("divergent_loop", loop_of("%r7"), loop_of("%r8"), "bra");
}

TEST_CASE("explain: savings are estimated, and a busy resource has a remedy") {
  TempFolder folder;
  Outcome outcome =
      warptime::test::warptime({"explain", folder.write("k.ptx", explained_kernel(kBusy.body, "sm_11", "")), "--grid",
                                "96", "--block", "256", "--buffer", "x=f32:4194304:zeros", "--arg", "x"});
  CHECK_THAT(outcome.out, Catch::Contains("1. sp_bound (sp), estimated saving ") &&
                              Catch::Contains("arithmetic helps: unrolled loops"));
  CHECK_THAT(outcome.out, !Catch::Contains("promises") && !Catch::Contains("Only less use"));
}

TEST_CASE("explain: instruction memory") {
  // A block's one warp reads 12 KB of instructions a round, more than the caches keep.
  check_rule("instruction_fetch", {loop(repeated(kMads, 120), "4"), "16", "32"}, kBusy, "mad.f32");
}

TEST_CASE("explain: the last blocks of a grid") {
  Words one_block{"--shared", "8000"};
  check_rule("tail", {loop(kMads), "17", "256", one_block}, {loop(kMads), "64", "256", one_block}, "");
}

TEST_CASE("explain: waves of blocks, and more warps than an SM holds") {
  Json tail = explained({loop(kMads), "17", "256", {"--shared", "8000"}});
  REQUIRE(finding(tail, "tail") != nullptr);
  CHECK(std::string((*finding(tail, "tail"))["message"]).ends_with("the chip holds 16 at once: 1.06 waves."));

  // With long latencies, the warps that an SM holds do not suffice.
  std::string dependent = loop("ld.global.u32 %r8, [%r5];\nadd.u32 %r5, %r5, %r8;");
  Json full = explained({dependent, "48", "256", {"--set", "memory.pipeline_cycles=1000"}});
  Json few = explained({dependent, "16", "32"});
  const std::string advice = "An SM holds only 24: beyond these, give each warp more independent instructions instead";
  REQUIRE(finding(full, "memory_latency") != nullptr);
  REQUIRE(finding(few, "memory_latency") != nullptr);
  CHECK_THAT(std::string((*finding(full, "memory_latency"))["message"]), Catch::Contains(advice));
  CHECK_THAT(std::string((*finding(few, "memory_latency"))["message"]), !Catch::Contains("An SM holds only"));
}

TEST_CASE("explain: divergence") {
  std::string parts = "and.b32 %r7, %r1, 1;\nsetp.eq.u32 %p1, %r7, 0;\n";
  auto both = [&](const std::string& predicate) {
    return predicate + loop("@%p1 bra other;\n" + kMads + "bra.uni join;\nother:\n" + kMads + "join:");
  };
  Launched split{both(parts), "96", "256"};
  Launched whole{both("setp.eq.u32 %p1, %r1, 9999;\n"), "96", "256"};
  check_rule("divergence", split, whole, "bra");
  // The last warp of a block of 40 threads has 8, but lanes that do not exist have not diverged.
  Launched once{parts + "@%p1 bra once;\nmov.f32 %f2, %f0;\nonce:\n" + loop(kMads), "96", "40"};
  check_rule("divergence", split, once, "bra");
}

TEST_CASE("explain: textures") {
  // The fetches of a warp walk along a row of texels, four lines each; those of the twin repeat one texel, with so many
  // warps that others hide it.
  auto launch = [](bool misses) {
    TempFolder folder;
    std::string next = misses ? "add.f32 %f8, %f8, %f9;\n" : "";
    folder.write("k.ptx",
                 explained_kernel("cvt.rn.f32.u32 %f8, %r4;\nmov.f32 %f9, 0f42000000;\nmov.f32 %f10, 0f3F000000;\n" +
                                      loop("tex.2d.v4.f32.f32 {%f20, %f21, %f22, %f23}, [image, {%f8, %f10}];\n"
                                           "add.f32 %f1, %f1, %f20;\n" +
                                           next + (misses ? "" : kMads)),
                                  "sm_11", ".tex .u32 image;\n"));
    std::string yaml = R"(module: k.ptx
buffers:
  x: {type: f32, count: 65536, init: zeros}
  texels: {type: f32, count: 65536, init: zeros}
textures:
  image: {buffer: texels, type: f32, width: 16384, height: 4, address: clamp, filter: point}
launches:
  - {kernel: k, grid: [16], block: [)" +
                       std::string(misses ? "32" : "256") + "], args: [x]}\n";
    Outcome outcome = warptime::test::warptime({"explain", folder.write("k.yaml", yaml), "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return Json::parse(outcome.out)["launches"][0];
  };
  Json with = launch(true), without = launch(false);
  INFO(with.dump(2) << "\n" << without.dump(2));
  const Json* found = finding(with, "texture_cache");
  REQUIRE(found != nullptr);
  CHECK((*found)["promised"].get<double>() >= 0.05);
  CHECK((*found)["line"].get<uint32_t>() != 0);
  CHECK(finding(without, "texture_cache") == nullptr);
}

TEST_CASE("explain: atomic operations and double precision") {
  std::string atomic = loop("red.global.add.u32 [%r0], 1;", "16");
  Words gt200{"--machine", "tesla-c1060"};
  check_rule("atomic_bound", {atomic, "60", "256", gt200}, {kBusy.body, "60", "256", gt200}, "");
  std::string doubles =
      ".reg .f64 %d<8>;\ncvt.f64.f32 %d0, %f0;\n" + loop(repeated("add.f64 %d1, %d0, %d0;\nadd.f64 %d2, %d0, %d0;", 4));
  check_rule("dp_bound", {doubles, "60", "256", gt200, "sm_13"}, {kBusy.body, "60", "256", gt200, "sm_13"}, "add.f64");
}

TEST_CASE("explain: integer units of compute capability 9.0") {
  const Words hopper{"--machine", "h200-sxm", "--set", "chip.tpcs=1"};
  const std::string minima = loop("min.u32 %r41, %r41, %r1;\nmax.u32 %r42, %r42, %r1;\n" +
                                  repeated("min.u32 %r43, %r43, %r1;\nmax.u32 %r44, %r44, %r1;", 4));
  check_rule("alu_bound", {minima, "64", "256", hopper}, {kBusy.body, "64", "256", hopper}, "min.u32");
}

TEST_CASE("explain: a kernel that keeps the copy engine busy") {
  // A thread of each warp stores 4096 bytes of shared memory again and again; the twin stores once.
  auto stores = [](const std::string& count) {
    return "and.b32 %r9, %r1, 31;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra over;\n.reg .b64 %rd<4>;\nmov.u32 %r8, "
           "s;\nmul.wide.u32 %rd1, %r2, "
           "4096;\ncvt.u64.u32 %rd2, %r0;\nadd.u64 %rd1, %rd1, %rd2;\n" +
           loop("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r8], 4096;\ncp.async.bulk.commit_group;\n",
                count) +
           "cp.async.bulk.wait_group 0;\nover:\n";
  };
  Words hopper{"--machine", "h200-sxm"};
  check_rule("copy_engine_bound", {stores("40"), "66", "128", hopper, "sm_90"},
             {stores("1"), "66", "128", hopper, "sm_90"}, "");
}

TEST_CASE("explain: what a kernel that keeps the SP busy has") {
  Json launch = explained(kBusy);
  CHECK(launch["bound"] == "sp");
  CHECK(launch["class"] == "issue");
  for (const Json& each : launch["findings"]) CHECK(each["rule"] == "sp_bound");
  double before = 1;
  for (const Json& resource : launch["resources"]) {
    CHECK(resource["busy"].get<double>() <= before);
    before = resource["busy"];
  }
}

TEST_CASE("explain --check: what was promised is won") {
  // The part of the time that was promised, and that the what-if won.
  auto check = [](const std::string& rule, const Launched& launched) {
    Json launch = explained(launched, {"--check"});
    const Json* found = finding(launch, rule);
    INFO(rule << "\n" << launch.dump(2));
    REQUIRE(found != nullptr);
    REQUIRE((*found)["won"].is_number());
    double promised = (*found)["promised"], won = (*found)["won"];
    CHECK(promised == Approx(won).epsilon(0.25));
  };
  check("uncoalesced", {strided_loads(6), "96", "256"});
  std::string stores = strided_loads(6);
  stores.replace(stores.find("ld.global.f32 %f2, [%r7];"), 25, "st.global.f32 [%r7], %f2;");
  check("uncoalesced", {stores, "96", "256"});
  check("divergence", {"and.b32 %r7, %r1, 1;\nsetp.eq.u32 %p1, %r7, 0;\n" +
                           loop("@%p1 bra other;\n" + kMads + "bra.uni join;\nother:\n" + kMads + "join:"),
                       "96", "256"});
  check("bank_conflicts", {shared_loads(6), "96", "256"});
  check("memory_latency", {loop("ld.global.u32 %r8, [%r5];\nadd.u32 %r5, %r5, %r8;"), "16", "32"});
  check("arithmetic_latency", {loop(kChain), "16", "32"});
  check("sp_bound", kBusy);
}
