#include "cli/model/model_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/text_table.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

namespace {

/// Four digits, thousands with commas.
std::string term_number(double value) {
  if (std::abs(value) < 10000) return fmt::format("{:.4g}", value);
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return (value < 0 ? "-" : "") + digits;
}

std::string term_table(const std::vector<analysis::ModelTerm>& terms) {
  TextRows rows;
  size_t widest = 0;
  for (const analysis::ModelTerm& term : terms) widest = std::max(widest, term_number(term.value).size());
  for (const analysis::ModelTerm& term : terms)
    rows.push_back({std::string(term.name), fmt::format("{:>{}}", term_number(term.value), widest),
                    std::string(term.unit), term.from});
  return text_table(rows, "  ");
}

std::string terms_text(const ModelledLaunch& launch) {
  std::string out = fmt::format("\nkernel {}\n\ninputs\n{}\nterms\n{}\nwhat could be gained, of {} cycles\n{}",
                                ptx::demangled(launch.kernel), term_table(launch.prediction.inputs),
                                term_table(launch.prediction.terms), term_number(launch.prediction.cycles),
                                term_table(launch.prediction.benefits));
  for (const std::string& note : launch.prediction.notes) out += fmt::format("note: {}\n", note);
  if (!launch.compared.empty()) {
    TextRows rows{{"cycles of an SM", "model", "simulated"}};
    for (const ComparedTerm& term : launch.compared)
      rows.push_back({term.name, term_number(term.modelled), term_number(term.simulated)});
    out += "\n" + text_table(rows, "  ");
  }
  if (launch.memory) out += "\n" + memory_text(*launch.memory, launch.simulated_hits);
  return out;
}

/// The longest launch of each kernel, in order of the first launch of each.
std::vector<const ModelledLaunch*> longest_of_kernels(const std::vector<ModelledLaunch>& launches) {
  std::vector<const ModelledLaunch*> out;
  for (const ModelledLaunch& launch : launches) {
    auto same =
        std::find_if(out.begin(), out.end(), [&](const ModelledLaunch* l) { return l->kernel == launch.kernel; });
    if (same == out.end()) out.push_back(&launch);
    else if (launch.prediction.cycles > (*same)->prediction.cycles) *same = &launch;
  }
  return out;
}

}  // namespace

std::string model_text(const std::vector<ModelledLaunch>& launches) {
  const bool simulated = launches.front().simulated_us.has_value();
  TextRows rows{{"launch", "kernel", "predicted us"}};
  if (simulated) rows.front().insert(rows.front().end(), {"simulated us", "error"});
  double predicted_sum = 0, simulated_sum = 0;
  constexpr size_t kMostLaunches = 20;
  for (size_t i = 0; i < launches.size(); ++i) {
    const ModelledLaunch& launch = launches[i];
    predicted_sum += launch.prediction.microseconds;
    simulated_sum += launch.simulated_us.value_or(0);
    if (i >= kMostLaunches) continue;
    rows.push_back({fmt::format("{}", i), ptx::demangled(launch.kernel), term_number(launch.prediction.microseconds)});
    if (simulated)
      rows.back().insert(rows.back().end(),
                         {term_number(*launch.simulated_us), fmt::format("{:+.1f} %", 100 * error_of(launch))});
  }
  if (launches.size() > kMostLaunches) rows.push_back({"...", fmt::format("{} more", launches.size() - kMostLaunches)});
  if (launches.size() > 1) {
    rows.push_back({"all", "", term_number(predicted_sum)});
    if (simulated && simulated_sum > 0)
      rows.back().insert(rows.back().end(), {term_number(simulated_sum),
                                             fmt::format("{:+.1f} %", 100 * (predicted_sum / simulated_sum - 1))});
  }
  std::string out = text_table(rows);
  for (const ModelledLaunch* launch : longest_of_kernels(launches)) out += terms_text(*launch);
  return out;
}

std::string disagreements(const std::vector<ModelledLaunch>& launches) {
  std::string out;
  for (const ModelledLaunch* launch : longest_of_kernels(launches)) {
    if (launch->compared.empty() || std::abs(error_of(*launch)) <= kDisagreement) continue;
    const ComparedTerm& term = most_different(*launch);
    out += fmt::format(
        "warning: kernel {}: predicted {} us, simulated {} us; most differs {}: {} cycles of an SM, simulated {}\n",
        launch->kernel, term_number(launch->prediction.microseconds), term_number(*launch->simulated_us), term.name,
        term_number(term.modelled), term_number(term.simulated));
  }
  return out;
}

nlohmann::ordered_json model_json(const std::vector<ModelledLaunch>& launches) {
  nlohmann::ordered_json all{{"launches", nlohmann::ordered_json::array()}};
  for (const ModelledLaunch& launch : launches) {
    nlohmann::ordered_json one{{"kernel", launch.kernel}, {"predicted_us", launch.prediction.microseconds}};
    one["simulated_us"] = nullptr;
    if (launch.simulated_us) one["simulated_us"] = *launch.simulated_us;
    nlohmann::ordered_json values = nlohmann::ordered_json::object(), about = nlohmann::ordered_json::object(),
                           benefits = nlohmann::ordered_json::object();
    auto add = [&](const std::vector<analysis::ModelTerm>& terms, nlohmann::ordered_json& to) {
      for (const analysis::ModelTerm& term : terms) {
        to[std::string(term.name)] = term.value;
        about[std::string(term.name)] = {{"unit", term.unit}, {"from", term.from}};
      }
    };
    add(launch.prediction.inputs, values);
    add(launch.prediction.terms, values);
    add(launch.prediction.benefits, benefits);
    one["terms"] = std::move(values);
    one["benefits"] = std::move(benefits);
    one["about"] = std::move(about);
    one["notes"] = launch.prediction.notes;
    if (launch.memory) one["memory"] = memory_json(*launch.memory, launch.simulated_hits);
    if (!launch.compared.empty()) {
      one["compared"] = nlohmann::ordered_json::array();
      for (const ComparedTerm& term : launch.compared)
        one["compared"].push_back({{"term", term.name}, {"predicted", term.modelled}, {"simulated", term.simulated}});
    }
    all["launches"].push_back(std::move(one));
  }
  return all;
}

}  // namespace warptime::cli
