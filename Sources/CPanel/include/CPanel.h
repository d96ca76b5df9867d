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

#endif
