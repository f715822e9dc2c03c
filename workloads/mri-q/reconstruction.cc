// README.md derives the bounds.
#include "reconstruction.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "host/workload/compare.h"

namespace warptime::workloads {

namespace {

constexpr uint32_t kThreads = 256;
constexpr uint64_t kCheckedEvaluations = uint64_t{1} << 22;   // that a check may cost on the CPU
constexpr uint64_t kCountedEvaluations = uint64_t{1} << 18;   // of the CPU baseline
constexpr double kRounding = 0x1p-24;                         // u of f32
constexpr double kUnitError = 0x1p-20 / std::numbers::sqrt2;  // of sin.approx and cos.approx: 2^-20.5 (PTX ISA, sin)

struct Variant {
  const char* name;
  const char* kernel;  // behind the prefix
  bool published;      // registers; else the estimate
  bool global;
  bool software_sine;
};
constexpr Variant kVariants[] = {
    {"constant", "_constant", true, false, false},
    {"global", "_global", false, true, false},
    {"software-sine", "_software_sine", false, false, true},
};

/// Sums at evenly spread voxels, held against those in double precision.
class Reference {
 public:
  explicit Reference(const Reconstruction& what) : what_(what) {
    // Odd, so that every column comes.
    stride_ = std::max<uint64_t>(1, uint64_t{what.voxel_count()} * what.sample_count / kCheckedEvaluations) | 1;
    std::vector<double> voxels;
    for (size_t v = 0; v < what.voxel_count(); v += stride_)
      voxels.insert(voxels.end(), &what.voxels[3 * v], &what.voxels[3 * v] + 3);
    sums_.resize(voxels.size() / 3 * 2);
    what.reference(std::vector<double>(what.samples.begin(), what.samples.end()), voxels, sums_);
  }

  host::Check check(const Variant& variant, const std::vector<float>& got) const {
    double turns = what_.size * std::numbers::sqrt3 / 4;
    double phase = variant.software_sine ? 3 * kRounding : 3.5 * kRounding * 2 * std::numbers::pi * turns + kUnitError;
    host::Comparison comparison(what_.result + " of " + variant.name, ptx::Type::F32,
                                {what_.weight * (phase + what_.roundings * kRounding), 0});
    for (size_t i = 0; i < sums_.size(); ++i) {
      size_t voxel = i / 2 * stride_;
      comparison.element_f32(got[2 * voxel + i % 2], static_cast<float>(sums_[i]), voxel, i % 2);
    }
    return comparison.result();
  }

 private:
  const Reconstruction& what_;
  size_t stride_;
  std::vector<double> sums_;
};

uint32_t counted_voxels(const Reconstruction& what) {
  return static_cast<uint32_t>(std::clamp<uint64_t>(kCountedEvaluations / what.sample_count, 4, what.voxel_count()));
}

/// A reconstruction on a device.
class Program {
 public:
  Program(host::Device& device, const std::string& directory, const Reconstruction& what)
      : device_(device), what_(what), module_(device.load_module_file(directory + "/" + what.name + ".ptx")) {
    voxels_ = device.allocate<float>(what.voxels.size(), "voxels");
    device.copy_to(voxels_, what.voxels, "voxels");
    sums_ = device.allocate<float>(size_t{2} * what.voxel_count(), "sums");
  }

  /// From sums of zero, a launch a chunk of samples; returns the launches' time in us.
  double run(const Variant& variant) {
    std::vector<float> zeros(size_t{2} * what_.voxel_count());
    device_.write_bytes(sums_.address, std::as_bytes(std::span(zeros)));
    if (variant.global) copy_samples();
    host::LaunchOptions options;
    options.registers_per_thread = variant.published ? what_.registers : 0;
    double time_us = 0;
    for (uint32_t first = 0; first < what_.sample_count; first += what_.chunk) {
      uint32_t count = std::min(what_.chunk, what_.sample_count - first);
      std::vector<host::Argument> arguments;
      if (variant.global) arguments = global_samples(first);
      else set_samples(first, count);
      arguments.insert(arguments.end(), {host::arg_u32(count), voxels_, sums_});
      const auto& launch = device_.launch(module_, what_.prefix + variant.kernel, {what_.voxel_count() / kThreads},
                                          {kThreads}, arguments, options);
      time_us += launch.time_us;
    }
    return time_us;
  }

  std::vector<float> sums() {
    std::vector<float> sums(size_t{2} * what_.voxel_count());
    device_.copy_from(sums, sums_, what_.result);
    return sums;
  }

 private:
  void copy_samples() {
    for (const SampleTable& table : what_.tables) {
      samples_.push_back(device_.allocate<float>(table.values.size(), table.symbol));
      device_.copy_to(samples_.back(), table.values, table.symbol);
    }
  }
  std::vector<host::Argument> global_samples(uint32_t first) const {
    std::vector<host::Argument> arguments;
    for (size_t i = 0; i < samples_.size(); ++i) {
      uint64_t offset = uint64_t{first} * what_.tables[i].words * sizeof(float);
      arguments.push_back(host::Buffer{samples_[i].address + offset, samples_[i].bytes - offset});
    }
    return arguments;
  }
  void set_samples(uint32_t first, uint32_t count) {
    for (const SampleTable& table : what_.tables) {
      std::vector<float> chunk(size_t{table.words} * what_.chunk);
      std::copy_n(&table.values[size_t{table.words} * first], size_t{table.words} * count, chunk.begin());
      device_.set_symbol(module_, table.symbol, std::as_bytes(std::span(chunk)));
    }
  }

  host::Device& device_;
  const Reconstruction& what_;
  host::ModuleRef module_;
  host::Buffer voxels_, sums_;
  std::vector<host::Buffer> samples_;
};

}  // namespace

void set_volume(Reconstruction& what, const std::map<std::string, int64_t>& parameters) {
  what.size = static_cast<uint32_t>(parameters.at("size"));
  what.sample_count = static_cast<uint32_t>(parameters.at("samples"));
  if (what.sample_count == 0) what.sample_count = what.voxel_count() / 32;
  auto coordinate = [&](uint32_t i) { return static_cast<float>(i) / static_cast<float>(what.size) - 0.5f; };
  for (uint32_t i = 0; i < what.voxel_count(); ++i)
    for (uint32_t place : {i % what.size, i / what.size % what.size, i / what.size / what.size})
      what.voxels.push_back(coordinate(place));
}

std::array<float, 3> sample_place(host::SplitMix64& random, uint32_t size) {
  float radius = static_cast<float>(size) / 2;
  for (;;) {
    std::array<float, 3> place;
    float square = 0;
    for (float& p : place) {
      p = std::floor(random.uniform(-radius, radius) * 128) / 128;
      square += p * p;
    }
    if (square <= radius * radius) return place;
  }
}

void run_reconstruction(host::WorkloadContext& context, const Reconstruction& what) {
  Program program(context.device, context.directory, what);
  std::optional<Reference> reference;
  for (const Variant& variant : kVariants) {
    if (!context.runs(variant.name)) continue;
    double time_us = program.run(variant);
    if (time_us > 0)
      context.device.add_figure({what.prefix + variant.kernel + "_evaluations",
                                 static_cast<double>(what.sample_count) * what.voxel_count() / time_us / 1e3,
                                 "G evaluations/s", "samples times voxels"});
    std::vector<float> sums = program.sums();
    if (!context.check) continue;
    if (!reference) reference.emplace(what);
    context.checks.push_back(reference->check(variant, sums));
  }
}

CountedPart::CountedPart(cpu::CpuContext& context, const Reconstruction& what)
    : samples(what.samples),
      voxels(std::span(what.voxels).first(size_t{3} * counted_voxels(what))),
      sums(size_t{2} * counted_voxels(what)) {
  if (counted_voxels(what) == what.voxel_count()) return;
  context.scale = static_cast<double>(what.voxel_count()) / counted_voxels(what);
  context.part = fmt::format("{} of {} voxels", counted_voxels(what), what.voxel_count());
}

host::Workload describe_reconstruction() {
  host::Workload workload;
  for (const Variant& variant : kVariants) workload.variants.emplace_back(variant.name);
  workload.parameters = {{.name = "size",
                          .default_value = 32,
                          .low = 8,
                          .high = 256,
                          .choices = {8, 16, 32, 64, 128, 256},
                          .what = "voxels on a side: 16 a test, 32 the default, 128 as published"},
                         {.name = "samples",
                          .default_value = 0,
                          .low = 0,
                          .high = 1 << 24,
                          .choices = {},
                          .what = "of the scan; 0: one for 32 voxels"}};
  return workload;
}

}  // namespace warptime::workloads
