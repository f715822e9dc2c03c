#include "sim/model/machine_loader.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>

#include "sim/model/parameters.h"
#include "sim/model/renamed_keys.h"

using namespace warptime;
using namespace warptime::sim;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const std::string kConfigs = std::string(WARPTIME_SOURCE_DIR) + "/configs";

/// A folder of machine files, removed at the end.
struct Folder {
  fs::path path;
  Folder() {
    std::random_device seed;
    path = fs::temp_directory_path() / fmt::format("warptime-machines-{:08x}{:08x}", seed(), seed());
    fs::create_directory(path);
  }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
};

struct Loaded {
  Diagnostics diagnostics;
  std::optional<LoadedMachine> machine;

  Loaded(std::string_view name, const std::vector<std::string>& overrides, const std::string& folder = kConfigs)
      : machine(load_machine(name, overrides, folder, diagnostics)) {}
  const MachineConfig& config() const { return machine->machine.config; }
  std::string text() const { return diagnostics.to_text(); }
};

/// What is wrong with a machine of this text.
std::string errors_of(const std::string& text) {
  Folder folder;
  folder.write("m.yaml", text);
  Loaded loaded("m", {}, folder.path.string());
  CHECK_FALSE(loaded.machine);
  return loaded.text();
}

}  // namespace

TEST_CASE("a machine is found by name or path, its values have their origin") {
  Loaded by_name("geforce-8800-gtx", {});
  REQUIRE(by_name.machine);
  CHECK(by_name.text().empty());
  CHECK(by_name.machine->machine.name == "geforce-8800-gtx");
  CHECK(by_name.config().chip.tpcs == 8);
  CHECK_THAT(by_name.machine->origin("chip.tpcs").text, Contains("geforce-8800-gtx.yaml:"));
  Loaded by_path(kConfigs + "/geforce-8800-gtx.yaml", {}, "/nowhere");
  REQUIRE(by_path.machine);
  CHECK(by_path.machine->machine.hash == by_name.machine->machine.hash);
  CHECK(by_path.machine->machine.name == "geforce-8800-gtx");
}

TEST_CASE("what a file does not say is the default, and says so") {
  Folder folder;
  folder.write("m.yaml", "sm: {registers: 16384}\n");
  Loaded loaded("m", {}, folder.path.string());
  REQUIRE(loaded.machine);
  CHECK(loaded.config().sm.registers == 16384);
  CHECK(loaded.machine->origin("sm.registers").text == "m.yaml:1");
  CHECK(loaded.machine->origin("sm.max_threads").text == "default");
}

TEST_CASE("machines layer: the extending file wins, value by value") {
  Folder folder;
  fs::create_directory(folder.path / "other");
  folder.write("base.yaml", "chip: {tpcs: 4, sms_per_tpc: 3}\nclocks: {core_mhz: 500}\n");
  folder.write("other/middle.yaml", "extends: base\nchip: {tpcs: 5}\n");
  folder.write("top.yaml", "extends: other/middle.yaml\nclocks: {core_mhz: 400}\n");
  Loaded loaded("top", {}, folder.path.string());
  CHECK(loaded.text().empty());
  REQUIRE(loaded.machine);
  CHECK(loaded.machine->machine.name == "top");
  CHECK(loaded.config().chip.tpcs == 5);
  CHECK(loaded.config().chip.sms_per_tpc == 3);
  CHECK(loaded.config().clocks.core_mhz == 400);
  CHECK(loaded.machine->origin("chip.tpcs").text == "middle.yaml:2");
  CHECK(loaded.machine->origin("chip.sms_per_tpc").text == "base.yaml:1");
}

TEST_CASE("without a folder of machines, names are those of files beside the one that extends them") {
  Loaded by_name("tesla-c1060", {}), by_path(kConfigs + "/tesla-c1060.yaml", {}, "");
  CHECK(by_path.text().empty());
  REQUIRE(by_path.machine);
  CHECK(by_path.machine->machine.hash == by_name.machine->machine.hash);
  Folder folder;
  folder.write("m.yaml", "extends: tesla\n");
  Loaded missing((folder.path / "m.yaml").string(), {}, "");
  CHECK_THAT(missing.text(), Contains("m.yaml:1:10: error: no machine \"tesla\"") && Contains("machines in "));
}

TEST_CASE("machines that extend each other are an error, not a loop") {
  Folder folder;
  folder.write("a.yaml", "extends: b\n");
  folder.write("b.yaml", "extends: ./a.yaml\n");
  folder.write("self.yaml", "extends: self\n");
  CHECK_THAT(Loaded("a", {}, folder.path.string()).text(), Contains("b.yaml:1:10: error: this machine extends itself"));
  CHECK_THAT(Loaded("self", {}, folder.path.string()).text(), Contains("error: this machine extends itself"));
}

TEST_CASE("machines extend each other 64 deep and no deeper") {
  Folder folder;
  folder.write("m0.yaml", "chip: {tpcs: 4}\n");
  for (int i = 1; i <= 65; ++i) folder.write(fmt::format("m{}.yaml", i), fmt::format("extends: m{}\n", i - 1));
  CHECK(Loaded("m64", {}, folder.path.string()).text().empty());
  CHECK_THAT(Loaded("m65", {}, folder.path.string()).text(),
             Contains("m1.yaml:1:10: error: more than 64 machine files extend each other"));
}

TEST_CASE("a machine that is not there names the nearest") {
  CHECK_THAT(Loaded("genric", {}).text(), Contains("no machine \"genric\"") && Contains("did you mean \"generic\"?"));
  CHECK_THAT(Loaded("zzz", {}).text(), Contains("geforce-gtx-280, geforce-gtx-480, generic"));
  CHECK_THAT(Loaded("./no.yaml", {}).text(), Contains("cannot read \"./no.yaml\"") && Contains("No such file"));
  CHECK_THAT(errors_of("extends: nothing\n"), Contains("m.yaml:1:10: error: no machine \"nothing\""));
  CHECK_THAT(errors_of("extends: [a]\n"), Contains("\"extends\" must be a text, not a list"));
}

TEST_CASE("mistakes in a machine file have their place and a hint") {
  CHECK_THAT(
      errors_of("sm:\n  shared:\n    byts: 4\n"),
      Contains("m.yaml:3:5: error: unknown key \"byts\" in \"sm.shared\"\n     3 |     byts: 4\n       |     ^~~~\n"
               "         hint: did you mean \"bytes\"?"));
  CHECK_THAT(errors_of("sp: {zzz: 1}\n"), Contains("hint: legal here: initiation"));
  CHECK_THAT(errors_of("chpi: {tpcs: 1}\n"), Contains("unknown key \"chpi\" in a machine") && Contains("\"chip\"?"));
  CHECK_THAT(errors_of("extend: x\n"), Contains("did you mean \"extends\"?"));
  CHECK_THAT(errors_of("chip: {tpcs: 0}\n"), Contains("m.yaml:1:14: error: \"chip.tpcs\" must be 1 to 256, not 0"));
  CHECK_THAT(errors_of("chip: {tpcs: 257}\n"), Contains("\"chip.tpcs\" must be 1 to 256, not 257"));
  CHECK_THAT(errors_of("chip: {window_cycles: 65}\n"), Contains("must be a power of two from 8 to 1024, not 65"));
  CHECK_THAT(errors_of("chip: {tpcs: 12abc}\n"), Contains("\"chip.tpcs\" must be a whole number, not \"12abc\""));
  CHECK_THAT(errors_of("chip: 3\n"), Contains("\"chip\" must be a map, not \"3\""));
  CHECK_THAT(errors_of("chip:\n"), Contains("\"chip\" must be a map, not nothing"));
  CHECK_THAT(errors_of("has_timing: 1\n"), Contains("\"has_timing\" must be true or false"));
  CHECK_THAT(errors_of("issue: {policy: oldest_frist}\n"),
             Contains("must be one of round_robin, greedy_then_oldest, oldest_first") && Contains("\"oldest_first\"?"));
  CHECK_THAT(errors_of("memory: {coalescing: 3.x}\n"),
             Contains("\"memory.coalescing\" must be 1.0, 1.2 or 2.x, not \"3.x\""));
  CHECK_THAT(errors_of("features: [f64, shufle]\n"),
             Contains("m.yaml:1:17: error: unknown feature \"shufle\"") && Contains("\"shuffle\"?"));
  CHECK_THAT(errors_of("- a\n"), Contains("m.yaml:1:1: error: a machine file must be a map, not a list"));
  CHECK_THAT(errors_of("clocks: {core_mhz: nan}\n"), Contains("must be a number, not \"nan\""));
  CHECK_THAT(errors_of("chip: {tpcs: 0}\nsm: {registers: x}\nq: 1\n"), Contains("3 errors"));
}

TEST_CASE("Option --set overrides one value and points into the flag") {
  Loaded loaded("geforce-8800-gtx", {"chip.tpcs=4", "memory.address_map=long", "host.launch_us=2.5", "chip.tpcs=6"});
  REQUIRE(loaded.machine);
  CHECK(loaded.config().chip.tpcs == 6);
  CHECK(loaded.config().memory.address_map == AddressMap::long_);
  CHECK(loaded.config().host.launch_us == 2.5);
  CHECK(loaded.machine->origin("chip.tpcs").text == "--set");
  Loaded features("generic", {"features=[f64,vote]"});
  REQUIRE(features.machine);
  CHECK(features.config().features == std::vector<std::string>{"f64", "vote"});

  CHECK(loaded.text() ==
        "--set:1:1: warning: \"chip.tpcs\" is set twice; the last value counts\n"
        "     1 | chip.tpcs=6\n"
        "       | ^~~~~~~~~\n"
        "         hint: before: --set chip.tpcs=4\n");
  for (const char* list : {"features=f64,vote", "features= [ f64 , vote ] ", "features=[f64, vote]"})
    CHECK(Loaded("generic", {list}).config().features == std::vector<std::string>{"f64", "vote"});
  for (const char* none : {"features=", "features=[]", "features=[ ]"})
    CHECK(Loaded("generic", {none}).config().features.empty());
  for (const char* list : {"features=[f64,vote", "features=f64,vote]", "features=[[f64],vote]", "features=[f64],vote",
                           "features=f64,,vote", "features=f64,", "features=[f64 vote]", "features=[", "features=,"})
    CHECK_THAT(Loaded("generic", {list}).text(), Contains("--set:1:10: error: \"") && Contains("\" is not a list") &&
                                                     Contains("for example [f64,vote] or f64,vote"));

  auto error = [](const char* text) { return Loaded("geforce-8800-gtx", {text}).text(); };
  CHECK(error("chip.tpcs=12abc") ==
        "--set:1:11: error: \"chip.tpcs\" must be a whole number, not \"12abc\"\n"
        "     1 | chip.tpcs=12abc\n"
        "       |           ^~~~~\n"
        "         hint: legal: 1 to 256\n");
  CHECK_THAT(error("chip.tpsc=4"), Contains("--set:1:1: error: unknown parameter") && Contains("\"chip.tpcs\"?"));
  CHECK_THAT(error("tpcs=4"), Contains("did you mean \"chip.tpcs\"?"));
  CHECK_THAT(error("chip=4"), Contains("\"chip\" is a group of values") && Contains("tpcs, tpcs_per_gpc, sms_per_tpc"));
  CHECK_THAT(error("chip.tpcs"), Contains("this is not PATH=VALUE"));
  CHECK_THAT(error("=4"), Contains("this is not PATH=VALUE"));
  CHECK_THAT(error("chip.tpcs="), Contains("must be a whole number"));
  CHECK_THAT(error(""), Contains("this is not PATH=VALUE"));
}

TEST_CASE("a renamed key still works, with a note that names the new one") {
  Loaded set("geforce-8800-gtx", {"memory.pending_loads=7"});
  REQUIRE(set.machine);
  CHECK(set.config().memory.max_outstanding_loads == 7);
  CHECK(set.machine->origin("memory.max_outstanding_loads").text == "--set");
  CHECK(set.text() ==
        "--set:1:1: note: \"memory.pending_loads\" is now called \"memory.max_outstanding_loads\"\n"
        "     1 | memory.pending_loads=7\n"
        "       | ^~~~~~~~~~~~~~~~~~~~\n"
        "         hint: the next version reads the new name only\n");
  CHECK(Loaded("geforce-8800-gtx", {"memory.max_outstanding_loads=7"}).machine->machine.hash ==
        set.machine->machine.hash);

  Folder folder;
  folder.write("base.yaml",
               "l1: {misses: 5}\nconstant: {chip_cache: {bytes: 8192, latency: 9}}\nsp: {reach: own_port}\n");
  folder.write("m.yaml", "extends: base\nl1: {mshrs: 6}\nsp: {groups: 2}\n");
  Loaded file("m", {"constant.chip_cache.latency=8"}, folder.path.string());
  REQUIRE(file.machine);
  CHECK(file.config().l1.mshrs == 6);  // another file may use the other name
  CHECK(file.config().constant.partition_cache.bytes == 8192);
  CHECK(file.config().constant.partition_cache.latency == 8);
  CHECK(file.config().sp.reach == PipeReach::own_scheduler);
  CHECK_THAT(file.text(),
             Contains("base.yaml:1:6: note: \"l1.misses\" is now called \"l1.mshrs\"") &&
                 Contains("base.yaml:2:12: note: \"constant.chip_cache\" is now called \"constant.partition_cache\"") &&
                 Contains("base.yaml:3:13: note: \"own_port\" is now called \"own_scheduler\"") &&
                 Contains("--set:1:1: note: \"constant.chip_cache.latency\" is now called"));
  CHECK(file.diagnostics.all().size() == 4);

  std::string dump = to_yaml(*file.machine);
  CHECK_THAT(dump, Contains("  partition_cache:") && Contains("  mshrs: 6 ") && Contains("  reach: own_scheduler "));
  folder.write("dump.yaml", dump);
  Loaded again("dump", {}, folder.path.string());
  CHECK(again.text().empty());
  CHECK(again.machine->machine.hash == file.machine->machine.hash);
}

TEST_CASE("a parameter is not given by its old and its new name") {
  CHECK(errors_of("l1: {misses: 5, mshrs: 5}\n")
            .ends_with("m.yaml:1:17: error: \"l1.misses\" and \"l1.mshrs\" are the same parameter\n"
                       "     1 | l1: {misses: 5, mshrs: 5}\n"
                       "       |                 ^~~~~\n"
                       "         hint: give it once, as \"l1.mshrs\"\n"));
  CHECK_THAT(errors_of("constant:\n  partition_cache: {bytes: 0}\n  chip_cache: {bytes: 0}\n"),
             Contains("m.yaml:3:16: error: \"constant.chip_cache.bytes\" and \"constant.partition_cache.bytes\" are"));
  Loaded set("geforce-8800-gtx", {"dram.tCDLR=5", "dram.tWTR=5"});
  CHECK_FALSE(set.machine);
  CHECK_THAT(set.text(), Contains("--set:1:1: error: \"dram.tCDLR\" and \"dram.tWTR\" are the same parameter"));
  // Nor does an old name help with a mistake.
  CHECK_THAT(errors_of("l1: {mises: 5}\n"),
             Contains("unknown key \"mises\" in \"l1\"") && Contains("legal here: cache, spaces"));
  CHECK_THAT(Loaded("geforce-8800-gtx", {"l1.misses=x"}).text(), Contains("\"l1.mshrs\" must be a whole number"));
}

TEST_CASE("lists of parameters have no name of an earlier version") {
  auto has = [&](std::string_view path) {
    for (const ParameterRow& row : parameter_table())
      if (row.path == path || row.path.starts_with(fmt::format("{}.", path))) return true;
    return false;
  };
  for (const RenamedKey& key : kRenamedKeys) {
    CHECK_FALSE(has(key.before));
    CHECK(has(key.now));
  }
  for (const RenamedWord& word : kRenamedWords) {
    CHECK(Loaded("geforce-8800-gtx", {fmt::format("{}={}", word.path, word.now)}).text().empty());
    CHECK_THAT(Loaded("geforce-8800-gtx", {fmt::format("{}={}", word.path, word.before)}).text(), Contains("note: "));
  }
}

TEST_CASE("values that contradict each other are errors where one of them was given") {
  auto error = [](const char* text) { return Loaded("geforce-8800-gtx", {text}).text(); };
  CHECK_THAT(
      error("chip.window_cycles=256"),
      Contains("--set:1:20: error: interconnect.request_latency (130) must be at least chip.window_cycles (256)") &&
          Contains("interconnect.response_latency (130)") && Contains("chip.block_launch_cycles (64)"));
  CHECK_THAT(error("interconnect.request_latency=63"),
             Contains("--set:1:30: error: interconnect.request_latency (63)"));
  CHECK(error("interconnect.request_latency=64").empty());
  CHECK_THAT(error("interconnect.response_latency=63"), Contains("error: interconnect.response_latency (63)"));
  CHECK_THAT(error("chip.block_launch_cycles=63"), Contains("error: chip.block_launch_cycles (63)"));
  CHECK_THAT(error("sm.max_warps=23"), Contains("sm.max_warps (23) must be at least sm.max_threads / 32 (24)"));
  CHECK_THAT(error("sm.max_threads_per_block=769"), Contains("sm.max_threads (768) must be at least"));
  CHECK_THAT(error("clocks.core_mhz=575.0005"), Contains("clocks.core_mhz must be a whole number of kHz"));
  CHECK(error("clocks.core_mhz=575.001").empty());
  CHECK_THAT(error("dram.bus_bytes=128"), Contains("memory.interleave_bytes (256) must be at least"));
  CHECK_THAT(error("dram.tREFI=150"), Contains("--set:1:12: error: dram.tREFI (150) leaves no time between refreshes"));
  CHECK_THAT(error("dram.tRFC=4000"),
             Contains("--set:1:11: error: dram.tREFI (3510) leaves no time between refreshes"));
  CHECK_THAT(error("texture.in_l1=true"), Contains("texture.in_l1, but there is no L1 data cache"));
  CHECK_THAT(error("memory.request_bytes=128"), Contains("memory.request_bytes (128) is of memory.coalescing 2.x"));
  CHECK(error("copy_engine.request_bytes=64").empty());
  CHECK_THAT(error("copy_engine.queue_entries=4"),
             Contains("copy_engine.request_bytes (128) is of memory.coalescing 2.x"));
  auto fermi = [](std::vector<std::string> set) { return Loaded("geforce-gtx-480", set).text(); };
  CHECK(fermi({"memory.request_bytes=128"}).empty());
  CHECK(fermi({"copy_engine.queue_entries=4"}).empty());
  CHECK_THAT(fermi({"dram.burst_length=8"}),
             Contains("l2.sector_bytes (32) must be at least dram.bus_bytes x dram.burst_length (64)"));
  CHECK_THAT(fermi({"l1.array_bytes=65536"}), Contains("l1.array_bytes needs l1.carveouts"));
  CHECK_THAT(fermi({"l1.carveouts=16384 many", "l1.array_bytes=65536"}), Contains("l1.array_bytes needs l1.carveouts"));
  CHECK(fermi({"l1.carveouts=16384 49152", "l1.array_bytes=65536"}).empty());
  CHECK_THAT(fermi({"l1.carveouts=16384", "l1.array_bytes=65536"}),
             Contains("the largest of l1.carveouts (16384) must be sm.shared.bytes (49152)"));
  CHECK_THAT(fermi({"l1.carveouts=49152", "l1.array_bytes=65000"}), Contains("must be a multiple of"));
  CHECK_THAT(fermi({"l1.carveouts=49152", "l1.array_bytes=65536", "chip.caches_between_launches.l1=keep"}),
             Contains("keeps nothing between them"));
  CHECK_THAT(error("dram.bank_groups=16"),
             Contains("dram.banks (8) must be at least dram.pseudo_channels x dram.bank_groups (16)"));
  CHECK_THAT(error("dram.tCCD_L=1"),
             Contains("--set:1:13: error: dram.tCCD_L (1) must be 0 or at least dram.tCCD (2)"));
  CHECK_THAT(error("dram.tRRD_L=8"), Contains("dram.tRRD_L (8) must be 0 or at least dram.tRRD (9)"));
  CHECK_THAT(error("dram.tWTR_L=5"), Contains("dram.tWTR_L (5) must be 0 or at least dram.tWTR (6)"));
  CHECK(error("dram.tCCD_L=2").empty());
  CHECK(error("dram.write_high=33").empty());
  CHECK(error("dram.write_low=5").empty());
  auto drained = [](const char* text) { return Loaded("geforce-8800-gtx", {"dram.write_high=16", text}).text(); };
  CHECK_THAT(drained("dram.write_low=16"), Contains("dram.write_high (16) must be more than dram.write_low (16)"));
  CHECK(drained("dram.write_low=15").empty());
  CHECK(drained("dram.scheduler=fcfs").empty());
  auto per_bank = [](const char* text) { return Loaded("geforce-8800-gtx", {"dram.refresh=per_bank", text}).text(); };
  CHECK_THAT(per_bank("dram.tRFCpb=3400"), Contains("leaves no time between refreshes: tRFCpb and the times of a row"));
  CHECK_THAT(per_bank("dram.tRFC=3400"), Contains("leaves no time between refreshes: tRFC and the times of a row"));
  CHECK_THAT(error("dram.tRCD=30"), Contains("dram.tRAS (29) must be at least dram.tRCD (30)"));
  CHECK_THAT(error("sm.shared.bank_interleave_bytes=8"),
             Contains("sm.shared.bank_bytes (4) must be at least sm.shared.bank_interleave_bytes (8)"));
  CHECK_THAT(error("constant.pipe=memory"), Contains("constants as operands of arithmetic"));
  CHECK(Loaded("geforce-gtx-480", {"constant.pipe=sp"}).text().empty());
  CHECK_THAT(error("memory.tlb.l1.entries=24"),
             Contains("memory.tlb.l1.entries (24) must be a multiple of memory.tlb.l1.ways (16)"));
  CHECK(error("memory.tlb.l1.entries=48").empty());
  CHECK_THAT(error("memory.tlb.l2.entries=64"), Contains("memory.tlb has a second level, but no first"));
  Loaded warned("geforce-8800-gtx", {"dram.tRC=40"});
  CHECK(warned.machine);
  CHECK_THAT(warned.text(), Contains("--set:1:10: warning: dram.tRC (40) is below tRAS + tRP (41)"));
  CHECK_THAT(error("dram.tFAW=36"), Contains("warning: dram.tFAW (36) is at most 4 x tRRD (36) and has no effect"));
  CHECK(error("dram.tFAW=37").empty());
  Loaded gpcs("geforce-8800-gtx", {"chip.tpcs_per_gpc=3"});
  CHECK(gpcs.text().empty());
  CHECK(gpc_count(gpcs.machine->machine.config) == 3);  // 3 + 3 + 2
  CHECK(gpc_count(Loaded("geforce-8800-gtx", {}).machine->machine.config) == 1);
  Loaded large("geforce-8800-gtx", {"chip.tpcs_per_gpc=9"});
  CHECK(large.text().empty());
  CHECK(gpc_count(large.machine->machine.config) == 1);  // which is not full
  auto of = [](const char* tpcs, const char* list) {
    return tpcs_of_gpcs(Loaded("geforce-8800-gtx", {tpcs, list}).machine->machine.config.chip);
  };
  CHECK(of("chip.tpcs=8", "chip.gpc_tpcs=1 3 4") == std::vector<uint32_t>{1, 3, 4});
  CHECK(of("chip.tpcs=8", "chip.gpc_tpcs=1 2") == std::vector<uint32_t>{1, 2, 2, 2, 1});
  CHECK(of("chip.tpcs=8", "chip.gpc_tpcs=5 5 5") == std::vector<uint32_t>{5, 3});
  CHECK_THAT(error("chip.gpc_tpcs=4 x"), Contains("must be numbers of TPCs from 1 on"));
  CHECK_THAT(error("chip.gpc_tpcs=0"), Contains("must be numbers of TPCs from 1 on"));
  CHECK_THAT(Loaded("h200-sxm", {"cluster.barrier_latency=32"}).text(),
             Contains("cluster.barrier_latency (32) must be at least chip.window_cycles (64)"));
  CHECK_THAT(Loaded("h200-sxm", {"cluster.load_latency=180"}).text(),
             Contains("cluster.load_latency (180) must be at least cluster.access_latency + chip.window_cycles (181)"));
  CHECK(error("cluster.barrier_latency=32").empty());  // no clusters
  CHECK(error("chip.tpcs=256").empty());
  CHECK_THAT(error("chip.tpcs=257"), Contains("1 to 256"));
  CHECK(error("memory.partitions=128").empty());
  CHECK_THAT(error("memory.partitions=129"), Contains("1 to 128"));
  CHECK_THAT(error("chip.caches_between_launches.l2=warm"), Contains("empty") && Contains("keep"));
  // Without timing, latencies mean nothing.
  CHECK(Loaded("generic", {"chip.window_cycles=128"}).machine);
}

TEST_CASE("dram.latency_scale and dram.bandwidth_scale change what they scale, once") {
  const Loaded plain("geforce-8800-gtx", {});
  const Loaded slow("geforce-8800-gtx", {"dram.latency_scale=2"});
  REQUIRE(slow.machine);
  const DramConfig &was = plain.config().dram, &is = slow.config().dram;
  CHECK(is.latency_scale == 1);
  CHECK(is.tRCD == 2 * was.tRCD);
  CHECK(is.tCL == 2 * was.tCL);
  CHECK(is.tRC == 2 * was.tRC);
  CHECK(is.tRRD == was.tRRD);  // rates of the bus, of activates and of refreshes stay
  CHECK(is.tCCD == was.tCCD);
  CHECK(is.tREFI == was.tREFI);
  CHECK(slow.machine->origin("dram.tRCD").text == "dram.latency_scale");
  CHECK(plain.machine->origin("dram.tRCD").text != "dram.latency_scale");

  const Loaded fast("geforce-8800-gtx", {"dram.bandwidth_scale=2", "dram.tRCD=15"});
  REQUIRE(fast.machine);
  CHECK(fast.config().clocks.memory_mhz == 2 * plain.config().clocks.memory_mhz);
  CHECK(fast.config().dram.tRCD == 30);  // as long
  CHECK(fast.config().dram.tREFI == 2 * was.tREFI);
  CHECK(fast.config().dram.tCCD == was.tCCD);
  CHECK(fast.config().dram.tFAW == 0);  // none stays none

  // What is shown is what was loaded, and loads as the same machine.
  Folder folder;
  folder.write("shown.yaml", to_yaml(*slow.machine));
  const Loaded again("shown", {}, folder.path.string());
  INFO(again.text());
  REQUIRE(again.machine);
  CHECK(again.machine->machine.hash == slow.machine->machine.hash);
  CHECK(slow.machine->machine.hash != plain.machine->machine.hash);
}

TEST_CASE("mutilated machine files never do worse than errors") {
  std::string why;
  auto original = SourceText::read_file(kConfigs + "/generic.yaml", &why);
  REQUIRE(original);
  Folder folder;
  std::minstd_rand random(1);
  const std::string bytes = "{}[]:,-#&*!|>'\"%@`?\n \t\\0a~\x01\xff";
  for (int round = 0; round < 400; ++round) {
    std::string text(original->text());
    for (int change = 0; change < 3; ++change) {
      size_t at = random() % text.size();
      if (random() % 2 == 0) text[at] = bytes[random() % bytes.size()];
      else if (random() % 2 == 0) text.insert(at, 1, bytes[random() % bytes.size()]);
      else text.erase(at, random() % 40);
    }
    folder.write("m.yaml", text);
    Loaded loaded("m", {}, folder.path.string());
    CHECK(loaded.machine.has_value() != loaded.diagnostics.has_errors());
    CHECK(loaded.machine.has_value() == (loaded.text().find("error: ") == std::string::npos));
  }
}

TEST_CASE("machines are listed by name with their description") {
  Folder folder;
  folder.write("b.yaml", "description: the second\n");
  folder.write("a.yaml", "description: the first\n");
  folder.write("broken.yaml", "nonsense\n");
  folder.write("notes.txt", "no machine\n");
  auto list = list_machines(folder.path.string());
  REQUIRE(list.size() == 3);
  CHECK(list[0].name == "a");
  CHECK(list[0].description == "the first");
  CHECK(list[1].description == "the second");
  CHECK(list[2].description == "(this file has errors)");
  CHECK(list_machines("/no/such/folder").empty());
}
