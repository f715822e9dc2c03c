// `warptime list workloads`: each workload with its variants, parameters and published figures.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptime::cli {

std::string workloads_text();
nlohmann::ordered_json workloads_json();

}  // namespace warptime::cli
