// The checked run of a submission: functional, with all checkers, and with the values of its buffers element by
// element.
#include <fmt/format.h>

#include <algorithm>

#include "base/plural.h"
#include "cli/grade/graded_run.h"
#include "cli/grade/grading_checker.h"
#include "cli/run/run_target.h"
#include "debug/check/finding_text.h"
#include "host/device/typed_value.h"
#include "host/report/summary.h"
#include "ptx/user/user_lines.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

/// A plan whose results are compared element by element.
class GradedTarget final : public Target {
 public:
  GradedTarget(const host::LaunchPlan& plan, const GradingChecker& checker) : plan_(plan), checker_(checker) {}

  std::vector<host::Check> run(host::Device& device, bool check) override {
    std::vector<host::Check> checks = host::run_plan(device, plan_, check);
    for (size_t i = 0; i < checks.size(); ++i) values_.push_back(value_json(device, checks[i], i));
    return checks;
  }
  const Json& values() const { return values_; }

 private:
  struct WrongElements {
    uint64_t count = 0, first = 0, last = 0;
    std::string sentence;  // of the first
  };

  Json value_json(host::Device& device, const host::Check& check, size_t index) const {
    const host::Expectation& expectation = plan_.expectations[index];
    const host::TypedData& data = plan_.buffers[expectation.buffer];
    Json out{{"ok", check.ok}, {"measured", check.ok ? "all " + elements_text(data.count) : check.first_failure}};
    if (check.ok) return out;
    const WrongElements wrong = wrong_elements(device, expectation);
    if (wrong.count == 0) return out;
    const bool in_a_row = wrong.last - wrong.first + 1 == wrong.count && wrong.count > 1;
    out["measured"] = fmt::format("{} of {} wrong{}, first {}", host::grouped(wrong.count), elements_text(data.count),
                                  in_a_row ? fmt::format(" ({} to {})", wrong.first, wrong.last) : "", wrong.sentence);
    add_writer(out, index, data, wrong.first);
    return out;
  }

  static std::string elements_text(uint64_t count) {
    return fmt::format("{} element{}", host::grouped(count), count == 1 ? "" : "s");
  }

  /// Where the store is, or that there is none.
  void add_writer(Json& out, size_t expectation, const host::TypedData& data, uint64_t element) const {
    const ElementWriter* writer = checker_.writer(expectation, element);
    if (writer == nullptr) return;
    const std::string name = fmt::format("{}[{}]", data.name, element);
    if (writer->at == nullptr) {
      out["why"] = fmt::format("no thread has written {}", name);
      out["remedy"] =
          fmt::format("a thread that stores {}: the index of the threads, and the condition around the store", name);
      return;
    }
    const UserLine line = ptx::UserLines(checker_.module(*writer)).of(writer->at->location);
    out["line"] = writer->at->line;
    out["source_file"] = line.file;
    out["source_line"] = line.line;
    out["source_text"] = line.text;
    out["why"] = fmt::format("{} has written {} last", checker_.thread_text(*writer), name);
    out["remedy"] = fmt::format("the value that this line stores in {}, or the index that it stores it at", name);
  }

  WrongElements wrong_elements(host::Device& device, const host::Expectation& expectation) const {
    const host::TypedData& data = plan_.buffers[expectation.buffer];
    WrongElements out;
    std::vector<std::byte> got(data.bytes());
    for (const host::Device::NamedBuffer& allocation : device.allocations())
      if (allocation.name == data.name && allocation.buffer.bytes == data.bytes())
        device.read_bytes(got, allocation.buffer.address);
    for (uint64_t i = 0; i < data.count; ++i) {
      host::Comparison one(data.name, data.type, expectation.tolerance);
      one.element(host::load_element(data.type, got, i), host::load_element(data.type, expectation.values, i),
                  [&] { return fmt::format("{}[{}]", data.name, i); });
      if (one.result().ok) continue;
      if (out.count++ == 0) {
        out.first = i;
        out.sentence = one.result().first_failure;
      }
      out.last = i;
    }
    return out;
  }

  const host::LaunchPlan& plan_;
  const GradingChecker& checker_;
  Json values_ = Json::array();
};

}  // namespace

Json checked_run(const host::LaunchPlan& plan, const GradedRunOptions& options) {
  Json out{{"refused", nullptr}, {"end", nullptr}, {"findings", Json::array()}, {"values", Json::array()}};
  GradingChecker checker(plan);
  GradedTarget target(plan, checker);
  sim::RunOptions run;
  run.functional = true;
  run.listener = &checker;
  run.max_cycles = options.max_cycles;
  try {
    std::string warnings;
    const host::RunReport report = run_to_fault(target, "", options.machine, run, true, warnings, nullptr);
    if (report.cut && !checker.has_fault()) out["end"] = report.cut->fault.message;
    else if (report.cut) out["end"] = "a fault";
  } catch (const host::InputError& error) {
    out["refused"] = error.what();
    return out;
  }
  checker.finish();
  for (const debug::Finding& finding : checker.findings().all()) {
    out["findings"].push_back(debug::finding_json(finding));
    out["findings"].back()["text"] = debug::finding_text(finding);
  }
  out["values"] = target.values();
  return out;
}

}  // namespace warptime::cli
