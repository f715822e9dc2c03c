// What `warptime measure micro` prints and writes: the values of the microbenchmarks, and a machine file of those that
// determine a parameter.
#pragma once

#include <string>
#include <vector>

#include "cli/measure/measure_report.h"
#include "measure/micro/micro.h"
#include "sim/model/machine.h"

namespace warptime::cli {

struct MicroReport {
  std::string file;  // that the measured values were read from; empty: they are the GPU's
  MeasuredGpu gpu;   // without a file
  measure::MicroResults results;
  std::string machine;                         // simulated; empty: none
  std::vector<measure::MicroValue> simulated;  // on it

  /// The simulated value of this name; nullptr: there is none.
  const measure::MicroValue* find_simulated(const std::string& name) const;
};

std::string micro_text(const MicroReport& report);
std::string micro_json(const MicroReport& report);
std::string micro_csv(const MicroReport& report);

/// A parameter of a machine, as measured.
struct MeasuredParameter {
  std::string path, value;  // "latency.int_alu", "5"
  std::string from;         // the values or the function of the driver that it is from
  std::string kernel;
};
/// Those that the values determine on a machine that is otherwise like `base`.
std::vector<MeasuredParameter> measured_parameters(const MicroReport& report, const sim::MachineConfig& base);
/// The machine file: `extends: base`, and the parameters, each with its source.
std::string micro_machine(const MicroReport& report, const std::string& base,
                          const std::vector<MeasuredParameter>& parameters);

}  // namespace warptime::cli
