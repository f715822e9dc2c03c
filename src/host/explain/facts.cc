#include "host/explain/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/diagnostics.h"

namespace warptime::host {

using sim::Resource, sim::Stall;

namespace {

constexpr std::array kMemoryResources{Resource::MemoryPort, Resource::TpcRequestPort, Resource::TpcResponsePort,
                                      Resource::Partition,  Resource::AtomicUnit,     Resource::Dram};

double slot_ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// The registers of an operand list, in order: "%f1", "%r20".
std::vector<std::string_view> registers_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t at = text.find('%'); at != std::string_view::npos;) {
    size_t end = text.find_first_of(" \t,;:[](){}+-|", at);
    out.push_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    at = end == std::string_view::npos ? end : text.find('%', end);
  }
  return out;
}

std::string_view without_guard(std::string_view text) {
  if (text.starts_with("@")) text.remove_prefix(std::min(text.size(), text.find_first_of(" \t")));
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
  return text;
}

/// The registers that a load writes: its first operand, or those in braces.
bool writes(const InstructionRow& load, std::string_view name) {
  std::string_view text = without_guard(load.text);
  text = text.substr(0, text.find('['));
  std::vector<std::string_view> written = registers_of(text);
  return std::find(written.begin(), written.end(), name) != written.end();
}

}  // namespace

Facts::Facts(const sim::LaunchStatistics& of, const sim::MachineConfig* of_machine)
    : launch(of), machine(of_machine), verdict(*host::verdict(of, static_cast<uint32_t>(of.issue_by_sm.size()))) {}

double Facts::stalled(Stall reason) const {
  return slot_ratio(launch.issue.stalls[static_cast<size_t>(reason)], launch.issue.slots);
}

double Facts::waited(Stall reason) const {
  return slot_ratio(launch.warp_cycles.waiting[static_cast<size_t>(reason)], launch.warp_cycles.resident);
}

double Facts::issuing() const { return slot_ratio(launch.warp_cycles.issuing, launch.warp_cycles.resident); }

double Facts::unqueued() const {
  double mean = launch.global_latency.mean();
  return mean <= 0 ? 1 : std::min(1.0, static_cast<double>(launch.global_latency.least.value()) / mean);
}

double Facts::path() const {
  double out = issuing();
  for (size_t i = 0; i < sim::kStallCount; ++i) {
    auto reason = static_cast<Stall>(i);
    out += waited(reason) * (reason == Stall::GlobalDependency ? unqueued() : 1);
  }
  return out;
}

double Facts::atomic_waits() const {
  uint64_t all = 0, atomic = 0;
  for (const InstructionRow& row : launch.instructions) {
    const uint64_t cycles = row.line_statistics.latency.cycles;
    all += cycles;
    if (operation(row).starts_with("atom.")) atomic += cycles;
  }
  return slot_ratio(atomic, all) * waited(Stall::GlobalDependency) * unqueued();
}

double Facts::active() const {
  double most = 0;
  for (const sim::IssueSlots& sm : launch.issue_by_sm)
    most =
        std::max(most, 1 - slot_ratio(sm.stalls[static_cast<size_t>(Stall::Drained)], std::max<uint64_t>(1, sm.slots)));
  return launch.attributed && most > 0 ? most : 1;
}

/// A row takes its bank for tRC, and a DRAM opens one each tRRD, and four each tFAW.
double Facts::row_use() const {
  if (machine == nullptr || launch.time_us <= 0) return 0;
  const sim::DramConfig& dram = machine->dram;
  double each = std::max({static_cast<double>(dram.tRRD), static_cast<double>(dram.tFAW) / 4,
                          static_cast<double>(dram.tRC) / std::max(1u, dram.banks)});
  double cycles = launch.time_us * machine->clocks.memory_mhz * machine->memory.partitions;
  return std::min(1.0, static_cast<double>(launch.dram.row_misses) * each / std::max(1.0, cycles));
}

Resource Facts::nearest_of_memory() const {
  return *std::max_element(kMemoryResources.begin(), kMemoryResources.end(),
                           [&](Resource a, Resource b) { return near(a) < near(b); });
}

double Facts::resident_warps() const {
  double cycles = static_cast<double>(launch.sm_cycles.active);
  if (cycles == 0) cycles = static_cast<double>(launch.cycles) * std::max(1u, sms()) * std::max(working(), 0.01);
  return cycles == 0 ? 0 : static_cast<double>(launch.warp_cycles.resident) / cycles;
}

std::vector<const InstructionRow*> Facts::rows(bool (*wanted)(std::string_view operation)) const {
  std::vector<const InstructionRow*> out;
  for (const InstructionRow& row : launch.instructions)
    if (row.line != 0 && row.warp_instructions != 0 && wanted(operation(row))) out.push_back(&row);
  return out;
}

const InstructionRow* Facts::most_stalled(Stall reason) const {
  auto stalls = [&](const InstructionRow& row) { return row.line == 0 ? 0 : row.stalls[static_cast<size_t>(reason)]; };
  const auto& rows = launch.instructions;
  auto most = std::max_element(rows.begin(), rows.end(),
                               [&](const InstructionRow& a, const InstructionRow& b) { return stalls(a) < stalls(b); });
  return most == rows.end() || stalls(*most) == 0 ? nullptr : &*most;
}

const InstructionRow* Facts::load_of(const InstructionRow* waiting) const {
  if (waiting == nullptr) return nullptr;
  std::vector<std::string_view> read = registers_of(waiting->text);
  const auto& rows = launch.instructions;
  auto here = static_cast<size_t>(waiting - rows.data());
  // The nearest load before it; of a loop, also behind it.
  for (size_t step = 1; step <= rows.size(); ++step) {
    const InstructionRow& row = rows[(here + rows.size() - step) % rows.size()];
    std::string_view op = operation(row);
    if (!op.starts_with("ld.") || op.starts_with("ld.param") || op.starts_with("ld.shared")) continue;
    for (std::string_view name : read)
      if (writes(row, name)) return &row;
  }
  return nullptr;
}

std::string_view operation(const InstructionRow& row) {
  std::string_view text = without_guard(row.text);
  return text.substr(0, text.find_first_of(" \t;"));
}

std::string source_text(const InstructionRow& row) {
  if (row.source_line == 0) return {};
  return short_place(UserLine{.file = row.source_file, .line = row.source_line});
}

std::string place_text(const InstructionRow& row) {
  const std::string source = source_text(row);
  if (source.empty()) return fmt::format("Line {} (`{}`)", row.line, operation(row));
  return fmt::format("{} (`{}`, PTX line {})", source, operation(row), row.line);
}

std::string place_in_sentence(const InstructionRow& row) {
  std::string out = place_text(row);
  if (row.source_line == 0) out[0] = 'l';
  return out;
}

std::string percent_text(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string moved_text(uint64_t moved, uint64_t requested) {
  std::string bytes =
      fmt::format("{:.3g}", static_cast<double>(moved) / static_cast<double>(std::max<uint64_t>(1, requested)));
  return fmt::format("{} {} per byte requested", bytes, bytes == "1" ? "byte" : "bytes");
}

}  // namespace warptime::host
