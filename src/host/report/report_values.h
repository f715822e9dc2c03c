// The parts of a report, value by value: what the statistics files contain, and in which order.
#pragma once

#include "host/report/report.h"
#include "host/report/value_writer.h"

namespace warptime::host {

/// What a report begins with, in the object that is open.
void write_head(ValueWriter& out, const sim::Machine& machine, std::string_view target);
/// `lists`: with its instructions and its SMs.
void write_launch(ValueWriter& out, const sim::LaunchStatistics& launch, const sim::MachineConfig& machine, bool lists);
void write_total(ValueWriter& out, const sim::LaunchStatistics& total);
void write_event(ValueWriter& out, const TimelineEvent& event);
/// What follows the timeline: checks, figures, the CPU baseline, the host.
void write_tail(ValueWriter& out, const RunReport& report, const sim::LaunchStatistics& total);

}  // namespace warptime::host
