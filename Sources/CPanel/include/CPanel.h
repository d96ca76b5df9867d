#ifndef C_PANEL_H
#define C_PANEL_H

#include <stddef.h>

/// A file of the page, as it was when the program was compiled.
struct cpanel_file {
  /// Where it lay: what is behind the last slash is its name.
  const char *path;
  const unsigned char *bytes;
  size_t count;
};

/// The file of a number, from 0 up; `NULL` behind the last.
const struct cpanel_file *cpanel_file(size_t number);

/// Writes bytes as gzip has them (RFC 1952) into a place with room. Returns how many there are; 0 where there is
/// no room, or no libz to do it. Any thread but the render thread.
size_t cpanel_compress(const unsigned char *bytes, size_t count, unsigned char *into, size_t room);

#endif
