#include "python/src/device_object.h"

#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "cli/run/run_target.h"
#include "host/report/report.h"
#include "ptx/module_file.h"

namespace warptime::python {

DeviceObject::DeviceObject(std::vector<std::string> words, std::function<bool()> interrupted)
    : follower_(std::move(interrupted), flag_, printed_) {
  cli::CommandLine line(std::move(words));
  const cli::Arguments arguments(cli::run_command().describe(), line, 1);
  target_ = arguments.words().front().text;
  sim::LoadedMachine loaded = cli::load_machine(arguments.value("machine"), arguments.texts("set"), warnings_);
  sim::RunOptions options = cli::run_options(arguments, loaded.machine.config);
  options.interrupt = &flag_;
  options.listener = &follower_;
  device_ = std::make_unique<host::Device>(std::move(loaded.machine), std::move(options));
}

void DeviceObject::read(std::span<std::byte> to, Addr from, const std::string& name, host::CopyOptions options) {
  std::unique_lock guard(lock_);
  if (fault_) return device_->read_bytes(to, from);
  guard.unlock();
  use([&](host::Device& device) { device.copy_from_bytes(to, {from, to.size()}, name, 0, options); });
}

size_t DeviceObject::load(std::shared_ptr<const SourceText> file, const std::string& kernel) {
  return use([&](host::Device& device) {
    Diagnostics diagnostics;
    const ptx::KernelChoice wanted = ptx::parse_kernel_choice(kernel);
    file = ptx::choose_module(std::move(file), {wanted}, {}, diagnostics);
    if (file == nullptr) throw host::InputError(diagnostics.to_text());
    modules_.push_back({file, device.load_module(file)});
    return modules_.size() - 1;
  });
}

void DeviceObject::set_symbol(size_t module, const std::string& symbol, std::span<const std::byte> value) {
  use([&](host::Device& device) { device.copy_to_symbol(modules_.at(module).module, symbol, value, 0); });
}

void DeviceObject::launch(const DeviceLaunch& launch) {
  use([&](host::Device& device) {
    const Loaded& loaded = modules_.at(launch.module);
    const ptx::Kernel& kernel = find_kernel(host::Device::ptx_of(loaded.module), loaded.text->name(), launch.kernel);
    device.enqueue(loaded.module, kernel.name, launch.grid, launch.block, arguments_of(kernel, launch.arguments, {}),
                   launch.options);
  });
}

std::string DeviceObject::statistics(std::optional<size_t> launch) {
  std::lock_guard guard(lock_);
  host::RunReport report;
  report.machine = device_->machine();
  report.target = target_;
  report.cut = fault_;
  report.host.threads = device_->options().threads;
  report.host.simulate_seconds = device_->simulate_seconds();
  report.host.peak_rss_bytes = host::peak_rss_bytes();
  const std::vector<sim::LaunchStatistics>& all = device_->launches();
  if (launch) report.launches = {all.at(*launch)};
  else report.launches = all;
  if (!launch) report.timeline = device_->timeline();
  return host::to_json_text(report);
}

size_t DeviceObject::launches() {
  return use([](host::Device& device) { return device.launches().size(); });
}

std::string DeviceObject::take_printed() {
  std::lock_guard guard(lock_);
  return std::exchange(printed_, {});
}

std::string DeviceObject::take_warnings() {
  std::lock_guard guard(lock_);
  std::string out = std::exchange(warnings_, {}) + device_->warnings().substr(warned_);
  warned_ = device_->warnings().size();
  return out;
}

}  // namespace warptime::python
