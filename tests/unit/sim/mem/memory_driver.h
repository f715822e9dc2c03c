// Drives a MemorySystem as the chip does: steps on the window grid, stores applied at the edges. The requests come from
// a list of (cycle, SM); the answers are kept in the order in which they reach the TPCs.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "sim/mem/memory_system.h"

namespace warptime::sim {

/// An address in partition 0 at the start of a row: 0x10000 / 256 / 2 = block 128 of 256 bytes.
constexpr Addr kBase = 0x10000;

/// After all that a test does.
constexpr Cycle kLate = Cycle{1} << 40;

/// Clocks 2 : 1 : 1, so that core and memory edges are the even shader cycles; no refresh; everything that the exact
/// cycles in the tests depend on is set here.
inline MachineConfig even_machine() {
  MachineConfig m;
  m.chip.tpcs = 2;
  m.chip.sms_per_tpc = 2;
  m.chip.window_cycles = 64;
  m.clocks.shader_mhz = 1200;
  m.clocks.core_mhz = 600;
  m.clocks.memory_mhz = 600;
  m.memory.bytes = 64 << 20;
  m.memory.partitions = 2;
  m.memory.interleave_bytes = 256;
  m.memory.address_map = AddressMap::short_;
  m.memory.queue_entries = 64;
  m.memory.credits_per_tpc = 64;
  m.memory.pipeline_cycles = 20;
  m.interconnect.request_latency = 80;
  m.interconnect.response_latency = 80;
  m.interconnect.tpc_width_bytes = m.interconnect.partition_width_bytes = 32;
  m.interconnect.header_bytes = 8;
  m.interconnect.request_header_bytes = 0;
  DramConfig& d = m.dram;
  d.queue_entries = 32;
  d.write_high = 0;
  d.bank_hash = BankHash::none;
  d.bus_bytes = 8;
  d.burst_length = 4;
  d.banks = 8;
  d.row_bytes = 4096;
  d.tRCD = 14, d.tRP = 12, d.tRAS = 29, d.tRC = 41, d.tRRD = 9, d.tCCD = 2, d.tCL = 11, d.tWL = 7, d.tWTR = 6;
  d.tWR = 11, d.tRTW = 8, d.tRTP = 4, d.tREFI = 0, d.tRFC = 60;
  return m;
}

inline Request read_of(uint32_t sm, Cycle ready, Addr address, uint32_t tag, uint32_t bytes = 32) {
  Request request;
  request.cycle = ready;
  request.address = address;
  request.word = address;
  request.tag = tag;
  request.group = tag;
  request.bytes = static_cast<uint16_t>(bytes);
  request.sm = static_cast<uint16_t>(sm);
  return request;
}

inline Request write_of(uint32_t sm, Cycle ready, PendingStore& store, uint32_t tag, uint32_t bytes = 32) {
  Request request = read_of(sm, ready, store.address, tag, bytes);
  request.store = &store;
  return request;
}

/// A store of one 4-byte value.
inline PendingStore store_of(Addr address, uint32_t value) {
  PendingStore store;
  store.address = address & ~Addr{31};
  auto at = static_cast<uint32_t>(address - store.address);
  store.byte_mask[0] = uint64_t{0xf} << at;
  for (uint32_t i = 0; i < 4; ++i) store.bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
  return store;
}

class MemoryDriver {
 public:
  explicit MemoryDriver(const MachineConfig& config)
      : machine(config), memory(config.memory.bytes, 256), system(machine, memory) {
    memory.allocate(config.memory.bytes, "all");
  }

  /// Requests are sent at their ready cycle; call in (cycle, SM) order.
  void send(const Request& request) { requests_.push_back(request); }

  /// Whether there were any.
  bool apply_stores() {
    bool any = false;
    for (uint32_t p = 0; p < system.partition_count(); ++p) {
      any |= system.has_stores_to_apply(p);
      system.apply_stores(p);
    }
    return any;
  }
  void step(Cycle end) {
    apply_stores();
    uint32_t per_tpc = machine.chip.sms_per_tpc;
    for (uint32_t t = 0; t < machine.chip.tpcs; ++t) {
      TpcMemory& tpc = system.tpc(t);
      tpc.begin_step(now, end);
      for (const Request& request : requests_) {
        if (request.sm / per_tpc != t || request.cycle < now || request.cycle >= end) continue;
        tpc.send(request.sm % per_tpc, request);
      }
      while (tpc.next_response() != kNever) {
        answers.push_back(tpc.pop_response());
        answer_cycle[answers.back().tag] = answers.back().cycle;
      }
    }
    for (uint32_t p = 0; p < system.partition_count(); ++p) system.run_partition(p, now, end);
    system.exchange();
    now = end;
  }
  /// A step in which nobody is run.
  void skip(Cycle end) {
    system.exchange();
    now = end;
  }
  void run(Cycle end, Cycle cycles = 64) {
    while (now < end) step(now + cycles);
  }
  uint32_t word_at(Addr address) const {
    uint32_t value = 0;
    for (uint32_t i = 0; i < 4; ++i) value |= static_cast<uint32_t>(*memory.at(address + i)) << (8 * i);
    return value;
  }

  const MachineConfig machine;
  DeviceMemory memory;
  MemorySystem system;
  Cycle now = 0;
  std::vector<Response> answers;
  std::map<uint32_t, Cycle> answer_cycle;  // by tag

 private:
  std::vector<Request> requests_;
};

/// The cycle of each request's answer, by tag.
inline std::map<uint32_t, Cycle> answers_of(const MachineConfig& machine, const std::vector<Request>& requests) {
  MemoryDriver driver(machine);
  for (const Request& request : requests) driver.send(request);
  driver.run(4096);
  return driver.answer_cycle;
}

}  // namespace warptime::sim
