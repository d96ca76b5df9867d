#ifndef C_SHIMS_H
#define C_SHIMS_H

#include <stdint.h>

/// Switches denormal numbers off for the calling thread and returns what was set before.
uint32_t shims_denormals_off(void);

/// Puts back what `shims_denormals_off` returned.
void shims_denormals_restore(uint32_t previous);

/// Names the calling thread, for debuggers and `top -H`: 15 bytes at the most.
void shims_name_thread(const char *name);

/// Asks for SCHED_FIFO for the calling thread, with `priority` or as much of it as RLIMIT_RTPRIO
/// allows; child processes do not inherit it. Returns the priority granted, or a negative `errno`.
int shims_request_real_time(int priority);

/// A number that no other thread has at the time. No system call.
uintptr_t shims_thread_identity(void);

/// A descriptor that becomes readable once eight bytes, a count, are written to it; reading takes
/// them away, and neither blocks. Returns -1 and sets `errno` on failure.
int shims_event_descriptor(void);

#endif
