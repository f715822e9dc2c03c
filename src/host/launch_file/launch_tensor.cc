#include "host/launch_file/launch_tensor.h"

#include <fmt/format.h>

#include "base/plural.h"
#include "host/launch_file/launch_form.h"

namespace warptime::host {

using sim::TensorMap, sim::TensorProblem;
using yaml::Node;

namespace {

class TensorMapReader {
 public:
  TensorMapReader(const Node& node, Diagnostics& diagnostics)
      : node_(node), map_(node, "a tensor map", launch_forms().tensor_map, diagnostics), diagnostics_(diagnostics) {}

  std::optional<TensorMap> read(const Node** buffer) {
    *buffer = map_.find("buffer");
    out_.type = static_cast<TensorMap::Type>(map_.read_word("type").value_or(0));
    const Node *dims = map_.find("dims"), *pitch = map_.find("pitch_bytes"), *box = map_.find("box"),
               *strides = map_.find("element_strides"), *im2col = map_.find("im2col");
    out_.swizzle = static_cast<TensorMap::Swizzle>(map_.read_word("swizzle").value_or(0));
    out_.interleave = static_cast<TensorMap::Interleave>(map_.read_word("interleave").value_or(0));
    out_.promotion = static_cast<uint8_t>(map_.read_word("l2_promotion").value_or(0));
    out_.fills_nan = map_.read_word("oob_fill") == size_t{1};
    if (!map_.finish() || *buffer == nullptr || dims == nullptr) return std::nullopt;
    out_.rank = static_cast<uint32_t>(dims->items.size());
    if (!list(*dims, "dims", out_.rank, [&](size_t i, uint64_t value) { out_.dims[i] = value; })) return std::nullopt;
    if (!read_pitch(pitch)) return std::nullopt;
    if (strides != nullptr && !list(*strides, "element_strides", out_.rank, [&](size_t i, uint64_t value) {
          out_.element_strides[i] = static_cast<uint32_t>(value);
        }))
      return std::nullopt;
    if (box != nullptr &&
        !list(*box, "box", out_.rank, [&](size_t i, uint64_t value) { out_.box[i] = static_cast<uint32_t>(value); }))
      return std::nullopt;
    if (im2col != nullptr && !read_im2col(*im2col)) return std::nullopt;
    out_.address = TensorMap::kBytes;  // not known yet
    if (const TensorProblem found = problem_of(out_); found != TensorProblem::None) {
      diagnostics_.error(node_.where, fmt::format("this tensor map cannot be: {}", text(found)),
                         "lists begin with the innermost dimension; strides and pitches are in bytes");
      return std::nullopt;
    }
    return out_;
  }

 private:
  /// Calls f(index, value) for `count` whole numbers.
  template <class F>
  bool list(const Node& node, const char* what, size_t count, const F& f) {
    if (node.kind != Node::Kind::Sequence || node.items.size() != count || count == 0 || count > TensorMap::kMaxRank) {
      diagnostics_.error(node.where, fmt::format("\"{}\" must be a list of {}, one for each dimension", what,
                                                 count == 0 || count > TensorMap::kMaxRank ? "1 to 5 numbers"
                                                                                           : plural(count, "number")));
      return false;
    }
    for (size_t i = 0; i < count; ++i) {
      uint64_t value = 0;
      if (!yaml::read(node.items[i], what, value, range(0, kMost), diagnostics_)) return false;
      f(i, value);
    }
    return true;
  }
  bool signed_list(const Node* node, const char* what, std::array<int32_t, 3>& out) {
    if (node == nullptr) return true;
    if (out_.rank < 3 || node->kind != Node::Kind::Sequence || node->items.size() != out_.rank - 2) {
      diagnostics_.error(node->where,
                         fmt::format("\"{}\" must be a list of numbers, one for each dimension but the first and the "
                                     "last, of at least three",
                                     what));
      return false;
    }
    for (size_t i = 0; i < node->items.size(); ++i) {
      int64_t value = 0;
      if (!yaml::read(node->items[i], what, value, range(-32768, 32767), diagnostics_)) return false;
      out[i] = static_cast<int32_t>(value);
    }
    return true;
  }

  /// One pitch is that of the rows; what lies above them is dense. Without any, rows are dense, too.
  bool read_pitch(const Node* pitch) {
    uint64_t row = out_.dims[0] * out_.unit_bytes();
    if (pitch != nullptr && pitch->kind == Node::Kind::Sequence)
      return list(*pitch, "pitch_bytes", out_.rank - 1, [&](size_t i, uint64_t value) { out_.strides[i] = value; });
    if (pitch != nullptr && !yaml::read(*pitch, "pitch_bytes", row, range(0, kMost), diagnostics_)) return false;
    for (uint32_t d = 1; d < out_.rank; ++d) {
      out_.strides[d - 1] = row;
      row *= out_.dims[d];
    }
    return true;
  }

  bool read_im2col(const Node& node) {
    yaml::StrictMap map(node, "\"im2col\"", launch_forms().im2col, diagnostics_);
    out_.is_im2col = true;
    map.read("channels", out_.channels);
    map.read("pixels", out_.pixels);
    const Node *lower = map.find("lower"), *upper = map.find("upper");
    return map.finish() && signed_list(lower, "lower", out_.lower) && signed_list(upper, "upper", out_.upper);
  }

  static constexpr double kMost = 1099511627776.0;  // 2^40
  const Node& node_;
  yaml::StrictMap map_;
  Diagnostics& diagnostics_;
  TensorMap out_;
};

/// Reports a tensor that goes beyond the end of its buffer.
void check_fits(const TensorMap& map, const TypedData& buffer, SourceSpan where, Diagnostics& diagnostics) {
  const uint64_t bytes = map.tensor_bytes();
  if (bytes > buffer.bytes())
    diagnostics.error(where, fmt::format("the tensor has {}, buffer \"{}\" has {}", plural(bytes, "byte"), buffer.name,
                                         buffer.bytes()));
}

}  // namespace

std::optional<TensorMap> read_tensor_map(const Node& node, Diagnostics& diagnostics,
                                         const std::function<const TypedData*(const Node& name)>& buffer_named) {
  const Node* name = nullptr;
  auto map = TensorMapReader(node, diagnostics).read(&name);
  const TypedData* buffer = name == nullptr ? nullptr : buffer_named(*name);
  if (map && buffer != nullptr) check_fits(*map, *buffer, name->where, diagnostics);
  return map;
}

}  // namespace warptime::host
