#include "cuda/properties.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "cuda/capability.h"
#include "host/report/report.h"
#include "sim/model/occupancy.h"

namespace warptime::cuda {

namespace {

int whole(double value) { return static_cast<int>(std::min(std::llround(value), 2147483647LL)); }
template <class T>
int whole_of(T value) {
  return whole(static_cast<double>(value));
}

}  // namespace

Properties11 properties_of(const sim::Machine& machine) {
  const sim::MachineConfig& config = machine.config;
  const sim::SmConfig& sm = config.sm;
  const uint32_t capability = capability_of(config);
  constexpr double kKilo = 1000, kBitsPerTransfer = 2.0 / 8;  // double data rate
  Properties11 p{};
  std::strncpy(p.name, machine.name.c_str(), sizeof p.name - 1);
  p.totalGlobalMem = config.memory.bytes;
  p.sharedMemPerBlock = p.sharedMemPerBlockOptin = p.sharedMemPerMultiprocessor = sm.shared.bytes;
  p.regsPerBlock = whole_of(sim::max_registers_per_block(config));
  p.regsPerMultiprocessor = whole_of(sm.registers);
  p.warpSize = 32;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = whole_of(sm.max_threads_per_block);
  const sim::GridConfig& grid = config.grid;
  const std::array blocks{grid.max_block_x, grid.max_block_y, grid.max_block_z},
      grids{grid.max_x, grid.max_y, grid.max_z};
  for (size_t i = 0; i < blocks.size(); ++i) {
    p.maxThreadsDim[i] = whole_of(blocks[i]);
    p.maxGridSize[i] = whole_of(grids[i]);
  }
  p.clockRate = whole(config.clocks.shader_mhz * kKilo);
  p.totalConstMem = config.constant.bytes;
  p.major = whole_of(capability / 10);
  p.minor = whole_of(capability % 10);
  // CUDA C Programming Guide, table of the technical specifications per compute capability.
  const int height = capability < 20 ? 32768 : capability < 30 ? 65535 : 65536, slices = capability < 30 ? 2048 : 4096;
  p.maxTexture1D = capability < 20 ? 8192 : 65536;
  p.maxTexture1DLinear = 1 << 27;
  p.maxTexture2D[0] = p.maxTexture2DLinear[0] = 65536;
  p.maxTexture2D[1] = p.maxTexture2DLinear[1] = height;
  p.maxTexture2DLinear[2] = 1 << 20;  // bytes of a row
  std::fill(std::begin(p.maxTexture3D), std::end(p.maxTexture3D), slices);
  p.textureAlignment = config.memory.allocation_alignment;
  p.texturePitchAlignment = 32;
  p.deviceOverlap = config.host.copy_engines > 0 ? 1 : 0;
  p.multiProcessorCount = whole_of(config.chip.tpcs * config.chip.sms_per_tpc);
  p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = 1;
  p.concurrentKernels = config.chip.concurrent_kernels > 1 ? 1 : 0;
  p.asyncEngineCount = whole_of(config.host.copy_engines);
  p.memoryClockRate = whole(config.clocks.memory_mhz * kKilo);
  p.memoryBusWidth = whole(host::peak_bandwidth_gb_s(config) * kKilo / (config.clocks.memory_mhz * kBitsPerTransfer));
  p.l2CacheSize = whole_of(uint64_t{config.l2.cache.bytes} * config.memory.partitions);
  p.maxThreadsPerMultiProcessor = whole_of(sm.max_threads);
  p.maxBlocksPerMultiProcessor = whole_of(sm.max_blocks);
  p.globalL1CacheSupported = p.localL1CacheSupported = config.l1.cache.bytes > 0 ? 1 : 0;
  p.cooperativeLaunch = capability >= 60 ? 1 : 0;
  p.computePreemptionSupported = p.concurrentManagedAccess = 0;
  return p;
}

void set_newer(int* members) {
  constexpr size_t kHostRegister = 0, kMemoryPools = 4;
  members[kHostRegister] = members[kMemoryPools] = 1;
}

Properties13 properties_13(const Properties11& from) {
  Properties13 to{};
#define COPY(type, member, extent) std::memcpy(&to.member, &from.member, sizeof to.member);
#define ONLY_11(type, member, extent)  // CUDA 13 has no such member
  CUDA_PROPERTIES(COPY, ONLY_11)
#undef COPY
#undef ONLY_11
  set_newer(to.newer);
  return to;
}

std::optional<int> attribute_of(const sim::Machine& machine, int number) {
  constexpr int kLast = 147;
  const Properties11 p = properties_of(machine);
  // By the numbers of cudaDeviceAttr.
  const std::pair<int, int> rows[] = {{1, p.maxThreadsPerBlock},
                                      {2, p.maxThreadsDim[0]},
                                      {3, p.maxThreadsDim[1]},
                                      {4, p.maxThreadsDim[2]},
                                      {5, p.maxGridSize[0]},
                                      {6, p.maxGridSize[1]},
                                      {7, p.maxGridSize[2]},
                                      {8, whole_of(p.sharedMemPerBlock)},
                                      {9, whole_of(p.totalConstMem)},
                                      {10, p.warpSize},
                                      {11, whole_of(p.memPitch)},
                                      {12, p.regsPerBlock},
                                      {13, p.clockRate},
                                      {14, whole_of(p.textureAlignment)},
                                      {15, p.deviceOverlap},
                                      {16, p.multiProcessorCount},
                                      {19, p.canMapHostMemory},
                                      {21, p.maxTexture1D},
                                      {22, p.maxTexture2D[0]},
                                      {23, p.maxTexture2D[1]},
                                      {24, p.maxTexture3D[0]},
                                      {25, p.maxTexture3D[1]},
                                      {26, p.maxTexture3D[2]},
                                      {31, p.concurrentKernels},
                                      {36, p.memoryClockRate},
                                      {37, p.memoryBusWidth},
                                      {38, p.l2CacheSize},
                                      {39, p.maxThreadsPerMultiProcessor},
                                      {40, p.asyncEngineCount},
                                      {41, p.unifiedAddressing},
                                      {51, whole_of(p.texturePitchAlignment)},
                                      {69, p.maxTexture1DLinear},
                                      {70, p.maxTexture2DLinear[0]},
                                      {71, p.maxTexture2DLinear[1]},
                                      {72, p.maxTexture2DLinear[2]},
                                      {75, p.major},
                                      {76, p.minor},
                                      {79, p.globalL1CacheSupported},
                                      {80, p.localL1CacheSupported},
                                      {81, whole_of(p.sharedMemPerMultiprocessor)},
                                      {82, p.regsPerMultiprocessor},
                                      {83, p.managedMemory},
                                      {95, p.cooperativeLaunch},
                                      {97, whole_of(p.sharedMemPerBlockOptin)},
                                      {99, 1},   // cudaDevAttrHostRegisterSupported
                                      {115, 1},  // cudaDevAttrMemoryPoolsSupported
                                      {106, p.maxBlocksPerMultiProcessor}};
  for (const auto& [known, value] : rows)
    if (known == number) return value;
  return number > 0 && number <= kLast ? std::optional(0) : std::nullopt;
}

}  // namespace warptime::cuda
