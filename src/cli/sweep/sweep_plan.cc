#include "cli/sweep/sweep_plan.h"

#include <algorithm>

#include "base/standard_streams.h"
#include "cli/machine/machine_option.h"
#include "cli/run/run_target.h"
#include "sim/model/machine_loader.h"
#include "sim/model/renamed_keys.h"

namespace warptime::cli {

namespace {

// Far beyond what anybody waits for; keeps the product of the axes from wrapping.
constexpr size_t kMostPoints = 1'000'000;

std::string option_of(SweepAxis::Kind kind) { return kind == SweepAxis::Kind::Set ? "set" : "param"; }

SweepAxis read_axis(SweepAxis::Kind kind, const ArgumentText& given) {
  size_t equals = given.text.find('=');
  if (equals == std::string::npos || equals == 0)
    fail(given.where, fmt::format("--{} of a sweep is {}=V1,V2,...", option_of(kind),
                                  kind == SweepAxis::Kind::Set ? "PATH" : "NAME"));
  return {kind, given.text.substr(0, equals), split_values(given.text.substr(equals + 1))};
}

/// What `run` would say of each value by itself; `notes` if it would run. Whether values fit each other is for the
/// point to find out.
std::string mistakes_of(const Arguments& arguments, const SweepAxis& axis, std::string& notes) {
  std::string mistakes;
  for (const std::string& value : axis.values) {
    std::string text = axis.name + "=" + value;
    if (axis.kind == SweepAxis::Kind::Set) {
      Diagnostics diagnostics;
      if (!sim::check_override(text, diagnostics)) mistakes += diagnostics.to_text();
      else
        for (const Diagnostic& note : diagnostics.all())  // that are the same for all values of an axis: once
          if (notes.find(note.message) == std::string::npos) notes += format_diagnostic(note);
      continue;
    }
    try {
      find_target(arguments, {text});
    } catch (const host::InputError& error) {
      mistakes += error.what();
    }
  }
  return mistakes;
}

/// The axes as the plan's identity has them.
std::vector<std::string> words_of(const std::vector<SweepAxis>& axes) {
  std::vector<std::string> words;
  for (const SweepAxis& axis : axes) {
    words.push_back(option_of(axis.kind));
    words.push_back(axis.name);
    words.insert(words.end(), axis.values.begin(), axis.values.end());
  }
  return words;
}

}  // namespace

std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  for (char c : text) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth <= 0) values.emplace_back();
    else values.back() += c;
  }
  return values;
}

SweepPlan::SweepPlan(const Arguments& arguments) {
  for (auto kind : {SweepAxis::Kind::Set, SweepAxis::Kind::Param}) {
    for (const ArgumentText& given : arguments.all(option_of(kind))) {
      SweepAxis axis = read_axis(kind, given);
      for (const SweepAxis& other : axes_)
        if (sim::current_path(other.name) == sim::current_path(axis.name))
          fail(given.where, fmt::format("{} is swept twice", axis.name),
               fmt::format("give all its values at once: {}={},{}", axis.name, fmt::join(other.values, ","),
                           fmt::join(axis.values, ",")));
      axes_.push_back(std::move(axis));
      points_ *= axes_.back().values.size();
      if (points_ > kMostPoints) fail(given.where, fmt::format("a sweep has at most {} points", kMostPoints));
    }
  }
  if (axes_.empty()) fail(arguments.whole(), "nothing to sweep over", "--set PATH=V1,V2,... or --param NAME=V1,V2,...");
  std::string mistakes, warnings;
  machine_ = load_machine(arguments.value("machine"), {}, warnings).machine;
  std::unique_ptr<Target> target = find_target(arguments, {});
  figure_names_ = target->figure_names();
  for (const SweepAxis& axis : axes_) mistakes += mistakes_of(arguments, axis, warnings);
  if (!mistakes.empty()) throw host::InputError(mistakes);
  print_error(warnings);
  identify(arguments, *target, machine_.hash, words_of(axes_));
}

std::vector<std::string> SweepPlan::values(size_t point) const {
  std::vector<std::string> out(axes_.size());
  for (size_t i = axes_.size(); i-- > 0;) {
    out[i] = axes_[i].values[point % axes_[i].values.size()];
    point /= axes_[i].values.size();
  }
  return out;
}

std::vector<std::string> SweepPlan::texts(size_t point, SweepAxis::Kind kind) const {
  std::vector<std::string> out, at = values(point);
  for (size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].kind == kind) out.push_back(axes_[i].name + "=" + at[i]);
  return out;
}

}  // namespace warptime::cli
