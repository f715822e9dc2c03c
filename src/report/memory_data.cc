#include "report/memory_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "host/report/report.h"
#include "host/report/summary.h"
#include "ptx/module.h"
#include "sim/mem/coalescer.h"
#include "sim/mem/shared_banks.h"
#include "sim/model/address_space.h"

namespace warptime::report {

using Json = nlohmann::ordered_json;
using sim::AccessLog;
using sim::AccessSample;

namespace {

std::string_view space_name(const AccessSample& sample) {
  if (sample.space == ptx::Space::Shared) return "shared";
  if (sample.space == ptx::Space::Const) return "const";
  if (sample.space == ptx::Space::Local) return "local";
  if (sample.space != ptx::Space::None) return "global";
  return sample.transactions.empty() ? "generic, on chip" : "generic, global";
}

/// On chip: the conflict degree. A generic address is that in the window of shared memory, which begins at a multiple
/// of all banks.
void add_conflicts(const AccessSample& sample, const sim::MachineConfig& machine, Json& out) {
  std::array<uint32_t, 32> offsets{};
  for (size_t lane = 0; lane < 32; ++lane)
    offsets[lane] = static_cast<uint32_t>(sample.addresses[lane] % sim::GenericWindows::kBytes);
  sim::ConflictDegree conflicts =
      sample.space == ptx::Space::Const
          ? sim::constant_conflicts(offsets, sample.lanes, sample.bytes, machine.constant)
          : sim::shared_conflicts(offsets, sample.lanes, sample.bytes, machine.sm.shared, sample.is_load);
  out["degree"] = conflicts.degree;
  out["replays"] = conflicts.replays;
}

Json sample_json(const AccessSample& sample, const sim::LaunchStatistics& launch, const sim::MachineConfig& machine) {
  const uint64_t x = std::max(launch.grid[0], 1U), y = std::max(launch.grid[1], 1U);
  Json addresses = Json::array(), transactions = Json::array();
  for (uint32_t rest = sample.lanes; rest != 0; rest &= rest - 1)
    addresses.push_back(sample.addresses[static_cast<size_t>(std::countr_zero(rest))]);
  for (const sim::LoggedTransaction& t : sample.transactions) transactions.push_back({t.address, t.bytes, t.lanes});
  Json out{{"pc", sample.pc},
           {"execution", sample.execution},
           {"cycle", sample.cycle},
           {"sm", sample.sm},
           {"block", {sample.block % x, sample.block / x % y, sample.block / x / y}},
           {"warp", sample.index_in_block},
           {"space", space_name(sample)},
           {"load", sample.is_load},
           {"bytes", sample.bytes},
           {"lanes", sample.lanes},
           {"addresses", std::move(addresses)},
           {"transactions", std::move(transactions)}};
  if (!sample.transactions.empty())
    out["ideal"] = sim::fewest_transactions(sim::coalescing_rule(machine, sample.is_load), sample.lanes, sample.bytes);
  else if (sample.space != ptx::Space::Local && sample.space != ptx::Space::Global) add_conflicts(sample, machine, out);
  return out;
}

Json samples_json(const AccessLog& log, uint32_t traced_sm, const sim::LaunchStatistics& launch,
                  const sim::MachineConfig& machine, std::vector<std::string>& notes) {
  Json out = Json::array();
  size_t left_out = 0;
  auto add = [&](const AccessLog::OfSm& sm) {
    for (const AccessSample& sample : sm.samples)
      if (out.size() < kMostSamples) out.push_back(sample_json(sample, launch, machine));
      else ++left_out;
  };
  if (traced_sm < log.sms.size()) add(log.sms[traced_sm]);
  for (size_t i = 0; i < log.sms.size(); ++i)
    if (i != traced_sm) add(log.sms[i]);
  if (left_out > 0) notes.push_back(fmt::format("Of the recorded accesses, {} are left out.", host::grouped(left_out)));
  return out;
}

Json slices(std::span<const uint64_t> counts, size_t used) {
  return std::vector<uint64_t>(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(used));
}

/// Slices of the launch; of the last one only a part.
size_t used_slices(const sim::SlicedCounts& counts, Cycle cycles) {
  return std::clamp<size_t>((cycles + counts.slice_cycles() - 1) / counts.slice_cycles(), 1,
                            sim::SlicedCounts::kSlices);
}

Json buffers_json(const AccessLog& log, const sim::SlicedCounts& lanes, size_t used) {
  Json out = Json::array();
  for (const AccessLog::Buffer& buffer : log.buffers) {
    Json bins = Json::array();
    for (size_t bin = 0; bin < buffer.bins; ++bin) bins.push_back(slices(lanes.of(buffer.first_bin + bin), used));
    out.push_back({{"name", buffer.name},
                   {"begin", buffer.begin},
                   {"bytes", buffer.bytes},
                   {"bin_bytes", uint64_t{1} << buffer.bin_shift},
                   {"counts", std::move(bins)}});
  }
  return out;
}

/// Between two moments, by partition.
Json moments_json(const AccessLog& log) {
  Json cycles = Json::array(), partitions = Json::array();
  for (uint32_t p = 0; p < log.partitions; ++p)
    partitions.push_back(
        {{"read", Json::array()}, {"write", Json::array()}, {"hits", Json::array()}, {"misses", Json::array()}});
  std::vector<sim::DramStats> before(log.partitions);
  for (const AccessLog::Moment& moment : log.moments) {
    cycles.push_back(moment.cycle);
    for (uint32_t p = 0; p < log.partitions; ++p) {
      const sim::DramStats& now = moment.partitions[p];
      Json& of = partitions[p];
      of["read"].push_back(now.read_bytes - before[p].read_bytes);
      of["write"].push_back(now.write_bytes - before[p].write_bytes);
      of["hits"].push_back(now.row_hits - before[p].row_hits);
      of["misses"].push_back(now.row_misses - before[p].row_misses);
      before[p] = now;
    }
  }
  return {{"cycles", std::move(cycles)}, {"partitions", std::move(partitions)}};
}

}  // namespace

Json memory_json(const AccessLog& log, uint32_t traced_sm, const sim::LaunchStatistics& launch,
                 const sim::MachineConfig& machine, std::vector<std::string>& notes) {
  sim::SlicedCounts lanes, bank_bytes;
  uint64_t others = 0;
  for (const AccessLog::OfSm& sm : log.sms) {
    lanes.add(sm.lanes);
    bank_bytes.add(sm.bank_bytes);
    others += sm.others;
  }
  if (log.buffers_left_out > 0)
    notes.push_back(fmt::format("The map of addresses has the first {} buffers; {} more are left out.",
                                log.buffers.size(), log.buffers_left_out));
  const size_t bank_slices = used_slices(bank_bytes, launch.cycles);
  Json banks = Json::array();
  for (size_t i = 0; i < bank_bytes.items(); ++i) banks.push_back(slices(bank_bytes.of(i), bank_slices));
  const double peak = host::peak_bandwidth_gb_s(machine) * 1e3 / machine.clocks.shader_mhz / machine.memory.partitions;
  const sim::SharedConfig& shared = machine.sm.shared;
  return {{"kernel", launch.kernel},
          {"cycles", launch.cycles},
          {"coalescing", machine.memory.coalescing},
          {"shared", {{"banks", shared.banks}, {"bank_bytes", shared.bank_bytes}, {"lanes", shared.request_lanes}}},
          {"samples", samples_json(log, traced_sm, launch, machine, notes)},
          {"buffers", buffers_json(log, lanes, used_slices(lanes, launch.cycles))},
          {"slice_cycles", lanes.slice_cycles()},
          {"others", others},
          {"partitions", log.partitions},
          {"banks", log.banks},
          {"bank_bytes", std::move(banks)},
          {"bank_slice_cycles", bank_bytes.slice_cycles()},
          {"peak_bytes_per_cycle", peak},  // of a partition
          {"moments", moments_json(log)}};
}

Json requests_json(const AccessLog& log) {
  Json warp = Json::array(), pc = Json::array(), begin = Json::array(), count = Json::array();
  Json address = Json::array(), bytes = Json::array();
  for (const sim::LoggedRequest& request : log.requests) {
    warp.push_back(request.warp);
    pc.push_back(request.pc);
    begin.push_back(request.begin);
    count.push_back(request.count);
    for (uint32_t i = request.first; i < request.first + request.count; ++i) {
      address.push_back(log.transactions[i].address);
      bytes.push_back(log.transactions[i].bytes);
    }
  }
  std::vector<std::vector<uint64_t>> answers(log.requests.size());
  for (const AccessLog::Answer& answer : log.answers)
    answers[answer.request].push_back(answer.cycle - log.requests[answer.request].begin);
  for (auto& of : answers) std::sort(of.begin(), of.end());
  return {{"warp", std::move(warp)},       {"pc", std::move(pc)},
          {"begin", std::move(begin)},     {"count", std::move(count)},
          {"address", std::move(address)}, {"bytes", std::move(bytes)},
          {"answers", std::move(answers)}, {"end", log.requests_end == kNever ? Json() : Json(log.requests_end)}};
}

Json stacks_json(const AccessLog& log) {
  auto place = [](uint32_t pc) { return pc == ptx::kNoIndex ? -1 : static_cast<int64_t>(pc); };
  Json warp = Json::array(), cycle = Json::array(), reconvergence = Json::array(), entries = Json::array();
  for (const sim::LoggedStack& stack : log.stacks) {
    warp.push_back(stack.warp);
    cycle.push_back(stack.cycle);
    reconvergence.push_back(stack.count == 0 ? -1 : place(stack.reconvergence));
    Json below = Json::array();
    for (uint32_t i = stack.first; i < stack.first + stack.count; ++i) {
      const sim::LoggedEntry& entry = log.entries[i];
      below.insert(below.end(), {place(entry.pc), place(entry.reconvergence), entry.lanes});
    }
    entries.push_back(std::move(below));
  }
  return {{"warp", std::move(warp)},
          {"cycle", std::move(cycle)},
          {"reconvergence", std::move(reconvergence)},
          {"entries", std::move(entries)},
          {"end", log.stacks_end == kNever ? Json() : Json(log.stacks_end)}};
}

Json units_json(const AccessLog& log) {
  Json out = Json::array();
  for (ptx::Unit unit : log.units) out.push_back(ptx::info(unit).key);
  return out;
}

}  // namespace warptime::report
