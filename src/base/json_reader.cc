#include "base/json_reader.h"

#include <fmt/format.h>
#include <rapidjson/reader.h>

#include <charconv>
#include <vector>

namespace warptime {

namespace {

constexpr size_t kBufferBytes = 1 << 18;

/// The bytes as RapidJSON reads them; it takes '\0' for their end.
class JsonStream {
 public:
  using Ch = char;

  explicit JsonStream(const std::function<size_t(char*, size_t)>& read) : read_(read) { refill(); }

  char Peek() const { return *at_; }
  char Take() {
    const char c = *at_++;
    if (at_ == end_) refill();
    return c;
  }
  size_t Tell() const { return passed_ + static_cast<size_t>(at_ - buffer_.data()); }
  bool at_end() const { return at_end_; }

  // RapidJSON asks for these in every stream; only streams that are written to use them.
  char* PutBegin() { return nullptr; }
  void Put(char) {}
  void Flush() {}
  size_t PutEnd(char*) { return 0; }

 private:
  void refill() {
    passed_ += static_cast<size_t>(end_ - buffer_.data());
    at_ = buffer_.data();
    end_ = at_ + (at_end_ ? 0 : read_(buffer_.data(), buffer_.size()));
    if (at_ != end_) return;
    at_end_ = true;
    buffer_[0] = '\0';
  }

  const std::function<size_t(char*, size_t)>& read_;
  std::vector<char> buffer_ = std::vector<char>(kBufferBytes);
  const char* at_ = buffer_.data();
  const char* end_ = buffer_.data();
  size_t passed_ = 0;  // bytes before those in the buffer
  bool at_end_ = false;
};

/// Hands on what RapidJSON tells; false ends the reading, for the reason in `why`.
struct JsonHandler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, JsonHandler> {
  explicit JsonHandler(JsonEvents& to) : events(to) {}

  bool Null() { return word("null"); }
  bool Bool(bool value) { return word(value ? "true" : "false"); }
  bool RawNumber(const char* begin, size_t length, bool) {
    const std::string_view digits(begin, length);
    double value = 0;
    if (std::from_chars(begin, begin + length, value).ec != std::errc()) {
      // Too small is 0, as for other readers; too large is nothing that can be counted with.
      const bool is_small = digits.starts_with("0.") || digits.starts_with("-0.");
      if (!is_small && digits.find("e-") == digits.npos && digits.find("E-") == digits.npos)
        return mistake(kTooLarge, length);
      value = 0;
    }
    events.number(key, value, digits);
    return named();
  }
  bool String(const char* text, size_t length, bool) {
    if (!is_whole({text, length})) return false;
    events.text(key, {text, length});
    return named();
  }
  bool Key(const char* text, size_t length, bool) {
    key.assign(text, length);
    return is_whole(key);
  }
  bool StartObject() {
    if (!deeper()) return false;
    events.begin_object(key);
    return named();
  }
  bool StartArray() {
    if (!deeper()) return false;
    events.begin_list(key);
    return named();
  }
  bool EndObject(size_t) { return end(); }
  bool EndArray(size_t) { return end(); }

  static constexpr const char* kTooLarge = "the number is out of range";
  static constexpr const char* kHalfPair = "half a surrogate pair";

  JsonEvents& events;
  std::string key, why;
  size_t depth = 0, behind = 0;  // behind: bytes between the place of the mistake and the reader

 private:
  bool mistake(std::string what, size_t bytes_behind) {
    why = std::move(what);
    behind = bytes_behind;
    return false;
  }
  /// RapidJSON lets the second half of a surrogate pair stand alone, and encodes it like a character.
  bool is_whole(std::string_view text) {
    for (size_t at = text.find('\xed'); at != text.npos; at = text.find('\xed', at + 1))
      if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xa0) return mistake(kHalfPair, 1);
    return true;
  }
  bool word(std::string_view value) {
    events.word(key, value);
    return named();
  }
  bool named() {
    key.clear();
    return true;
  }
  bool deeper() {
    return ++depth <= kMostJsonNesting || mistake(fmt::format("more than {} levels", kMostJsonNesting), 0);
  }
  bool end() {
    --depth;
    events.end();
    return true;
  }
};

std::string sentence(rapidjson::ParseErrorCode code, const JsonHandler& handler, bool at_reader) {
  switch (code) {
    case rapidjson::kParseErrorDocumentEmpty:
    case rapidjson::kParseErrorValueInvalid: return "expected a value";
    case rapidjson::kParseErrorDocumentRootNotSingular: return "expected the end of the text";
    case rapidjson::kParseErrorObjectMissName: return "expected a key";
    case rapidjson::kParseErrorObjectMissColon: return "expected \":\"";
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket: return "expected \",\" or \"}\"";
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket: return "expected \",\" or \"]\"";
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex: return "expected four hexadecimal digits";
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid: return JsonHandler::kHalfPair;
    // The place of a wrong escape is its beginning, behind which the reader is.
    case rapidjson::kParseErrorStringEscapeInvalid:
      return at_reader ? "a control character in a string" : "an escape that JSON does not have";
    case rapidjson::kParseErrorStringMissQuotationMark: return "expected the end of the string";
    case rapidjson::kParseErrorNumberTooBig: return JsonHandler::kTooLarge;
    case rapidjson::kParseErrorNumberMissFraction:
    case rapidjson::kParseErrorNumberMissExponent: return "expected a digit";
    case rapidjson::kParseErrorNone:
    case rapidjson::kParseErrorStringInvalidEncoding:
    case rapidjson::kParseErrorTermination:
    case rapidjson::kParseErrorUnspecificSyntaxError: break;
  }
  return handler.why;
}

}  // namespace

std::optional<JsonMistake> read_json(const std::function<size_t(char*, size_t)>& read, JsonEvents& events) {
  JsonStream stream(read);
  JsonHandler handler(events);
  rapidjson::Reader reader;
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
  if (result.IsError()) {
    const size_t place = result.Offset() - handler.behind;
    return JsonMistake{place, sentence(result.Code(), handler, place == stream.Tell())};
  }
  if (!stream.at_end()) return JsonMistake{stream.Tell(), "expected the end of the text"};
  return std::nullopt;
}

}  // namespace warptime
