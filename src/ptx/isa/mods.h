// The suffix words of instructions that are not types, and sets of them (PTX ISA 9.0, chapter 9).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warptime::ptx {

// Every suffix word of an instruction that is not a type. The order is the order in which a set is printed.
//        enumerator  spelling (with its dot)
// A modifier that changes values is also in kValueMods (sim/exec/handler_key.h).
#define PTX_MODS(X)                                                                            \
  /* comparison (9.3) */                                                                       \
  X(Eq, ".eq")                                                                                 \
  X(Ne, ".ne")                                                                                 \
  X(Lt, ".lt")                                                                                 \
  X(Le, ".le")                                                                                 \
  X(Gt, ".gt")                                                                                 \
  X(Ge, ".ge")                                                                                 \
  X(Lo_, ".lo")                                                                                \
  X(Ls, ".ls")                                                                                 \
  X(Hi_, ".hi")                                                                                \
  X(Hs, ".hs")                                                                                 \
  X(Equ, ".equ")                                                                               \
  X(Neu, ".neu")                                                                               \
  X(Ltu, ".ltu")                                                                               \
  X(Leu, ".leu")                                                                               \
  X(Gtu, ".gtu")                                                                               \
  X(Geu, ".geu")                                                                               \
  X(Num, ".num")                                                                               \
  X(Nan, ".nan") /* combining a comparison with a predicate; operations of atom, red, redux */ \
  X(And, ".and")                                                                               \
  X(Or, ".or")                                                                                 \
  X(Xor, ".xor")                                                                               \
  X(Exch, ".exch")                                                                             \
  X(Cas, ".cas")                                                                               \
  X(Add, ".add")                                                                               \
  X(Inc, ".inc")                                                                               \
  X(Dec, ".dec")                                                                               \
  X(Min, ".min")                                                                               \
  X(Max, ".max")                                                                               \
  X(Noftz, ".noftz")                                                                           \
  X(Popc, ".popc") /* which half of a product */                                               \
  X(Lo, ".lo")                                                                                 \
  X(Hi, ".hi")                                                                                 \
  X(Wide, ".wide") /* carry */                                                                 \
  X(Cc, ".cc")     /* rounding */                                                              \
  X(Rn, ".rn")                                                                                 \
  X(Rz, ".rz")                                                                                 \
  X(Rm, ".rm")                                                                                 \
  X(Rp, ".rp")                                                                                 \
  X(Rna, ".rna")                                                                               \
  X(Rs, ".rs")                                                                                 \
  X(Rni, ".rni")                                                                               \
  X(Rzi, ".rzi")                                                                               \
  X(Rmi, ".rmi")                                                                               \
  X(Rpi, ".rpi")                                                                               \
  X(Approx, ".approx")                                                                         \
  X(Full, ".full")                                                                             \
  X(Ftz, ".ftz")                                                                               \
  X(Sat, ".sat")                                                                               \
  X(Satfinite, ".satfinite")                                                                   \
  X(Oob, ".oob")                                                                               \
  X(Relu, ".relu")                                                                             \
  X(NaN, ".NaN")                                                                               \
  X(XorSign, ".xorsign")                                                                       \
  X(Abs, ".abs") /* shifts and bit fields */                                                   \
  X(Left, ".l")                                                                                \
  X(Right, ".r")                                                                               \
  X(Wrap, ".wrap")                                                                             \
  X(Clamp, ".clamp")                                                                           \
  X(ShiftAmt, ".shiftamt")                                                                     \
  X(F4e, ".f4e")                                                                               \
  X(B4e, ".b4e")                                                                               \
  X(Rc8, ".rc8")                                                                               \
  X(Ecl, ".ecl")                                                                               \
  X(Ecr, ".ecr")                                                                               \
  X(Rc16, ".rc16") /* testp */                                                                 \
  X(Finite, ".finite")                                                                         \
  X(Infinite, ".infinite")                                                                     \
  X(Number, ".number")                                                                         \
  X(NotANumber, ".notanumber")                                                                 \
  X(Normal, ".normal")                                                                         \
  X(Subnormal, ".subnormal") /* memory: space, order, scope, cache and vector */               \
  X(Const, ".const")                                                                           \
  X(Global, ".global")                                                                         \
  X(Local, ".local")                                                                           \
  X(Param, ".param")                                                                           \
  X(ParamEntry, ".param::entry")                                                               \
  X(ParamFunc, ".param::func")                                                                 \
  X(Shared, ".shared")                                                                         \
  X(SharedCta, ".shared::cta")                                                                 \
  X(Weak, ".weak")                                                                             \
  X(Volatile, ".volatile")                                                                     \
  X(Relaxed, ".relaxed")                                                                       \
  X(Acquire, ".acquire")                                                                       \
  X(Release, ".release")                                                                       \
  X(AcqRel, ".acq_rel")                                                                        \
  X(Sc, ".sc")                                                                                 \
  X(Mmio, ".mmio")                                                                             \
  X(ScopeCta, ".cta")                                                                          \
  X(ScopeCluster, ".cluster")                                                                  \
  X(ScopeGpu, ".gpu")                                                                          \
  X(ScopeSys, ".sys")                                                                          \
  X(Gl, ".gl")                                                                                 \
  X(Ca, ".ca")                                                                                 \
  X(Cg, ".cg")                                                                                 \
  X(Cs, ".cs")                                                                                 \
  X(Lu, ".lu")                                                                                 \
  X(Cv, ".cv")                                                                                 \
  X(Wb, ".wb")                                                                                 \
  X(Wt, ".wt")                                                                                 \
  X(Nc, ".nc")                                                                                 \
  X(EvictNormal, ".L1::evict_normal")                                                          \
  X(EvictUnchanged, ".L1::evict_unchanged")                                                    \
  X(EvictFirst, ".L1::evict_first")                                                            \
  X(EvictLast, ".L1::evict_last")                                                              \
  X(NoAllocate, ".L1::no_allocate")                                                            \
  X(CacheHint, ".L2::cache_hint")                                                              \
  X(L2EvictFirst, ".L2::evict_first")                                                          \
  X(L2EvictLast, ".L2::evict_last")                                                            \
  X(L2EvictNormal, ".L2::evict_normal")                                                        \
  X(L2EvictUnchanged, ".L2::evict_unchanged")                                                  \
  X(ThenEvictFirst, ".L2::evict_first")                                                        \
  X(ThenEvictUnchanged, ".L2::evict_unchanged")                                                \
  X(Fractional, ".fractional")                                                                 \
  X(Range, ".range")                                                                           \
  X(FromHost, ".cvt")                                                                          \
  X(Prefetch64, ".L2::64B")                                                                    \
  X(Prefetch128, ".L2::128B")                                                                  \
  X(Prefetch256, ".L2::256B")                                                                  \
  X(V2, ".v2")                                                                                 \
  X(V4, ".v4")                                                                                 \
  X(V8, ".v8")                                                                                 \
  X(To, ".to")                                                                                 \
  X(L1, ".L1")                                                                                 \
  X(L2, ".L2") /* control and collectives */                                                   \
  X(Uni, ".uni")                                                                               \
  X(Sync, ".sync")                                                                             \
  X(Arrive, ".arrive")                                                                         \
  X(Red, ".red")                                                                               \
  X(Aligned, ".aligned")                                                                       \
  X(All, ".all")                                                                               \
  X(Any, ".any")                                                                               \
  X(Ballot, ".ballot")                                                                         \
  X(Up, ".up")                                                                                 \
  X(Down, ".down")                                                                             \
  X(Bfly, ".bfly")                                                                             \
  X(Idx, ".idx")                                                                               \
  X(ThreadGroup, ".cta_")                                                                      \
  X(Pack, ".pack") /* what cvt.pack makes of each number; some are types, too */               \
  X(ToU2, ".u2")                                                                               \
  X(ToS2, ".s2")                                                                               \
  X(ToU4, ".u4")                                                                               \
  X(ToS4, ".s4")                                                                               \
  X(ToU8, ".u8")                                                                               \
  X(ToS8, ".s8")                                                                               \
  X(ToU16, ".u16")                                                                             \
  X(ToS16, ".s16") /* texture geometry */                                                      \
  X(Geom1d, ".1d")                                                                             \
  X(Geom2d, ".2d")                                                                             \
  X(Geom3d, ".3d")                                                                             \
  X(Warp, ".warp") /* what does nothing here */                                                \
  X(Mask, ".mask")                                                                             \
  X(Proxy, ".proxy")                                                                           \
  X(Alias, ".alias")                                                                           \
  X(LaunchDependents, ".launch_dependents")                                                    \
  X(Wait, ".wait") /* asynchronous copies and mbarrier objects */                              \
  X(Async, ".async")                                                                           \
  X(CommitGroup, ".commit_group")                                                              \
  X(WaitGroup, ".wait_group")                                                                  \
  X(WaitAll, ".wait_all")                                                                      \
  X(MbarrierWord, ".mbarrier")                                                                 \
  X(NoInc, ".noinc")                                                                           \
  X(Bulk, ".bulk")                                                                             \
  X(Read, ".read")                                                                             \
  X(Init, ".init")                                                                             \
  X(Inval, ".inval")                                                                           \
  X(ArriveDrop, ".arrive_drop")                                                                \
  X(ExpectTx, ".expect_tx")                                                                    \
  X(CompleteTx, ".complete_tx")                                                                \
  X(TestWait, ".test_wait")                                                                    \
  X(TryWait, ".try_wait")                                                                      \
  X(Parity, ".parity")                                                                         \
  X(PendingCount, ".pending_count")                                                            \
  X(NoComplete, ".noComplete")                                                                 \
  X(SharedCluster, ".shared::cluster")                                                         \
  X(CompleteTxBytes, ".mbarrier::complete_tx::bytes")                                          \
  X(BulkGroup, ".bulk_group")                                                                  \
  X(MbarrierInit, ".mbarrier_init")                                                            \
  X(PrefetchWord, ".prefetch")                                                                 \
  X(Reduce, ".reduce")                                                                         \
  X(Geom1dArray, ".a1d")                                                                       \
  X(Geom2dArray, ".a2d")                                                                       \
  X(GeomCube, ".cube")                                                                         \
  X(GeomCubeArray, ".acube")                                                                   \
  X(GeomSamples, ".2dms")                                                                      \
  X(GeomSamplesArray, ".a2dms")                                                                \
  X(LevelOfDetail, ".level")                                                                   \
  X(BaseLevel, ".base")                                                                        \
  X(Gradient, ".grad")                                                                         \
  X(Red1, ".r") /* the channel that tld4 gathers */                                            \
  X(Green, ".g")                                                                               \
  X(Blue, ".b")                                                                                \
  X(Alpha, ".a")                                                                               \
  X(Unformatted, ".b") /* surfaces */                                                          \
  X(Formatted, ".p")                                                                           \
  X(TrapOutside, ".trap")                                                                      \
  X(ZeroOutside, ".zero")                                                                      \
  X(Width, ".width") /* what txq and suq ask for */                                            \
  X(Height, ".height")                                                                         \
  X(Depth, ".depth")                                                                           \
  X(ArraySize, ".array_size")                                                                  \
  X(Levels, ".num_mipmap_levels")                                                              \
  X(Samples, ".num_samples")                                                                   \
  X(ChannelType, ".channel_data_type")                                                         \
  X(ChannelOrder, ".channel_order")                                                            \
  X(Normalized, ".normalized_coords")                                                          \
  X(IsTexture, ".texref")                                                                      \
  X(IsSampler, ".samplerref")                                                                  \
  X(IsSurface, ".surfref")                                                                     \
  X(SourceU32, ".u32")                                                                         \
  X(SourceS32, ".s32")                                                                         \
  X(PlusOne, ".po")                                                                            \
  X(Shr7, ".shr7")                                                                             \
  X(Shr15, ".shr15")                                                                           \
  X(MatrixLoad, ".load")                                                                       \
  X(MatrixStore, ".store")                                                                     \
  X(MatrixMma, ".mma")                                                                         \
  X(MatrixA, ".a")                                                                             \
  X(MatrixB, ".b")                                                                             \
  X(MatrixC, ".c")                                                                             \
  X(MatrixD, ".d")                                                                             \
  X(Sparse, ".sp")                                                                             \
  X(SparseOrdered, ".sp::ordered_metadata")                                                    \
  X(RowA, ".row")                                                                              \
  X(ColA, ".col")                                                                              \
  X(RowB, ".row")                                                                              \
  X(ColB, ".col")                                                                              \
  X(X1, ".x1")                                                                                 \
  X(X2, ".x2")                                                                                 \
  X(X4, ".x4")                                                                                 \
  X(Trans, ".trans")                                                                           \
  X(M8N8, ".m8n8")                                                                             \
  X(M8N8K4, ".m8n8k4")                                                                         \
  X(M8N8K16, ".m8n8k16")                                                                       \
  X(M8N8K32, ".m8n8k32")                                                                       \
  X(M8N8K128, ".m8n8k128")                                                                     \
  X(M16N8K4, ".m16n8k4")                                                                       \
  X(M16N8K8, ".m16n8k8")                                                                       \
  X(M16N8K16, ".m16n8k16")                                                                     \
  X(M16N8K32, ".m16n8k32")                                                                     \
  X(M16N8K64, ".m16n8k64")                                                                     \
  X(M16N8K128, ".m16n8k128")                                                                   \
  X(M16N8K256, ".m16n8k256")                                                                   \
  X(M16N16K8, ".m16n16k8")                                                                     \
  X(M16N16K16, ".m16n16k16")                                                                   \
  X(M8N32K16, ".m8n32k16")                                                                     \
  X(M32N8K16, ".m32n8k16")                                                                     \
  X(FenceWord, ".fence") /* of four warps; N of their shapes is in Instruction::columns */     \
  X(MmaAsync, ".mma_async")                                                                    \
  X(M64K8, ".m64nNk8")                                                                         \
  X(M64K16, ".m64nNk16")                                                                       \
  X(M64K32, ".m64nNk32")                                                                       \
  X(M64K64, ".m64nNk64")                                                                       \
  X(M64K256, ".m64nNk256")                                                                     \
  X(Tensor, ".tensor")                                                                         \
  X(Geom4d, ".4d")                                                                             \
  X(Geom5d, ".5d")                                                                             \
  X(Tile, ".tile")                                                                             \
  X(Im2col, ".im2col")                                                                         \
  X(Im2colNoOffsets, ".im2col_no_offs")                                                        \
  X(Multicast, ".multicast::cluster")                                                          \
  X(TensorMap, ".tensormap")                                                                   \
  X(TensorMapGeneric, ".tensormap::generic")                                                   \
  X(Replace, ".replace")                                                                       \
  X(CopyFenceProxy, ".cp_fenceproxy")                                                          \
  X(MapAddress, ".global_address")                                                             \
  X(MapRank, ".rank")                                                                          \
  X(MapBox, ".box_dim")                                                                        \
  X(MapDim, ".global_dim")                                                                     \
  X(MapStride, ".global_stride")                                                               \
  X(MapElementStride, ".element_stride")                                                       \
  X(MapType, ".elemtype")                                                                      \
  X(MapInterleave, ".interleave_layout")                                                       \
  X(MapSwizzle, ".swizzle_mode")                                                               \
  X(MapFill, ".fill_mode")                                                                     \
  X(B1024, ".b1024")

enum class Mod : uint16_t {
#define X(name, spelling) name,
  PTX_MODS(X)
#undef X
      Count
};
static_assert(static_cast<unsigned>(Mod::Count) <= 320);

/// Its type is written out: clang++ deduces none from more than 256 elements.
inline constexpr std::array<std::string_view, static_cast<size_t>(Mod::Count)> kModNames{{
#define X(name, spelling) std::string_view(spelling),
    PTX_MODS(X)
#undef X
}};
constexpr std::string_view name(Mod mod) { return kModNames[static_cast<size_t>(mod)]; }

/// A set of suffix words: what an instruction was spelled with. A structural type, so it can be a template argument and
/// a choice made by a suffix costs nothing per lane.
struct ModSet {
  uint64_t word0 = 0, word1 = 0, word2 = 0, word3 = 0, word4 = 0;

  static constexpr ModSet of(Mod mod) {
    auto i = static_cast<unsigned>(mod);
    uint64_t bit = uint64_t{1} << (i % 64);
    return {i / 64 == 0 ? bit : 0, i / 64 == 1 ? bit : 0, i / 64 == 2 ? bit : 0, i / 64 == 3 ? bit : 0,
            i / 64 == 4 ? bit : 0};
  }
  constexpr bool has(Mod mod) const { return !(*this & of(mod)).empty(); }
  constexpr bool empty() const { return (word0 | word1 | word2 | word3 | word4) == 0; }
  constexpr ModSet operator|(ModSet o) const {
    return {word0 | o.word0, word1 | o.word1, word2 | o.word2, word3 | o.word3, word4 | o.word4};
  }
  constexpr ModSet operator&(ModSet o) const {
    return {word0 & o.word0, word1 & o.word1, word2 & o.word2, word3 & o.word3, word4 & o.word4};
  }
  constexpr ModSet without(ModSet o) const {
    return {word0 & ~o.word0, word1 & ~o.word1, word2 & ~o.word2, word3 & ~o.word3, word4 & ~o.word4};
  }
  constexpr bool operator==(const ModSet&) const = default;
  constexpr int count() const {
    return std::popcount(word0) + std::popcount(word1) + std::popcount(word2) + std::popcount(word3) +
           std::popcount(word4);
  }
};
template <class... Ms>
constexpr ModSet mods(Ms... list) {
  return (ModSet{} | ... | ModSet::of(list));
}

}  // namespace warptime::ptx
