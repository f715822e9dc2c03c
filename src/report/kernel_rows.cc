#include "report/kernel_rows.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "base/parse_number.h"
#include "host/native_view/native_view.h"
#include "ptx/analysis/register_uses.h"
#include "ptx/load_module.h"
#include "ptx/native/native_anchors.h"
#include "ptx/user/cuda_sources.h"
#include "sim/model/native_code.h"
#include "sim/native/arrangement.h"

namespace warptime::report {

using Json = nlohmann::ordered_json;
using sim::InstructionRow;

namespace {

constexpr size_t kMostFiles = 50;

uint64_t whole(const Json& object, const char* key) {
  auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<uint64_t>() : 0;
}

/// The numbers of a part of a row, by the names of its statistics.
template <class Part>
void for_each_part(Part& part, const Json& object, const char* key) {
  auto found = object.find(key);
  if (found == object.end() || !found->is_object()) return;
  Part::visit(part,
              [&](const StatInfo& info, uint64_t& value) { value = whole(*found, std::string(info.name).c_str()); });
}

sim::StallCounts stalls_of(const Json& object) {
  sim::StallCounts out{};
  auto found = object.find("stalls");
  if (found == object.end() || !found->is_object()) return out;
  for (size_t i = 0; i < sim::kStallCount; ++i) out[i] = whole(*found, std::string(sim::kStalls[i].key).c_str());
  return out;
}

void add_stalls(sim::StallCounts& to, const sim::StallCounts& from) {
  for (size_t i = 0; i < sim::kStallCount; ++i) to[i] += from[i];
}

/// "k.cu:7": the line of the user's source, as a statistics file names it.
void read_source(const Json& object, InstructionRow& row) {
  auto found = object.find("source");
  if (found == object.end() || !found->is_string()) return;
  const auto text = found->get<std::string>();
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return;
  if (parse_number(std::string_view(text).substr(colon + 1), row.source_line) == NumberError::Ok)
    row.source_file = text.substr(0, colon);
}

sim::LineStatistics line_statistics_of(const Json& object) {
  sim::LineStatistics out;
  for_each_part(out.memory, object, "memory");
  for_each_part(out.caches, object, "caches");
  if (auto latency = object.find("latency"); latency != object.end() && latency->is_object()) {
    out.latency.loads = whole(*latency, "loads");
    out.latency.cycles = whole(*latency, "sum");
  }
  return out;
}

/// What the PTX says of a kernel's instructions, if it is known, as the machine executes them.
class Instructions {
 public:
  Instructions(const KernelRows& kernel, const sim::MachineConfig* machine) {
    if (kernel.ptx == nullptr) return;
    Diagnostics unwanted;
    module_ = ptx::load_module(kernel.ptx, unwanted);
    if (module_ != nullptr) kernel_ = module_->find_kernel(kernel.kernel);
    if (kernel_ == nullptr || machine == nullptr) return;
    arrangement_ = sim::arrange(*machine, *module_, *kernel_);
    kernel_ = &sim::executed(arrangement_, *kernel_);
  }
  size_t size() const { return kernel_ == nullptr ? 0 : kernel_->instructions.size(); }
  /// Empty where the machine issues PTX instructions as they are.
  std::string native_text(size_t i, const sim::MachineConfig* machine) const {
    if (machine == nullptr || !sim::issues_native(*machine)) return {};
    if (i >= kernel_->native.instructions.size()) return {};
    return ptx::native_text(*module_, *kernel_, kernel_->instructions[i],
                            sim::native_instruction(*machine, *kernel_, i));
  }
  /// The registers that it writes, or reads.
  Json registers(size_t i, bool written) const {
    std::vector<std::string_view> names;
    ptx::for_each_register(*kernel_, kernel_->instructions[i], [&](uint32_t index, bool is_written) {
      std::string_view name = kernel_->registers[index].name;
      if (is_written == written && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    });
    return names;
  }

 private:
  std::shared_ptr<const ptx::Module> module_;
  sim::Arrangement arrangement_;
  const ptx::Kernel* kernel_ = nullptr;
};

/// Files by their number in the page's list.
class FileNumbers {
 public:
  explicit FileNumbers(Json& files) : files_(files) {}

  /// -1: it is not there, or there are too many.
  int number(ptx::CudaSources& sources, const std::string& name) {
    auto [entry, is_new] = numbers_.try_emplace(name, -1);
    if (!is_new || files_.size() >= kMostFiles) return entry->second;
    auto text = sources.file(name);
    if (text == nullptr) return -1;
    Json lines = Json::array();
    for (uint32_t line = 1; line <= text->line_count(); ++line) lines.push_back(std::string(text->line(line)));
    Json file{{"name", name}, {"lines", std::move(lines)}};
    const auto same = std::find(files_.begin(), files_.end(), file);  // of another run
    entry->second = static_cast<int>(same - files_.begin());
    if (same == files_.end()) files_.push_back(std::move(file));
    return entry->second;
  }

 private:
  Json& files_;
  std::map<std::string, int> numbers_;
};

template <class Part>
Json part_json(const Part& part) {
  Json out;
  Part::visit(part, [&](const StatInfo& info, uint64_t value) { out[std::string(info.name)] = value; });
  return out;
}

Json row_json(const InstructionRow& row) {
  Json out{{"line", row.line},
           {"text", row.text},
           {"executions", row.warp_instructions},
           {"threads", row.thread_instructions},
           {"issued", row.issued},
           {"stalls", row.stalls}};
  const sim::LineStatistics& statistics = row.line_statistics;
  if (statistics.memory.accesses > 0) out["memory"] = part_json(statistics.memory);
  if (statistics.caches.reads > 0) out["caches"] = part_json(statistics.caches);
  if (statistics.latency.loads > 0)
    out["latency"] = static_cast<double>(statistics.latency.cycles) / static_cast<double>(statistics.latency.loads);
  return out;
}

}  // namespace

KernelRows& KernelSums::of(const std::string& kernel, const std::shared_ptr<const SourceText>& ptx) {
  auto same = [&](const KernelRows& k) { return k.kernel == kernel && k.ptx == ptx; };
  auto found = std::find_if(kernels_.begin(), kernels_.end(), same);
  if (found == kernels_.end()) found = kernels_.insert(kernels_.end(), {kernel, ptx, 0, {}, {}});
  return *found;
}

void KernelSums::add_rows(KernelRows& to, std::vector<InstructionRow> rows) {
  if (to.rows.empty()) {
    to.rows = std::move(rows);
    return;
  }
  for (size_t i = 0; i < std::min(to.rows.size(), rows.size()); ++i) {
    to.rows[i].warp_instructions += rows[i].warp_instructions;
    to.rows[i].thread_instructions += rows[i].thread_instructions;
    to.rows[i].issued += rows[i].issued;
    add_stalls(to.rows[i].stalls, rows[i].stalls);
    add_numbers(to.rows[i].line_statistics, rows[i].line_statistics);
  }
}

void KernelSums::add(const sim::LaunchStatistics& launch) {
  KernelRows& to = of(launch.kernel, launch.ptx);
  ++to.launches;
  to.issue.slots += launch.issue.slots;
  to.issue.issued += launch.issue.issued;
  add_stalls(to.issue.stalls, launch.issue.stalls);
  add_rows(to, launch.instructions);
}

void KernelSums::add(const Json& launch) {
  auto instructions = launch.find("instructions");
  if (instructions == launch.end() || !instructions->is_array() || instructions->empty()) return;
  KernelRows& to = of(launch.value("kernel", std::string()), nullptr);
  ++to.launches;
  if (auto issue = launch.find("issue"); issue != launch.end() && issue->is_object()) {
    to.issue.slots += whole(*issue, "slots");
    to.issue.issued += whole(*issue, "issued");
    add_stalls(to.issue.stalls, stalls_of(*issue));
  }
  std::vector<InstructionRow> rows;
  for (const Json& from : *instructions) {
    if (!from.is_object()) continue;
    InstructionRow row;
    row.line = static_cast<uint32_t>(whole(from, "line"));
    if (auto text = from.find("text"); text != from.end() && text->is_string()) row.text = text->get<std::string>();
    row.warp_instructions = whole(from, "warp_instructions");
    row.thread_instructions = whole(from, "thread_instructions");
    row.issued = whole(from, "issued");
    row.stalls = stalls_of(from);
    read_source(from, row);
    row.line_statistics = line_statistics_of(from);
    rows.push_back(std::move(row));
  }
  add_rows(to, std::move(rows));
}

ptx::CudaSources cuda_sources(const KernelRows& kernel) {
  return kernel.ptx == nullptr ? ptx::CudaSources() : ptx::CudaSources(*kernel.ptx);
}

Json kernels_json(const std::vector<KernelRows>& kernels, const sim::MachineConfig* machine, Json& files,
                  bool with_issues) {
  Json out = Json::array();
  FileNumbers numbers(files);
  for (const KernelRows& kernel : kernels) {
    const Instructions instructions(kernel, machine);
    std::unique_ptr<host::NativeView> issues;
    if (with_issues && machine != nullptr) issues = host::native_view(kernel.ptx, kernel.kernel, *machine);
    ptx::CudaSources sources = cuda_sources(kernel);
    Json rows = Json::array();
    for (size_t i = 0; i < kernel.rows.size(); ++i) {
      const InstructionRow& from = kernel.rows[i];
      Json row = row_json(from);
      if (!from.function.empty()) row["function"] = from.function;
      if (i < instructions.size() && from.line != 0) {
        if (std::string native = instructions.native_text(i, machine); !native.empty()) row["native"] = native;
        if (issues != nullptr) row["issues"] = issues->line(i);
        row["reads"] = instructions.registers(i, false);
        row["writes"] = instructions.registers(i, true);
      }
      if (from.source_line != 0) {
        row["cuda"] = from.source_line;
        row["source"] = short_place(UserLine{.file = from.source_file, .line = from.source_line});
        if (!from.calls.empty()) row["calls"] = from.calls;
        if (int number = numbers.number(sources, from.source_file); number >= 0) row["file"] = number;
      }
      rows.push_back(std::move(row));
    }
    out.push_back(
        {{"kernel", kernel.kernel},
         {"launches", kernel.launches},
         {"slots", kernel.issue.slots},
         {"issued", kernel.issue.issued},
         {"stalls", kernel.issue.stalls},
         {"ptx", kernel.ptx == nullptr ? Json() : Json(std::filesystem::path(kernel.ptx->name()).filename().string())},
         {"rows", std::move(rows)}});
  }
  return out;
}

}  // namespace warptime::report
