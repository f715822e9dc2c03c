#include "sim/model/parameter_file.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/missing_file.h"
#include "base/nesting.h"
#include "sim/model/renamed_keys.h"
#include "sim/model/yaml_reader.h"

namespace warptime::sim {

namespace fs = std::filesystem;

namespace {

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".yaml") || name.ends_with(".yml");
}

bool is_of(ConfigKind kind, std::string_view name) { return name.starts_with("cpu-") == (kind == ConfigKind::Cpu); }

class Loader {
 public:
  Loader(ParameterFile& out, const std::vector<Parameter>& parameters, ConfigKind kind,
         const std::string& config_directory, Diagnostics& diagnostics)
      : out_(out),
        parameters_(parameters),
        kind_(kind),
        noun_(kind == ConfigKind::Cpu ? "processor" : "machine"),
        config_directory_(config_directory),
        diagnostics_(diagnostics) {}

  /// `where`: the `extends:` value that asked for it; no source for the one of the command line.
  void load(std::string_view name, const fs::path& relative_to, SourceSpan where) {
    const fs::path names_in = config_directory_.empty() ? relative_to : fs::path(config_directory_);
    fs::path path = (is_path(name) ? relative_to : names_in) / fs::path(name);
    if (!is_path(name)) path += ".yaml";
    std::string why;
    std::shared_ptr<const SourceText> source;
    if (is_path(name) || is_of(kind_, name)) source = SourceText::read_file(path.string(), &why);
    if (source == nullptr) {
      report_missing(name, path, why, where, names_in.string());
      return;
    }
    std::error_code error;
    fs::path real = fs::weakly_canonical(path, error);
    if (std::find(chain_.begin(), chain_.end(), real) != chain_.end()) {
      diagnostics_.error(where, fmt::format("this {} extends itself: \"{}\" is already being loaded", noun_, name));
      return;
    }
    if (out_.file.empty()) {
      out_.file = path.string();
      out_.name = path.stem().string();
    }
    if (chain_.size() > kMaxNesting) {
      diagnostics_.error(where, fmt::format("more than {} {} files extend each other", kMaxNesting, noun_));
      return;
    }
    chain_.push_back(real);
    out_.sources.push_back(source);
    apply_file(source, path.parent_path());
    chain_.pop_back();
  }

  /// "PATH=VALUE".
  void apply_override(const std::string& text) {
    auto source = std::make_shared<SourceText>("--set", text);
    diagnostics_.keep(source);
    out_.sources.push_back(source);
    size_t equals = text.find('=');
    auto span = [&](size_t begin, size_t length) {
      return SourceSpan{source.get(), static_cast<uint32_t>(begin), static_cast<uint32_t>(length)};
    };
    if (equals == std::string::npos || equals == 0) {
      diagnostics_.error(span(0, text.size()), "this is not PATH=VALUE", "for example chip.tpcs=4");
      return;
    }
    const std::string spelled = text.substr(0, equals), path = current(spelled, span(0, equals));
    const Parameter* parameter = find(path);
    if (parameter == nullptr) {
      report_unknown_path(path, span(0, equals));
      return;
    }
    yaml::Node node;
    node.kind = yaml::Node::Kind::Scalar;
    node.text = text.substr(equals + 1);
    node.where = span(equals + 1, node.text.size());
    if (auto [at, is_new] = set_.emplace(path, text); !is_new) {
      if (!at->second.starts_with(spelled + "=")) {
        report_two_names(path, span(0, equals));
        return;
      }
      diagnostics_.warning(span(0, equals), fmt::format("\"{}\" is set twice; the last value counts", path),
                           fmt::format("before: --set {}", at->second));
      at->second = text;
    }
    if (std::holds_alternative<std::vector<std::string>*>(parameter->value)) {
      auto list = split_list(node);
      if (!list) {
        diagnostics_.error(node.where, fmt::format("\"{}\" is not a list", node.text),
                           "for example [f64,vote] or f64,vote");
        return;
      }
      node = std::move(*list);
    }
    if (read(*parameter, node)) out_.origins[path] = {"--set", node.where};
  }

 private:
  /// A path as it is called now; with a note where it was renamed.
  std::string current(std::string spelled, SourceSpan where) {
    if (std::none_of(kRenamedKeys.begin(), kRenamedKeys.end(),
                     [&](const RenamedKey& key) { return is_in(spelled, key.before); }))
      return spelled;
    std::string path = current_path(spelled);
    if (find(path) == nullptr && !is_section(path)) return spelled;
    note_renamed(spelled, path, where);
    return path;
  }
  void note_renamed(std::string_view before, std::string_view now, SourceSpan where) {
    diagnostics_.note(where, fmt::format("\"{}\" is now called \"{}\"", before, now),
                      "the next version reads the new name only");
  }
  void report_two_names(const std::string& path, SourceSpan where) {
    diagnostics_.error(where, fmt::format("\"{}\" and \"{}\" are the same parameter", former_path(path), path),
                       fmt::format("give it once, as \"{}\"", path));
  }

  /// Reads a value; a renamed word is replaced first, because read_value knows the words of today only.
  bool read(const Parameter& parameter, const yaml::Node& node) {
    for (const RenamedWord& word : kRenamedWords) {
      if (word.path != parameter.path || node.kind != yaml::Node::Kind::Scalar || node.text != word.before) continue;
      note_renamed(word.before, word.now, node.where);
      yaml::Node renamed = node;
      renamed.text = word.now;
      return read_value(parameter, renamed, diagnostics_);
    }
    return read_value(parameter, node, diagnostics_);
  }

  void report_missing(std::string_view name, const fs::path& path, const std::string& why, SourceSpan where,
                      const std::string& names_in) {
    std::vector<std::string> names = config_names(names_in, kind_);
    if (is_path(name)) {
      auto near = nearest(path.stem().string(), {names.begin(), names.end()});
      diagnostics_.add(cannot_read(path.string(), why, where,
                                   near ? fmt::format("did you mean the {} \"{}\"?", noun_, *near) : std::string()));
      return;
    }
    std::string hint = did_you_mean(name, {names.begin(), names.end()});
    if (hint.empty()) hint = fmt::format("{}s in {}: {}", noun_, names_in, fmt::join(names, ", "));
    diagnostics_.error(where, fmt::format("no {} \"{}\"", noun_, name), hint);
  }

  void apply_file(const std::shared_ptr<const SourceText>& source, const fs::path& directory) {
    std::optional<yaml::Node> root = yaml::parse(source, diagnostics_);
    if (!root) return;
    if (root->kind != yaml::Node::Kind::Map) {
      diagnostics_.error(root->where, fmt::format("a {} file must be a map, not {}", noun_, yaml::describe(*root)));
      return;
    }
    for (const yaml::Entry& entry : root->entries) {
      if (entry.key != "extends") continue;
      std::string base;
      if (yaml::read(entry.value, "extends", base, any(), diagnostics_)) load(base, directory, entry.value.where);
    }
    apply_map(*root, "");
  }

  // `prefix` is "" or "chip." and so on.
  void apply_map(const yaml::Node& map, const std::string& prefix) {
    for (const yaml::Entry& entry : map.entries) {
      std::string path = current(prefix + entry.key, entry.where);
      if (path == "extends") continue;
      if (const Parameter* parameter = find(path)) {
        // Keys of a map are unique: this file gave the value by another one.
        Origin& origin = out_.origins[path];
        if (origin.where.source == entry.where.source) report_two_names(path, entry.where);
        else if (read(*parameter, entry.value)) origin = origin_of(entry.value.where);
      } else if (!is_section(path)) {
        std::vector<std::string> legal = children(prefix);
        if (prefix.empty()) legal.emplace_back("extends");
        std::string what =
            prefix.empty() ? fmt::format("a {}", noun_) : "\"" + prefix.substr(0, prefix.size() - 1) + "\"";
        yaml::report_unknown_key(entry.where, entry.key, what, {legal.begin(), legal.end()}, diagnostics_);
      } else if (entry.value.kind != yaml::Node::Kind::Map) {
        diagnostics_.error(entry.value.where,
                           fmt::format("\"{}\" must be a map, not {}", path, yaml::describe(entry.value)));
      } else {
        apply_map(entry.value, path + ".");
      }
    }
  }

  static Origin origin_of(SourceSpan where) {
    std::string file = fs::path(where.source->name()).filename().string();
    return {fmt::format("{}:{}", file, where.source->place_of(where.begin).line), where};
  }

  void report_unknown_path(const std::string& path, SourceSpan where) {
    if (is_section(path)) {
      diagnostics_.error(where, fmt::format("\"{}\" is a group of values", path),
                         fmt::format("set one of them: {}", fmt::join(children(path + "."), ", ")));
      return;
    }
    std::vector<std::string_view> paths;
    std::string same_last;
    for (const Parameter& p : parameters_) {
      paths.push_back(p.path);
      if (same_last.empty() && p.path.ends_with("." + path)) same_last = p.path;
    }
    std::string hint = same_last.empty() ? did_you_mean(path, paths) : fmt::format("did you mean \"{}\"?", same_last);
    if (hint.empty()) hint = "warptime list parameters shows them all";
    diagnostics_.error(where, fmt::format("unknown parameter \"{}\"", path), hint);
  }

  // [a, b] or a,b as a list node; nothing where the text is neither.
  static std::optional<yaml::Node> split_list(const yaml::Node& scalar) {
    yaml::Node list;
    list.kind = yaml::Node::Kind::Sequence;
    list.where = scalar.where;
    const std::string& text = scalar.text;
    size_t begin = 0, end = text.size();
    auto trim = [&](size_t& from, size_t& to) {
      while (from < to && text[from] == ' ') ++from;
      while (to > from && text[to - 1] == ' ') --to;
    };
    trim(begin, end);
    if (begin < end && text[begin] == '[' && text[end - 1] == ']') {
      ++begin, --end;
      trim(begin, end);
    }
    if (begin >= end) return list;
    for (size_t next; begin <= end; begin = next + 1) {
      next = std::min(text.find(',', begin), end);
      size_t from = begin, to = next;
      trim(from, to);
      std::string word = text.substr(from, to - from);
      if (word.empty() || word.find_first_of("[] ") != std::string::npos) return std::nullopt;
      yaml::Node item;
      item.kind = yaml::Node::Kind::Scalar;
      item.text = std::move(word);
      item.where = {scalar.where.source, scalar.where.begin + static_cast<uint32_t>(from),
                    static_cast<uint32_t>(to - from)};
      list.items.push_back(std::move(item));
    }
    return list;
  }

  const Parameter* find(const std::string& path) const {
    auto found =
        std::find_if(parameters_.begin(), parameters_.end(), [&](const Parameter& p) { return p.path == path; });
    return found == parameters_.end() ? nullptr : &*found;
  }
  bool is_section(const std::string& path) const {
    return std::any_of(parameters_.begin(), parameters_.end(),
                       [&](const Parameter& p) { return p.path.starts_with(path + "."); });
  }
  // The keys that may stand in a section, in table order.
  std::vector<std::string> children(const std::string& prefix) const {
    std::vector<std::string> out;
    for (const Parameter& p : parameters_) {
      if (!p.path.starts_with(prefix)) continue;
      std::string key = p.path.substr(prefix.size(), p.path.find('.', prefix.size()) - prefix.size());
      if (out.empty() || out.back() != key) out.push_back(key);
    }
    return out;
  }

  ParameterFile& out_;
  const std::vector<Parameter>& parameters_;
  ConfigKind kind_;
  std::string_view noun_;
  const std::string& config_directory_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::string> set_;  // by path: the override that set it
  std::vector<fs::path> chain_;             // the files being loaded, each extended by the one before
};

}  // namespace

std::vector<std::string> config_names(const std::string& directory, ConfigKind kind) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    if (std::string name = it->path().stem().string(); it->path().extension() == ".yaml" && is_of(kind, name))
      names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

Origin ParameterFile::origin(const std::string& path) const {
  auto found = origins.find(path);
  return found == origins.end() ? Origin{} : found->second;
}

void load_parameters(ParameterFile& out, const std::vector<Parameter>& parameters, ConfigKind kind,
                     std::string_view name_or_file, const std::vector<std::string>& overrides,
                     const std::string& config_directory, Diagnostics& diagnostics, SourceSpan where) {
  Loader loader(out, parameters, kind, config_directory, diagnostics);
  if (!name_or_file.empty()) loader.load(name_or_file, "", std::move(where));
  for (const std::string& text : overrides) loader.apply_override(text);
}

}  // namespace warptime::sim
