#include "cli/validate/validate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "cli/text_table.h"
#include "cli/validate/validate_quantities.h"
#include "host/validation/class_errors.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json to_json(const host::FigureValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json to_json(const host::ValidationOutcome& outcome) {
  const host::ValidationRow& row = *outcome.row;
  Json out;
  out["group"] = outcome.group;
  out["name"] = row.name;
  out["quantity"] = row.quantity;
  out["published"] = to_json(row.published);
  if (row.range) {
    out["published_low"] = row.range->low;
    out["published_high"] = row.range->high;
    if (row.range->samples > 0) out["samples"] = row.range->samples;
    out["within_uncertainty"] = *outcome.is_within_range();
  }
  out["simulated"] = outcome.simulated ? to_json(*outcome.simulated) : Json();
  out["error"] = to_json(outcome.error());
  host::QuantityKind kind = host::kind_of(outcome);
  out["kind"] = host::kind_name(kind);
  if (host::has_difference(kind)) out["difference"] = to_json(host::difference(outcome));
  if (host::has_same(kind)) out["same"] = host::same_as_published(outcome);
  if (outcome.role == host::Role::Recalled) out["factor"] = to_json(outcome.factor());
  out["role"] = host::role_name(outcome.role);
  out["machine"] = outcome.machine;
  if (!outcome.overrides.empty()) out["set"] = outcome.overrides;
  if (!outcome.conditions.empty()) out["conditions"] = outcome.conditions;
  if (!outcome.kernel_class.empty()) out["class"] = outcome.kernel_class;
  out["run"] = outcome.run;
  out["source"] = row.source;
  if (!row.note.empty()) out["note"] = row.note;
  if (!outcome.failure.empty()) out["failure"] = outcome.failure;
  return out;
}

Json to_json(const host::ErrorBandRow& errors) {
  return {{"machine", errors.machine},
          {"class", errors.kernel_class},
          {"launches", errors.launches},
          {"median_abs_error", errors.median},
          {"mean_abs_error", errors.mean},
          {"p80_abs_error", errors.p80},
          {"bias", errors.bias}};
}

Json to_json(const host::Agreement& agreement) {
  Json out;
  out["rows"] = agreement.rows;
  out["mean_abs_error"] = to_json(agreement.mean_abs_error);
  out["max_abs_error"] = to_json(agreement.max_abs_error);
  out["rank_correlation"] = to_json(agreement.rank_correlation);
  return out;
}

Json to_json(const host::QuantitySummary& summary) {
  Json out;
  out["kind"] = host::kind_name(summary.kind);
  out["quantity"] = summary.quantity;
  out["rows"] = summary.rows;
  out["failed"] = summary.failed;
  for (const host::MeasureInfo& measure : host::kMeasures)
    if (suits(measure, summary.kind)) out[measure.name] = to_json(summary.*measure.value);
  if (summary.same) out["same"] = *summary.same;
  return out;
}

Json measures_of(const std::vector<const host::ValidationOutcome*>& outcomes) {
  Json out = Json::array();
  for (const host::QuantitySummary& summary : host::summaries(outcomes)) out.push_back(to_json(summary));
  return out;
}

Json summary_of(const std::vector<const host::ValidationOutcome*>& outcomes) {
  Json out;
  out["predicted"] = to_json(host::agreement(outcomes));
  out["measures"] = measures_of(outcomes);
  out["by_quantity"] = Json::object();
  for (const host::ValidationOutcome* outcome : outcomes) {
    const std::string& quantity = outcome->row->quantity;
    if (out["by_quantity"].contains(quantity)) continue;
    std::vector<const host::ValidationOutcome*> same;
    for (const host::ValidationOutcome* other : outcomes)
      if (other->row->quantity == quantity) same.push_back(other);
    host::Agreement agreement = host::agreement(same);
    if (agreement.rows == 0) continue;
    Json& entry = out["by_quantity"][quantity] = to_json(agreement);
    entry["geometric_mean_factor"] = to_json(agreement.geometric_mean_factor);
    entry["pearson_correlation"] = to_json(agreement.pearson_correlation);
    entry["within_10_percent"] = to_json(agreement.within_10_percent);
    entry["within_20_percent"] = to_json(agreement.within_20_percent);
    entry["with_uncertainty"] = agreement.with_range;
    entry["within_uncertainty"] = agreement.within_range;
  }
  return out;
}

// "+3", "-4.5".
std::string with_sign(double number) { return (number > 0 ? "+" : "") + value_text(number); }

}  // namespace

std::vector<const host::ValidationOutcome*> outcomes_of(const ValidationReport& report, std::string_view group) {
  std::vector<const host::ValidationOutcome*> out;
  for (const host::ValidationOutcome& outcome : report.outcomes)
    if (group.empty() || outcome.group == group) out.push_back(&outcome);
  return out;
}

std::vector<std::string> groups_of(const ValidationReport& report) {
  std::vector<std::string> out;
  for (const host::ValidationOutcome& outcome : report.outcomes)
    if (std::find(out.begin(), out.end(), outcome.group) == out.end()) out.push_back(outcome.group);
  return out;
}

std::string value_text(const host::FigureValue& value) {
  const double* number = std::get_if<double>(&value);
  if (number == nullptr) return std::get<std::string>(value);
  double size = std::abs(*number);
  int before = size > 0 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 1;
  std::string text = fmt::format("{:.{}f}", *number, std::clamp(4 - before, 0, 6));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string published_text(const host::ValidationRow& row) {
  std::string value = value_text(row.published);
  if (!row.range) return value;
  double half = (row.range->high - row.range->low) / 2;
  std::string out = fmt::format("{} +- {}", value, value_text(half));
  return row.range->samples == 0 ? out : fmt::format("{} ({} samples)", out, row.range->samples);
}

namespace {

std::string plain_error(const host::ValidationOutcome& outcome) {
  if (auto factor = outcome.factor()) return fmt::format("factor {}", value_text(*factor));
  auto error = outcome.error();
  std::string same(outcome.simulated == outcome.row->published ? "same" : "other");
  switch (host::kind_of(outcome)) {
    case host::QuantityKind::Listed: return "listed";
    case host::QuantityKind::Text: return same;
    case host::QuantityKind::Speedup: return error ? fmt::format("{} times", value_text(1 + *error)) : same;
    case host::QuantityKind::Share: return error ? fmt::format("{:+.1f} points", *host::difference(outcome)) : same;
    case host::QuantityKind::Count:
      if (!error) return same;
      return host::same_as_published(outcome) ? "exact" : with_sign(*host::difference(outcome));
    case host::QuantityKind::Timing:
    case host::QuantityKind::Other: break;
  }
  return error ? fmt::format("{:+.1f} %", 100 * *error) : same;
}

}  // namespace

std::string error_text(const host::ValidationOutcome& outcome) {
  if (!outcome.simulated) return "failed";
  return plain_error(outcome) + (outcome.is_within_range().value_or(false) ? ", within" : "");
}

std::string agreement_text(const host::QuantitySummary& summary) {
  auto number = [](const std::optional<double>& value) { return value_text(value.value_or(0)); };
  std::string out;
  switch (summary.kind) {
    case host::QuantityKind::Timing:
    case host::QuantityKind::Other:
      out = fmt::format("mean error {:.1f} %, largest {:.1f} %", 100 * *summary.mean_abs_error,
                        100 * *summary.max_abs_error);
      break;
    case host::QuantityKind::Speedup:
      out = summary.geometric_mean_factor
                ? fmt::format("off by a factor of {:.2f} (geometric mean; simulated / published {:.2f})",
                              *summary.geometric_mean_factor, *summary.geometric_mean_ratio)
                : "no mean factor";
      if (summary.rank_correlation) out += fmt::format(", rank correlation {:.2f}", *summary.rank_correlation);
      break;
    case host::QuantityKind::Share:
      out = fmt::format("mean difference {:.1f} percentage points ({:+.1f} with signs), largest {:.1f}",
                        *summary.mean_abs_difference, *summary.mean_difference, *summary.max_abs_difference);
      break;
    case host::QuantityKind::Count:
      out = fmt::format("{} exact, mean deviation {}, largest {}", *summary.same, number(summary.mean_abs_difference),
                        number(summary.max_abs_difference));
      break;
    case host::QuantityKind::Text: out = fmt::format("{} the same", *summary.same); break;
    case host::QuantityKind::Listed: out = "listed, in no mean: its definition is not published"; break;
  }
  if (summary.failed > 0) out += fmt::format("; {} could not be run", summary.failed);
  return out;
}

std::vector<NamedSummary> named_summaries(const ValidationReport& report) {
  std::vector<NamedSummary> out;
  std::vector<std::string> groups = groups_of(report);
  for (const std::string& group : groups)
    for (host::QuantitySummary& summary : host::summaries(outcomes_of(report, group)))
      out.push_back({group, std::move(summary)});
  // Quantities of other kinds are those of one group each.
  if (groups.size() > 1)
    for (host::QuantitySummary& summary : host::summaries(outcomes_of(report)))
      if (summary.kind == host::QuantityKind::Timing) out.push_back({"together", std::move(summary)});
  return out;
}

namespace {

/// The errors by class of kernel; empty without launches that have one.
std::string class_text(const ValidationReport& report) {
  TextRows rows{{"class of kernel", "machine", "launches", "median error", "mean", "80 % within", "bias"}};
  for (const host::ErrorBandRow& errors : host::class_errors(outcomes_of(report)))
    rows.push_back({errors.kernel_class, errors.machine, fmt::format("{}", errors.launches),
                    fmt::format("{:.1f} %", 100 * errors.median), fmt::format("{:.1f} %", 100 * errors.mean),
                    fmt::format("{:.1f} %", 100 * errors.p80), fmt::format("{:+.1f} %", 100 * errors.bias)});
  return rows.size() > 1 ? "\n" + text_table(rows) : "";
}

}  // namespace

std::string validation_text(const ValidationReport& report) {
  std::string out;
  for (const std::string& group : groups_of(report)) {
    TextRows rows{{group, "quantity", "published", "simulated", "error", "role", "machine", "source", "run"}};
    for (const host::ValidationOutcome* outcome : outcomes_of(report, group)) {
      std::string machine = outcome->machine;
      for (const std::string& text : outcome->overrides) machine += " " + text;
      rows.push_back({outcome->row->name, outcome->row->quantity, published_text(*outcome->row),
                      outcome->simulated ? value_text(*outcome->simulated) : "-", error_text(*outcome),
                      std::string(host::role_name(outcome->role)), machine, outcome->row->source, outcome->run});
    }
    out += text_table(rows) + "\n";
  }
  TextRows rows{{"predicted", "quantity", "figures", "agreement"}};
  for (const NamedSummary& named : named_summaries(report))
    rows.push_back(
        {named.group, named.summary.quantity, fmt::format("{}", named.summary.rows), agreement_text(named.summary)});
  out += rows.size() > 1 ? text_table(rows) : "no predicted figure\n";
  if (TextRows quantities = quantity_rows(report); quantities.size() > 1) out += "\n" + text_table(quantities);
  out += class_text(report) + "\n";
  for (const auto& [name, hash] : report.machine_hashes) out += fmt::format("{} {}\n", hash, name);
  return out;
}

std::string validation_json(const ValidationReport& report) {
  Json out;
  out["machine_hashes"] = Json::object();
  for (const auto& [name, hash] : report.machine_hashes) out["machine_hashes"][name] = hash;
  out["rows"] = Json::array();
  for (const host::ValidationOutcome& outcome : report.outcomes) out["rows"].push_back(to_json(outcome));
  if (auto classes = host::class_errors(outcomes_of(report)); !classes.empty()) {
    out["classes"] = Json::array();
    for (const host::ErrorBandRow& errors : classes) out["classes"].push_back(to_json(errors));
  }
  out["summary"] = Json::object();
  for (const std::string& group : groups_of(report)) out["summary"][group] = summary_of(outcomes_of(report, group));
  out["together"] = to_json(host::agreement(outcomes_of(report)));
  out["together"]["measures"] = Json::array();
  for (const host::QuantitySummary& summary : host::summaries(outcomes_of(report)))
    if (summary.kind == host::QuantityKind::Timing) out["together"]["measures"].push_back(to_json(summary));
  return json_text(out);
}

}  // namespace warptime::cli
