// fdtd: a pulse of light in two dimensions, by Maxwell's equations on Yee's grid, through a medium that the user gives:
// here discs of seeded place, size and permittivity inside an absorbing rim. README.md tells the method.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kTile = 16;
// With 11 registers, as published, 768 threads cannot have theirs; README.md.
constexpr uint32_t kRegisters = 10;
constexpr double kCourant = 0.5;  // c dt / dx; stable below 1 / sqrt 2
constexpr double kBytes = 52;     // a cell and step: 7 words and 6 (README.md)

/// Fields and media of width x width cells, in the layout of the kernels (reference.h).
struct Problem {
  size_t width;
  std::vector<float> ez, hx, hy, electric, magnetic;

  explicit Problem(size_t w) : width(w), electric(2 * w * w), magnetic(2 * w * w) {
    for (auto* field : {&ez, &hx, &hy}) field->resize((w + 2) * w);
    add_pulse();
    fill_medium();
  }

  void step() {
    update_h(ez, hx, hy, magnetic, width, width);
    update_e(ez, hx, hy, electric, width, width);
  }

 private:
  static double square(double x) { return x * x; }

  void add_pulse() {
    auto w = static_cast<double>(width);
    for (size_t y = 1; y + 1 < width; ++y)
      for (size_t x = 1; x + 1 < width; ++x) {
        double distance = square(static_cast<double>(x) - w / 2) + square(static_cast<double>(y) - w / 3);
        ez[(y + 1) * width + x] = static_cast<float>(std::exp(-distance / (2 * square(w / 32))));
      }
  }

  void fill_medium() {
    struct Disc {
      double x, y, radius, permittivity;
    };
    host::SplitMix64 random(12);
    auto w = static_cast<double>(width);
    std::vector<Disc> discs(8);
    for (Disc& disc : discs) disc = {random.uniform() * w, random.uniform() * w, random.uniform() * w / 8, 0};
    for (Disc& disc : discs) disc.permittivity = 1 + 3 * random.uniform();
    for (size_t y = 0; y < width; ++y)
      for (size_t x = 0; x < width; ++x) {
        size_t cell = y * width + x, from_border = std::min({x, y, width - 1 - x, width - 1 - y});
        double permittivity = 1;
        for (const Disc& disc : discs)
          if (square(static_cast<double>(x) - disc.x) + square(static_cast<double>(y) - disc.y) < square(disc.radius))
            permittivity = disc.permittivity;
        // The rim, an eighth of the width, takes from both fields alike, the more the further out.
        double loss = 0.2 * square(std::max(0.0, 1 - static_cast<double>(from_border) / (w / 8)));
        set(magnetic, cell, loss, 1);
        set(electric, cell, loss, permittivity);
        // The border conducts perfectly: no electric field there.
        if (from_border == 0) electric[2 * cell] = electric[2 * cell + 1] = 0;
      }
  }

  static void set(std::vector<float>& medium, size_t cell, double loss, double permittivity) {
    medium[2 * cell] = static_cast<float>((1 - loss) / (1 + loss));
    medium[2 * cell + 1] = static_cast<float>(kCourant / permittivity / (1 + loss));
  }
};

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto width = static_cast<size_t>(context["size"]);
  int64_t steps = context["steps"];
  Problem problem(width);
  auto module = device.load_module_file(context.directory + "/fdtd.ptx");
  auto upload = [&](const std::vector<float>& values, const char* name) {
    host::Buffer buffer = device.allocate<float>(values.size(), name);
    device.copy_to(buffer, values, name);
    return buffer;
  };
  host::Buffer ez = upload(problem.ez, "ez"), hx = upload(problem.hx, "hx"), hy = upload(problem.hy, "hy");
  host::Buffer electric = upload(problem.electric, "electric"), magnetic = upload(problem.magnetic, "magnetic");
  auto first_row = [&](host::Buffer buffer) {
    buffer.address += width * sizeof(float);
    return buffer;
  };

  host::LaunchOptions options;
  options.registers_per_thread = static_cast<uint32_t>(context["registers"]);
  auto across = static_cast<uint32_t>(width / kTile);
  double time_us = 0;
  for (int64_t i = 0; i < steps; ++i) {
    for (bool electric_half : {false, true}) {
      const auto& launch =
          device.launch(module, electric_half ? "update_e" : "update_h", {across, across}, {kTile, kTile},
                        {first_row(ez), first_row(hx), first_row(hy), electric_half ? electric : magnetic}, options);
      time_us += launch.time_us;
    }
  }
  if (time_us > 0) {
    double cells = static_cast<double>(width * width) * static_cast<double>(steps);
    device.add_figure({"cells", cells / time_us, "M cells/s", "a step of Hx, Hy and Ez each"});
    device.add_figure({"bandwidth", cells * kBytes / time_us / 1e3, "GB/s", "52 bytes per cell and step"});
  }

  for (int64_t i = 0; context.check && i < steps; ++i) problem.step();
  auto download = [&](const host::Buffer& buffer, const std::vector<float>& expected, const char* name) {
    std::vector<float> got(expected.size());
    device.copy_from(got, buffer, name);
    if (context.check)
      context.checks.push_back(
          host::compare(name, ptx::Type::F32, std::as_bytes(std::span(got)), std::as_bytes(std::span(expected)), {}));
  };
  download(ez, problem.ez, "ez");
  download(hx, problem.hx, "hx");
  download(hy, problem.hy, "hy");
}

/// A step of as many rows as have 2^16 cells, after one that is not counted.
void run_on_cpu(cpu::CpuContext& context) {
  auto width = static_cast<size_t>(context["size"]);
  size_t rows = std::min(width, (size_t{1} << 16) / width);
  Problem problem(width);
  auto field = [&](const std::vector<float>& whole) {
    return cpu::CountedArray<float>(std::span(whole).first((rows + 2) * width));
  };
  auto medium = [&](const std::vector<float>& whole) {
    return cpu::CountedArray<float>(std::span(whole).first(2 * rows * width));
  };
  auto ez = field(problem.ez), hx = field(problem.hx), hy = field(problem.hy);
  auto electric = medium(problem.electric), magnetic = medium(problem.magnetic);
  auto step = [&] {
    update_h(ez, hx, hy, magnetic, rows, width);
    update_e(ez, hx, hy, electric, rows, width);
  };
  step();
  context.core.restart();
  step();
  context.scale = static_cast<double>(context["steps"]) * static_cast<double>(width) / static_cast<double>(rows);
  context.part = fmt::format("a step of {} of {} rows", rows, width);
}

const bool kRegistered = host::register_workload({
    .name = "fdtd",
    .summary = "Maxwell's equations in two dimensions on Yee's grid: five arrays through memory for each half-step",
    .variants = {},
    .parameters =
        {{.name = "size",
          .default_value = 256,
          .low = 32,
          .high = 4096,
          .choices = {32, 64, 128, 256, 512, 1024, 2048, 4096},
          .what = "cells a side"},
         {.name = "steps", .default_value = 40, .low = 1, .high = 100000, .choices = {}, .what = "time steps"},
         {.name = "registers",
          .default_value = kRegisters,
          .low = 1,
          .high = 128,
          .choices = {},
          .what = "registers per thread; 11 are published, with more threads than have room for them"}},
    .published = {{"", "registers per thread", 11, "", "Ryoo et al. 2008, table 3", "geforce-8800-gtx"}},
    .run = run,
    .cpu = run_on_cpu,
});

}  // namespace
}  // namespace warptime::workloads
