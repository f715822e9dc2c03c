#include "host/launch_file/ptx_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/missing_file.h"
#include "base/parse_number.h"
#include "base/plural.h"
#include "host/device/typed_value.h"
#include "host/launch_file/launch_data.h"
#include "host/launch_file/launch_texture.h"

namespace warptime::host {

namespace {

/// A piece of an option's text, with its place.
struct Piece {
  std::string_view text;
  SourceSpan where;
};

class FlagReader {
 public:
  FlagReader(const PtxRunOptions& options, Diagnostics& diagnostics) : options_(options), diagnostics_(diagnostics) {}

  LaunchPlan read() {
    std::string why;
    plan_.module = SourceText::read_file(options_.file, &why);
    if (plan_.module == nullptr) diagnostics_.add(cannot_read(options_.file, why, options_.file_where));
    for (const std::string& text : options_.buffers) read_data(whole("--buffer", text), "buffer", plan_.buffers);
    for (const std::string& text : options_.constants) read_data(whole("--const", text), "constant", plan_.constants);
    for (const std::string& text : options_.textures) read_texture_flag(whole("--texture", text));
    PlannedLaunch launch;
    launch.kernel = options_.kernel.value_or("");
    if (options_.kernel) launch.options.where = whole("--kernel", *options_.kernel).where;
    read_dimensions("--grid", options_.grid, launch.grid);
    read_dimensions("--block", options_.block, launch.block);
    read_number("--shared", options_.shared, 0, launch.options.dynamic_shared_bytes);
    read_number("--registers", options_.registers, 1, launch.options.registers_per_thread);
    for (const std::string& text : options_.arguments) launch.arguments.push_back(read_argument(whole("--arg", text)));
    plan_.steps.emplace_back(std::move(launch));
    for (const std::string& text : options_.outputs) read_output(whole("--output", text));
    return std::move(plan_);
  }

 private:
  Piece whole(const char* flag, const std::string& text) {
    plan_.sources.push_back(std::make_shared<SourceText>(flag, text));
    const SourceText& source = *plan_.sources.back();
    return {source.text(), {&source, 0, static_cast<uint32_t>(text.size())}};
  }

  static Piece part(const Piece& piece, size_t begin, size_t end) {
    end = std::min(end, piece.text.size());
    return {piece.text.substr(begin, end - begin),
            {piece.where.source, piece.where.begin + static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin)}};
  }

  static std::vector<Piece> split(const Piece& piece, char separator, size_t most) {
    std::vector<Piece> pieces;
    size_t begin = 0;
    while (pieces.size() + 1 < most) {
      size_t end = piece.text.find(separator, begin);
      if (end == std::string_view::npos) break;
      pieces.push_back(part(piece, begin, end));
      begin = end + 1;
    }
    pieces.push_back(part(piece, begin, piece.text.size()));
    return pieces;
  }

  void error(const Piece& at, std::string message, std::string hint = {}) {
    diagnostics_.error(at.where, std::move(message), std::move(hint));
  }

  void read_dimensions(const char* flag, const std::optional<std::string>& text, Dim3& out) {
    if (!text) {
      diagnostics_.error(options_.file_where, fmt::format("running a .ptx file needs {}", flag),
                         fmt::format("{} X[,Y[,Z]]", flag));
      return;
    }
    std::vector<Piece> pieces = split(whole(flag, *text), ',', 4);
    uint32_t* axes[] = {&out.x, &out.y, &out.z};
    if (pieces.size() > 3) error(pieces[3], fmt::format("{} has at most three numbers", flag));
    for (size_t i = 0; i < std::min<size_t>(3, pieces.size()); ++i)
      if (parse_number(pieces[i].text, *axes[i]) != NumberError::Ok || *axes[i] == 0)
        error(pieces[i], fmt::format("\"{}\" is not a whole number from 1 to 4294967295", pieces[i].text));
  }

  void read_number(const char* flag, const std::optional<std::string>& text, uint32_t lowest, uint32_t& out) {
    if (!text) return;
    Piece piece = whole(flag, *text);
    uint32_t value = 0;
    if (parse_number(piece.text, value) != NumberError::Ok || value < lowest)
      error(piece, fmt::format("\"{}\" is not a whole number from {} to 4294967295", piece.text, lowest));
    else out = value;
  }

  /// `noun`: "buffer" or "constant".
  void read_data(const Piece& piece, const char* noun, std::vector<TypedData>& into) {
    static const char* form = "NAME=TYPE:COUNT[:zeros|iota|random|@FILE], NAME=TYPE:@FILE or NAME=TYPE:[V1,V2,...]";
    std::vector<Piece> sides = split(piece, '=', 2);
    if (sides.size() < 2 || sides[0].text.empty()) {
      error(piece, fmt::format("a {} needs a name, a type and a count", noun), form);
      return;
    }
    std::vector<Piece> fields = split(sides[1], ':', 3);  // a file name may hold further colons
    TypedData data;
    data.name = std::string(sides[0].text);
    data.where = sides[0].where;
    if (std::any_of(into.begin(), into.end(), [&](const TypedData& other) { return other.name == data.name; }))
      error(sides[0], fmt::format("two {}s are named \"{}\"", noun, data.name));
    auto type = value_type(fields[0].text);
    if (!type) {
      std::string hint = did_you_mean(fields[0].text, value_type_names());
      error(fields[0], fmt::format("\"{}\" is not a type of a {}", fields[0].text, noun),
            hint.empty() ? fmt::format("one of {}", fmt::join(value_type_names(), ", ")) : hint);
      return;
    }
    data.type = *type;
    if (fields.size() < 2) {
      error(sides[1], fmt::format("{} \"{}\" has no count", noun, data.name), form);
      return;
    }
    const Piece content = split(sides[1], ':', 2)[1];
    if (content.text.starts_with('@')) {
      read_file(content, data, false);
    } else if (content.text.starts_with('[')) {
      read_list(content, data);
    } else if (parse_number(fields[1].text, data.count) != NumberError::Ok || data.count == 0 ||
               data.count > kMaxCount) {
      error(fields[1], fmt::format("\"{}\" is not a whole number from 1 to {}", fields[1].text, kMaxCount));
      return;
    } else if (fields.size() > 2) {
      read_initial(fields[2], noun, data);
    }
    into.push_back(std::move(data));
  }

  void read_initial(const Piece& piece, const char* noun, TypedData& data) {
    if (piece.text == "zeros") return;
    if (piece.text == "iota") {
      data.initial = Iota{encode_value(data.type, 0), encode_value(data.type, 1)};
    } else if (piece.text == "random") {
      data.initial = Random{};
    } else if (piece.text.starts_with('@')) {
      read_file(piece, data, true);
    } else {
      std::string hint = did_you_mean(piece.text, {"zeros", "iota", "random"});
      error(piece, fmt::format("\"{}\" is not a way to fill a {}", piece.text, noun),
            hint.empty() ? "zeros, iota, random or @FILE" : hint);
    }
  }

  /// "@FILE"; with a count it has to have as many elements.
  void read_file(const Piece& piece, TypedData& data, bool counted) {
    std::string path(piece.text.substr(1));
    auto array = read_elements(path, piece.where, data.type, diagnostics_);
    if (!array) return;
    const uint64_t size = ptx::bytes(data.type);
    if (counted && array->bytes.size() != data.bytes())
      return error(piece, fmt::format("\"{}\" has {}, but {} x {} are {}", path, plural(array->bytes.size(), "byte"),
                                      data.count, ptx::name(data.type), data.bytes()));
    if (array->bytes.empty() || array->bytes.size() % size != 0)
      return error(piece, fmt::format("{} not a whole number of {} values",
                                      plural(array->bytes.size(), "byte is", "bytes are"), ptx::name(data.type)));
    data.count = array->bytes.size() / size;
    data.shape = std::move(array->shape);
    data.initial = Values{std::move(array->bytes)};
  }

  /// "[V1,V2,...]".
  void read_list(const Piece& piece, TypedData& data) {
    if (!piece.text.ends_with(']')) return error(piece, "a \"]\" is missing", "[V1,V2,...]");
    Values values;
    for (const Piece& item : split(part(piece, 1, piece.text.size() - 1), ',', SIZE_MAX)) {
      std::string why;
      auto bits = parse_value(data.type, item.text, &why);
      if (!bits) return error(item, fmt::format("\"{}\" is not a {}: {}", item.text, ptx::name(data.type), why));
      values.bytes.resize(++data.count * ptx::bytes(data.type));
      store_element(data.type, values.bytes, data.count - 1, *bits);
    }
    data.initial = std::move(values);
  }

  static yaml::Node scalar(const Piece& piece) {
    yaml::Node node;
    node.kind = yaml::Node::Kind::Scalar;
    node.text = std::string(piece.text);
    node.where = piece.where;
    return node;
  }

  /// Adds the texture as the entry of a launch file that says the same.
  void read_texture_flag(const Piece& piece) {
    static const char* form = "NAME=BUFFER:TYPE:WIDTH[xHEIGHT[xDEPTH]][:KEY=WORD,...]";
    std::vector<Piece> sides = split(piece, '=', 2);
    std::vector<Piece> fields = sides.size() < 2 ? std::vector<Piece>{} : split(sides[1], ':', 4);
    if (fields.size() < 3 || sides[0].text.empty())
      return error(piece, "a texture needs a name, a buffer, a type and a width", form);
    yaml::Entry entry{std::string(sides[0].text), sides[0].where, {}};
    entry.value.kind = yaml::Node::Kind::Map;
    entry.value.where = piece.where;
    auto add = [&](std::string key, SourceSpan where, const Piece& value) {
      for (const yaml::Entry& other : entry.value.entries)
        if (other.key == key) return error(value, fmt::format("\"{}\" is given twice", key));
      entry.value.entries.push_back({std::move(key), where, scalar(value)});
    };
    add("buffer", fields[0].where, fields[0]);
    add("type", fields[1].where, fields[1]);
    std::vector<Piece> sizes = split(fields[2], 'x', 4);
    if (sizes.size() > 3) return error(sizes[3], "a texture has at most three sizes", form);
    const char* axes[] = {"width", "height", "depth"};
    for (size_t i = 0; i < sizes.size(); ++i) add(axes[i], sizes[i].where, sizes[i]);
    if (fields.size() > 3) {
      for (const Piece& option : split(fields[3], ',', SIZE_MAX)) {
        std::vector<Piece> words = split(option, '=', 2);
        if (words.size() < 2) return error(option, "this is not KEY=WORD", "filter=linear, say");
        add(std::string(words[0].text), words[0].where, words[1]);
      }
    }
    const yaml::Node* node = nullptr;
    auto texture = read_texture(entry, &node, diagnostics_);
    auto buffer = plan_.find_buffer(fields[0].text);
    if (!buffer)
      return error(fields[0], fmt::format("there is no buffer \"{}\"", fields[0].text),
                   did_you_mean(fields[0].text, plan_.buffer_names()));
    if (!texture) return;
    if (find_texture(entry.key)) error(sides[0], fmt::format("two textures are named \"{}\"", entry.key));
    check_fits(*texture, plan_.buffers[*buffer], fields[0].where, diagnostics_);
    plan_.textures.push_back({std::move(*texture), *buffer, sides[0].where});
  }

  std::optional<size_t> find_texture(std::string_view name) const {
    for (size_t i = 0; i < plan_.textures.size(); ++i)
      if (plan_.textures[i].texture.name == name) return i;
    return std::nullopt;
  }

  PlannedArgument read_argument(const Piece& piece) {
    PlannedArgument out;
    out.argument.where = piece.where;
    out.argument.text = std::string(piece.text);
    std::vector<Piece> sides = split(piece, '=', 2);
    if (sides.size() == 1) {
      out.buffer = plan_.find_buffer(piece.text);
      if (!out.buffer) out.texture = find_texture(piece.text);
      if (!out.buffer && !out.texture) {
        std::string hint = did_you_mean(piece.text, plan_.buffer_names());
        std::string why;
        if (parse_value(ptx::Type::F64, piece.text, &why))
          hint = fmt::format("a number needs its type: u32={}", piece.text);
        error(piece, fmt::format("there is no buffer \"{}\"", piece.text), hint);
      }
      return out;
    }
    auto type = value_type(sides[0].text);
    if (!type) {
      std::string hint = did_you_mean(sides[0].text, value_type_names());
      error(sides[0], fmt::format("\"{}\" is not a type of an argument", sides[0].text),
            hint.empty() ? fmt::format("one of {}", fmt::join(value_type_names(), ", ")) : hint);
      return out;
    }
    out.argument.type = *type;
    std::string why;
    auto bits = parse_value(*type, sides[1].text, &why);
    if (!bits) error(sides[1], fmt::format("\"{}\" is not a {}: {}", sides[1].text, ptx::name(*type), why));
    out.argument.bits = bits.value_or(0);
    return out;
  }

  void read_output(const Piece& piece) {
    std::vector<Piece> sides = split(piece, '=', 2);
    if (sides.size() < 2 || sides[1].text.empty()) {
      error(piece, "an output needs a buffer and a file", "NAME=FILE");
      return;
    }
    auto buffer = plan_.find_buffer(sides[0].text);
    if (!buffer)
      error(sides[0], fmt::format("there is no buffer \"{}\"", sides[0].text),
            did_you_mean(sides[0].text, plan_.buffer_names()));
    else plan_.outputs.push_back({*buffer, std::string(sides[1].text), sides[1].where});
  }

  const PtxRunOptions& options_;
  Diagnostics& diagnostics_;
  LaunchPlan plan_;
};

}  // namespace

LaunchPlan plan_ptx_run(const PtxRunOptions& options) {
  Diagnostics diagnostics;
  FlagReader reader(options, diagnostics);
  LaunchPlan plan = reader.read();
  if (!diagnostics.has_errors()) choose_module(plan, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics.to_text());
  return plan;
}

}  // namespace warptime::host
