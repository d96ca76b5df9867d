#ifndef CMYSOFA_H
#define CMYSOFA_H

#include <mysofa.h>

/// Loads libmysofa. Returns NULL, or the reason why it cannot be loaded. To be called before any
/// function of the library, which is forwarded to it. Any thread but the render thread.
const char *cmysofa_load(void);

#endif
