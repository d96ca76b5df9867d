#ifndef C_SHIMS_H
#define C_SHIMS_H

#include <stdint.h>

/// Switches denormal numbers off for the calling thread and returns what was set before.
uint32_t shims_denormals_off(void);

/// Puts back what `shims_denormals_off` returned.
void shims_denormals_restore(uint32_t previous);

#endif
