// gemm-wgmma: C = A B by tensor copies and wgmma.
#include "../gemm-wmma/half_gemm.h"
#include "host/device/tensor_map.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kTile = 128, kDepth = 64, kBoxColumns = 64, kStages = 4;
constexpr uint32_t kStageBytes = 2 * (kTile * kDepth + kDepth * kTile);
constexpr uint32_t kAlignment = 1024;  // of stages, for the swizzle; the mbarrier objects behind them have as much

/// Boxes of `rows` x 64 elements of a matrix of n x n.
host::Argument tensor_map(const host::Device& device, host::Buffer matrix, uint32_t n, uint32_t rows) {
  host::TensorMap map;
  map.type = host::TensorMap::Type::F16;
  map.rank = 2;
  map.swizzle = host::TensorMap::Swizzle::Bytes128;
  map.address = matrix.address;
  map.dims = {n, n, 1, 1, 1};
  map.strides = {uint64_t{n} * 2, 0, 0, 0};
  map.box = {kBoxColumns, rows, 1, 1, 1};
  return device.make_tensor_map(map);
}

const HalfGemm kGemm{.module = "gemm-wgmma.ptx",
                     .kernel = "gemm_wgmma",
                     .tile = kTile,
                     .threads = 384,
                     .dynamic_shared_bytes = kStages * kStageBytes + kAlignment,
                     .argument_of_factor = [](const host::Device& device, host::Buffer matrix, uint32_t n, bool is_a) {
                       return tensor_map(device, matrix, n, is_a ? kTile : kDepth);
                     }};

const bool kRegistered = host::register_workload({
    .name = "gemm-wgmma",
    .summary =
        "C = A B with wgmma and tensor copies, a warpgroup that copies for two that multiply, f16 factors and f32 sums",
    .variants = {},
    .parameters = {half_gemm_size(kGemm.tile)},
    .published = {},
    .run = [](host::WorkloadContext& context) { run_half_gemm(context, kGemm); },
});

}  // namespace
}  // namespace warptime::workloads
