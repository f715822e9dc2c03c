// Messages of the Debug Adapter Protocol: a header with `Content-Length: N`, an empty line, N bytes of JSON.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace warptime::debug {

using Json = nlohmann::ordered_json;

class MessageStream {
 public:
  /// Reads from a file descriptor.
  MessageStream(int input, std::function<void(std::string_view)> write) : input_(input), write_(std::move(write)) {}

  /// The next message; nullopt: the end, or what came is not a message (`error()` says why).
  std::optional<Json> read();
  /// A message, or a part of one, is waiting.
  bool is_ready() const;
  const std::string& error() const { return error_; }
  void write(const Json& message);

 private:
  bool fill();

  int input_;
  std::function<void(std::string_view)> write_;
  std::string buffer_;
  std::string error_;
};

}  // namespace warptime::debug
