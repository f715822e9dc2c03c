// mri-fhd: the vector F^H d of an MRI reconstruction from samples off the grid (Stone et al. 2008), from constant
// memory, from global memory, and with sine and cosine in software. The figure is the rate of evaluations, a sample's
// share at a voxel.
#include <cmath>
#include <complex>

#include "../mri-q/reconstruction.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kRegisters = 12;  // Ryoo et al. 2008, table 3

Reconstruction make_fhd(const std::map<std::string, int64_t>& parameters) {
  Reconstruction fhd{.name = "mri-fhd", .prefix = "fhd", .result = "F^H d", .chunk = 400, .registers = kRegisters};
  set_volume(fhd, parameters);
  host::SplitMix64 random(9);
  auto complex = [&] {
    float re = random.uniform(-1.0f, 1.0f);
    return std::complex<float>(re, random.uniform(-1.0f, 1.0f));
  };
  SampleTable quads{"samples", 4, {}}, imaginary{"imaginary", 1, {}};
  for (uint32_t k = 0; k < fhd.sample_count; ++k) {
    std::array<float, 3> place = sample_place(random, fhd.size);
    std::complex<float> phi = complex(), d = complex(), rho = std::conj(phi) * d;
    quads.values.insert(quads.values.end(), {place[0], place[1], place[2], rho.real()});
    imaginary.values.push_back(rho.imag());
    fhd.samples.insert(fhd.samples.end(), {place[0], place[1], place[2], rho.real(), rho.imag()});
    fhd.weight += std::abs(static_cast<double>(rho.real())) + std::abs(static_cast<double>(rho.imag()));
  }
  fhd.tables = {quads, imaginary};
  fhd.roundings = 2 * (fhd.sample_count + 1.0);
  fhd.reference = add_fhd<std::vector<double>>;
  return fhd;
}

host::Workload describe_fhd() {
  host::Workload workload = describe_reconstruction();
  workload.name = "mri-fhd";
  workload.summary = "MRI reconstruction, vector F^H d: complex samples times phase factors at all voxels";
  workload.published = {
      {"constant", "registers per thread", kRegisters, "any size", "Ryoo et al. 2008, table 3", "geforce-8800-gtx"}};
  workload.run = [](host::WorkloadContext& context) { run_reconstruction(context, make_fhd(context.parameters)); };
  workload.cpu = [](cpu::CpuContext& context) {
    CountedPart part(context, make_fhd(context.parameters));
    add_fhd(part.samples, part.voxels, part.sums);
  };
  return workload;
}

const bool kRegistered = host::register_workload(describe_fhd());

}  // namespace
}  // namespace warptime::workloads
