// A workload: an ordinary host program against host/device/device.h with a CPU reference. Each lives in workloads/NAME/
// and registers itself; variants and sizes are parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cpu/context.h"
#include "host/device/device.h"

namespace warptime::host {

/// One parameter of a workload, for `--param NAME=VALUE` and `warptime list workloads`.
struct WorkloadParameter {
  std::string name;
  int64_t default_value = 0;
  int64_t low = 0, high = 0;
  std::vector<int64_t> choices;  // empty: any from low to high
  std::string what;
};

/// A file that a workload can write with `--output NAME=FILE`.
struct WorkloadOutput {
  std::string name;
  std::string what;
};

/// A result compared with the CPU reference.
struct Check {
  std::string name;
  bool ok = false;
  double max_abs_error = 0;
  uint64_t max_ulp_error = 0;
  double bound = 0;           // the limit of max_abs_error
  std::string first_failure;  // "element 17: 1.5, expected 1.25"; empty when ok
};

/// A published figure of a variant, printed beside the simulated one on the machine on which it was measured.
struct Published {
  std::string variant;
  std::string quantity;  // "GFLOP/s"
  double value = 0;
  std::string conditions;  // "n = 4096"
  std::string source;      // "Ryoo 2008, 4.1"
  std::string machine;     // "geforce-8800-gtx"
  std::string note = {};   // the reason of a large difference; printed with it
};

struct Workload;

struct WorkloadContext {
  Device& device;
  const Workload& workload;
  std::string variant;                        // "": every variant that the machine can run, in the listed order, or
                                              // what the workload runs without one (its README says what)
  std::map<std::string, int64_t> parameters;  // every parameter of the workload, defaults filled in
  bool check = true;
  std::string directory;                       // where the workload's .ptx lies
  std::map<std::string, std::string> outputs;  // requested files, by the output's name
  std::vector<Check> checks;

  int64_t operator[](const std::string& name) const { return parameters.at(name); }
  /// Whether to run a variant: it was requested, or all were and the machine has the features that it needs. A variant
  /// that is left out for this reason is noted in Device::warnings.
  bool runs(const std::string& variant_name);
};

struct Workload {
  std::string name;
  std::string summary;
  std::vector<std::string> variants;  // empty: one form only
  std::vector<WorkloadParameter> parameters;
  std::vector<Published> published;
  std::map<std::string, std::vector<std::string>> needs = {};  // by variant: features of the machine
  std::vector<WorkloadOutput> outputs = {};
  std::function<void(WorkloadContext&)> run;
  /// Runs the CPU reference, or a stated part of it, with the counted numbers of cpu/counted.h: the CPU baseline (`run
  /// --cpu`). Empty: none.
  std::function<void(cpu::CpuContext&)> cpu = {};
};

/// All workloads in order of name.
const std::vector<Workload>& workloads();
const Workload* find_workload(std::string_view name);
/// The user's request for a workload, as text.
struct WorkloadRequest {
  std::string variant;                              // "": all
  SourceSpan variant_where = {};                    // for messages
  std::vector<std::string> parameters;              // "NAME=VALUE"
  std::vector<SettingPlace> parameter_places = {};  // of each, in a file; empty: they are options
  std::vector<std::string> outputs = {};            // "NAME=FILE"
  bool check = true;
  std::string directory;  // where the workload's .ptx lies
};
/// Throws InputError: unknown variant, parameter or output, value out of range.
void check_request(const Workload& workload, const WorkloadRequest& request);
/// Checks the request, fills in the defaults and runs the workload.
std::vector<Check> run_workload(Device& device, const Workload& workload, const WorkloadRequest& request);
/// The parameters alone: defaults, overridden by "NAME=VALUE" texts, which are in these places of a file, if any.
std::map<std::string, int64_t> workload_parameters(const Workload& workload, const std::vector<std::string>& texts,
                                                   const std::vector<SettingPlace>& places = {});
/// The files requested by "NAME=FILE" texts.
std::map<std::string, std::string> workload_outputs(const Workload& workload, const std::vector<std::string>& texts);
/// Called from a static object in each workload's .cc.
bool register_workload(Workload workload);

}  // namespace warptime::host
