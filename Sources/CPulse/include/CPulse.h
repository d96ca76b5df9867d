#ifndef CPULSE_H
#define CPULSE_H

#include <pulse/pulseaudio.h>

/// Loads libpulse. Returns NULL, or the reason why it cannot be loaded. To be called before any
/// function of the library, which is forwarded to it. Any thread but the render thread.
const char *cpulse_load(void);

#endif
