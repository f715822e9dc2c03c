// What mri-q and mri-fhd have in common: samples of a scan and voxels of a volume, kernels that add a chunk of samples
// to the sums at all voxels, a launch a chunk, and the check. The two differ in what a sample carries and adds.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cpu/counted.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {

/// Samples as the kernels read them, `words` each: a chunk at a time from a module's constant `symbol`, or from global
/// memory.
struct SampleTable {
  const char* symbol;
  uint32_t words;
  std::vector<float> values;
};

struct Reconstruction {
  std::string name;    // of the workload and its module
  std::string prefix;  // of its kernels
  std::string result;  // what they compute
  uint32_t chunk;      // samples a launch
  uint32_t registers;  // a thread of the kernel `constant`, as published

  uint32_t size = 0, sample_count = 0;  // voxels on a side; samples
  std::vector<float> voxels = {};       // (x, y, z) each, x fastest, in fields of view
  std::vector<SampleTable> tables = {};
  std::vector<float> samples = {};  // what `reference` takes
  double weight = 0;                // what all samples together may add to an element, in magnitude
  double roundings = 0;             // of `weight`, that a sum may be off by
  /// Adds the samples at the voxels to the sums, (re, im) each.
  std::function<void(const std::vector<double>& samples, const std::vector<double>& voxels, std::vector<double>& sums)>
      reference = {};

  uint32_t voxel_count() const { return size * size * size; }
};

/// The size and the number of samples that were asked for, and the voxels.
void set_volume(Reconstruction& what, const std::map<std::string, int64_t>& parameters);
/// The place of a sample, in cycles a field of view: a multiple of 2^-7 within the sphere that a scan of so many voxels
/// on a side fills. Products with voxels and sums of these are exact in f32.
std::array<float, 3> sample_place(host::SplitMix64& random, uint32_t size);
/// Each variant that is asked for, with its figure and check.
void run_reconstruction(host::WorkloadContext& context, const Reconstruction& what);
/// All samples, and the first voxels with their sums: what the CPU baseline counts.
struct CountedPart {
  CountedPart(cpu::CpuContext& context, const Reconstruction& what);
  cpu::CountedArray<float> samples, voxels, sums;
};
/// Name, summary, `run`, `cpu` and published registers are the workload's own.
host::Workload describe_reconstruction();

}  // namespace warptime::workloads
