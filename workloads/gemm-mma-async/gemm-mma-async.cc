// gemm-mma-async: C = A B by mma.sync, ldmatrix and cp.async.
#include "../gemm-wmma/half_gemm.h"

namespace warptime::workloads {
namespace {

const HalfGemm kGemm{.module = "gemm-mma-async.ptx", .kernel = "gemm_mma_async", .tile = 128, .threads = 256};

const bool kRegistered = host::register_workload({
    .name = "gemm-mma-async",
    .summary = "C = A B with mma.sync, ldmatrix and three stages of cp.async, f16 factors and f32 sums",
    .variants = {},
    .parameters = {half_gemm_size(kGemm.tile)},
    .published = {},
    .run = [](host::WorkloadContext& context) { run_half_gemm(context, kGemm); },
});

}  // namespace
}  // namespace warptime::workloads
