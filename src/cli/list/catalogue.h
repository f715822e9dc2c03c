// The lists of machines, instructions, statistics, parameters and CUDA functions of `warptime list`, as rows with named
// columns, for both text and JSON. (Workloads are not flat; see workload_list.h.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptime::cli {

/// `columns` are the JSON keys. An empty cell is an empty string.
struct Catalogue {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

Catalogue list_machines();
Catalogue list_instructions();
Catalogue list_statistics();
Catalogue list_parameters();
Catalogue list_figures();
Catalogue list_cuda_functions();

/// Instructions as text: one line per card, followed by its forms with their unit and latency class.
std::string instructions_text();

}  // namespace warptime::cli
