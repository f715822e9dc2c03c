// What a checked run found, of a target or of a CUDA program, and the files that it is written to: JSON, SARIF 2.1.0
// (OASIS), which code hosts and editors show at the lines, and JUnit's XML for CI systems. The same run gives the same
// bytes.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/output.h"

namespace warptime::cli {

struct CheckResult {
  std::string target;  // or the program
  bool is_program = false;
  std::string machine, machine_hash;
  std::optional<uint64_t> seed;  // --adversarial
  bool complete = true;
  std::string end;  // why the run failed beside the findings: "exit status 1"; empty: it did not
  std::vector<nlohmann::ordered_json> findings;  // debug::finding_json, with "text"
  std::vector<std::string> notes;
  std::vector<std::string> kernels;  // of all launches
  int status = 0;                    // of the command
};

nlohmann::ordered_json check_json(const CheckResult& result);
nlohmann::ordered_json sarif_of(const CheckResult& result);
std::string junit_of(const CheckResult& result);

/// --json, --sarif and --junit.
std::vector<Option> check_file_options();
/// The files of these options, which are checked before the run.
class CheckFiles {
 public:
  /// `json`: --json is one of them.
  explicit CheckFiles(const Arguments& arguments, bool json = true);
  bool any() const { return json_ || sarif_ || junit_; }
  /// Whether one of them is standard output.
  bool uses_standard_output() const;
  void write(const CheckResult& result);

 private:
  std::optional<Output> json_, sarif_, junit_;
};

}  // namespace warptime::cli
