#ifndef CEBUR128_H
#define CEBUR128_H

#include <ebur128.h>

/// Loads libebur128, whose functions are forwarded to it: NULL, or why it is not there. Whatever calls
/// one of them asks here first. Any thread but the render thread.
const char *cebur128_load(void);

#endif
