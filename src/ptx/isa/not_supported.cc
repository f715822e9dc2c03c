#include "ptx/isa/not_supported.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warptime::ptx {

namespace {

constexpr std::string_view kMatrices = "matrix instructions (tensor cores)", kCopies = "asynchronous copies",
                           kMbarriers = "mbarrier objects", kTensorMaps = "tensor maps",
                           kMultimem = "operations on the memory of several GPUs (multimem)",
                           kClusters = "clusters of blocks", kVideo = "video instructions", kSurfaces = "surfaces",
                           kQueries = "queries and gathers of textures", kStack = "changes of the stack",
                           kRegisters = "changes of the number of registers",
                           kMipmaps = "levels of detail of textures (mipmaps)",
                           kTextures = "arrays of textures, cube maps and multisampled textures",
                           kTexOperands = "offsets, comparisons and separate samplers of textures",
                           kWide = "vectors of 256 bits", k128 = "values of 128 bits",
                           kAtomicVectors = "atomic operations on vectors",
                           kAtomic128 = "atomic operations on 128 bits", kSmall = "numbers of 8 bits and less",
                           kPacked = "operations on packed numbers",
                           kMixed = "operations on half and single precision at once",
                           kFloatRedux = "reductions of floating-point numbers across a warp",
                           kOfThree = "minima and maxima of three numbers",
                           kStochastic = "conversions with stochastic rounding", kBulk = "stores of whole ranges",
                           kResidency = "predicates that say whether a texture is in memory",
                           kSaturated = "conversions to tf32 that saturate";

constexpr std::array kInstructions{
    // 9.7.14, 9.7.15, 9.7.16
    NotSupported{"wgmma", kMatrices, 80, 90, 'a'},
    NotSupported{"wgmma.mma_async", kMatrices, 80, 90, 'a'},
    NotSupported{"wgmma.mma_async.sp", kMatrices, 82, 90, 'a'},
    NotSupported{"wgmma.fence", kMatrices, 80, 90, 'a'},
    NotSupported{"wgmma.commit_group", kMatrices, 80, 90, 'a'},
    NotSupported{"wgmma.wait_group", kMatrices, 80, 90, 'a'},
    NotSupported{"tcgen05", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.alloc", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.dealloc", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.relinquish_alloc_permit", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.ld", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.st", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.wait", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.cp", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.shift", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.mma", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.mma.sp", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.mma.ws", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.mma.ws.sp", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.fence", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.commit", kMatrices, 86, 100, 'a'},
    // 9.7.9: data movement
    NotSupported{"cp", kCopies, 70, 80},
    NotSupported{"cp.async", kCopies, 70, 80},
    NotSupported{"cp.async.commit_group", kCopies, 70, 80},
    NotSupported{"cp.async.wait_group", kCopies, 70, 80},
    NotSupported{"cp.async.wait_all", kCopies, 70, 80},
    NotSupported{"cp.async.mbarrier.arrive", kCopies, 70, 80},
    NotSupported{"cp.async.bulk", kCopies, 80, 90},
    NotSupported{"cp.async.bulk.commit_group", kCopies, 80, 90},
    NotSupported{"cp.async.bulk.wait_group", kCopies, 80, 90},
    NotSupported{"cp.async.bulk.prefetch", kCopies, 80, 90},
    NotSupported{"cp.async.bulk.tensor", kCopies, 80, 90},
    NotSupported{"cp.async.bulk.prefetch.tensor", kCopies, 80, 90},
    NotSupported{"cp.reduce.async.bulk", kCopies, 80, 90},
    NotSupported{"cp.reduce.async.bulk.tensor", kCopies, 80, 90},
    NotSupported{"st.async", kCopies, 81, 90},
    NotSupported{"st.bulk", kBulk, 86, 100},
    NotSupported{"red.async", kCopies, 81, 90},
    NotSupported{"tensormap", kTensorMaps, 83, 90},
    NotSupported{"tensormap.replace", kTensorMaps, 83, 90, 'a'},
    NotSupported{"tensormap.cp_fenceproxy", kTensorMaps, 83, 90},
    NotSupported{"prefetch.tensormap", kTensorMaps, 80, 90},
    NotSupported{"fence.proxy.async", kCopies, 80, 90},
    NotSupported{"fence.proxy.tensormap", kTensorMaps, 83, 90},
    NotSupported{"multimem", kMultimem, 81, 90},
    NotSupported{"multimem.ld_reduce", kMultimem, 81, 90},
    NotSupported{"multimem.st", kMultimem, 81, 90},
    NotSupported{"multimem.red", kMultimem, 81, 90},
    NotSupported{"mapa", kClusters, 78, 90},
    NotSupported{"getctarank", kClusters, 78, 90},
    // 9.7.13: synchronization
    NotSupported{"mbarrier", kMbarriers, 70, 80},
    NotSupported{"mbarrier.init", kMbarriers, 70, 80},
    NotSupported{"mbarrier.inval", kMbarriers, 70, 80},
    NotSupported{"mbarrier.arrive", kMbarriers, 70, 80},
    NotSupported{"mbarrier.arrive_drop", kMbarriers, 70, 80},
    NotSupported{"mbarrier.test_wait", kMbarriers, 70, 80},
    NotSupported{"mbarrier.try_wait", kMbarriers, 78, 90},
    NotSupported{"mbarrier.pending_count", kMbarriers, 70, 80},
    NotSupported{"mbarrier.expect_tx", kMbarriers, 80, 90},
    NotSupported{"mbarrier.complete_tx", kMbarriers, 80, 90},
    NotSupported{"fence.mbarrier_init", kMbarriers, 80, 90},
    NotSupported{"barrier.cluster", kClusters, 78, 90},
    NotSupported{"barrier.cluster.arrive", kClusters, 78, 90},
    NotSupported{"barrier.cluster.wait", kClusters, 78, 90},
    NotSupported{"clusterlaunchcontrol", kClusters, 86, 100},
    NotSupported{"clusterlaunchcontrol.try_cancel", kClusters, 86, 100},
    NotSupported{"clusterlaunchcontrol.query_cancel", kClusters, 86, 100},
    // 9.7.10, 9.7.11: textures and surfaces
    NotSupported{"txq", kQueries, 15, 10},
    NotSupported{"tld4", kQueries, 22, 20},
    NotSupported{"istypep", kQueries, 40, 30},
    NotSupported{"tex.level", kMipmaps, 30, 20},
    NotSupported{"tex.grad", kMipmaps, 30, 20},
    NotSupported{"tex.base", kMipmaps, 30, 20},
    NotSupported{"suld", kSurfaces, 15, 20},
    NotSupported{"sust", kSurfaces, 15, 20},
    NotSupported{"sured", kSurfaces, 20, 20},
    NotSupported{"suq", kSurfaces, 15, 20},
    // 9.7.17, 9.7.18, 9.7.19
    NotSupported{"alloca", kStack, 73, 52},
    NotSupported{"stacksave", kStack, 73, 52},
    NotSupported{"stackrestore", kStack, 73, 52},
    NotSupported{"setmaxnreg", kRegisters, 80, 90, 'a'},
    NotSupported{"vadd", kVideo, 20, 20},
    NotSupported{"vsub", kVideo, 20, 20},
    NotSupported{"vabsdiff", kVideo, 20, 20},
    NotSupported{"vmin", kVideo, 20, 20},
    NotSupported{"vmax", kVideo, 20, 20},
    NotSupported{"vshl", kVideo, 20, 20},
    NotSupported{"vshr", kVideo, 20, 20},
    NotSupported{"vmad", kVideo, 20, 20},
    NotSupported{"vset", kVideo, 20, 20},
    NotSupported{"vadd2", kVideo, 30, 30},
    NotSupported{"vsub2", kVideo, 30, 30},
    NotSupported{"vavrg2", kVideo, 30, 30},
    NotSupported{"vabsdiff2", kVideo, 30, 30},
    NotSupported{"vmin2", kVideo, 30, 30},
    NotSupported{"vmax2", kVideo, 30, 30},
    NotSupported{"vset2", kVideo, 30, 30},
    NotSupported{"vadd4", kVideo, 30, 30},
    NotSupported{"vsub4", kVideo, 30, 30},
    NotSupported{"vavrg4", kVideo, 30, 30},
    NotSupported{"vabsdiff4", kVideo, 30, 30},
    NotSupported{"vmin4", kVideo, 30, 30},
    NotSupported{"vmax4", kVideo, 30, 30},
    NotSupported{"vset4", kVideo, 30, 30},
};

constexpr NotSupported word(std::string_view instruction, std::string_view word, std::string_view what,
                            uint16_t ptx = 0, uint16_t target = 0, char variant = 0) {
  return {instruction, what, ptx, target, variant, 0, word};
}

/// In the order of precedence: rows of one instruction before those of any.
constexpr std::array kWords{
    word("ld", ".v8", kWide, 88, 100),
    word("st", ".v8", kWide, 88, 100),
    word("atom", ".v2", kAtomicVectors, 81, 90),
    word("atom", ".v4", kAtomicVectors, 81, 90),
    word("atom", ".v8", kAtomicVectors, 81, 90),
    word("red", ".v2", kAtomicVectors, 81, 90),
    word("red", ".v4", kAtomicVectors, 81, 90),
    word("red", ".v8", kAtomicVectors, 81, 90),
    word("atom", ".b128", kAtomic128, 83, 90),
    word("redux", ".f32", kFloatRedux, 86, 100, 'a'),
    word("tex", ".cube", kTextures, 30, 20),
    word("tex", ".acube", kTextures, 30, 20),
    word("tex", ".a1d", kTextures, 30, 20),
    word("tex", ".a2d", kTextures, 30, 20),
    word("tex", ".2dms", kTextures, 32, 30),
    word("tex", ".a2dms", kTextures, 32, 30),
    word("tex", ".f16", kTextures, 42, 53),
    word("tex", ".f16x2", kTextures, 42, 53),
    word("cvt", ".rs", kStochastic, 87, 100, 'a'),
    word("cvt", ".e4m3x2", kSmall, 78, 89),
    word("cvt", ".e5m2x2", kSmall, 78, 89),
    word("cvt", ".e2m1x2", kSmall, 86, 100, 'a'),
    word("cvt", ".e2m3x2", kSmall, 86, 100, 'a'),
    word("cvt", ".e3m2x2", kSmall, 86, 100, 'a'),
    word("cvt", ".ue8m0x2", kSmall, 86, 100, 'a'),
    word("cvt", ".e4m3x4", kSmall, 87, 100, 'a'),
    word("cvt", ".e5m2x4", kSmall, 87, 100, 'a'),
    word("cvt", ".e2m1x4", kSmall, 87, 100, 'a'),
    word("cvt", ".e2m3x4", kSmall, 87, 100, 'a'),
    word("cvt", ".e3m2x4", kSmall, 87, 100, 'a'),
    word("", ".u16x2", kPacked, 80, 90),
    word("", ".s16x2", kPacked, 80, 90),
    word("", ".f32x2", kPacked, 86, 100),
    word("", ".u8x4", kPacked),
    word("", ".s8x4", kPacked),
    word("", ".b128", k128, 83, 70),
    word("", ".shared::cluster", kClusters, 78, 90),
    word("", ".to", kClusters, 78, 90),
    word("", ".cluster", kClusters, 78, 90),
    word("", ".multicast::cluster", kClusters, 80, 90),
    word("", ".sync_restrict::shared::cluster", kClusters, 86, 90),
    word("", ".sync_restrict::shared::cta", kClusters, 86, 90),
    word("", ".async", kCopies, 80, 90),
    word("", ".async::generic", kCopies, 86, 90),
    word("", ".bulk", kCopies, 80, 90),
    word("", ".tensormap", kTensorMaps, 80, 90),
    word("", ".tensormap::generic", kTensorMaps, 83, 90),
    word("", ".mbarrier_init", kMbarriers, 80, 90),
    word("", ".mbarrier::complete_tx::bytes", kMbarriers, 80, 90),
};

/// Two words that are supported, but not together.
struct Pair {
  NotSupported row;
  std::string_view other;
};
constexpr std::array kPairs{Pair{word("cvt", ".satfinite", kSaturated, 86, 100), ".tf32"},
                            Pair{word("ld", ".v4", kWide, 88, 100), ".b64"},
                            Pair{word("ld", ".v4", kWide, 88, 100), ".u64"},
                            Pair{word("ld", ".v4", kWide, 88, 100), ".s64"},
                            Pair{word("ld", ".v4", kWide, 88, 100), ".f64"},
                            Pair{word("st", ".v4", kWide, 88, 100), ".b64"},
                            Pair{word("st", ".v4", kWide, 88, 100), ".u64"},
                            Pair{word("st", ".v4", kWide, 88, 100), ".s64"},
                            Pair{word("st", ".v4", kWide, 88, 100), ".f64"},
                            Pair{word("add", ".f32", kMixed, 86, 100), ".f16"},
                            Pair{word("add", ".f32", kMixed, 86, 100), ".bf16"},
                            Pair{word("sub", ".f32", kMixed, 86, 100), ".f16"},
                            Pair{word("sub", ".f32", kMixed, 86, 100), ".bf16"},
                            Pair{word("fma", ".f32", kMixed, 86, 100), ".f16"},
                            Pair{word("fma", ".f32", kMixed, 86, 100), ".bf16"}};

constexpr std::array kOperandForms{
    NotSupported{"tex", kResidency, 71, 60, 0, kWithBar}, NotSupported{"min", kOfThree, 88, 100, 0, 4},
    NotSupported{"max", kOfThree, 88, 100, 0, 4},         NotSupported{"tex", kTexOperands, 0, 0, 0, 4},
    NotSupported{"tex", kTexOperands, 0, 0, 0, 5},        NotSupported{"tex", kTexOperands, 0, 0, 0, 6},
};

/// The word up to its first ':', without its dot: "wait" of ".wait::ld".
std::string_view plain(std::string_view word) {
  word.remove_prefix(1);
  return word.substr(0, word.find(':'));
}

/// Whether the words begin with those that a row's name has behind the mnemonic.
bool begins_with(std::span<const std::string_view> words, std::string_view names) {
  size_t next = 0;
  while (!names.empty()) {
    size_t dot = names.find('.');
    if (next == words.size() || plain(words[next++]) != names.substr(0, dot)) return false;
    names = dot == std::string_view::npos ? std::string_view() : names.substr(dot + 1);
  }
  return true;
}

}  // namespace

const NotSupported* not_supported_instruction(std::string_view mnemonic, std::span<const std::string_view> words) {
  const NotSupported* found = nullptr;
  for (const NotSupported& row : kInstructions) {
    size_t dot = row.name.find('.');
    if (row.name.substr(0, dot) != mnemonic) continue;
    if (!begins_with(words, dot == std::string_view::npos ? std::string_view() : row.name.substr(dot + 1))) continue;
    if (found == nullptr || row.name.size() > found->name.size()) found = &row;
  }
  return found;
}

const NotSupported* not_supported_word(std::string_view mnemonic, std::string_view word) {
  auto row = std::find_if(kWords.begin(), kWords.end(), [&](const NotSupported& r) {
    return r.word == word && (r.name.empty() || r.name == mnemonic);
  });
  return row == kWords.end() ? nullptr : &*row;
}

const NotSupported* not_supported_pair(std::string_view mnemonic, std::span<const std::string_view> words) {
  auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  auto row = std::find_if(kPairs.begin(), kPairs.end(), [&](const Pair& pair) {
    return pair.row.name == mnemonic && has(pair.row.word) && has(pair.other);
  });
  return row == kPairs.end() ? nullptr : &row->row;
}

const NotSupported* not_supported_operands(std::string_view mnemonic, size_t count) {
  auto row = std::find_if(kOperandForms.begin(), kOperandForms.end(),
                          [&](const NotSupported& r) { return r.name == mnemonic && r.operands == count; });
  return row == kOperandForms.end() ? nullptr : &*row;
}

std::string since_text(const NotSupported& row) {
  if (row.ptx == 0) return {};
  return fmt::format("it came with PTX {}.{}, for {}sm_{}{}", row.ptx / 10, row.ptx % 10,
                     row.variant != 0 ? "targets such as " : "", row.target,
                     row.variant != 0 ? std::string(1, row.variant) : " and later");
}

}  // namespace warptime::ptx
