// The model itself: equations 4.1 to 4.30 evaluated for one launch, every term with its unit and origin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/mwp_cwp/model_inputs.h"

namespace warptime::analysis {

struct ModelTerm {
  std::string_view name;  // as the book spells it
  double value = 0;
  std::string_view unit;
  std::string from;  // its equation, or what it was counted or read from
};

struct Prediction {
  std::vector<ModelTerm> inputs, terms, benefits;
  std::vector<std::string> notes;  // what the launch lacks and what follows for the terms
  double cycles = 0;               // T_exec + T_fetch
  double microseconds = 0;

  /// 0 if there is no such term.
  double operator[](std::string_view name) const;
};

Prediction predict(const ModelInputs& in);

}  // namespace warptime::analysis
