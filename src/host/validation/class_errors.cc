#include "host/validation/class_errors.h"

#include <algorithm>
#include <cmath>

#include "host/report/kernel_class.h"

namespace warptime::host {

namespace {

/// `errors`: with their signs, at least one.
ErrorBandRow errors_of(const std::string& machine, std::string_view kernel_class, const std::vector<double>& errors) {
  ErrorBandRow row{.machine = machine, .kernel_class = std::string(kernel_class), .launches = errors.size()};
  std::vector<double> sizes;
  for (double error : errors) {
    sizes.push_back(std::abs(error));
    row.mean += std::abs(error) / static_cast<double>(errors.size());
    row.bias += error / static_cast<double>(errors.size());
  }
  std::sort(sizes.begin(), sizes.end());
  const size_t count = sizes.size();
  row.median = (sizes[(count - 1) / 2] + sizes[count / 2]) / 2;
  row.p80 = sizes[(4 * count + 4) / 5 - 1];
  return row;
}

}  // namespace

std::vector<ErrorBandRow> class_errors(const std::vector<const ValidationOutcome*>& outcomes) {
  std::vector<std::string> machines;
  std::vector<const ValidationOutcome*> with_class;
  for (const ValidationOutcome* outcome : outcomes) {
    const bool counts = outcome->role == Role::Predicted || outcome->role == Role::Fitted;
    if (!counts || outcome->kernel_class.empty() || !outcome->error()) continue;
    with_class.push_back(outcome);
    if (std::find(machines.begin(), machines.end(), outcome->machine) == machines.end())
      machines.push_back(outcome->machine);
  }
  std::vector<ErrorBandRow> rows;
  for (const std::string& machine : machines) {
    const auto add = [&](std::string_view kernel_class) {
      std::vector<double> errors;
      for (const ValidationOutcome* outcome : with_class)
        if (outcome->machine == machine && (kernel_class == kAllLaunches || outcome->kernel_class == kernel_class))
          errors.push_back(*outcome->error());
      if (!errors.empty()) rows.push_back(errors_of(machine, kernel_class, errors));
    };
    for (const KernelClassInfo& each : kKernelClasses) add(each.name);
    add(kAllLaunches);
  }
  return rows;
}

}  // namespace warptime::host
