// The tables of validation/: each loads, and what they would run is there. (What comes out is docs/validation.md.)
#include <filesystem>
#include <map>
#include <set>

#include "cpu/baseline.h"
#include "host/validation/quantity.h"
#include "workloads/workload_run.h"

namespace warptime {

namespace {

host::ValidationTable shipped_table(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  std::string why;
  auto source = SourceText::read_file(file.string(), &why);
  REQUIRE(source != nullptr);
  auto table = host::load_validation_table(source, file.stem().string(), diagnostics);
  CHECK(diagnostics.to_text().empty());
  return table;
}

}  // namespace

TEST_CASE("validation: every run of the shipped tables can be made") {
  size_t tables = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WARPTIME_SOURCE_DIR "/validation")) {
    if (entry.path().extension() != ".yaml") continue;
    ++tables;
    host::ValidationTable table = shipped_table(entry.path());
    CHECK_FALSE(table.rows.empty());
    std::set<size_t> used;
    for (const host::ValidationRow& row : table.rows) {
      INFO(row.name << ": give \"" << row.quantity << "\" a kind in host/validation/quantity.h");
      const bool is_listed = std::any_of(host::kQuantities.begin(), host::kQuantities.end(),
                                         [&](const host::Quantity& quantity) { return quantity.name == row.quantity; });
      CHECK((is_listed || host::kind_of(row) != host::QuantityKind::Other));
      used.insert(row.runs.begin(), row.runs.end());
    }
    CHECK(used.size() == table.runs.size());
    for (const host::ValidationRun& run : table.runs) {
      INFO(table.group << ": " << run.name);
      shipped_machine(run.machine, run.overrides);
      if (run.target.ends_with(".yaml")) {  // a launch file beside the table
        CHECK(std::filesystem::exists(entry.path().parent_path() / run.target));
        continue;
      }
      size_t colon = std::min(run.target.find(':'), run.target.size());
      const host::Workload* workload = host::find_workload(run.target.substr(0, colon));
      REQUIRE(workload != nullptr);
      std::string variant = run.target.substr(std::min(colon + 1, run.target.size()));
      CHECK_NOTHROW(
          host::check_request(*workload, {.variant = variant, .parameters = run.parameters, .directory = ""}));
      if (run.cpu.processor.empty()) continue;
      CHECK(workload->cpu);
      Diagnostics diagnostics;
      CHECK(cpu::load_cpu(run.cpu.processor, WARPTIME_SOURCE_DIR "/configs", diagnostics).has_value());
    }
  }
  CHECK(tables >= 5);
}

TEST_CASE("validation: a program of Ryoo 2008 has every quantity of its table 3") {
  std::map<std::string, std::set<std::string>> quantities;
  for (const host::ValidationRow& row : shipped_table(WARPTIME_SOURCE_DIR "/validation/ryoo.yaml").rows) {
    std::string program = row.name.substr(0, row.name.find('/'));
    CHECK(row.name == program + "/" + row.quantity);
    if (row.quantity != "scalar_speedup") quantities[program].insert(row.quantity);  // footnote 5
  }
  const std::set<std::string> all{"active_threads",      "registers_estimated", "shared_bytes_per_thread",
                                  "memory_to_compute",   "bottleneck",          "kernel_speedup",
                                  "application_speedup", "gpu_percent",         "transfer_percent"};
  CHECK(quantities.size() == 13);
  for (const auto& [program, found] : quantities) {
    INFO(program);
    CHECK(found == all);
  }
}

}  // namespace warptime
