// mri-fhd: the vector F^H d of an MRI reconstruction from samples off the grid (Stone et al. 2008), from constant
// memory, from global memory, and with sine and cosine in software. The figure is the rate of evaluations, a sample's
// share at a voxel. README.md counts the work and derives the bounds.
#include <cmath>
#include <complex>
#include <numbers>

#include "host/compare.h"
#include "host/random.h"
#include "host/workload.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kThreads = 256;
constexpr uint32_t kChunk = 400;                              // samples a launch
constexpr uint32_t kRegisters = 12;                           // Ryoo et al. 2008, table 3
constexpr uint64_t kCheckedEvaluations = uint64_t{1} << 22;   // that a check may cost on the CPU
constexpr double kRounding = 0x1p-24;                         // u of f32
constexpr double kUnitError = 0x1p-20 / std::numbers::sqrt2;  // of sin.approx and cos.approx: 2^-20.5 (PTX ISA, sin)

struct Variant {
  const char* name;
  const char* kernel;
  uint32_t registers;  // 0: the estimate
  bool global;
  bool software_sine;
};
constexpr Variant kVariants[] = {
    {"constant", "fhd_constant", kRegisters, false, false},
    {"global", "fhd_global", 0, true, false},
    {"software-sine", "fhd_software_sine", 0, false, true},
};

/// What a scan of a cube of `size` voxels on a side gives: the samples' places, phi and d, and of these rho.
struct Scan {
  std::vector<float> samples;    // (x, y, z, re rho) each
  std::vector<float> imaginary;  // im rho each
  std::vector<float> voxels;     // (x, y, z) each, x fastest
  double weight = 0;             // sum of |re rho| + |im rho|
  double turns = 0;              // the most that a sample and a voxel have

  Scan(uint32_t size, uint32_t count);
  uint32_t sample_count() const { return static_cast<uint32_t>(imaginary.size()); }
  uint32_t voxel_count() const { return static_cast<uint32_t>(voxels.size() / 3); }
};

// Voxels are multiples of 1 / size in [-1/2, 1/2), samples multiples of 2^-7 within the sphere that a scan of this
// resolution fills, so that f32 products and sums of them are exact.
Scan::Scan(uint32_t size, uint32_t count) {
  host::SplitMix64 random(9);
  float radius = static_cast<float>(size) / 2;
  auto complex = [&] {
    float re = random.uniform(-1.0f, 1.0f);
    return std::complex<float>(re, random.uniform(-1.0f, 1.0f));
  };
  while (imaginary.size() < count) {
    float place[3], square = 0;
    for (float& p : place) {
      p = std::floor(random.uniform(-radius, radius) * 128) / 128;
      square += p * p;
    }
    if (square > radius * radius) continue;
    std::complex<float> phi = complex(), d = complex(), rho = std::conj(phi) * d;
    samples.insert(samples.end(), {place[0], place[1], place[2], rho.real()});
    imaginary.push_back(rho.imag());
    weight += std::abs(static_cast<double>(rho.real())) + std::abs(static_cast<double>(rho.imag()));
  }
  auto coordinate = [&](uint32_t i) { return static_cast<float>(i) / static_cast<float>(size) - 0.5f; };
  for (uint32_t i = 0; i < size * size * size; ++i)
    voxels.insert(voxels.end(), {coordinate(i % size), coordinate(i / size % size), coordinate(i / size / size)});
  turns = static_cast<double>(radius) * std::numbers::sqrt3 / 2;
}

/// Sums at evenly spread voxels, held against those in double precision.
class Reference {
 public:
  explicit Reference(const Scan& scan) : scan_(scan) {
    // Odd, so that every column comes.
    stride_ = std::max<uint64_t>(1, uint64_t{scan.voxel_count()} * scan.sample_count() / kCheckedEvaluations) | 1;
    std::vector<double> samples, places;
    for (size_t k = 0; k < scan.sample_count(); ++k) {
      samples.insert(samples.end(), &scan.samples[4 * k], &scan.samples[4 * k] + 4);
      samples.push_back(static_cast<double>(scan.imaginary[k]));
    }
    for (size_t v = 0; v < scan.voxel_count(); v += stride_)
      places.insert(places.end(), &scan.voxels[3 * v], &scan.voxels[3 * v] + 3);
    sums_.resize(places.size() / 3 * 2);
    add_fhd(samples, places, sums_);
  }

  host::Check check(const std::string& name, const std::vector<float>& got, bool software_sine) const {
    double roundings = 2.0 * (scan_.sample_count() + 1) * kRounding;
    double phase = software_sine ? 3 * kRounding : 3.5 * kRounding * 2 * std::numbers::pi * scan_.turns + kUnitError;
    host::Comparison comparison(name, ptx::Type::F32, {scan_.weight * (phase + roundings), 0});
    for (size_t i = 0; i < sums_.size(); ++i) {
      size_t voxel = i / 2 * stride_;
      comparison.element_f32(got[2 * voxel + i % 2], static_cast<float>(sums_[i]), voxel, i % 2);
    }
    return comparison.result();
  }

 private:
  const Scan& scan_;
  size_t stride_;
  std::vector<double> sums_;
};

/// The device's copies of a scan and the sums.
class Program {
 public:
  Program(host::Device& device, const std::string& directory, const Scan& scan)
      : device_(device), scan_(scan), module_(device.load_module_file(directory + "/mri-fhd.ptx")) {
    voxels_ = device.allocate<float>(scan.voxels.size(), "voxels");
    device.copy_to(voxels_, scan.voxels, "voxels");
    sums_ = device.allocate<float>(size_t{2} * scan.voxel_count(), "sums");
  }

  /// From sums of zero, a launch a chunk of samples; returns the launches' time in us.
  double run(const Variant& variant) {
    std::vector<float> zeros(size_t{2} * scan_.voxel_count());
    device_.write_bytes(sums_.address, std::as_bytes(std::span(zeros)));
    if (variant.global) copy_samples();
    host::LaunchOptions options;
    options.registers_per_thread = variant.registers;
    double time_us = 0;
    for (uint32_t first = 0; first < scan_.sample_count(); first += kChunk) {
      uint32_t count = std::min(kChunk, scan_.sample_count() - first);
      std::vector<host::Argument> arguments{host::arg_u32(count), voxels_, sums_};
      if (variant.global)
        arguments.insert(arguments.begin(),
                         {from(samples_, 4 * sizeof(float) * first), from(imaginary_, sizeof(float) * first)});
      else set_samples(first, count);
      time_us +=
          device_.launch(module_, variant.kernel, {scan_.voxel_count() / kThreads}, {kThreads}, arguments, options)
              .time_us;
    }
    return time_us;
  }

  std::vector<float> sums() {
    std::vector<float> sums(size_t{2} * scan_.voxel_count());
    device_.copy_from(sums, sums_, "F^H d");
    return sums;
  }

 private:
  static host::Buffer from(const host::Buffer& buffer, uint64_t offset) {
    return {buffer.address + offset, buffer.bytes - offset};
  }

  void copy_samples() {
    samples_ = device_.allocate<float>(scan_.samples.size(), "samples");
    imaginary_ = device_.allocate<float>(scan_.imaginary.size(), "imaginary");
    device_.copy_to(samples_, scan_.samples, "samples");
    device_.copy_to(imaginary_, scan_.imaginary, "imaginary");
  }

  void set_samples(uint32_t first, uint32_t count) {
    set("samples", std::span(scan_.samples).subspan(size_t{4} * first, size_t{4} * count), size_t{4} * kChunk);
    set("imaginary", std::span(scan_.imaginary).subspan(first, count), kChunk);
  }
  void set(const char* symbol, std::span<const float> values, size_t size) {
    std::vector<float> table(values.begin(), values.end());
    table.resize(size);
    device_.set_symbol(module_, symbol, std::as_bytes(std::span(table)));
  }

  host::Device& device_;
  const Scan& scan_;
  host::ModuleRef module_;
  host::Buffer voxels_, sums_, samples_, imaginary_;
};

void run(host::WorkloadContext& context) {
  int64_t size = context["size"], samples = context["samples"];
  Scan scan(static_cast<uint32_t>(size), static_cast<uint32_t>(samples == 0 ? size * size * size / 32 : samples));
  Program program(context.device, context.directory, scan);
  std::optional<Reference> reference;
  for (const Variant& variant : kVariants) {
    if (!context.runs(variant.name)) continue;
    double time_us = program.run(variant);
    if (context.device.launches().back().timed)
      context.device.add_figure({std::string(variant.kernel) + "_evaluations",
                                 static_cast<double>(scan.sample_count()) * scan.voxel_count() / time_us / 1e3,
                                 "G evaluations/s", "samples times voxels"});
    std::vector<float> sums = program.sums();
    if (!context.check) continue;
    if (!reference) reference.emplace(scan);
    context.checks.push_back(reference->check(std::string("F^H d of ") + variant.name, sums, variant.software_sine));
  }
}

const bool kRegistered = host::register_workload({
    .name = "mri-fhd",
    .summary = "MRI reconstruction, vector F^H d: complex samples times phase factors at all voxels",
    .variants = {"constant", "global", "software-sine"},
    .parameters = {{.name = "size",
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
                    .what = "of the scan; 0: one for 32 voxels"}},
    .published = {{"constant", "registers a thread", kRegisters, "any size", "Ryoo et al. 2008, table 3",
                   "geforce-8800-gtx"}},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
