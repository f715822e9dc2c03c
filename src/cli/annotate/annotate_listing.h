// The PTX of the kernels that ran, line by line, with what each line cost: `warptime annotate`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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
};

/// In order of first launch. The launches must have their instructions.
std::vector<KernelListing> kernel_listings(const host::RunReport& report);

/// For people: the program's lines with executions, lanes, slots and the reasons that cost most; the costliest lines
/// are marked. Lines of the CUDA source stand between where the PTX names them and the file is there.
std::string listing_text(const KernelListing& listing);

/// An instruction as the PTX has it (on one line, whatever it has there), where it does not share its first line with
/// another; else as warptime understood it.
std::string text_as_written(const std::vector<sim::InstructionRow>& rows, size_t i, const SourceText& ptx);

/// Everything, as JSON.
nlohmann::ordered_json listing_json(const KernelListing& listing);

}  // namespace warptime::cli
