#include "ptx/isa/not_supported.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warptime::ptx {

namespace {

constexpr std::string_view kMatrices = "matrices in tensor memory", kCopies = "asynchronous copies by this instruction",
                           kTensorMaps = "tensor maps", kFourRows = "copies of four rows of a tensor",
                           kWide = "im2col copies along one dimension", kBlockPairs = "copies for pairs of blocks",
                           kAtomicity = "swizzles of 32 and 64 bytes at once",
                           kMultimem = "operations on the memory of several GPUs (multimem)",
                           kClusters = "clusters of blocks with this instruction",
                           kCancelled = "requests to cancel launches of clusters",
                           kFences = "fences for some operations only", kTextures = "textures with f16 results",
                           kTexOperands = "offsets, comparisons and separate samplers of textures",
                           k128 = "values of 128 bits", kMixed = "operations on half and single precision at once",
                           kBulk = "stores of whole ranges",
                           kResidency = "predicates that say whether a texture is in memory";

constexpr std::array kInstructions{
    // 9.7.16
    NotSupported{"tcgen05", kMatrices, 86, 100, 'a'}, NotSupported{"tcgen05.alloc", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.dealloc", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.relinquish_alloc_permit", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.ld", kMatrices, 86, 100, 'a'}, NotSupported{"tcgen05.st", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.wait", kMatrices, 86, 100, 'a'}, NotSupported{"tcgen05.cp", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.shift", kMatrices, 86, 100, 'a'}, NotSupported{"tcgen05.mma", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.mma.sp", kMatrices, 86, 100, 'a'}, NotSupported{"tcgen05.mma.ws", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.mma.ws.sp", kMatrices, 86, 100, 'a'}, NotSupported{"tcgen05.fence", kMatrices, 86, 100, 'a'},
    NotSupported{"tcgen05.commit", kMatrices, 86, 100, 'a'},
    // 9.7.9: data movement
    NotSupported{"st.bulk", kBulk, 86, 100}, NotSupported{"multimem", kMultimem, 81, 90},
    NotSupported{"multimem.ld_reduce", kMultimem, 81, 90}, NotSupported{"multimem.st", kMultimem, 81, 90},
    NotSupported{"multimem.red", kMultimem, 81, 90},
    // 9.7.13: synchronization
    NotSupported{"clusterlaunchcontrol", kCancelled, 86, 100},
    NotSupported{"clusterlaunchcontrol.try_cancel", kCancelled, 86, 100},
    NotSupported{"clusterlaunchcontrol.query_cancel", kCancelled, 86, 100},
    // 9.7.17, 9.7.18, 9.7.19
};

constexpr NotSupported word(std::string_view instruction, std::string_view word, std::string_view what,
                            uint16_t ptx = 0, uint16_t target = 0, char variant = 0) {
  return {instruction, what, ptx, target, variant, 0, word};
}

/// In the order of precedence: rows of one instruction before those of any.
constexpr std::array kWords{
    word("tex", ".f16", kTextures, 42, 53),
    word("tex", ".f16x2", kTextures, 42, 53),
    word("", ".b128", k128, 83, 70),
    word("", ".to", kClusters, 78, 90),
    word("", ".cluster", kClusters, 78, 90),
    word("cp", ".tile::gather4", kFourRows, 86, 100),
    word("cp", ".tile::scatter4", kFourRows, 86, 100),
    word("cp", ".im2col::w", kWide, 86, 100),
    word("cp", ".im2col::w::128", kWide, 86, 100),
    word("cp", ".cta_group::1", kBlockPairs, 86, 100),
    word("cp", ".cta_group::2", kBlockPairs, 86, 100),
    word("tensormap", ".swizzle_atomicity", kAtomicity, 86, 100),
    word("", ".multicast::cluster", kClusters, 80, 90),
    word("", ".sync_restrict::shared::cluster", kFences, 86, 90),
    word("", ".sync_restrict::shared::cta", kFences, 86, 90),
    word("", ".async", kCopies, 80, 90),
    word("", ".async::generic", kFences, 86, 90),
    word("", ".bulk", kCopies, 80, 90),
    word("", ".tensormap", kTensorMaps, 80, 90),
    word("", ".tensormap::generic", kTensorMaps, 83, 90),
    word("", ".mbarrier::complete_tx::bytes", kCopies, 80, 90),
};

/// Two words that are supported, but not together.
struct Pair {
  NotSupported row;
  std::string_view other;
};
constexpr std::array kPairs{
    Pair{word("add", ".f32", kMixed, 86, 100), ".f16"}, Pair{word("add", ".f32", kMixed, 86, 100), ".bf16"},
    Pair{word("sub", ".f32", kMixed, 86, 100), ".f16"}, Pair{word("sub", ".f32", kMixed, 86, 100), ".bf16"},
    Pair{word("fma", ".f32", kMixed, 86, 100), ".f16"}, Pair{word("fma", ".f32", kMixed, 86, 100), ".bf16"}};

constexpr std::array kOperandForms{
    NotSupported{"tex", kResidency, 71, 60, 0, kWithBar},
    NotSupported{"tex", kTexOperands, 0, 0, 0, 4},
    NotSupported{"tex", kTexOperands, 0, 0, 0, 5},
    NotSupported{"tex", kTexOperands, 0, 0, 0, 6},
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
