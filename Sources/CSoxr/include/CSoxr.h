#ifndef CSOXR_H
#define CSOXR_H

#include <soxr.h>

/// Loads libsoxr, whose functions are forwarded to it: NULL, or why it is not there. Whatever calls
/// one of them asks here first. Any thread but the render thread.
const char *csoxr_load(void);

#endif
