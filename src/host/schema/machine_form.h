// The form of machine and processor files, from the tables of their parameters.
#pragma once

#include "sim/model/yaml_form.h"

namespace warptime::host {

const yaml::Form& machine_form();
const yaml::Form& processor_form();

}  // namespace warptime::host
