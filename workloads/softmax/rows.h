// The parameters of workloads that work on the rows of a matrix.
#pragma once

#include <vector>

#include "host/workload/workload.h"

namespace warptime::workloads {

inline std::vector<host::WorkloadParameter> row_parameters() {
  return {
      {.name = "rows", .default_value = 256, .low = 1, .high = 65535, .choices = {}, .what = "rows"},
      {.name = "columns", .default_value = 1024, .low = 1, .high = 1 << 20, .choices = {}, .what = "numbers of a row"}};
}

}  // namespace warptime::workloads
