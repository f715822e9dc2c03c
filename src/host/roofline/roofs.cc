#include "host/roofline/roofs.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/report/report.h"
#include "sim/model/resource.h"

namespace warptime::host {

namespace {

constexpr double kLanes = 32, kWord = 4;       // of a warp; bytes
constexpr double kSmallestTransaction = 32;    // bytes, of every coalescing rule
constexpr double kTransactionOfHalfWarp = 64;  // bytes, of 16 lanes with a word each

class Roofs {
 public:
  void peak(std::string name, double rate, std::string from) {
    add(Roof::Kind::Peak, std::move(name), rate, std::move(from));
  }
  void ceiling(std::string name, double rate, std::string from) {
    add(Roof::Kind::Ceiling, std::move(name), rate, std::move(from));
  }
  std::vector<Roof> out;

 private:
  void add(Roof::Kind kind, std::string name, double rate, std::string from) {
    out.push_back({kind, std::move(name), rate, std::move(from)});
  }
};

/// GFLOP/s or GB/s of so much per SM and so many shader cycles.
double of_sms(const sim::MachineConfig& machine, double amount, double cycles) {
  return sim::sm_count(machine) * amount / cycles * machine.clocks.shader_mhz / 1e3;
}

/// Cycles in which a warp instruction reads a word per lane from shared memory, those of the operand included where the
/// streaming processors read it.
double shared_cycles(const sim::SharedConfig& shared) {
  return shared.cycles_per_degree + (shared.pipe == sim::OnChipPipe::sp ? shared.base_cycles : 0);
}

double constant_cycles(const sim::MachineConfig& machine) {
  if (machine.constant.pipe == sim::OnChipPipe::memory) return machine.constant.cycles_per_address;
  return static_cast<double>(machine.sp.initiation) / machine.sp.groups;
}

/// Shader cycles of a load that meets no other: both ways, the partition, a row that has to be opened.
double unloaded_latency(const sim::MachineConfig& machine) {
  const sim::DramConfig& dram = machine.dram;
  double memory_cycles = dram.tRCD + dram.tCL + dram.burst_length / 2.0;
  return machine.interconnect.request_latency + machine.interconnect.response_latency + machine.memory.pipeline_cycles +
         memory_cycles * machine.clocks.shader_mhz / machine.clocks.memory_mhz;
}

void add_caches(Roofs& roofs, const sim::MachineConfig& machine) {
  if (machine.l1.cache.bytes != 0)
    roofs.peak("L1", of_sms(machine, machine.l1.cache.line_bytes, machine.memory.request_cycles),
               "a line in memory.request_cycles");
  const sim::InterconnectConfig& crossbar = machine.interconnect;
  const uint32_t answers =
      crossbar.partition_answer_bytes != 0 ? crossbar.partition_answer_bytes : crossbar.partition_width_bytes;
  if (machine.l2.cache.bytes != 0)
    roofs.peak("L2", machine.memory.partitions * answers * machine.clocks.core_mhz / 1e3, "ports of the partitions");
  if (machine.constant.sm_cache.bytes != 0)
    roofs.peak("constant cache", of_sms(machine, kLanes * kWord, constant_cycles(machine)),
               "one word for all lanes of a warp");
  if (machine.texture.tpc_cache.bytes != 0)
    roofs.peak("texture cache", of_sms(machine, kLanes * kWord, machine.texture.cycles),
               "a 4-byte texel per lane in texture.cycles");
}

}  // namespace

std::vector<Roof> compute_roofs(const sim::MachineConfig& machine) {
  Roofs roofs;
  double f32 = peak_gflops(machine);
  roofs.peak("f32", f32, "a multiply-add on every lane, which counts as two");
  roofs.ceiling("f32 without multiply-add", f32 / 2, "an addition or a multiplication on every lane");
  roofs.peak("SFU", of_sms(machine, machine.sfu.groups * kLanes, machine.sfu.initiation), "special functions");
  if (sim::has_feature(machine, sim::Feature::F64))
    roofs.peak("f64", peak_gflops_f64(machine), "a multiply-add on every lane of the double-precision units");
  if (sim::has_feature(machine, sim::Feature::Tensor))
    roofs.peak("tensor cores, 16 bits", peak_gflops_tensor(machine), "products of f16 or bf16 on every tensor core");
  double gap = std::max(machine.latency.float_mad, machine.sp.initiation);
  roofs.ceiling("f32 with one warp per SM", of_sms(machine, 2 * kLanes, gap),
                "each multiply-add waits for the one before (latency.float_mad)");
  return std::move(roofs.out);
}

std::vector<Roof> bandwidth_roofs(const sim::MachineConfig& machine) {
  Roofs roofs;
  double dram = peak_bandwidth_gb_s(machine);
  roofs.peak("DRAM", dram, "both edges of the memory clock on every bus");
  roofs.ceiling("DRAM, coalesced stream", dram * sim::kDramReachable, "with rows, turns of the bus and refreshes");
  double column = static_cast<double>(machine.dram.bus_bytes) * machine.dram.burst_length;
  double port = of_sms(machine, kWord, machine.memory.request_cycles);
  roofs.ceiling("DRAM without coalescing", std::min(dram * kWord / std::max(kSmallestTransaction, column), port),
                "a transaction for each 4-byte word");
  roofs.ceiling("DRAM with one load per SM", of_sms(machine, kLanes * kWord, unloaded_latency(machine)),
                "a warp per SM that waits for each load of 128 bytes");
  roofs.peak("TPC ports", machine.chip.tpcs * machine.interconnect.tpc_width_bytes * machine.clocks.core_mhz / 1e3,
             "answers to loads");
  if (machine.l1.cache.bytes == 0)
    roofs.peak("memory ports", of_sms(machine, kTransactionOfHalfWarp, machine.memory.request_cycles),
               "a transaction of 64 bytes in memory.request_cycles");
  roofs.peak("shared memory", of_sms(machine, kLanes * kWord, shared_cycles(machine.sm.shared)),
             "a word per lane without bank conflicts");
  add_caches(roofs, machine);
  return std::move(roofs.out);
}

}  // namespace warptime::host
