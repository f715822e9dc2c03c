// The form of a validation table: its keys, their limits and what they are for. The reader, `warptime schema
// validation` and docs/reference/validation-file.md follow it.
#pragma once

#include "sim/model/yaml_form.h"

namespace warptime::host {

struct ValidationForms {
  yaml::Form file, run, cpu, row, measured, figure;
};
const ValidationForms& validation_forms();

}  // namespace warptime::host
