#ifndef CMYSOFA_H
#define CMYSOFA_H

#include <mysofa.h>

/// Loads libmysofa, whose functions are forwarded to it: NULL, or why it is not there. Whatever calls
/// one of them asks here first. Any thread but the render thread.
const char *cmysofa_load(void);

#endif
