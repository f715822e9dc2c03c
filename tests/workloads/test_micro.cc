// The microbenchmarks measure what the machine file says, where it says it at once.
#include <cmath>
#include <map>

#include "workloads/workload_run.h"

namespace warptime {

namespace {

std::map<std::string, double> by_name(const host::RunReport& report) {
  std::map<std::string, double> out;
  for (const host::Figure& figure : report.figures) out[figure.name] = figure.value;
  return out;
}
std::map<std::string, double> figures(const Target& target) { return by_name(run(target)); }

/// On the target's machine with blocks of addresses that go round its partitions in order.
std::map<std::string, double> figures_in_order(const Target& target) {
  return by_name(run(target, {}, shipped_machine(target.machine, {"memory.address_map=short"})));
}

/// Measured by differences of whole runs: within 1 %.
void check(const std::map<std::string, double>& measured, const std::string& name, double expected) {
  INFO(name);
  REQUIRE(measured.count(name) == 1);
  CHECK(measured.at(name) == Approx(expected).epsilon(0.01));
}

}  // namespace

TEST_CASE("micro: latencies and issue costs are those of the machine", "[micro]") {
  auto measured = figures({"micro", "arithmetic", {}});
  sim::MachineConfig machine = shipped_machine("geforce-8800-gtx").config;
  check(measured, "latency_add_s32", machine.latency.int_alu);
  check(measured, "latency_mul24", machine.latency.int_mul24);
  check(measured, "latency_add_f32", machine.latency.float_alu);
  check(measured, "latency_mad_f32", machine.latency.float_mad);
  check(measured, "latency_cvt", machine.latency.convert);
  check(measured, "latency_rcp", machine.latency.special);
  for (const char* name : {"issue_add_s32", "issue_mad_f32", "issue_and_b32", "issue_mul24", "issue_cvt"})
    check(measured, name, machine.sp.initiation);
  for (const char* name : {"issue_rcp", "issue_rsqrt", "issue_lg2"}) check(measured, name, machine.sfu.initiation);
  // A warp issues every 22 (24) cycles, another one every 4.
  CHECK(measured.at("warps_hide_add_s32") == std::ceil(machine.latency.int_alu / 4.0));
  CHECK(measured.at("warps_hide_mad_f32") == std::ceil(machine.latency.float_mad / 4.0));
}

TEST_CASE("micro: special functions and additions of several warps overlap", "[micro]") {
  auto measured = figures({"micro", "overlap", {}});
  for (const char* name : {"rsqrt_and_0_add", "rsqrt_and_1_add", "rsqrt_and_2_add", "rsqrt_and_3_add"})
    check(measured, name, 16);
  check(measured, "rsqrt_and_6_add", 24);
}

TEST_CASE("micro: the law of bank conflicts", "[micro]") {
  auto measured = figures({"micro", "shared", {}});
  check(measured, "shared_broadcast", 6);
  for (int degree = 1; degree <= 16; ++degree)
    check(measured, "shared_degree_" + std::to_string(degree), 2 + 4 * degree);
  check(measured, "latency_shared_degree_1", 26);
  check(measured, "latency_shared_degree_16", 26 + 15 * 4);
  check(measured, "mad_registers", 4);
  check(measured, "mad_shared_operand", 6);
}

TEST_CASE("micro: an addition in double precision", "[micro]") {
  auto measured = figures({"micro", "f64", {}, "tesla-c1060"});
  sim::MachineConfig machine = shipped_machine("tesla-c1060").config;
  check(measured, "latency_add_f64", machine.latency.double_alu);
  check(measured, "issue_add_f64", machine.dp.initiation);
}

TEST_CASE("micro: accesses of 32, 64 and 128 bits on compute capability 1.0, 2.0 and 3.2", "[micro]") {
  auto on = [](const char* machine) { return figures({"micro", "widths", {}, machine}); };
  // 16 load/store units; of 128 bits a load takes 16 cycles and a store 8.
  auto fermi = on("geforce-gtx-480");
  check(fermi, "shared_32", 16);
  check(fermi, "shared_64", 8);
  check(fermi, "shared_128", 32.0 / 12);
  check(fermi, "global_64", 8);
  check(fermi, "global_128", 4);
  // A constant of 64 bits takes as long as one of 32; its additions keep both schedulers busy.
  CHECK(fermi.at("constant_64") > 10);
  CHECK(fermi.at("constant_32") < 16.5);
  // Banks of 64 bits.
  auto kepler = on("jetson-tk1");
  CHECK(kepler.at("shared_64") > 16.5);
  CHECK(kepler.at("shared_128") > 0.8 * kepler.at("shared_64"));
  // Word by word: a 64-bit access has 2-way conflicts, a 128-bit one 4-way.
  auto g80 = on("geforce-8800-gtx");
  CHECK(g80.at("shared_32") > 3 * g80.at("shared_64"));
  CHECK(g80.at("shared_64") > 3 * g80.at("shared_128"));
}

TEST_CASE("micro: a chain of loads in rings of any size", "[micro]") {
  auto measured = figures({"micro", "chase", {"stride=256", "footprint=64"}});
  CHECK(measured.size() == 7);  // 4 to 256 words
  sim::InterconnectConfig interconnect = shipped_machine("geforce-8800-gtx").config.interconnect;
  double least = interconnect.request_latency + interconnect.response_latency;
  for (const auto& [name, cycles] : measured) {
    INFO(name);
    CHECK(cycles > least);
    CHECK(cycles == Approx(measured.at("stride_256_by_4")).epsilon(0.05));  // one row and the next: no cache, no TLB
  }
  // Each load a row of DRAM of its own, in the same bank as the last: precharge and activation.
  auto rows = figures({"micro", "chase", {"stride=1048576", "footprint=16384"}});
  CHECK(rows.at("stride_1048576_by_16") > measured.at("stride_256_by_16") + 10);
  // A ring that a first-level cache holds, and one that it does not.
  auto cached = figures({"micro", "chase", {"stride=4096", "footprint=4096"}, "geforce-gtx-480"});
  CHECK(cached.at("stride_4096_by_1024") > 2 * cached.at("stride_4096_by_4"));
}

TEST_CASE("micro: a strip of columns lies on one partition where the pitch is a multiple of all of them", "[micro]") {
  auto measured = figures_in_order({"micro", "pitches", {"kilobytes=64"}});
  // 256 bytes in a block of a partition, six partitions: 4224 words are 66 blocks, 4288 are 67.
  CHECK(measured.at("strip_4288") > 1.5 * measured.at("strip_4224"));
  auto eight = figures({"micro", "pitches", {"kilobytes=64"}, "tesla-c1060"});
  CHECK(eight.at("strip_4160") > 1.5 * eight.at("strip_4096"));
}

TEST_CASE("micro: with a hashed map no pitch loses more than a quarter against the best", "[micro]") {
  std::map<std::string, double> best, worst;
  for (const auto& [name, rate] : figures({"micro", "pitches", {"kilobytes=256"}})) {
    std::string pattern = name.substr(0, name.find('_'));
    best[pattern] = std::max(best[pattern], rate);
    worst[pattern] = worst.count(pattern) == 0 ? rate : std::min(worst[pattern], rate);
  }
  REQUIRE(best.size() == 3);
  for (const auto& [pattern, rate] : best) {
    INFO(pattern);
    CHECK(worst[pattern] > 0.75 * rate);
  }
}

TEST_CASE("micro: transactions of a half-warp on compute capability 1.0, 1.2 and 2.0", "[micro]") {
  auto strict = figures({"micro", "access", {"kilobytes=64"}});
  CHECK(strict.at("transactions_in_order") == 1);
  for (const char* name : {"shifted", "swapped", "reversed", "one_word", "stride_2", "stride_32"})
    CHECK(strict.at(std::string("transactions_") + name) == 16);
  auto segments = figures({"micro", "access", {"kilobytes=64"}, "tesla-c1060"});
  CHECK(segments.at("transactions_swapped") == 1);
  CHECK(segments.at("transactions_stride_2") == 1);
  CHECK(segments.at("transactions_stride_32") == 16);
}

TEST_CASE("micro: caches show their size", "[micro][full]") {
  auto measured = figures({"micro", "caches", {"most=32"}});
  auto without = by_name(
      run({"micro", "caches", {"most=32"}}, {}, shipped_machine("geforce-8800-gtx", {"instruction.prefetch_lines=0"})));
  CHECK(measured.at("constant_working_set") == 8);
  CHECK(measured.at("texture_working_set") == 16);
  CHECK(without.at("instructions_working_set") == 4);
  CHECK(measured.at("instructions_working_set") > 4);  // hides the first misses
}

TEST_CASE("micro: paths of a divergent branch run one after the other, partitions can be camped on", "[micro]") {
  auto control = figures({"micro", "control", {}});
  CHECK(control.at("divergence_16") > 1.9 * control.at("divergence_8"));
  CHECK(control.at("divergence_16") < 2.1 * control.at("divergence_8"));
  check(control, "block_launch", shipped_machine("geforce-8800-gtx").config.chip.block_interval_cycles);
  auto partitions = figures_in_order({"micro", "partitions", {"kilobytes=1024"}});
  // All on one of six partitions, or on two.
  CHECK(partitions.at("pitch_1536") < 14.4 * 1.01);
  CHECK(partitions.at("pitch_768") < 28.8 * 1.01);
  CHECK(partitions.at("pitch_1792") > 2 * partitions.at("pitch_1536"));
}

TEST_CASE("micro: the host's launches and copies", "[micro]") {
  auto measured = figures({"micro", "host", {}});
  sim::HostConfig host = shipped_machine("geforce-8800-gtx").config.host;
  check(measured, "launch_asynchronous", host.call_us);
  check(measured, "copy_pageable_latency", host.copy_latency_us);
  check(measured, "copy_pinned_gb_s", host.pinned_host_to_device_gb_s);
  CHECK(measured.at("launch_synchronous") > host.launch_us + host.synchronize_us);
}

TEST_CASE("micro: a functional run measures nothing and computes the same", "[micro]") {
  sim::RunOptions functional;
  functional.functional = true;
  host::RunReport report = run({"micro", "control", {}}, functional);
  CHECK(report.figures.empty());
  CHECK(report.checks.size() == 7);
}

}  // namespace warptime
