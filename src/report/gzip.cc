#include "report/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "base/assert.h"

namespace warptime::report {

std::string gzip(std::string_view text) {
  constexpr int kGzipWindow = 15 + 16;  // the largest window; 16 asks for gzip's header and trailer
  z_stream stream{};
  int status = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY);
  SIM_ASSERT(status == Z_OK, "zlib does not start: {}", status);
  std::string out;
  std::string piece(1 << 16, '\0');
  const char* next = text.data();
  size_t left = text.size();
  do {
    if (stream.avail_in == 0) {
      // zlib counts in 32 bits.
      auto some = static_cast<uInt>(std::min<size_t>(left, std::numeric_limits<uInt>::max()));
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(next));
      stream.avail_in = some;
      next += some;
      left -= some;
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = deflate(&stream, left == 0 ? Z_FINISH : Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
  } while (status == Z_OK);
  SIM_ASSERT(status == Z_STREAM_END, "zlib ends with {}", status);
  deflateEnd(&stream);
  return out;
}

}  // namespace warptime::report
