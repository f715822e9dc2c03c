#include "base/json_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

namespace warptime {

namespace {

constexpr size_t kBufferBytes = 1 << 18;
constexpr int kEnd = -1;

class JsonReader {
 public:
  JsonReader(const std::function<size_t(char*, size_t)>& read, JsonEvents& events)
      : read_(read), events_(events), buffer_(kBufferBytes) {}

  std::optional<JsonMistake> run() {
    if (read_document() && skip_blanks() != kEnd) mistake("expected the end of the text");
    return std::move(mistake_);
  }

 private:
  int peek() {
    if (at_ != end_) [[likely]]
      return static_cast<unsigned char>(*at_);
    passed_ += static_cast<uint64_t>(end_ - buffer_.data());
    at_ = end_ = buffer_.data();
    if (!at_end_) end_ += read_(buffer_.data(), buffer_.size());
    at_end_ = at_ == end_;
    return at_end_ ? kEnd : static_cast<unsigned char>(*at_);
  }
  /// The next character that is not blank.
  int skip_blanks() {
    for (;;) {
      // Most of an indented text are blanks.
      constexpr uint64_t kEightBlanks = 0x2020202020202020;
      for (uint64_t word = 0; end_ - at_ >= 8; at_ += 8) {
        std::memcpy(&word, at_, 8);
        if (word != kEightBlanks) break;
      }
      int c = peek();
      if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return c;
      ++at_;
    }
  }
  /// `behind`: bytes behind the place.
  bool mistake(std::string what, size_t behind = 0) {
    uint64_t offset = passed_ + static_cast<uint64_t>(at_ - buffer_.data());
    if (!mistake_) mistake_ = JsonMistake{offset - behind, std::move(what)};
    return false;
  }

  bool read_document() {
    if (!read_value()) return false;
    while (!open_.empty()) {
      int c = skip_blanks();
      if (c == (open_.back() == '{' ? '}' : ']')) {
        ++at_;
        open_.pop_back();
        events_.end();
        has_items_ = true;
        continue;
      }
      if (has_items_) {
        if (c != ',') return mistake(open_.back() == '{' ? "expected \",\" or \"}\"" : "expected \",\" or \"]\"");
        ++at_;
        c = skip_blanks();
      }
      has_items_ = true;
      key_.clear();
      if (open_.back() == '{' && !read_key(c)) return false;
      if (!read_value()) return false;
    }
    return true;
  }

  bool read_key(int c) {
    if (c != '"') return mistake("expected a key");
    if (!read_string(key_)) return false;
    if (skip_blanks() != ':') return mistake("expected \":\"");
    ++at_;
    return true;
  }

  /// Begins an object or list, or reads a whole value of another kind.
  bool read_value() {
    int c = skip_blanks();
    if (c == '{' || c == '[') {
      if (open_.size() == kMostJsonNesting) return mistake(fmt::format("more than {} levels", kMostJsonNesting));
      ++at_;
      if (c == '{') events_.begin_object(key_);
      else events_.begin_list(key_);
      open_.push_back(static_cast<char>(c));
      has_items_ = false;
      return true;
    }
    if (c == '"') {
      if (!read_string(token_)) return false;
      events_.text(key_, token_);
      return true;
    }
    if (c == '-' || (c >= '0' && c <= '9')) return read_number();
    return read_word();
  }

  bool read_word() {
    token_.clear();
    for (int c = peek(); c >= 'a' && c <= 'z' && token_.size() < 8; c = peek()) take(c);
    if (token_ != "true" && token_ != "false" && token_ != "null") return mistake("expected a value", token_.size());
    events_.word(key_, token_);
    return true;
  }

  void take(int c) {
    token_ += static_cast<char>(c);
    ++at_;
  }
  bool take_digits() {
    int c = peek();
    if (c < '0' || c > '9') return mistake("expected a digit");
    for (; c >= '0' && c <= '9'; c = peek()) take(c);
    return true;
  }

  bool read_number() {
    token_.clear();
    if (peek() == '-') take('-');
    if (peek() == '0') take('0');
    else if (!take_digits()) return false;
    bool whole = true;
    if (peek() == '.') {
      whole = false;
      take('.');
      if (!take_digits()) return false;
    }
    if (int c = peek(); c == 'e' || c == 'E') {
      whole = false;
      take(c);
      if (c = peek(); c == '+' || c == '-') take(c);
      if (!take_digits()) return false;
    }
    double value = 0;
    constexpr size_t kExactDigits = 15;
    if (whole && token_.size() <= kExactDigits) {
      int64_t number = 0;
      std::from_chars(token_.data(), token_.data() + token_.size(), number);
      value = token_[0] == '-' && number == 0 ? -0.0 : static_cast<double>(number);
    } else if (std::from_chars(token_.data(), token_.data() + token_.size(), value).ec != std::errc()) {
      // Too small is 0, as for other readers; too large is nothing that can be counted with.
      if (token_.find("e-") == std::string::npos && token_.find("E-") == std::string::npos && !is_small())
        return mistake("the number is out of range", token_.size());
      value = 0;
    }
    events_.number(key_, value, token_);
    return true;
  }
  /// "0.000...1": no exponent, and no digit but 0 before the point.
  bool is_small() const { return token_.starts_with("0.") || token_.starts_with("-0."); }

  bool read_string(std::string& out) {
    out.clear();
    ++at_;
    for (;;) {
      int c = peek();
      if (c == kEnd) return mistake("expected the end of the string");
      const char* begin = at_;
      while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20) ++at_;
      out.append(begin, at_);
      if (at_ == end_) continue;
      c = static_cast<unsigned char>(*at_);
      if (c < 0x20) return mistake("a control character in a string");
      ++at_;
      if (c == '"') return true;
      if (!read_escape(out)) return false;
    }
  }

  bool read_escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    int c = peek();
    if (size_t which = c == kEnd ? kLetters.npos : kLetters.find(static_cast<char>(c)); which != kLetters.npos) {
      ++at_;
      out += kMeant[which];
      return true;
    }
    if (c != 'u') return mistake("an escape that JSON does not have");
    ++at_;
    uint32_t code = 0, low = 0;
    if (!read_hex(code)) return false;
    if (code >= 0xdc00 && code < 0xe000) return mistake("half a surrogate pair");
    if (code >= 0xd800 && code < 0xdc00) {
      if (peek() != '\\') return mistake("half a surrogate pair");
      ++at_;
      if (peek() != 'u') return mistake("half a surrogate pair");
      ++at_;
      if (!read_hex(low)) return false;
      if (low < 0xdc00 || low > 0xdfff) return mistake("half a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    append_utf8(out, code);
    return true;
  }

  bool read_hex(uint32_t& code) {
    for (int i = 0; i < 4; ++i) {
      int c = peek();
      int digit = c >= '0' && c <= '9'   ? c - '0'
                  : c >= 'a' && c <= 'f' ? c - 'a' + 10
                  : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                         : -1;
      if (digit < 0) return mistake("expected four hexadecimal digits");
      ++at_;
      code = code * 16 + static_cast<uint32_t>(digit);
    }
    return true;
  }

  static void append_utf8(std::string& out, uint32_t code) {
    auto byte = [&](uint32_t bits) { out += static_cast<char>(bits); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) {
      byte(0xc0 | code >> 6);
    } else {
      if (code < 0x10000) {
        byte(0xe0 | code >> 12);
      } else {
        byte(0xf0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3f));
      }
      byte(0x80 | (code >> 6 & 0x3f));
    }
    byte(0x80 | (code & 0x3f));
  }

  const std::function<size_t(char*, size_t)>& read_;
  JsonEvents& events_;
  std::vector<char> buffer_;
  const char* at_ = buffer_.data();
  char* end_ = buffer_.data();
  uint64_t passed_ = 0;  // bytes before those in the buffer
  bool at_end_ = false;
  std::vector<char> open_;  // '{' or '[' of each
  bool has_items_ = false;  // the innermost one
  std::string key_, token_;
  std::optional<JsonMistake> mistake_;
};

}  // namespace

std::optional<JsonMistake> read_json(const std::function<size_t(char*, size_t)>& read, JsonEvents& events) {
  return JsonReader(read, events).run();
}

}  // namespace warptime
