// JSON Schema (draft 7, which the YAML servers of editors take) of a form. It says all that a form says; what only a
// reader can know stays with it: whether files exist, whether names refer to something, what expressions give.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "sim/model/yaml_form.h"

namespace warptime::host {

nlohmann::ordered_json json_schema(const yaml::Form& file, std::string_view title);

}  // namespace warptime::host
