// Text -> tree: yaml-cpp parses, its events build our nodes. yaml-cpp's own tree would keep duplicate keys silently and
// share aliased nodes; from the events both are seen where they stand.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "base/nesting.h"
#include "sim/model/yaml_reader.h"

namespace warptime::yaml {

namespace {

constexpr size_t kMaxBytes = size_t{8} << 20;

/// The text for yaml-cpp, without the words of comments, which take half of its time. A `#` stays, because it ends what
/// stands before it. Nothing is cut behind a line at whose end a quoted or a block scalar might be open.
class ShortText {
 public:
  ShortText(std::string_view text, uint32_t skipped) : removed_{{0, skipped}} {
    bool cuts = true;
    for (size_t begin = skipped; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
      std::string_view line = text.substr(begin, end - begin);
      const size_t comment = cuts ? find_comment(line) : std::string_view::npos;
      const std::string_view content = line.substr(0, comment);
      cuts = cuts && content.find_first_of("|>\\") == std::string_view::npos && is_even(content, '"') &&
             is_even(content, '\'');
      if (cuts && comment != std::string_view::npos) {
        text_ += content.substr(0, content.find_last_not_of(' ') + 1);
        text_ += comment == 0 ? "#" : " #";
        line.remove_prefix(std::min(line.size(), std::max(comment + 1, line.find_last_not_of("\r\n") + 1)));
        removed_.emplace_back(text_.size(), end - line.size() - text_.size());
      }
      text_ += line;
      begin = end;
    }
  }

  const std::string& text() const { return text_; }
  /// Where a place of it is in the original.
  size_t original(size_t place) const {
    auto behind = std::upper_bound(removed_.begin(), removed_.end(), std::pair{place, SIZE_MAX});
    return place + std::prev(behind)->second;
  }

 private:
  static size_t find_comment(std::string_view line) {
    if (line.starts_with('#')) return 0;
    const size_t at = line.find(" #");
    return at == std::string_view::npos ? at : at + 1;
  }
  static bool is_even(std::string_view text, char quote) {
    return std::count(text.begin(), text.end(), quote) % 2 == 0;
  }

  std::string text_;
  std::vector<std::pair<size_t, size_t>> removed_;  // from a place on: how many bytes are missing before it
};

/// Thrown through yaml-cpp's parser; caught in parse().
struct Refused {
  SourceSpan where;
  std::string message, hint;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceText& source, const ShortText& read, Diagnostics& diagnostics)
      : source_(source), read_(read), diagnostics_(diagnostics) {}

  Node take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    Node node;
    node.where = at(mark);
    add(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{at(mark), "aliases are not taken here", "write the value again"};
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    refuse_tag(mark, tag);
    Node node;
    node.kind = Node::Kind::Scalar;
    node.quoted = tag == "!";
    node.text = value;
    node.where = at(mark);
    node.where.length = written_length(node.where.begin, value);
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::Sequence, mark, tag);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(Node::Kind::Map, mark, tag);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  SourceSpan at(const YAML::Mark& mark) const {
    const size_t offset = mark.is_null() ? 0 : read_.original(static_cast<size_t>(mark.pos));
    return {&source_, static_cast<uint32_t>(std::min(offset, source_.text().size())), 1};
  }

 private:
  struct Frame {
    Node node;
    std::optional<Entry> entry;              // of a map: the key whose value comes next
    std::map<std::string, SourceSpan> keys;  // of a map: so far
  };

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!")
      throw Refused{at(mark), fmt::format("tags are not taken here: {}", tag), "leave it out"};
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    refuse_tag(mark, tag);
    if (frames_.size() >= kMaxNesting)
      throw Refused{at(mark), fmt::format("nested more than {} deep", kMaxNesting), ""};
    Node node;
    node.kind = kind;
    node.where = at(mark);
    frames_.push_back({std::move(node), std::nullopt, {}});
  }

  void close() {
    Node node = std::move(frames_.back().node);
    frames_.pop_back();
    add(std::move(node));
  }

  void add(Node node) {
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == Node::Kind::Sequence) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.entry) {
      if (node.kind != Node::Kind::Scalar) throw Refused{node.where, "a key must be a word", ""};
      frame.entry = Entry{std::move(node.text), node.where, {}};
    } else {
      frame.entry->value = std::move(node);
      add_entry(frame, std::move(*frame.entry));
      frame.entry.reset();
    }
  }

  void add_entry(Frame& frame, Entry entry) {
    auto [first, is_new] = frame.keys.emplace(entry.key, entry.where);
    if (is_new) {
      frame.node.entries.push_back(std::move(entry));
      return;
    }
    diagnostics_.error(entry.where, fmt::format("duplicate key \"{}\"", entry.key),
                       fmt::format("first given on line {}", source_.place_of(first->second.begin).line));
  }

  // Bytes that a scalar takes in the text, for the underline; 1 where that is not plain to see (escapes, blocks).
  uint32_t written_length(uint32_t begin, const std::string& value) const {
    std::string_view rest = source_.text().substr(begin);
    if (rest.starts_with(value) && !value.empty()) return static_cast<uint32_t>(value.size());
    if (rest.size() > value.size() + 1 && rest.substr(1).starts_with(value))
      return static_cast<uint32_t>(value.size() + 2);
    return 1;
  }

  const SourceText& source_;
  const ShortText& read_;
  Diagnostics& diagnostics_;
  std::vector<Frame> frames_;
  Node root_;
};

// yaml-cpp would take UTF-16 and NUL bytes in its stride; our places could then point nowhere.
std::optional<size_t> first_binary_byte(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    bool blank = text[i] == '\n' || text[i] == '\r' || text[i] == '\t';
    if ((byte < 0x20 && !blank) || byte == 0x7f || byte >= 0xf8 || byte == 0xc0) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Node> parse(const std::shared_ptr<const SourceText>& source, Diagnostics& diagnostics) {
  diagnostics.keep(source);
  SourceSpan start{source.get(), 0, 0};
  std::string_view text = source->text();
  if (text.size() > kMaxBytes) {
    diagnostics.error(start, fmt::format("larger than {} MiB", kMaxBytes >> 20));
    return std::nullopt;
  }
  uint32_t skipped = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  text.remove_prefix(skipped);
  if (auto at = first_binary_byte(text)) {
    diagnostics.error({source.get(), static_cast<uint32_t>(*at + skipped), 1},
                      fmt::format("this is not a text file: byte 0x{:02x} at offset {}",
                                  static_cast<unsigned char>(text[*at]), *at + skipped));
    return std::nullopt;
  }

  size_t errors_before = diagnostics.error_count();
  const ShortText read(source->text(), skipped);
  TreeBuilder builder(*source, read, diagnostics);
  try {
    std::istringstream stream(read.text());
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder)) {
      Node root = builder.take_root();
      TreeBuilder second(*source, read, diagnostics);
      if (parser.HandleNextDocument(second)) {
        diagnostics.error(second.take_root().where, "a second document starts here", "one file holds one document");
        return std::nullopt;
      }
      if (diagnostics.error_count() > errors_before) return std::nullopt;
      return root;
    }
    Node nothing;
    nothing.where = start;
    return nothing;
  } catch (const Refused& refused) {
    diagnostics.error(refused.where, refused.message, refused.hint);
  } catch (const YAML::Exception& exception) {
    diagnostics.error(builder.at(exception.mark), "this is not YAML: " + exception.msg);
  }
  return std::nullopt;
}

}  // namespace warptime::yaml
