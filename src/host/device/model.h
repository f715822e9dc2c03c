// For host programs that read parameters of the machine, or more of a launch's statistics than its time.
#pragma once

#include "sim/model/machine.h"
#include "sim/model/statistics.h"
