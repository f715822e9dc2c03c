#include "host/launch_file/launch_data.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/missing_file.h"
#include "base/plural.h"
#include "host/device/typed_value.h"
#include "host/launch_file/launch_form.h"

namespace warptime::host {

using yaml::Node;

std::string path_beside(const std::string& launch_file, const std::string& path) {
  return (std::filesystem::path(launch_file).parent_path() / path).string();
}

std::optional<ArrayFile> read_elements(const std::string& path, SourceSpan where, ptx::Type type,
                                       Diagnostics& diagnostics) {
  std::string why;
  auto file = SourceText::read_file(path, &why);
  if (file == nullptr) {
    diagnostics.add(cannot_read(path, why, where));
    return std::nullopt;
  }
  auto array = array_in(path, file->text(), type, why);
  if (!array) diagnostics.error(where, fmt::format("cannot take \"{}\": {}", path, why));
  return array;
}

std::optional<ArrayFile> read_elements_of(const Node& node, const std::string& launch_file, ptx::Type type,
                                          Diagnostics& diagnostics) {
  std::string path;
  if (!yaml::read(node, "file", path, any(), diagnostics)) return std::nullopt;
  return read_elements(path_beside(launch_file, path), node.where, type, diagnostics);
}

std::optional<ptx::Type> read_type(const Node& node, Diagnostics& diagnostics) {
  const auto& names = value_type_names();
  auto index = yaml::read_word(node, "type", {names.begin(), names.end()}, diagnostics);
  return index ? value_type(names[*index]) : std::nullopt;
}

std::optional<uint64_t> parse_scalar(const Node& node, ptx::Type type, std::string_view what,
                                     Diagnostics& diagnostics) {
  std::string why = "not a number";
  std::optional<uint64_t> bits;
  if (node.kind == Node::Kind::Scalar && !node.quoted) bits = parse_value(type, node.text, &why);
  if (!bits)
    diagnostics.error(node.where,
                      fmt::format("{} must be an {}, not {}: {}", what, ptx::name(type), yaml::describe(node), why));
  return bits;
}

std::optional<std::vector<std::byte>> read_values(const Node& node, ptx::Type type, Diagnostics& diagnostics) {
  if (node.kind != Node::Kind::Sequence) {
    diagnostics.error(node.where, fmt::format("\"values\" must be a list, not {}", yaml::describe(node)));
    return std::nullopt;
  }
  std::vector<std::byte> bytes(node.items.size() * ptx::bytes(type));
  bool ok = true;
  for (size_t i = 0; i < node.items.size(); ++i) {
    auto bits = parse_scalar(node.items[i], type, "a value", diagnostics);
    if (bits) store_element(type, bytes, i, *bits);
    ok = ok && bits.has_value();
  }
  if (!ok) return std::nullopt;
  return bytes;
}

namespace {

/// `init`: a word, or a map with one of them as key.
class InitReader {
 public:
  InitReader(ptx::Type type, Diagnostics& diagnostics) : type_(type), diagnostics_(diagnostics) {}

  std::optional<Initial> read(const Node& node) {
    if (node.kind == Node::Kind::Scalar) {
      auto word = yaml::read_word(node, "init", forms_.init_word.words, diagnostics_);
      if (!word) return std::nullopt;
      if (*word == 0) return Zeros{};
      return *word == 1 ? Initial(default_iota()) : Initial(Random{});
    }
    yaml::StrictMap map(node, "\"init\"", forms_.init, diagnostics_);
    const Node* iota = map.find("iota");
    const Node* random = map.find("random");
    if (!map.finish()) return std::nullopt;
    return iota != nullptr ? read_iota(*iota) : read_random(*random);
  }

 private:
  Iota default_iota() const { return {encode_value(type_, 0), encode_value(type_, 1)}; }

  bool read_bits(yaml::StrictMap& map, const char* key, std::optional<uint64_t>& bits) {
    const Node* node = map.find(key);
    if (node == nullptr) return true;
    bits = parse_scalar(*node, type_, fmt::format("\"{}\"", key), diagnostics_);
    return bits.has_value();
  }

  std::optional<Initial> read_iota(const Node& node) {
    yaml::StrictMap map(node, "\"iota\"", forms_.iota, diagnostics_);
    std::optional<uint64_t> start = default_iota().start, step = default_iota().step;
    bool ok = read_bits(map, "start", start);
    ok = read_bits(map, "step", step) && ok;
    if (!map.finish() || !ok) return std::nullopt;
    return Iota{*start, *step};
  }

  std::optional<Initial> read_random(const Node& node) {
    yaml::StrictMap map(node, "\"random\"", forms_.random, diagnostics_);
    Random random;
    bool ok = map.read("seed", random.seed);
    ok = read_bits(map, "min", random.min) && ok;
    ok = read_bits(map, "max", random.max) && ok;
    if (!map.finish() || !ok) return std::nullopt;
    // Not !(a <= b): a NaN limit is as wrong as an empty range.
    if (random.min && !(decode_value(type_, *random.min) <= decode_value(type_, *random.max))) {
      diagnostics_.error(node.where, "\"random\" has a min above its max");
      return std::nullopt;
    }
    return random;
  }

  ptx::Type type_;
  const LaunchForms& forms_ = launch_forms();
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<TypedData> read_typed_data(const yaml::Entry& entry, std::string_view kind,
                                         const std::string& launch_file, Diagnostics& diagnostics) {
  size_t errors = diagnostics.error_count();
  std::string what = fmt::format("{} \"{}\"", kind, entry.key);
  yaml::StrictMap map(entry.value, what, launch_forms().data, diagnostics);
  TypedData data;
  data.name = entry.key;
  data.where = entry.where;
  const Node* type = map.find("type");
  const Node* count = map.find("count");
  const Node* values = map.find("values");
  const Node* init = map.find("init");
  const Node* file = map.find("file");
  map.read("count", data.count);
  map.read("align", data.alignment);
  uint64_t address = 0;
  const Node* at = map.find("address");
  map.read("address", address);
  if (at != nullptr) data.address = address;
  map.finish();
  if (auto known = type != nullptr ? read_type(*type, diagnostics) : std::nullopt) data.type = *known;
  if (diagnostics.error_count() > errors) return std::nullopt;

  if (values != nullptr || file != nullptr) {
    std::optional<std::vector<std::byte>> bytes;
    if (values != nullptr) bytes = read_values(*values, data.type, diagnostics);
    else if (auto array = read_elements_of(*file, launch_file, data.type, diagnostics)) {
      bytes = std::move(array->bytes);
      data.shape = std::move(array->shape);
    }
    if (!bytes) return std::nullopt;
    uint64_t size = ptx::bytes(data.type);
    const Node& from = values != nullptr ? *values : *file;
    if (bytes->empty() || bytes->size() % size != 0)
      diagnostics.error(from.where, fmt::format("{} not a whole number of {} values",
                                                plural(bytes->size(), "byte is", "bytes are"), ptx::name(data.type)));
    else if (count != nullptr && data.count != bytes->size() / size)
      diagnostics.error(count->where, fmt::format("\"count\" is {}, but {} given", data.count,
                                                  plural(bytes->size() / size, "value is", "values are")));
    data.count = bytes->size() / size;
    data.initial = Values{std::move(*bytes)};
  } else if (init != nullptr) {
    auto initial = InitReader(data.type, diagnostics).read(*init);
    if (initial) data.initial = std::move(*initial);
  }
  if (diagnostics.error_count() > errors) return std::nullopt;
  return data;
}

void read_hex(const yaml::Node& node, Argument& argument, Diagnostics& diagnostics) {
  argument.kind = Argument::Kind::Bytes;
  auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  bool ok = node.kind == yaml::Node::Kind::Scalar && node.text.size() % 2 == 0;
  for (size_t i = 0; ok && i + 1 < node.text.size(); i += 2) {
    int high = digit(node.text[i]), low = digit(node.text[i + 1]);
    ok = high >= 0 && low >= 0;
    argument.bytes.push_back(static_cast<std::byte>(ok ? high * 16 + low : 0));
  }
  if (!ok) diagnostics.error(node.where, "\"bytes\" must be hexadecimal digits, two a byte, like \"00ff\"");
}

}  // namespace warptime::host
