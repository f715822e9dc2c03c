#include "cli/run/plan_target.h"

#include <utility>

#include "host/launch_file/launch_expectations.h"
#include "host/launch_file/launch_figures.h"
#include "host/launch_file/printed_range.h"

namespace warptime::cli {

namespace {

class PlanTarget : public Target {
 public:
  explicit PlanTarget(host::LaunchPlan plan) : plan_(std::move(plan)) {}
  std::vector<host::Check> run(host::Device& device, bool check) override {
    printed_.clear();
    return host::run_plan(device, plan_, check, &printed_);
  }
  void print(const std::vector<std::string>& ranges, const SourceSpan&) override {
    Diagnostics diagnostics;
    for (const std::string& range : ranges) host::plan_print(range, plan_, diagnostics);
    if (diagnostics.has_errors()) throw host::InputError(diagnostics.to_text());
  }
  std::string printed() const override { return printed_; }
  std::vector<ArgumentText> outputs() const override {
    std::vector<ArgumentText> out;
    for (const host::PlannedOutput& output : plan_.outputs) out.push_back({output.path, output.where});
    return out;
  }
  bool drop_outputs() override {
    const bool printed = !std::exchange(plan_.prints, {}).empty();
    return !std::exchange(plan_.outputs, {}).empty() || printed;
  }
  std::vector<std::string> figure_names() const override {
    std::vector<std::string> names;
    for (const host::PlannedFigure& figure : plan_.figures) names.push_back(figure.name);
    return names;
  }
  std::vector<host::Figure> figures(const host::RunReport& report) const override {
    return host::figures_of(plan_, report);
  }
  std::vector<host::FigureCheck> figure_checks(const host::RunReport& report) const override {
    return host::check_figures(plan_, report);
  }
  std::string contents() const override {
    std::string out(plan_.module->text());
    for (const auto& source : plan_.sources) out += source->text();
    return out;
  }

 private:
  host::LaunchPlan plan_;
  std::string printed_;
};

}  // namespace

std::unique_ptr<Target> plan_target(host::LaunchPlan plan) { return std::make_unique<PlanTarget>(std::move(plan)); }

}  // namespace warptime::cli
