// Rows of a validation table that come from a CSV of measured launches (`warptime measure --csv`, say): one row for
// each line of the file, with the run that simulates it. What the lines have in common stands in the table:
//
//   measured:
//     more: {csv: measured.csv, where: {group: more}, name: "more/{file}", target: "{file}", launch: "{kernel}",
//            published: cold_us - 1.3, role: predicted}
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "host/validation/validation.h"
#include "sim/model/yaml_reader.h"

namespace warptime::host {

/// Units of a measured time.
inline constexpr std::array<std::string_view, 3> kTimeUnits{"ns", "us", "ms"};
inline constexpr size_t kMicroseconds = 1;

/// Adds the runs and rows of an entry of `measured` to the table. Lines with the same target and parameters share a
/// run. `source`: of the rows, unless the entry has its own. Errors are in the diagnostics, at the table or at the
/// file's cell.
void read_measured(const yaml::Entry& entry, const std::string& source, ValidationTable& table,
                   Diagnostics& diagnostics);

}  // namespace warptime::host
