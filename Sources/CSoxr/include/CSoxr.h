#ifndef CSOXR_H
#define CSOXR_H

#include <soxr.h>

/// Loads libsoxr. Returns NULL, or the reason why it cannot be loaded. To be called before any
/// function of the library, which is forwarded to it. Any thread but the render thread.
const char *csoxr_load(void);

#endif
