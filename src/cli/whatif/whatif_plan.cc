#include "cli/whatif/whatif_plan.h"

#include <algorithm>

#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "host/whatif/other_values.h"
#include "sim/model/machine_loader.h"
#include "sim/model/parameters.h"

namespace warptime::cli {

namespace {

/// A word without the quotes that YAML needs.
std::string plain(std::string text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

bool is_wanted(const Arguments& arguments, const std::string& path) {
  const std::vector<ArgumentText>& only = arguments.all("only");
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const ArgumentText& text) {
           return path.find(text.text) != std::string::npos;
         });
}

}  // namespace

WhatIfPlan::WhatIfPlan(const Arguments& arguments)
    : target_(arguments.words().front().text),
      settings_(arguments.texts("set")),
      parameters_(arguments.texts("param")) {
  machine_ = load_machine(arguments).machine;
  if (!machine_.config.has_timing) {
    auto named = arguments.value("machine");
    fail(named ? named->where : arguments.whole(),
         fmt::format("a what-if is about time, and machine \"{}\" has none", machine_.name),
         "`warptime list machines` has those with timing");
  }
  std::unique_ptr<Target> target = find_target(arguments);
  add_changes(arguments);
  if (changes_.empty() && arguments.has("only"))
    fail(arguments.all("only").front().where, "no parameter with another value has this in its name",
         "`warptime list parameters` has all names");
  std::vector<std::string> words = parameters_;
  for (const WhatIfPoint& change : changes_) words.push_back(change.setting());
  identify(arguments, *target, machine_.hash, words);
}

void WhatIfPlan::add_changes(const Arguments& arguments) {
  for (const sim::Parameter& parameter : sim::parameters_of(machine_.config)) {
    if (!is_wanted(arguments, parameter.path)) continue;
    for (const host::Alternatives& values : host::other_values(parameter)) {
      auto legal = std::find_if(values.begin(), values.end(), [&](const std::string& value) {
        return is_legal(arguments, parameter.path + "=" + value);
      });
      if (legal == values.end()) refused_.push_back(parameter.path + "=" + values.front());
      else changes_.push_back({parameter.path, plain(sim::value_text(parameter)), *legal});
    }
  }
}

bool WhatIfPlan::is_legal(const Arguments& arguments, const std::string& setting) const {
  std::vector<std::string> settings = settings_;
  settings.push_back(setting);
  std::string unwanted;
  return guarded([&] { return load_machine(arguments.value("machine"), settings, unwanted), kDone; }, unwanted) ==
         kDone;
}

std::vector<std::string> WhatIfPlan::values(size_t point) const {
  if (point == 0) return {"baseline", ""};
  return {changes_[point - 1].parameter, changes_[point - 1].value};
}

std::vector<std::string> WhatIfPlan::settings(size_t point) const {
  std::vector<std::string> out = settings_;
  if (point > 0) out.push_back(changes_[point - 1].setting());
  return out;
}

}  // namespace warptime::cli
