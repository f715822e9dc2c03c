#include "host/whatif/tornado.h"

#include <catch2/catch.hpp>

namespace warptime::host {

namespace {

TornadoBar bar(const std::string& parameter, std::vector<TornadoValue> values) {
  TornadoBar out{parameter, "4", {}, {}, {}};
  for (const TornadoValue& value : values) out.add(value);
  return out;
}

}  // namespace

TEST_CASE("a bar has the best and the worst value") {
  TornadoBar one = bar("a", {{"3", -0.1}, {"5", 0.25}, {"6", 0.2}, {"2", -0.2}});
  CHECK(one.won.value == "2");
  CHECK(one.lost.value == "5");
  CHECK(one.size() == 0.25);
  CHECK(bar("b", {{"3", -0.5}, {"5", 0.25}}).size() == 0.5);
  // Both directions can lose.
  TornadoBar slower = bar("c", {{"3", 0.1}, {"5", 0.3}});
  CHECK(slower.won.change == 0);
  CHECK(slower.lost.value == "5");
}

TEST_CASE("bars are ranked by the larger change, and those without any are left out") {
  std::vector<TornadoBar> bars = ranked(
      {bar("none", {{"3", 0}}), bar("small", {{"3", -0.01}}), bar("large", {{"3", 0.5}}), bar("same", {{"3", 0.01}})});
  REQUIRE(bars.size() == 3);
  CHECK(bars[0].parameter == "large");
  CHECK(bars[1].parameter == "small");
  CHECK(bars[2].parameter == "same");
  CHECK(ranked({}).empty());
}

TEST_CASE("the table draws the changes to one scale") {
  CHECK(tornado_text({bar("sp.initiation", {{"3", -0.25}, {"5", 0.5}}), bar("x", {{"8", 0.01}})}, 5) ==
        "parameter      value      faster                             slower\n"
        "sp.initiation  4      3  -25.0 %        <<<<<<|>>>>>>>>>>>>  5  +50.0 %\n"
        "x              4                              |>             8   +1.0 %\n");
  CHECK(tornado_text({bar("a", {{"3", 1}}), bar("b", {{"3", 0.5}})}, 1).find("\nb ") == std::string::npos);
  CHECK(tornado_text({}, 5).empty());
  // The smaller of two changes of one direction is not lost.
  CHECK(tornado_text({bar("a", {{"3", 0.25}, {"5", 0.5}}), bar("b", {{"6", -0.5}, {"7", -0.25}, {"8", 0}})}, 5) ==
        "parameter  value      faster                             slower\n"
        "a          4                              |>>>>>>>>>>>>  5  +50.0 %\n"
        "                                          |>>>>>>        3  +25.0 %\n"
        "b          4      6  -50.0 %  <<<<<<<<<<<<|\n"
        "                  7  -25.0 %        <<<<<<|\n");
}

TEST_CASE("changes have as many digits as they are worth") {
  CHECK(change_text(-0.16667) == "-16.7 %");
  CHECK(change_text(1.2) == "+120.0 %");
  CHECK(change_text(20) == "+2000 %");
  CHECK(change_text(0.0000001) == "+0.0 %");
  CHECK(change_text(-0.0000001) == "-0.0 %");
  CHECK(change_text(0) == "0 %");
}

}  // namespace warptime::host
