#include "cli/completion/completion_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/cli.h"
#include "cli/home.h"
#include "host/workload/workload.h"
#include "sim/model/machine_loader.h"
#include "sim/model/parameters.h"
#include "sim/model/statistics_list.h"

namespace warptime::cli {

namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::vector<std::string> split_text(std::string_view text, std::string_view separator) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(separator, begin), text.size());
    out.emplace_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  return out;
}

bool is_word(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

/// The alternatives of "on|off" or "N|all" that are to be typed as they are.
std::vector<std::string> words_among(std::string_view alternatives) {
  std::vector<std::string> out;
  for (std::string& part : split_text(alternatives, "|"))
    if (is_word(part)) out.push_back(std::move(part));
  return out;
}

/// The names of the YAML files in a folder that begin so.
std::vector<std::string> files_in(const std::string& folder, std::string_view beginning) {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".yaml" && entry.path().stem().string().starts_with(beginning))
      out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

namespace {

Expected expected(const Takes& value) {
  Expected out{.is_list = value.is_list};
  switch (value.what) {
    case Takes::What::Text: out.kind = Expected::Kind::Anything; break;
    case Takes::What::Words: out.kind = Expected::Kind::Words; break;
    case Takes::What::File: out.kind = Expected::Kind::File; break;
    case Takes::What::Machine: out.kind = Expected::Kind::Machine; break;
    case Takes::What::Processor: out.kind = Expected::Kind::Processor; break;
    case Takes::What::Setting: out.kind = Expected::Kind::Setting; break;
    case Takes::What::Parameter: out.kind = Expected::Kind::Parameter; break;
    case Takes::What::Output: out.kind = Expected::Kind::Output; break;
    case Takes::What::Statistic: out.kind = Expected::Kind::Statistic; break;
  }
  if (value.what == Takes::What::Words) out.words = words_among(value.text);
  return out;
}

}  // namespace

Expected expected_value(const Option& option) {
  return option.kind == Option::Kind::Pair ? Expected{} : expected(option.value);  // a pair's first word is a number
}

Expected expected_second(const Option& option) {
  return option.kind == Option::Kind::Pair ? expected(option.value) : Expected{};
}

Expected expected_word(const Command& command, size_t index) {
  // Arguments of a program are its own.
  if (index >= command.max_words || (index > 0 && command.max_words == ~size_t{0})) return {};
  std::string_view usage = command.usage;
  std::string_view first = usage.substr(0, usage.find(' '));
  if (is_word(first)) {  // "show NAME|FILE"
    if (index == 0) return {.kind = Expected::Kind::Words, .words = {std::string(first)}};
    return {.kind = has(usage, "NAME|FILE") ? Expected::Kind::Machine : Expected::Kind::File};
  }
  if (auto words = words_among(first); !words.empty())
    return index == 0 ? Expected{.kind = Expected::Kind::Words, .words = words} : Expected{};
  if (has(usage, "TARGET")) return {.kind = Expected::Kind::Target};
  if (has(usage, "GROUP")) return {.kind = Expected::Kind::Group, .words = files_in(validation_folder(), "")};
  if (has(usage, "[COMMAND]")) {
    Expected out{.kind = Expected::Kind::Words};
    for (const Entry& entry : commands()) out.words.push_back(entry.describe().name);
    return out;
  }
  return {.kind = has(usage, "FILE") || has(usage, ".json") || has(usage, "PROGRAM") ? Expected::Kind::File
                                                                                     : Expected::Kind::Anything};
}

std::vector<std::string> spellings(const Option& option) {
  std::vector<std::string> out;
  if (option.letter != 0) out.push_back(std::string{'-', option.letter});
  out.push_back("--" + option.name);
  return out;
}

CompletionNames completion_names() {
  CompletionNames out;
  for (const host::Workload& workload : host::workloads()) {
    out.targets.push_back(workload.name);
    for (const std::string& variant : workload.variants) out.targets.push_back(workload.name + ":" + variant);
    for (const host::WorkloadParameter& p : workload.parameters) out.parameters[workload.name].push_back(p.name);
    for (const host::WorkloadOutput& output : workload.outputs) out.outputs[workload.name].push_back(output.name);
  }
  for (const sim::MachineListing& machine : sim::list_machines(configs_folder())) out.machines.push_back(machine.name);
  out.processors = files_in(configs_folder(), "cpu-");
  for (const sim::StatisticRow& row : sim::statistics_list()) out.statistics.push_back(row.name);
  for (const sim::ParameterRow& row : sim::parameter_table()) {
    bool has_words = row.type == "word" || row.type == "true or false";
    out.settings.emplace_back(row.path, has_words ? split_text(row.legal, ", ") : std::vector<std::string>{});
  }
  return out;
}

}  // namespace warptime::cli
