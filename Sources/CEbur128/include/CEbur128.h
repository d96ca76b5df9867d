#ifndef CEBUR128_H
#define CEBUR128_H

#include <ebur128.h>

/// Loads libebur128. Returns NULL, or the reason why it cannot be loaded. To be called before any
/// function of the library, which is forwarded to it. Any thread but the render thread.
const char *cebur128_load(void);

#endif
