#include "report/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "base/assert.h"

namespace warptime::report {

struct GzipStream::State {
  z_stream stream{};
  std::string piece = std::string(1 << 16, '\0');
};

GzipStream::GzipStream(std::function<void(std::string_view)> write)
    : write_(std::move(write)), state_(std::make_unique<State>()) {
  constexpr int kGzipWindow = 15 + 16;  // the largest window; 16 asks for gzip's header and trailer
  int status = deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY);
  SIM_ASSERT(status == Z_OK, "zlib does not start: {}", status);
}

GzipStream::~GzipStream() { deflateEnd(&state_->stream); }

void GzipStream::write(std::string_view text) {
  constexpr size_t kMost = std::numeric_limits<uInt>::max();  // zlib counts in 32 bits
  for (; text.size() > kMost; text.remove_prefix(kMost)) compress(text.substr(0, kMost), false);
  compress(text, false);
}

void GzipStream::finish() { compress({}, true); }

void GzipStream::compress(std::string_view text, bool is_last) {
  z_stream& stream = state_->stream;
  std::string& piece = state_->piece;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  int status = Z_OK;
  do {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = deflate(&stream, is_last ? Z_FINISH : Z_NO_FLUSH);
    SIM_ASSERT(status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR, "zlib says {}", status);
    write_(std::string_view(piece).substr(0, piece.size() - stream.avail_out));
  } while (is_last ? status != Z_STREAM_END : stream.avail_in != 0 || stream.avail_out == 0);
}

std::string gzip(std::string_view text) {
  std::string out;
  GzipStream stream([&out](std::string_view piece) { out += piece; });
  stream.write(text);
  stream.finish();
  return out;
}

}  // namespace warptime::report
