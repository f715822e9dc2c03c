// The parts of a report, value by value: the content and order of the statistics files.
#pragma once

#include "host/report/report.h"
#include "host/report/value_writer.h"

namespace warptime::host {

/// The beginning of a report, in the open object.
void write_head(ValueWriter& out, const sim::Machine& machine, std::string_view target);
/// `lists`: with its instructions and its SMs.
void write_launch(ValueWriter& out, const sim::LaunchStatistics& launch, const sim::MachineConfig& machine, bool lists);
void write_total(ValueWriter& out, const sim::LaunchStatistics& total);
void write_event(ValueWriter& out, const TimelineEvent& event);
/// The parts after the timeline: checks, figures, the CPU baseline, the host.
void write_tail(ValueWriter& out, const RunReport& report, const sim::LaunchStatistics& total);

}  // namespace warptime::host
