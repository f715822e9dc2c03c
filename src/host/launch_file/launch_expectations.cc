#include "host/launch_file/launch_expectations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/parse_number.h"
#include "base/plural.h"
#include "host/launch_file/figure_names.h"
#include "host/launch_file/figure_unit.h"
#include "host/launch_file/launch_data.h"
#include "host/launch_file/launch_figures.h"
#include "host/launch_file/launch_form.h"
#include "host/launch_file/launch_parameters.h"
#include "ptx/module_file.h"
#include "ptx/user/demangle.h"

namespace warptime::host {

using yaml::Entry;
using yaml::Node;

namespace {

/// The kernels that a plan launches, in order.
struct PlannedKernels {
  std::vector<std::string> names;
  bool may_be_more = false;  // a loop ends by a value, or there are very many

  explicit PlannedKernels(const LaunchPlan& plan) { add(plan, 0, plan.steps.size()); }

 private:
  static constexpr size_t kMost = 1 << 16;
  void add(const LaunchPlan& plan, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (const auto* launch = std::get_if<PlannedLaunch>(&plan.steps[i])) {
        for (uint32_t round = 0; round < launch->repeat && !is_full(); ++round)
          names.push_back(ptx::parse_kernel_choice(launch->kernel).kernel);
      } else if (const auto* loop = std::get_if<PlannedLoop>(&plan.steps[i])) {
        may_be_more = may_be_more || loop->until.has_value();
        size_t first = i + 1;
        for (uint32_t round = 0; round < loop->repeat && !is_full(); ++round) {
          const size_t steps = loop->rounds.empty() ? loop->steps : loop->rounds[round];
          add(plan, first, first + steps);
          if (!loop->rounds.empty()) first += steps;
        }
        i += loop->steps;
      }
    }
  }
  bool is_full() {
    may_be_more = may_be_more || names.size() >= kMost;
    return names.size() >= kMost;
  }
};

/// Reads the limits of one figure.
class FigureLimitsReader {
 public:
  FigureLimitsReader(std::string figure, FigureUnit unit, LaunchPlan& plan, Diagnostics& diagnostics)
      : figure_(std::move(figure)), unit_(std::move(unit)), plan_(plan), diagnostics_(diagnostics) {}

  void read(const Node& node) {
    if (node.kind == Node::Kind::Sequence && !node.items.empty()) {
      for (const Node& item : node.items) read_one(item);
    } else if (is_findings() && node.kind == Node::Kind::Scalar && node.text == "none") {
      ExpectedFigure none{.figure = figure_};
      none.equals = 0;
      none.where = node.where;
      plan_.expected_figures.push_back(std::move(none));
    } else if (node.kind == Node::Kind::Map) {
      read_one(node);
    } else {
      diagnostics_.error(node.where,
                         fmt::format("the limits of \"{}\" must be a map, not {}", figure_, yaml::describe(node)),
                         is_findings() ? "findings: none" : fmt::format("{}: {{max: 40}}", figure_));
    }
  }

 private:
  bool is_findings() const { return figure_ == kFindingsFigure; }

  void read_one(const Node& node) {
    yaml::StrictMap map(node, fmt::format("the limits of \"{}\"", figure_), launch_forms().figure_limits, diagnostics_);
    ExpectedFigure expected{.figure = figure_};
    const size_t errors = diagnostics_.error_count();
    const Node* launch = map.find("launch");
    const Node* of = map.find("of");
    map.read("points", expected.grading.points);
    map.read("hint", expected.grading.hint);
    if (launch != nullptr) expected.launch = read_launch(*launch);
    if (of != nullptr) expected.of = read_launch(*of);
    if (of != nullptr && launch == nullptr)
      diagnostics_.error(of->where, "\"of\" names the second launch of a ratio, and there is no first one",
                         "launch: 1, of: 0");
    if (is_findings() && launch != nullptr)
      diagnostics_.error(launch->where, "findings are those of the whole run, not of a launch");
    if (unit_.of_run_only && launch != nullptr)
      diagnostics_.error(launch->where, fmt::format("\"{}\" is a figure of the whole run, not of a launch", figure_));
    expected.min = read_limit(map.find("min"), of != nullptr, expected);
    expected.max = read_limit(map.find("max"), of != nullptr, expected);
    expected.equals = read_limit(map.find("equals"), of != nullptr, expected);
    if (!map.finish() || diagnostics_.error_count() != errors) return;
    if (expected.min && expected.max && *expected.min > *expected.max)
      return diagnostics_.error(expected.where, fmt::format("\"min\" of \"{}\" is greater than \"max\"", figure_));
    plan_.expected_figures.push_back(std::move(expected));
  }

  std::optional<LaunchChoice> read_launch(const Node& node) {
    const PlannedKernels kernels(plan_);
    LaunchChoice choice;
    uint64_t number = 0;
    if (node.kind == Node::Kind::Scalar && parse_number(node.text, number) == NumberError::Ok) {
      choice.number = number;
      if (number >= kernels.names.size() && !kernels.may_be_more)
        diagnostics_.error(node.where, fmt::format("there is no launch {}", number),
                           kernels.names.size() <= 1
                               ? "the file has one launch: number 0"
                               : fmt::format("launches are numbered from 0 to {}", kernels.names.size() - 1));
      if (number < kernels.names.size()) choice.kernel = kernels.names[number];
      return choice;
    }
    if (!yaml::read(node, "launch", choice.kernel, any(), diagnostics_)) return std::nullopt;
    std::vector<std::string_view> known;
    for (const std::string& name : kernels.names) {
      if (ptx::is_named(name, choice.kernel) || ptx::is_named(choice.kernel, name)) return choice;
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
    std::string hint = did_you_mean(choice.kernel, known);
    if (hint.empty()) hint = fmt::format("a number from 0 on, or one of {}", fmt::join(known, ", "));
    diagnostics_.error(node.where, fmt::format("the file launches no kernel \"{}\"", choice.kernel), hint);
    return std::nullopt;
  }

  std::optional<double> read_limit(const Node* node, bool is_ratio, ExpectedFigure& expected) {
    if (node == nullptr) return std::nullopt;
    expected.where = node->where;
    std::string text = node->kind == Node::Kind::Scalar ? node->text : std::string();
    const bool percent = text.ends_with('%');
    if (percent) text.pop_back();
    while (text.ends_with(' ')) text.pop_back();
    double value = 0;
    if (text.empty() || !(percent ? parse_number(text, value) == NumberError::Ok : compute(text, value))) {
      diagnostics_.error(
          node->where,
          fmt::format("a limit of \"{}\" must be a number or a percentage, not {}", figure_, yaml::describe(*node)),
          unit_hint(text));
      return std::nullopt;
    }
    if (percent && !is_ratio && !unit_.is_share) {
      diagnostics_.error(node->where,
                         fmt::format("\"{}\" is {}, not a share: it has no percentage", figure_, unit_.words()),
                         "with \"launch\" and \"of\", the limit may be a percentage of another launch's figure");
      return std::nullopt;
    }
    if (!percent && unit_.is_share && !is_ratio) {
      diagnostics_.error(node->where, fmt::format("\"{}\" is a share: its limit needs a %", figure_),
                         fmt::format("{:g}%", value <= 1 ? 100 * value : value));
      return std::nullopt;
    }
    expected.is_percent = percent;
    return percent ? value / 100 : value;
  }

  /// A number, or an expression over the file's parameters.
  bool compute(const std::string& text, double& value) const {
    if (parse_number(text, value) == NumberError::Ok) return true;
    Evaluated result = evaluate(text, [this](std::string_view name) -> std::optional<ExpressionValue> {
      if (auto known = find_parameter(plan_, name)) return *known;
      return std::nullopt;
    });
    const double* number = std::get_if<double>(&result.value);
    if (!result.error.empty() || number == nullptr) return false;
    value = *number;
    return true;
  }

  /// "40us", "40 microseconds": the number alone.
  std::string unit_hint(const std::string& text) const {
    const size_t end = text.find_first_not_of("+-.0123456789");
    double number = 0;
    if (end == 0 || end == std::string::npos || parse_number(text.substr(0, end), number) != NumberError::Ok)
      return fmt::format("the unit of \"{}\" is {}", figure_, unit_.is_share ? "%" : unit_.words());
    if (unit_.is_share) return fmt::format("{}%", text.substr(0, end));
    return fmt::format("the unit of \"{}\" is {}, and is not written: {}", figure_, unit_.words(), text.substr(0, end));
  }

  std::string figure_;
  FigureUnit unit_;
  LaunchPlan& plan_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Expectation> read_expected_values(const Entry& entry, const TypedData* data,
                                                const std::string& launch_file, Diagnostics& diagnostics) {
  yaml::StrictMap map(entry.value, fmt::format("the expectation of \"{}\"", entry.key), launch_forms().expectation,
                      diagnostics);
  Expectation expectation;
  const Node* file = map.find("file");
  const Node* values = map.find("values");
  map.read("max_abs_error", expectation.tolerance.max_abs_error);
  map.read("max_ulp", expectation.tolerance.max_ulp);
  map.read("points", expectation.grading.points);
  map.read("hint", expectation.grading.hint);
  if (!map.finish() || data == nullptr) return std::nullopt;
  std::optional<std::vector<std::byte>> bytes;
  if (values != nullptr) bytes = read_values(*values, data->type, diagnostics);
  else if (auto array = read_elements_of(*file, launch_file, data->type, diagnostics)) bytes = std::move(array->bytes);
  if (!bytes) return std::nullopt;
  if (bytes->size() != data->bytes()) {
    diagnostics.error((file != nullptr ? file : values)->where,
                      fmt::format("buffer \"{}\" has {}, but {} are expected", entry.key, plural(data->bytes(), "byte"),
                                  bytes->size()));
    return std::nullopt;
  }
  expectation.values = std::move(*bytes);
  return expectation;
}

void read_expected_figure(const Entry& entry, LaunchPlan& plan, Diagnostics& diagnostics) {
  if (auto unit = unit_of_figure(entry.key, plan))
    return FigureLimitsReader(entry.key, std::move(*unit), plan, diagnostics).read(entry.value);
  std::vector<std::string_view> known;
  for (const FigureName& row : figure_names()) known.push_back(row.name);
  for (const PlannedFigure& figure : plan.figures) known.push_back(figure.name);
  std::string hint = did_you_mean(entry.key, known);
  if (hint.empty()) hint = did_you_mean(entry.key, {names_of_total().begin(), names_of_total().end()});
  if (hint.empty()) hint = "`warptime list figures` lists them";
  diagnostics.error(entry.where, fmt::format("there is no figure \"{}\"", entry.key), hint);
}

}  // namespace warptime::host
