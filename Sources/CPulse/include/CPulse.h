#ifndef CPULSE_H
#define CPULSE_H

#include <pulse/pulseaudio.h>

/// Loads libpulse, whose functions are forwarded to it: NULL, or why it is not there. Whatever calls
/// one of them asks here first. Any thread but the render thread.
const char *cpulse_load(void);

#endif
