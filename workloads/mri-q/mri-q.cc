// mri-q: the matrix Q of an MRI reconstruction from samples off the grid (Stone et al. 2008), from constant memory,
// from global memory, and with sine and cosine in software. The figure is the rate of evaluations, a sample's share at
// a voxel.
#include "reconstruction.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kRegisters = 11;  // Ryoo et al. 2008, table 3

Reconstruction make_q(const std::map<std::string, int64_t>& parameters) {
  Reconstruction q{.name = "mri-q", .prefix = "q", .result = "Q", .chunk = 512, .registers = kRegisters};
  set_volume(q, parameters);
  host::SplitMix64 random(8);
  for (uint32_t k = 0; k < q.sample_count; ++k) {
    std::array<float, 3> place = sample_place(random, q.size);
    float re = random.uniform(-1.0f, 1.0f), im = random.uniform(-1.0f, 1.0f), magnitude = re * re + im * im;  // of phi
    q.samples.insert(q.samples.end(), {place[0], place[1], place[2], magnitude});
    q.weight += static_cast<double>(magnitude);
  }
  q.tables = {{"samples", 4, q.samples}};
  q.roundings = q.sample_count + 1.0;
  q.reference = add_q<std::vector<double>>;
  return q;
}

host::Workload describe_q() {
  host::Workload workload = describe_reconstruction();
  workload.name = "mri-q";
  workload.summary = "MRI reconstruction, matrix Q: sines and cosines of all samples at all voxels";
  workload.published = {
      {"constant", "registers per thread", kRegisters, "any size", "Ryoo et al. 2008, table 3", "geforce-8800-gtx"}};
  workload.run = [](host::WorkloadContext& context) { run_reconstruction(context, make_q(context.parameters)); };
  workload.cpu = [](cpu::CpuContext& context) {
    CountedPart part(context, make_q(context.parameters));
    add_q(part.samples, part.voxels, part.sums);
  };
  return workload;
}

const bool kRegistered = host::register_workload(describe_q());

}  // namespace
}  // namespace warptime::workloads
