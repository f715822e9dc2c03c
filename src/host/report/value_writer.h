// Receives a report value by value: objects, lists, numbers, text. JSON and CSV are two implementations, so the content
// of a report is defined once.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptime::host {

/// `key`: of a member of an object; ignored for an item of a list.
class ValueWriter {
 public:
  virtual ~ValueWriter() = default;
  virtual void begin_object(std::string_view key) = 0;
  virtual void begin_list(std::string_view key) = 0;
  /// Ends the innermost open object or list.
  virtual void end() = 0;
  virtual void number(std::string_view key, uint64_t value) = 0;
  virtual void real(std::string_view key, double value) = 0;
  virtual void text(std::string_view key, std::string_view value) = 0;
  virtual void flag(std::string_view key, bool value) = 0;
  virtual void null(std::string_view key) = 0;
  /// A value of that text, which is JSON in one line.
  virtual void json(std::string_view key, std::string_view value) = 0;
};

/// Writes JSON with two spaces of indent, byte for byte as nlohmann::ordered_json::dump(2).
class JsonText : public ValueWriter {
 public:
  using Write = std::function<void(std::string_view)>;
  /// `depth`: of the object or list that it continues.
  /// `depth`: of the list that it continues; 0: it is the whole.
  explicit JsonText(Write write, size_t depth = 0)
      : write_(std::move(write)), has_items_(depth + 1, false), ends_(depth, ']') {}

  void begin_object(std::string_view key) override;
  void begin_list(std::string_view key) override;
  void end() override;
  void number(std::string_view key, uint64_t value) override;
  void real(std::string_view key, double value) override;
  void text(std::string_view key, std::string_view value) override;
  void flag(std::string_view key, bool value) override { begin_value(key) += value ? "true" : "false"; }
  void null(std::string_view key) override { begin_value(key) += "null"; }
  void json(std::string_view key, std::string_view value) override { begin_value(key) += value; }
  /// Text written by another writer at the same position, as the next items. It may come in several pieces.
  void items(std::string_view text);
  /// Passes the buffered text on.
  void flush();
  /// Passes the buffered text on, followed by this text.
  void finish(std::string_view text) {
    out_ += text;
    flush();
  }

 private:
  std::string& begin_value(std::string_view key);
  void new_line();

  Write write_;
  std::string out_;
  std::vector<bool> has_items_;  // by depth; the first is outside
  std::vector<char> ends_;       // of the open objects and lists
};

/// Dotted names and cells: the items of a list of numbers are one cell, separated by blanks; null is an empty cell.
/// Objects of a list that have a "name" are named by it, sorted ("resources.dram.busy"); other lists of objects are
/// left out.
class FlatCells : public ValueWriter {
 public:
  using Cells = std::vector<std::pair<std::string, std::string>>;

  void begin_object(std::string_view key) override;
  void begin_list(std::string_view key) override;
  void end() override;
  void number(std::string_view key, uint64_t value) override;
  void real(std::string_view key, double value) override;
  void text(std::string_view key, std::string_view value) override;
  void flag(std::string_view key, bool value) override { cell(key, value ? "true" : "false"); }
  void null(std::string_view key) override { cell(key, ""); }
  void json(std::string_view key, std::string_view value) override { cell(key, value); }

  Cells& cells() { return open_.front().cells; }

 private:
  struct Part {
    std::string prefix;  // of its members' names
    Cells cells;
    // If it is a list:
    bool is_list = false, is_left_out = false, has_items = false;
    std::string name;                                  // its own; of an object that is an item: its "name"
    std::string cell;                                  // its numbers
    std::vector<std::pair<std::string, Cells>> named;  // its objects
  };
  void cell(std::string_view key, std::string_view value);

  std::vector<Part> open_{1};
};

/// Writes a value that is given as JSON.
void write_json(ValueWriter& out, std::string_view key, const nlohmann::ordered_json& value);

/// A double as nlohmann::json writes it.
std::string real_text(double value);

}  // namespace warptime::host
