// Random closed-loop traffic for a whole memory system: agents in place of SMs that read, write, wait for room and for
// answers, and look at memory, each from its own seeded numbers. What they see is their log; it must not depend on how
// time is cut into steps, on skipped idle steps, or on threads.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "sim/mem/memory_system.h"
#include "sim/mem/store_buffer.h"
#include "unit/sim/mem/memory_driver.h"

namespace warptime::sim {

struct TrafficShape {
  uint64_t seed = 1;
  Cycle until = 20'000;
  uint32_t gap = 40;      // mean cycles between an agent's instructions
  uint32_t long_gap = 0;  // now and then this many, so that everything goes idle
  uint32_t most_outstanding = 200;
  Addr span = 1 << 16;       // bytes that the agents share
  uint32_t one_texture = 0;  // of so many instructions, one reads textures; 0: none
  uint32_t one_write = 3;    // of so many, one writes
  uint32_t launches = 1;     // of the instructions, by turns; of several, shares are kept
};

/// One SM's stand-in.
class TrafficAgent {
 public:
  TrafficAgent(const TrafficShape& shape, const DeviceMemory& memory, uint32_t sm, uint32_t sm_in_tpc)
      : shape_(shape), memory_(&memory), random_(shape.seed * 1000 + sm), sm_(sm), sm_in_tpc_(sm_in_tpc) {
    log.reserve(1 << 20);
  }

  Cycle wake() const { return wake_; }
  uint32_t sm_in_tpc() const { return sm_in_tpc_; }

  void begin_step(Cycle begin) {
    if (waits_for_room_) wake_ = begin;
  }
  void act(TpcMemory& tpc, Cycle now) {
    waits_for_room_ = false;
    if (now >= shape_.until) {
      wake_ = kNever;
      return;
    }
    if (outstanding_ > shape_.most_outstanding) {
      waits_for_answer_ = true;
      wake_ = kNever;
      return;
    }
    if (planned_ == 0) planned_ = 1 + static_cast<uint32_t>(random_() % 16);
    if (!tpc.has_room(sm_in_tpc_, planned_, now)) {
      waits_for_room_ = true;
      wake_ = tpc.next_room(sm_in_tpc_, now);
      return;
    }
    bool write = random_() % shape_.one_write == 0, broadcast = random_() % 4 == 0;
    const bool texture = shape_.one_texture != 0 && random_() % shape_.one_texture == 0;
    Addr address = pick();
    note(now, read_value(address));
    for (uint32_t i = 0; i < planned_; ++i) {
      Request request;
      request.cycle = now + 4 * i;
      request.bytes = static_cast<uint16_t>(32u << (broadcast ? 0 : random_() % 3));
      request.address = address / request.bytes * request.bytes;
      request.word = address / 4 * 4;
      request.tag = next_tag_++;
      request.sm = static_cast<uint16_t>(sm_);
      request.group = group_;
      request.launch = group_ % shape_.launches;
      if (texture) request.kind = ReadKind::Texture;
      if (write && !texture) {
        request.store = stores_.add(request.address);
        request.store->byte_mask = {random_() & 0xffffffff, 0};
        for (std::byte& byte : request.store->bytes) byte = static_cast<std::byte>(next_tag_);
      }
      tpc.send(sm_in_tpc_, request);
      if (!broadcast) address = pick();
    }
    ++group_;
    outstanding_ += planned_;
    Cycle rest = random_() % (2 * shape_.gap + 1);
    if (shape_.long_gap != 0 && random_() % 8 == 0) rest = shape_.long_gap;
    wake_ = now + 4 * planned_ + rest;
    planned_ = 0;
  }
  void answer(const Response& response) {
    note(response.cycle, response.tag);
    if (response.store != nullptr) stores_.release(response.store);
    --outstanding_;
    if (waits_for_answer_) {
      waits_for_answer_ = false;
      wake_ = response.cycle;
    }
  }

  std::vector<uint64_t> log;

 private:
  Addr pick() { return kDeviceBase + random_() % (shape_.span / 4) * 4; }
  uint64_t read_value(Addr address) const {
    std::byte value = *memory_->at(address);
    stores_.overlay(address, 1, &value);
    return static_cast<uint64_t>(value);
  }
  void note(Cycle cycle, uint64_t what) {
    log.push_back(cycle);
    log.push_back(what);
  }

  TrafficShape shape_;
  const DeviceMemory* memory_;
  std::mt19937_64 random_;
  StoreBuffer stores_;
  uint32_t sm_, sm_in_tpc_;
  Cycle wake_ = 0;
  uint32_t planned_ = 0, next_tag_ = 0, group_ = 0, outstanding_ = 0;
  bool waits_for_room_ = false, waits_for_answer_ = false;
};

/// A chip of agents.
class Traffic {
 public:
  Traffic(const MachineConfig& config, const TrafficShape& shape, bool may_plan = true)
      : machine(config), memory(config.memory.bytes, 256), system(config, memory, may_plan) {
    memory.allocate(shape.span + 256, "span");
    if (shape.launches > 1) system.reset(true);
    agents.resize(machine.chip.tpcs);
    for (uint32_t t = 0; t < machine.chip.tpcs; ++t)
      for (uint32_t i = 0; i < machine.chip.sms_per_tpc; ++i)
        agents[t].emplace_back(shape, memory, t * machine.chip.sms_per_tpc + i, i);
  }

  void run_tpc(uint32_t t, Cycle begin, Cycle end) {
    TpcMemory& tpc = system.tpc(t);
    tpc.begin_step(begin, end);
    for (TrafficAgent& agent : agents[t]) agent.begin_step(begin);
    for (;;) {
      Cycle now = tpc.next_response();
      for (const TrafficAgent& agent : agents[t]) now = std::min(now, agent.wake());
      if (now >= end) break;
      while (tpc.next_response() <= now) {
        Response response = tpc.pop_response();
        agents[t][response.sm % machine.chip.sms_per_tpc].answer(response);
      }
      for (TrafficAgent& agent : agents[t])
        if (agent.wake() <= now) agent.act(tpc, now);
    }
    tpc.finish_step();
  }
  void step(Cycle begin, Cycle end) {
    for (uint32_t p = 0; p < machine.memory.partitions; ++p) system.apply_stores(p);
    for (uint32_t t = 0; t < machine.chip.tpcs; ++t) run_tpc(t, begin, end);
    for (uint32_t p = 0; p < machine.memory.partitions; ++p) system.run_partition(p, begin, end);
    system.exchange();
  }
  /// Steps of `cycles` until all agents are done and the memory is idle; `skip`: leaves out steps without events.
  void run(Cycle cycles, bool skip = false) {
    Cycle begin = 0;
    for (;;) {
      step(begin, begin + cycles);
      ++steps;
      begin += cycles;
      if (!skip) read_bytes.push_back(system.dram_statistics(begin).read_bytes);
      Cycle next = system.next_event(begin);
      for (const auto& tpc : agents)
        for (const TrafficAgent& agent : tpc) next = std::min(next, agent.wake());
      if (next == kNever && system.idle()) return;
      if (skip && next != kNever) begin = std::max(begin, next / cycles * cycles);
    }
  }
  std::vector<uint64_t> everything() const {
    std::vector<uint64_t> all;
    for (const auto& tpc : agents)
      for (const TrafficAgent& agent : tpc) all.insert(all.end(), agent.log.begin(), agent.log.end());
    DramStats stats = system.dram_statistics(kLate);
    all.insert(all.end(), {stats.read_bytes, stats.write_bytes, stats.row_hits, stats.row_misses});
    for (Addr at = kDeviceBase; at < kDeviceBase + (1 << 16); ++at)
      all.push_back(static_cast<uint64_t>(*memory.at(at)));
    return all;
  }

  const MachineConfig machine;
  DeviceMemory memory;
  MemorySystem system;
  std::vector<std::vector<TrafficAgent>> agents;  // [tpc][sm]
  uint64_t steps = 0;
  std::vector<uint64_t> read_bytes;  // at the end of each step, if none is skipped
};

inline MachineConfig traffic_machine() {
  MachineConfig machine;
  machine.memory.bytes = 16 << 20;
  machine.chip.tpcs = 3;
  machine.dram.tREFI = 500;
  machine.memory.queue_entries = 24;
  machine.memory.credits_per_tpc = 6;
  machine.memory.same_address_merge = SameAddressMerge::partition;
  return machine;
}

/// With all that the DRAM of later machines has, but for what keeps reads from being planned.
inline void add_later_rules(DramConfig& dram) {
  dram.bank_groups = 4;
  dram.tRRD_L = dram.tRRD + 2;
  dram.tFAW = 5 * dram.tRRD;
  dram.refresh = RefreshScope::per_bank;
  dram.tRFCpb = 25;
}

/// With the rest as well.
inline void add_all_later_rules(DramConfig& dram) {
  add_later_rules(dram);
  dram.tCCD_L = dram.tCCD + 2;
  dram.tWTR_L = dram.tWTR + 3;
  dram.write_high = std::max(1u, dram.queue_entries / 2);
  dram.write_low = dram.write_high / 2;
}

}  // namespace warptime::sim
