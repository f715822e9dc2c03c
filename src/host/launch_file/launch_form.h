// The form of a launch file: its keys, their limits and what they are for. The reader, `warptime schema launch` and
// docs/reference/launch-file.md follow it.
#pragma once

#include "sim/model/yaml_form.h"

namespace warptime::host {

struct LaunchForms {
  yaml::Form file, parameter, data, init_word, init, iota, random, texture, copy_step, copy, fill_step, fill, launch,
      loop, until, step, steps, address, bytes, texture_argument, tensor_map, tensor_argument, im2col, value_argument,
      expectation, figure, figure_limits;
};
const LaunchForms& launch_forms();

}  // namespace warptime::host
