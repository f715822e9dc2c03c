#include "host/workload/workload.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

Workload example() {
  Workload w;
  w.name = "example";
  w.variants = {"small", "large"};
  w.parameters = {{.name = "n", .default_value = 8, .low = 1, .high = 64, .choices = {}, .what = "size"},
                  {.name = "tile", .default_value = 4, .low = 4, .high = 8, .choices = {4, 8}, .what = "tile"}};
  return w;
}

std::string parameter_error(const std::string& text) {
  return input_error([&] { workload_parameters(example(), {text}); });
}

}  // namespace

TEST_CASE("Parameters have defaults and are overridden by NAME=VALUE") {
  auto values = workload_parameters(example(), {"n=64"});
  CHECK(values == std::map<std::string, int64_t>{{"n", 64}, {"tile", 4}});
}

TEST_CASE("Parameters that do not exist or are out of range") {
  CHECK(parameter_error("til=4") ==
        "--param:1:1: error: workload \"example\" has no parameter \"til\"\n"
        "     1 | til=4\n"
        "       | ^~~\n"
        "         hint: did you mean \"tile\"?\n");
  CHECK(parameter_error("tile=5").find("expected one of 4, 8") != std::string::npos);
  CHECK(parameter_error("n=0").find("expected 1 to 64") != std::string::npos);
  CHECK(parameter_error("n=65").find("expected 1 to 64") != std::string::npos);
  CHECK(parameter_error("n=4x").find("--param:1:3: error: parameter \"n\" is not a whole number") != std::string::npos);
  CHECK(parameter_error("n=4x").find("hint: expected 1 to 64") != std::string::npos);
  CHECK(parameter_error("n").find("has no value") != std::string::npos);
}

TEST_CASE("Workloads are found by name and listed in order") {
  Workload b = example(), a = example();
  b.name = "b-workload";
  a.name = "a-workload";
  register_workload(b);
  register_workload(a);
  REQUIRE(find_workload("a-workload") != nullptr);
  CHECK(find_workload("c-workload") == nullptr);
  for (size_t i = 1; i < workloads().size(); ++i) CHECK(workloads()[i - 1].name < workloads()[i].name);
}

}  // namespace warptime::host
