#include "debug/dap/message_stream.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>

#include "base/descriptors.h"
#include "base/json_value.h"
#include "base/parse_number.h"

namespace warptime::debug {

namespace {

constexpr size_t kLongestHeader = 4096;
constexpr uint64_t kLongestBody = uint64_t{64} << 20;
constexpr std::string_view kEndOfHeader = "\r\n\r\n", kLength = "Content-Length:";

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// nullopt: the header has no length.
std::optional<uint64_t> length_of(std::string_view header) {
  for (size_t at = 0; at < header.size();) {
    size_t end = std::min(header.find("\r\n", at), header.size());
    std::string_view line = header.substr(at, end - at);
    at = end + 2;
    if (!line.starts_with(kLength)) continue;
    uint64_t length = 0;
    if (parse_number(without_blanks(line.substr(kLength.size())), length) == NumberError::Ok) return length;
  }
  return std::nullopt;
}

}  // namespace

bool MessageStream::fill() {
  std::array<char, 65536> bytes;
  const ssize_t count = read_some(input_, bytes.data(), bytes.size());
  if (count <= 0) return false;
  buffer_.append(bytes.data(), static_cast<size_t>(count));
  return true;
}

bool MessageStream::is_ready() const {
  if (!buffer_.empty()) return true;
  struct pollfd wait {
    input_, POLLIN, 0
  };
  return ::poll(&wait, 1, 0) > 0;
}

std::optional<Json> MessageStream::read() {
  size_t end = buffer_.find(kEndOfHeader);
  for (; end == std::string::npos; end = buffer_.find(kEndOfHeader)) {
    if (buffer_.size() > kLongestHeader) {
      error_ = "a message has no header";
      return std::nullopt;
    }
    if (!fill()) {
      if (!buffer_.empty()) error_ = "the input ends within a header";
      return std::nullopt;
    }
  }
  auto length = length_of(std::string_view(buffer_).substr(0, end));
  if (!length || *length > kLongestBody) {
    error_ = length ? "a message is too long" : "a header has no Content-Length";
    return std::nullopt;
  }
  const size_t begin = end + kEndOfHeader.size();
  while (buffer_.size() < begin + *length)
    if (!fill()) {
      error_ = "the input ends within a message";
      return std::nullopt;
    }
  std::optional<Json> message = parse_json(std::string_view(buffer_).substr(begin, *length));
  buffer_.erase(0, begin + *length);
  if (message && message->is_object()) return message;
  error_ = "a message is not a JSON object";
  return std::nullopt;
}

void MessageStream::write(const Json& message) {
  std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  write_(fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body));
}

}  // namespace warptime::debug
