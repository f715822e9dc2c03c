#include "cli/roofline/roofline_input.h"

#include <algorithm>
#include <cmath>

#include "cli/compare/statistics_file.h"
#include "cli/home.h"
#include "cli/machine/machine_option.h"
#include "cli/roofline/roofline_sweep.h"
#include "sim/model/machine_loader.h"

namespace warptime::cli {

namespace {

/// The machine of the statistics: that of --machine and --set, or the included one of that name, if it is the same.
sim::Machine roofline_machine(const Arguments& arguments, const StatisticsFile& file) {
  if (arguments.has("machine") || arguments.has("set")) {
    sim::Machine machine = load_machine(arguments).machine;
    if (machine.hash == file.hash) return machine;
    fail(arguments.has("machine") ? arguments.value("machine")->where : arguments.all("set").front().where,
         fmt::format("{} was measured on another machine: its hash is {}, this one's is {}", file.file, file.hash,
                     machine.hash));
  }
  Diagnostics unwanted;
  auto loaded = sim::load_machine(file.machine, {}, configs_folder(), unwanted);
  if (!loaded || loaded->machine.hash != file.hash)
    fail(file.where, fmt::format("{} is of {} with changes, so its roofs are not known", file.file, file.machine),
         "give the --machine and --set of its run");
  return std::move(loaded->machine);
}

double number_of(const Numbers& numbers, std::string_view name) {
  auto found = std::find_if(numbers.begin(), numbers.end(), [&](const auto& pair) { return pair.first == name; });
  return found == numbers.end() ? kNoNumber : found->second;
}

/// A launch's numbers; fails if the file lacks one.
host::RooflineCounts counts_of(const StatisticsFile& file, const StatisticsFile::Part& launch) {
  Numbers numbers = file.numbers(launch.counters);
  auto need = [&](std::string_view name) {
    double value = number_of(numbers, name);
    if (std::isnan(value))
      fail(file.where, fmt::format("{} lacks \"{}\", which a roofline needs", file.file, name),
           "`warptime run TARGET --stats FILE` writes it");
    return value;
  };
  auto if_there = [&](std::string_view name) {
    double value = number_of(numbers, name);
    return std::isnan(value) ? 0 : value;
  };
  return {.flops = need("flops"),
          .flops_f64 = if_there("flops_f64"),
          .flops_tensor = if_there("flops_tensor"),
          .dram_bytes = need("dram.read_bytes") + need("dram.write_bytes"),
          .requested_bytes = need("global.bytes_requested"),
          .time_us = launch.times[0]};
}

/// A point for each kernel, over its launches.
void add_kernels(const StatisticsFile& file, bool with_target, RooflineInput& out) {
  if (file.launches.empty()) fail(file.where, fmt::format("{} has no launches", file.file));
  if (!file.total.has_issue)
    fail(file.where, fmt::format("{} is of a functional run, which has no time", file.file),
         "run it without --functional");
  std::vector<std::pair<std::string, host::RooflineCounts>> kernels;
  for (const StatisticsFile::Part& launch : file.launches) {
    const std::string& name = file.name(launch.kernel);
    auto known = std::find_if(kernels.begin(), kernels.end(), [&](const auto& kernel) { return kernel.first == name; });
    if (known == kernels.end()) known = kernels.insert(kernels.end(), {name, {}});
    known->second.add(counts_of(file, launch));
  }
  for (const auto& [kernel, counts] : kernels) {
    std::string name = with_target ? fmt::format("{} {}", file.target, kernel) : kernel, why;
    if (auto point = host::roofline_point(name, counts, out.machine.config, why)) out.points.push_back(*point);
    else out.notes.push_back(fmt::format("{} has no point: {}", name, why));
  }
}

}  // namespace

RooflineInput read_roofline(const Arguments& arguments) {
  const std::vector<ArgumentText>& words = arguments.words();
  auto is_csv = [](const ArgumentText& word) { return word.text.ends_with(".csv"); };
  if (auto csv = std::find_if(words.begin(), words.end(), is_csv); csv != words.end()) {
    if (words.size() > 1)
      fail(csv->where, "a sweep CSV cannot be combined with other inputs", "one SWEEP.csv, or statistics files");
    return read_sweep(arguments);
  }
  RooflineInput out;
  for (const ArgumentText& word : words) {
    StatisticsFile file = read_statistics(word);
    if (&word == &words.front()) out.machine = roofline_machine(arguments, file);
    else if (file.hash != out.machine.hash)
      fail(word.where, fmt::format("{} is of another machine than {}", word.text, words.front().text),
           "a roofline has the roofs of one machine");
    add_kernels(file, words.size() > 1, out);
  }
  return out;
}

}  // namespace warptime::cli
