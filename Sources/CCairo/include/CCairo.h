#ifndef CCAIRO_H
#define CCAIRO_H

#include <cairo/cairo.h>

/// Loads cairo. Returns NULL, or the reason why it cannot be loaded. To be called before any
/// function of the library, which is forwarded to it. Any thread but the render thread.
const char *ccairo_load(void);

#endif
