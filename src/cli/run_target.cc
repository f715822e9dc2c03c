#include "cli/run_target.h"

#include <array>

#include "cli/home.h"
#include "host/launch_file.h"
#include "host/launch_plan.h"
#include "host/ptx_run.h"

namespace warptime::cli {

namespace {

class WorkloadTarget : public Target {
 public:
  WorkloadTarget(const host::Workload& workload, host::WorkloadRequest request)
      : workload_(workload), request_(std::move(request)) {}
  std::vector<host::Check> run(host::Device& device, bool check) override {
    request_.check = check;
    return host::run_workload(device, workload_, request_);
  }
  std::vector<host::Published> published() const override {
    std::vector<host::Published> out;
    for (const host::Published& figure : workload_.published)
      if (request_.variant.empty() || figure.variant == request_.variant) out.push_back(figure);
    return out;
  }

 private:
  const host::Workload& workload_;
  host::WorkloadRequest request_;
};

class PlanTarget : public Target {
 public:
  explicit PlanTarget(host::LaunchPlan plan) : plan_(std::move(plan)) {}
  std::vector<host::Check> run(host::Device& device, bool check) override {
    return host::run_plan(device, plan_, check);
  }

 private:
  host::LaunchPlan plan_;
};

void refuse(const Arguments& arguments, std::initializer_list<std::string_view> options, std::string_view where) {
  for (std::string_view option : options)
    if (arguments.has(option))
      fail(arguments.all(option).front().where, fmt::format("--{} goes with {} only", option, where));
}

std::optional<std::string> text(const Arguments& arguments, std::string_view option) {
  auto given = arguments.value(option);
  return given ? std::optional(given->text) : std::nullopt;
}

host::PtxRunOptions ptx_options(const Arguments& arguments) {
  return {.file = arguments.words().front().text,
          .kernel = text(arguments, "kernel"),
          .grid = text(arguments, "grid"),
          .block = text(arguments, "block"),
          .buffers = arguments.texts("buffer"),
          .arguments = arguments.texts("arg"),
          .shared = text(arguments, "shared"),
          .registers = text(arguments, "registers"),
          .outputs = arguments.texts("output")};
}

std::unique_ptr<Target> workload_target(const Arguments& arguments, const Given& word) {
  size_t colon = word.text.find(':');
  std::string name = word.text.substr(0, colon);
  if (name.find_first_of("/.") != std::string::npos)
    fail(word.where, fmt::format("cannot tell what \"{}\" is", word.text),
         "a TARGET is a workload, a launch file (.yaml) or a PTX file (.ptx)");
  const host::Workload* workload = host::find_workload(name);
  if (workload == nullptr) {
    std::vector<std::string_view> names;
    for (const host::Workload& known : host::workloads()) names.push_back(known.name);
    auto near = nearest(name, names);
    fail(word.where, fmt::format("there is no workload \"{}\"", name),
         near ? fmt::format("did you mean \"{}\"?", *near) : fmt::format("there are {}", fmt::join(names, ", ")));
  }
  if (colon != std::string::npos && colon + 1 == word.text.size())
    fail(word.where, fmt::format("which variant of {}?", name),
         fmt::format("{}:{}", name, fmt::join(workload->variants, fmt::format(" or {}:", name))));
  return std::make_unique<WorkloadTarget>(
      *workload, host::WorkloadRequest{.variant = colon == std::string::npos ? "" : word.text.substr(colon + 1),
                                       .variant_where = word.where,
                                       .parameters = arguments.texts("param"),
                                       .directory = workloads_folder() + "/" + name});
}

}  // namespace

std::unique_ptr<Target> find_target(const Arguments& arguments) {
  const Given& word = arguments.words().front();
  bool is_ptx = word.text.ends_with(".ptx");
  bool is_launch_file = word.text.ends_with(".yaml") || word.text.ends_with(".yml");
  if (!is_ptx)
    refuse(arguments, {"kernel", "grid", "block", "buffer", "arg", "shared", "registers", "output"}, "a PTX file");
  if (is_ptx || is_launch_file) refuse(arguments, {"param"}, "a workload");
  if (is_ptx) return std::make_unique<PlanTarget>(host::plan_ptx_run(ptx_options(arguments)));
  if (is_launch_file) return std::make_unique<PlanTarget>(host::load_launch_file(word.text));
  return workload_target(arguments, word);
}

}  // namespace warptime::cli
