// What a machine's hardware may be able to do beyond the base instruction set: the legal names in `features:` of a
// machine file. A form of a card that needs one says so (`.needs`), and so does code that does; what nothing needs has
// no row (tests/rules/features.sh).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warptime::ptx {

//        enumerator        name               what
#define PTX_FEATURES(X)                                                                          \
  X(F64, f64, "double precision arithmetic")                                                     \
  X(F16, f16, "half precision arithmetic")                                                       \
  X(BF16, bf16, "bf16 and tf32 numbers")                                                         \
  X(GlobalAtomics, global_atomics, "atomic operations on global memory")                         \
  X(SharedAtomics, shared_atomics, "atomic operations on shared memory")                         \
  X(Atomics64, atomics_64, "atomic operations on 64-bit words")                                  \
  X(FloatAtomics, float_atomics, "atomic addition of f32")                                       \
  X(DoubleAtomics, double_atomics, "atomic addition of f64, compare-and-swap of 16 bits")        \
  X(WideAtomics, atomics_128, "atomic operations on 128-bit words")                              \
  X(Vote, vote, "vote, activemask")                                                              \
  X(Shuffle, shuffle, "shfl: registers exchanged between lanes")                                 \
  X(Match, match, "match, redux, elect: values of all lanes compared or reduced")                \
  X(AsyncCopies, async_copies, "cp.async: asynchronous copies to shared memory")                 \
  X(Mbarriers, mbarriers, "mbarrier: barriers in shared memory that count arrivals and bytes")   \
  X(BulkCopies, bulk_copies, "cp.async.bulk: asynchronous copies of whole ranges")               \
  X(TensorCopies, tensor_copies, "cp.async.bulk.tensor: copies of boxes of tensors")             \
  X(BarrierReduction, barrier_reduction, "bar.red, bar.arrive and barriers of part of a block")  \
  X(Packed16, packed_16, "operations on two 16-bit integers in a register")                      \
  X(PackedF32, packed_f32, "operations on two f32 in a register, minima of three, redux of f32") \
  X(Fp8, fp8, "conversions to and from numbers of 8 bits")                                       \
  X(Fp4, fp4, "conversions to and from numbers of 4 and 6 bits, and scales of 8")                \
  X(Video, video, "video instructions on bytes, half words and words")                           \
  X(VideoSimd, video_simd, "video instructions on two half words or four bytes")                 \
  X(Tensor, tensor, "tensor cores: mma, wmma, ldmatrix, movmatrix")                              \
  X(TensorFp8, tensor_fp8, "mma of e4m3 and e5m2 numbers")                                       \
  X(MatrixStores, matrix_stores, "stmatrix")                                                     \
  X(Wgmma, wgmma, "wgmma: products of four warps, of matrices in shared memory")                 \
  X(Clusters, clusters, "clusters of blocks, which access each other's shared memory")           \
  X(DeviceRuntime, device_runtime, "printf, assert, malloc and free in device code")

enum class Feature : uint8_t {
#define X(name, ...) name,
  PTX_FEATURES(X)
#undef X
      None,
};

struct FeatureInfo {
  std::string_view name;
  std::string_view what;
};
inline constexpr std::array kFeatures {
#define X(name, key, what) FeatureInfo{#key, what},
  PTX_FEATURES(X)
#undef X
};
/// Not of None.
constexpr const FeatureInfo& info(Feature feature) { return kFeatures[static_cast<size_t>(feature)]; }
constexpr std::string_view name_of(Feature feature) {
  return feature == Feature::None ? std::string_view{} : info(feature).name;
}

}  // namespace warptime::ptx
