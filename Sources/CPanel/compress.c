#include "include/CPanel.h"

#include <limits.h>
#include <zlib.h>

#include "CLoading.h"

// clang-format off
#define FUNCTIONS(CALL)                                                                           \
  CALL(int, deflateInit2_,                                                                        \
       (z_streamp strm, int level, int method, int windowBits, int memLevel, int strategy,        \
        const char *version, int stream_size),                                                    \
       (strm, level, method, windowBits, memLevel, strategy, version, stream_size))               \
  CALL(int, deflate, (z_streamp strm, int flush), (strm, flush))                                  \
  CALL(int, deflateEnd, (z_streamp strm), (strm))
// clang-format on

CLOADING_OPTIONAL("libz.so.1", "zlib1g", FUNCTIONS)

size_t cpanel_compress(const unsigned char *bytes, size_t count, unsigned char *into, size_t room) {
  if (cloading_load(&library) || count > UINT_MAX || room > UINT_MAX) return 0;
  z_stream stream = {0};
  // MAX_WBITS + 16 selects the gzip format instead of zlib's.
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return 0;
  stream.next_in = (unsigned char *)bytes;
  stream.avail_in = (unsigned)count;
  stream.next_out = into;
  stream.avail_out = (unsigned)room;
  int isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  size_t length = stream.total_out;
  deflateEnd(&stream);
  return isWhole ? length : 0;
}
