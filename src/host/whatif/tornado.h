// What each parameter can win or lose, ranked: a tornado chart as data and as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptime::host {

/// A value that was run, and the change of time against the machine as it is: -0.1 is 10 % faster.
struct TornadoValue {
  std::string value;
  double change = 0;
};

/// A parameter, with the best and the worst of its values.
struct TornadoBar {
  std::string parameter, own;
  TornadoValue won, lost;            // a change of 0: no value is faster, or slower
  std::vector<TornadoValue> others;  // between these two, and not 0; in the order of add()

  double size() const { return won.change < -lost.change ? -won.change : lost.change; }
  void add(const TornadoValue& value);
};

/// The parameters with an effect, the largest first; of equal ones the first in the list.
std::vector<TornadoBar> ranked(std::vector<TornadoBar> bars);

/// The first `top` bars as a table with a picture; a line below for each further value that changes the time.
std::string tornado_text(const std::vector<TornadoBar>& bars, size_t top);

/// "-16.6 %", "+120 %".
std::string change_text(double change);

}  // namespace warptime::host
