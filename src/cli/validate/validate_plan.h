// The runs of `warptime validate`: the tables of the requested groups, and each of their runs once, even if several
// rows and groups share it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cpu/baseline.h"
#include "host/validation/validation.h"
#include "sim/model/machine.h"

namespace warptime::cli {

/// The result of a run: its report, or the reason of its failure.
struct ValidationResult {
  int status = 0;  // as the exit status of `warptime run`
  std::string message;
  std::string report;  // JSON; also present if a check failed
};

class ValidationPlan {
 public:
  /// Reads the tables; throws host::InputError with all errors in them or their runs.
  explicit ValidationPlan(const Arguments& arguments);

  const std::vector<host::ValidationTable>& tables() const { return tables_; }
  /// Groups whose tables were given as files of the user's own, not by the name of a group.
  const std::vector<std::string>& own_groups() const { return own_groups_; }
  size_t runs() const { return runs_.size(); }
  /// "matmul:naive n=4096 on geforce-8800-gtx".
  std::string describe(size_t run) const;
  /// Without the machine: "matmul:naive n=4096".
  std::string target_of(size_t run) const;
  /// A hash that is equal only for the same runs.
  std::string identity() const;
  /// Simulates it, on one thread.
  ValidationResult run(size_t run) const;
  /// Every row with the figures of the runs. `mistakes`: names of figures that a run which ended does not have.
  std::vector<host::ValidationOutcome> outcomes(const std::vector<ValidationResult>& results,
                                                Diagnostics& mistakes) const;
  /// Name and hash of each machine of the tables, as named there (with every --set).
  std::vector<std::pair<std::string, std::string>> machine_hashes() const;

 private:
  struct Run {
    const host::ValidationRun* run = nullptr;
    sim::Machine machine;
    std::string file_hash;  // of the machine with the command's overrides only
    std::string base_hash;  // and with the conditions of the measurement
    std::string contents;   // of the target's files
    std::optional<cpu::Cpu> cpu;
  };
  std::string runs_of(const host::ValidationRow& row, const std::vector<size_t>& places) const;
  void read_tables(const Arguments& arguments);
  bool wanted(const host::ValidationRow& row) const;
  size_t add(const host::ValidationRun& run, std::string& mistakes, std::string& warnings);

  std::vector<host::ValidationTable> tables_;
  std::vector<std::string> own_groups_;
  std::vector<std::string> only_;       // --only
  std::vector<std::string> overrides_;  // --set
  std::vector<Run> runs_;
  std::vector<std::vector<size_t>>
      run_of_;  // by table and its run: index in runs_, or none if no selected row needs it
};

}  // namespace warptime::cli
