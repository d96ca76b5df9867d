#ifndef CCAIRO_H
#define CCAIRO_H

#include <cairo/cairo.h>

/// Loads cairo, whose functions are forwarded to it: NULL, or why it is not there. Whatever calls
/// one of them asks here first. Any thread but the render thread.
const char *ccairo_load(void);

#endif
