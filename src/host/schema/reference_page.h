// A reference page of a form in Markdown: a table of keys for each of its maps.
#pragma once

#include <string>
#include <string_view>

#include "sim/model/yaml_form.h"

namespace warptime::host {

/// `title` and `introduction` come first.
std::string reference_page(const yaml::Form& file, std::string_view title, std::string_view introduction);

}  // namespace warptime::host
