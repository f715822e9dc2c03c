// Random programs: whole kernels in PTX whose every result the manual defines, whatever order threads run in. The seed
// alone decides; what is recorded of them stays true until the generator changes.
//
// What keeps a program defined: memory is a thread's own, or is read behind a barrier, or changes only by operations
// whose order does not matter; collectives name the lanes that are sure to come; loops count down.
#pragma once

#include "program.h"

namespace warptime::sim {

Program random_program(uint64_t seed);

}  // namespace warptime::sim
