// gemm-wmma: C = A B on tensor cores by the wmma interface.
#include "half_gemm.h"

namespace warptime::workloads {
namespace {

const HalfGemm kGemm{.module = "gemm-wmma.ptx", .kernel = "gemm_wmma", .tile = 64, .threads = 128};

const bool kRegistered = host::register_workload({
    .name = "gemm-wmma",
    .summary = "C = A B with wmma fragments through shared memory, f16 factors and f32 sums",
    .variants = {},
    .parameters = {half_gemm_size(kGemm.tile)},
    .published = {},
    .run = [](host::WorkloadContext& context) { run_half_gemm(context, kGemm); },
});

}  // namespace
}  // namespace warptime::workloads
