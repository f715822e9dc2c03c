// Compresses text to the .gz format (RFC 1952), without time and name, so that the same text gives the same bytes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace warptime::report {

std::string gzip(std::string_view text);

/// gzip() piece by piece.
class GzipStream {
 public:
  explicit GzipStream(std::function<void(std::string_view)> write);
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  void write(std::string_view text);
  /// The rest, and the end.
  void finish();

 private:
  struct State;
  void compress(std::string_view text, bool is_last);

  std::function<void(std::string_view)> write_;
  std::unique_ptr<State> state_;
};

}  // namespace warptime::report
