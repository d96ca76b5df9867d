#ifndef C_PANEL_H
#define C_PANEL_H

#include <stddef.h>

/// A file of the page, embedded when the program was compiled.
struct cpanel_file {
  /// Its path; the last component is its name.
  const char *path;
  const unsigned char *bytes;
  size_t count;
};

/// The file with this number, from 0; `NULL` after the last.
const struct cpanel_file *cpanel_file(size_t number);

/// Compresses bytes to gzip (RFC 1952). Returns the number of bytes written; 0 if there is not
/// enough room or no libz. Any thread but the render thread.
size_t cpanel_compress(const unsigned char *bytes, size_t count, unsigned char *into, size_t room);

#endif
