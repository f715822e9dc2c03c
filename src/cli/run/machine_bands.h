// The errors of a machine's times against measured ones: for `warptime run`.
#pragma once

#include "host/report/error_bands.h"
#include "sim/model/machine_loader.h"

namespace warptime::cli {

/// Those of validation/error_bands.csv, for a machine with all of --set; empty if the file does not exist. Throws
/// host::InputError if it cannot be read as one.
host::ErrorBands error_bands_of(const sim::LoadedMachine& loaded);

}  // namespace warptime::cli
