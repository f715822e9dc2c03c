#include "cli/sweep/sweep_plan.h"

#include <algorithm>

#include "base/standard_streams.h"
#include "cli/machine/machine_option.h"
#include "cli/run/run_target.h"
#include "sim/model/machine_loader.h"

namespace warptime::cli {

std::string SweepPlan::mistakes_of(const Arguments& arguments, size_t at, std::string& notes) const {
  const SweepAxis& axis = axes_[at];
  if (axis.kind == SweepAxis::Kind::Machine) return {};  // they have been loaded
  std::vector<bool> used(axis.values.size());            // not all are, if points are drawn
  for (const auto& point : points_) used[point[at]] = true;
  std::string mistakes;
  for (size_t i = 0; i < axis.values.size(); ++i) {
    if (!used[i]) continue;
    std::string text = axis.name + "=" + axis.values[i];
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

std::vector<std::string> SweepPlan::words(const Arguments& arguments) const {
  std::vector<std::string> words;
  for (const SweepAxis& axis : axes_) {
    words.push_back(axis.option());
    words.push_back(axis.name);
    words.insert(words.end(), axis.values.begin(), axis.values.end());
  }
  for (const char* option : {"zip", "random", "seed", "columns"})
    for (const std::string& value : arguments.texts(option)) words.push_back(fmt::format("--{}={}", option, value));
  return words;
}

SweepPlan::SweepPlan(const Arguments& arguments)
    : axes_(read_axes(arguments)), points_(combine_axes(arguments, axes_)) {
  std::string mistakes, warnings, hashes;
  std::optional<ArgumentText> named = arguments.value("machine");
  std::vector<std::string> names{named ? named->text : ""};
  if (axes_.front().kind == SweepAxis::Kind::Machine) names = axes_.front().values;
  for (const std::string& name : names) {
    if (named) named->text = name;
    try {
      machines_.push_back(load_machine(named, {}, warnings).machine);
      hashes += machines_.back().hash;
    } catch (const host::InputError& error) {
      mistakes += error.what();
    }
  }
  if (!mistakes.empty()) throw host::InputError(mistakes);
  std::unique_ptr<Target> target = find_target(arguments, {});
  figure_names_ = target->figure_names();
  for (size_t i = 0; i < axes_.size(); ++i) mistakes += mistakes_of(arguments, i, warnings);
  if (!mistakes.empty()) throw host::InputError(mistakes);
  print_error(warnings);
  identify(arguments, *target, hashes, words(arguments));
}

std::vector<std::string> SweepPlan::values(size_t point) const {
  std::vector<std::string> out;
  for (size_t i = 0; i < axes_.size(); ++i) out.push_back(axes_[i].values[points_[point][i]]);
  return out;
}

std::optional<ArgumentText> SweepPlan::machine_of(size_t point) const {
  const SweepAxis& axis = axes_.front();
  if (axis.kind != SweepAxis::Kind::Machine) return std::nullopt;
  return ArgumentText{axis.values[points_[point].front()], axis.given.where};
}

std::vector<std::string> SweepPlan::texts(size_t point, SweepAxis::Kind kind) const {
  std::vector<std::string> out, at = values(point);
  for (size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].kind == kind) out.push_back(axes_[i].name + "=" + at[i]);
  return out;
}

}  // namespace warptime::cli
