// `info queues` and `info caches`: what is on its way to memory, and what is cached.
#include <fmt/format.h>

#include <algorithm>

#include "debug/commands/console.h"
#include "debug/names/expression.h"
#include "sim/core/load_store_timing.h"
#include "sim/mem/memory_view.h"
#include "sim/mem/tpc_caches.h"

namespace warptime::debug {

namespace {

std::string of_text(std::string_view name, uint64_t used, uint64_t all) {
  return fmt::format("  {:<18} {:>4} of {}\n", name, used, all);
}

std::string bank_text(const sim::PartitionView& partition) {
  const auto open = std::count_if(partition.open_rows.begin(), partition.open_rows.end(),
                                  [](const auto& row) { return row.has_value(); });
  return fmt::format("{} of {}", open, partition.open_rows.size());
}

std::string line_text(const sim::CacheView& cache, Cycle now) {
  if (!cache.ready) return "no";
  return *cache.ready > now ? fmt::format("arrives in cycle {}", *cache.ready)
                            : fmt::format("since cycle {}", *cache.ready);
}

}  // namespace

void Console::info_queues(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  auto times = debugger_->session().times(lane->sm->index());
  const sim::MachineConfig& machine = debugger_->machine();
  std::string out = fmt::format("SM {}, cycle {}\n", lane->sm->index(), debugger_->now());
  out += of_text("transactions", times->accesses->queued(debugger_->now()), machine.memory.queue_entries);
  out += of_text("loads", times->accesses->loads_in_table(), machine.memory.max_outstanding_loads);
  if (const sim::CopyEngine& engine = times->accesses->copy_engine(); engine.exists())
    out += of_text("copies", engine.waiting(debugger_->now()), machine.copy_engine.queue_entries);
  if (machine.l1.cache.bytes != 0)
    out += of_text("L1 MSHRs", times->caches->mshrs_in_use(times->sm_in_tpc), machine.l1.mshrs);
  out += "partition  requests  banks with an open row\n";
  const auto partitions = debugger_->session().partitions();
  for (size_t i = 0; i < partitions.size(); ++i)
    out += fmt::format("{:>9}  {:>8}  {}\n", i, partitions[i].requests, bank_text(partitions[i]));
  print_(out);
}

void Console::info_caches(std::string_view arguments) {
  auto lane = thread();
  if (!lane) return;
  std::optional<Addr> address;
  if (std::string_view text = trimmed(arguments); !text.empty()) {
    ExpressionResult result = evaluate(text, *lane);
    if (failed(result, text)) return;
    const AddressMeant meant = address_meant(*lane, result);
    if (meant.space != ptx::Space::None && meant.space != ptx::Space::Global)
      return print_("a cache line is looked up by a global-memory address\n");
    address = meant.address;
    if (*address >= debugger_->machine().memory.bytes)
      return print_(fmt::format("0x{:x} is not an address in device memory\n", *address));
  }
  auto times = debugger_->session().times(lane->sm->index());
  const auto partitions = debugger_->session().partitions(address);
  const Cycle now = debugger_->now();
  std::string out;
  for (size_t i = 0; i < partitions.size(); ++i)
    if (const auto& place = partitions[i].place)
      out += fmt::format("0x{:x} is in partition {}, bank {}, row {}{}\n", *address, i, place->bank, place->row,
                         partitions[i].open_rows[place->bank] == place->row ? ", which is open" : "");
  out += fmt::format("{:<13} {:<28} {:>6}  {:>6}  {:>6}{}\n", "of", "cache", "lines", "used", "dirty",
                     address ? "  has the line" : "");
  auto row = [&](const std::string& of, const sim::CacheView& cache) {
    // Constants and instructions have addresses of their own.
    if (const auto kind = cache.level->reads;
        address && (kind == sim::ReadKind::Constant || kind == sim::ReadKind::Instruction))
      return;
    out += fmt::format("{:<13} {:<28} {:>6}  {:>6}  {:>6}{}\n", of, cache.level->path, cache.lines, cache.used,
                       cache.dirty, address ? "  " + line_text(cache, now) : "");
  };
  const uint32_t sm = lane->sm->index();
  for (const sim::CacheView& cache : times->caches->view(debugger_->machine(), times->sm_in_tpc, address))
    row(cache.level->place == sim::CachePlace::Sm ? fmt::format("SM {}", sm)
                                                  : fmt::format("TPC {}", sm / debugger_->machine().chip.sms_per_tpc),
        cache);
  for (size_t level = 0; level < partitions.front().caches.size(); ++level) {
    sim::CacheView all{partitions.front().caches[level].level};
    for (size_t i = 0; i < partitions.size(); ++i) {
      const sim::CacheView& cache = partitions[i].caches[level];
      all.lines += cache.lines;
      all.used += cache.used;
      all.dirty += cache.dirty;
      if (partitions[i].place) row(fmt::format("partition {}", i), cache);
    }
    if (!address) row(fmt::format("{} partitions", partitions.size()), all);
  }
  print_(out);
}

}  // namespace warptime::debug
