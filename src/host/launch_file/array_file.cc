#include "host/launch_file/array_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/ascii.h"
#include "base/parse_number.h"
#include "base/plural.h"

namespace warptime::host {

namespace {

constexpr std::string_view kNpyMagic("\x93NUMPY", 6);
constexpr size_t kMostDimensions = 64;  // NumPy 2.0 (NPY_MAXDIMS); what it cannot read is not read here, nor written

/// NumPy's name of a type: "<f4".
std::string dtype_of(ptx::Type type) {
  char kind = 'u';
  if (ptx::info(type).kind == ptx::TypeKind::Float) kind = 'f';
  if (ptx::info(type).kind == ptx::TypeKind::Signed) kind = 'i';
  const uint64_t bytes = ptx::bytes(type);
  return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes);
}

/// Reads the header, a Python dictionary of three known keys: {'descr': '<f4', 'fortran_order': False, 'shape': (3,
/// 4)}.
class NpyHeader {
 public:
  explicit NpyHeader(std::string_view text) : text_(text) {}

  bool read() {
    if (!take('{')) return false;
    for (int i = 0; i < 3; ++i) {
      std::string key;
      if (!quoted(key) || !take(':') || !member(key)) return false;
      take(',');
    }
    return take('}') && has_order_ && has_shape_ && !descr.empty();
  }

  std::string descr;
  bool fortran_order = false;
  std::vector<uint64_t> shape;

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip();
    bool found = at_ < text_.size() && text_[at_] == c;
    if (found) ++at_;
    return found;
  }
  bool word(std::string_view wanted) {
    skip();
    bool found = text_.substr(at_).starts_with(wanted);
    if (found) at_ += wanted.size();
    return found;
  }
  bool quoted(std::string& out) {
    skip();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
    const char quote = text_[at_++];
    const size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) return false;
    out = text_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }
  bool member(const std::string& key) {
    if (key == "descr") {
      // A structure is a list; it has no name that could be compared.
      if (!take('[')) return quoted(descr);
      int depth = 1;
      for (; at_ < text_.size() && depth > 0; ++at_) depth += text_[at_] == '[' ? 1 : text_[at_] == ']' ? -1 : 0;
      descr = "a structure";
      return depth == 0;
    }
    if (key == "fortran_order") {
      has_order_ = true;
      fortran_order = word("True");
      return fortran_order || word("False");
    }
    has_shape_ = key == "shape";
    return has_shape_ && dimensions();
  }
  bool dimensions() {
    if (!take('(')) return false;
    while (!take(')')) {
      skip();
      const size_t begin = at_;
      while (at_ < text_.size() && ascii::is_digit(text_[at_])) ++at_;
      uint64_t size = 0;
      if (parse_number(text_.substr(begin, at_ - begin), size) != NumberError::Ok) return false;
      shape.push_back(size);
      take('L');  // as Python 2 wrote them
      take(',');
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool has_order_ = false, has_shape_ = false;
};

std::optional<uint64_t> product(const std::vector<uint64_t>& shape) {
  uint64_t out = 1;
  for (uint64_t size : shape)
    if (__builtin_mul_overflow(out, size, &out)) return std::nullopt;
  return out;
}

/// The header's text, and where the elements begin.
std::optional<std::string_view> header_of(std::string_view text, size_t& end, std::string& why) {
  if (!text.starts_with(kNpyMagic) || text.size() < 10) {
    why = "it is not a .npy file: it does not begin with \\x93NUMPY";
    return std::nullopt;
  }
  auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(text[at])); };
  const size_t version = byte(6), field = version == 1 ? 2 : 4;
  if (version < 1 || version > 3) {
    why = fmt::format("it is a .npy file of version {}, and 1 to 3 can be read", version);
    return std::nullopt;
  }
  size_t length = 0;
  for (size_t i = 0; i < field && 8 + i < text.size(); ++i) length |= byte(8 + i) << (8 * i);
  end = 8 + field + length;
  if (end > text.size()) {
    why = "its .npy header is cut off";
    return std::nullopt;
  }
  return text.substr(8 + field, length);
}

/// Whether elements that NumPy calls `descr` are those of a type.
bool is_dtype_of(std::string_view descr, ptx::Type type) {
  const std::string wanted = dtype_of(type);
  if (descr.size() < 3 || descr.substr(2) != wanted.substr(2)) return false;
  if (descr[0] != '<' && descr[0] != '=' && !(descr[0] == '|' && wanted[0] == '|')) return false;
  if (descr[1] == wanted[1]) return true;
  const bool any = ptx::info(type).kind == ptx::TypeKind::Bits;
  return (any && std::string_view("uifb").find(descr[1]) != std::string_view::npos) ||
         (type == ptx::Type::U8 && descr[1] == 'b');
}

}  // namespace

bool is_npy(std::string_view path) { return path.ends_with(".npy"); }

std::optional<ArrayFile> array_in(std::string_view path, std::string_view text, ptx::Type type, std::string& why) {
  auto copy = [](std::string_view part) {
    auto bytes = std::as_bytes(std::span(part.data(), part.size()));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  if (!is_npy(path)) return ArrayFile{copy(text), {}};
  size_t end = 0;
  auto header = header_of(text, end, why);
  if (!header) return std::nullopt;
  NpyHeader npy(*header);
  if (!npy.read()) {
    why = "its .npy header cannot be read";
    return std::nullopt;
  }
  if (!is_dtype_of(npy.descr, type)) {
    why = fmt::format("its elements are {}, not {} ({})", npy.descr, dtype_of(type), ptx::name(type));
    if (npy.descr.starts_with('>')) why += ": it is big endian";
    return std::nullopt;
  }
  if (npy.fortran_order && npy.shape.size() > 1) {
    why = "it is in Fortran order; numpy.ascontiguousarray gives C order";
    return std::nullopt;
  }
  if (npy.shape.size() > kMostDimensions) {
    why = fmt::format("it has {} dimensions, and NumPy arrays have at most {}", npy.shape.size(), kMostDimensions);
    return std::nullopt;
  }
  auto count = product(npy.shape);
  const uint64_t there = text.size() - end, size = ptx::bytes(type);
  if (!count || there % size != 0 || *count != there / size) {
    why = fmt::format("its header says {} elements of {} bytes, but {} follow",
                      count ? fmt::format("{}", *count) : std::string("too many"), size, plural(there, "byte"));
    return std::nullopt;
  }
  return ArrayFile{copy(text.substr(end)), npy.shape};
}

std::string npy_header(ptx::Type type, const std::vector<uint64_t>& shape) {
  std::string sizes;
  for (uint64_t size : shape) sizes += fmt::format("{}{}", sizes.empty() ? "" : " ", fmt::format("{},", size));
  if (shape.size() > 1) sizes.pop_back();
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", dtype_of(type), sizes);
  // With the ten bytes before it and a newline, a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out(kNpyMagic);
  out += {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  return out + header;
}

}  // namespace warptime::host
