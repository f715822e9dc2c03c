// `warptime annotate`: the PTX of the executed kernels, line by line, with the cost of each line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/annotate/listing_columns.h"
#include "host/native_view/native_view.h"
#include "host/report/report.h"

namespace warptime::cli {

/// All launches of one kernel, added up.
struct KernelListing {
  std::string kernel;
  uint64_t launches = 0;
  bool timed = true;
  sim::IssueSlots issue;
  std::vector<sim::InstructionRow> rows;  // in text order; `line` 0, for slots without an instruction, last
  std::shared_ptr<const SourceText> ptx;
  std::shared_ptr<const host::NativeView> native = nullptr;  // what the machine issues; nullptr: it is not shown
};

/// In order of first launch. The launches must have their instructions.
std::vector<KernelListing> kernel_listings(const host::RunReport& report);

/// The listing as text: the program's lines behind the columns; the costliest lines are marked, and with `colour` those
/// that cost much are coloured. Below an instruction is what issues for it, if that is shown. Above the instructions of
/// a line of the CUDA source is that line, if the PTX names it, with its text if the file exists, and with `all_calls`
/// the places of inlined code.
std::string listing_text(const KernelListing& listing, const ColumnSet& columns = column_sets().front(),
                         bool colour = false, bool all_calls = false);

/// An instruction as written in the PTX (on one line), unless it shares its first line with another; else as warptime
/// prints it.
std::string text_as_written(const std::vector<sim::InstructionRow>& rows, size_t i, const SourceText& ptx);

/// All numbers, as JSON.
nlohmann::ordered_json listing_json(const KernelListing& listing);

}  // namespace warptime::cli
