#include "analysis/mwp_cwp/bandwidth.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/model/dram_map.h"

namespace warptime::analysis {

namespace {

double shader_per_core(const sim::MachineConfig& machine) {
  return machine.clocks.shader_mhz / machine.clocks.core_mhz;
}
double shader_per_memory(const sim::MachineConfig& machine) {
  return machine.clocks.shader_mhz / machine.clocks.memory_mhz;
}

/// Core cycles that a packet with so many bytes of data holds a port; `bytes` may be a mean, so it is not rounded.
double port_cycles(const sim::MachineConfig& machine, double bytes, uint32_t width) {
  return std::max(1.0, (machine.interconnect.header_bytes + bytes) / width);
}

double dram_bytes_per_us(const sim::MachineConfig& machine) {
  const sim::DramConfig& dram = machine.dram;
  const double refresh = dram.tREFI == 0 ? 0 : static_cast<double>(dram.tRFC) / dram.tREFI;
  return 1.0 * machine.memory.partitions * bytes_per_memory_cycle(dram) * machine.clocks.memory_mhz * (1 - refresh);
}

struct Channel {
  std::string_view name;
  double us;
};

}  // namespace

PeakBandwidth peak_bandwidth(const sim::MachineConfig& machine, const Traffic& traffic, double active_sms) {
  const double core = machine.clocks.core_mhz, shader = machine.clocks.shader_mhz;
  const double tpcs = std::min<double>(machine.chip.tpcs, std::max(1.0, active_sms));
  const double partitions = machine.memory.partitions;
  const double reads = traffic.reads * traffic.crossing, writes = traffic.writes;
  if (traffic.bytes() == 0 || traffic.transactions() == 0)
    return {dram_bytes_per_us(machine) / 1000, "the DRAM's data buses"};
  const double of_read = traffic.reads == 0 ? 0 : traffic.read_bytes / traffic.reads;
  const double of_write = traffic.writes == 0 ? 0 : traffic.write_bytes / traffic.writes;
  const uint32_t at_tpc = machine.interconnect.tpc_width_bytes, there = machine.interconnect.partition_width_bytes;
  auto request_cycles = [&](uint32_t width) {
    return reads * port_cycles(machine, 0, width) + writes * port_cycles(machine, of_write, width);
  };
  auto response_cycles = [&](uint32_t width) { return reads * port_cycles(machine, of_read, width); };
  const std::array channels{
      Channel{"the DRAM's data buses",
              (traffic.read_bytes * traffic.from_dram + traffic.write_bytes) / dram_bytes_per_us(machine)},
      Channel{"the memory ports of the SMs",
              traffic.transactions() * machine.memory.request_cycles / (active_sms * shader)},
      Channel{"the TPCs' request ports", request_cycles(at_tpc) / (tpcs * core)},
      Channel{"the TPCs' response ports", response_cycles(at_tpc) / (tpcs * core)},
      Channel{"the partitions' request ports", request_cycles(there) / (partitions * core)},
      Channel{"the partitions' response ports", response_cycles(there) / (partitions * core)},
  };
  const Channel& slowest = *std::max_element(channels.begin(), channels.end(),
                                             [](const Channel& a, const Channel& b) { return a.us < b.us; });
  return {traffic.bytes() / slowest.us / 1000, slowest.name};
}

double departure_delay(const sim::MachineConfig& machine, double bytes) {
  return std::max<double>(machine.memory.request_cycles,
                          port_cycles(machine, bytes, machine.interconnect.tpc_width_bytes) * shader_per_core(machine));
}

double unloaded_cache_latency(const sim::MachineConfig& machine, double bytes) {
  const sim::InterconnectConfig& crossbar = machine.interconnect;
  const double at_ports = port_cycles(machine, 0, crossbar.tpc_width_bytes) +
                          port_cycles(machine, 0, crossbar.partition_width_bytes) +
                          port_cycles(machine, bytes, crossbar.partition_width_bytes) +
                          port_cycles(machine, bytes, crossbar.tpc_width_bytes);
  return machine.memory.request_cycles + crossbar.request_latency + crossbar.response_latency +
         machine.memory.pipeline_cycles + at_ports * shader_per_core(machine);
}

double unloaded_latency(const sim::MachineConfig& machine, double bytes) {
  const sim::DramConfig& dram = machine.dram;
  const double bursts = std::max(1.0, std::ceil(bytes / (dram.bus_bytes * dram.burst_length)));
  const double memory_cycles = dram.tRCD + dram.tCL + bursts * dram.burst_length / 2;
  return unloaded_cache_latency(machine, bytes) + memory_cycles * shader_per_memory(machine);
}

}  // namespace warptime::analysis
