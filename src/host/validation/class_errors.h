// The errors of measured launches by class of kernel: what validation/error_bands.csv has (host/report/error_bands.h).
#pragma once

#include <vector>

#include "host/report/error_bands.h"
#include "host/validation/validation.h"

namespace warptime::host {

/// For each machine, in the order of its first row: a row for each class that has launches, in the order of
/// kKernelClasses, and one of all its launches. Of the outcomes these are the ones that have a class, an error, and the
/// role predicted or fitted: a band says how far times are off, not what they prove. `p80`: by nearest rank.
std::vector<ErrorBandRow> class_errors(const std::vector<const ValidationOutcome*>& outcomes);

}  // namespace warptime::host
