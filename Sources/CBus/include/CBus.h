#ifndef CBUS_H
#define CBUS_H

#include <stddef.h>
#include <stdint.h>

/// RealtimeKit on the system bus: grants a thread real-time scheduling where the limits of a user do not
/// allow it. Spoken to through libdbus, which is loaded when it is first needed.
struct cbus_connection;

/// Room for what went wrong: words that start in lower case.
struct cbus_failure {
  char text[200];
};

/// Connects to a bus. The connection is one of its own; `cbus_close` ends it. Gives up when the time is over,
/// in milliseconds; but for a socket whose server accepts nobody, which the system waits for.
///
/// Returns NULL, and why, where there is no libdbus, no bus, or no answer.
struct cbus_connection *cbus_open(const char *address, int timeout, struct cbus_failure *failure);

void cbus_close(struct cbus_connection *connection);

/// What RealtimeKit allows.
struct cbus_limits {
  /// The highest priority, from 1 up.
  int64_t priority;
  /// The least niceness, 0 or below.
  int64_t niceness;
  /// Microseconds that a thread may compute without waiting: the most that RLIMIT_RTTIME may be.
  int64_t time;
};

/// Asks for all three. Returns 0, or -1 and why.
int cbus_get_limits(struct cbus_connection *connection, int timeout, struct cbus_limits *limits,
                    struct cbus_failure *failure);

/// Asks for SCHED_RR for a thread of this process, by the system's number of it. Returns 0, or -1 and why.
int cbus_make_real_time(struct cbus_connection *connection, int timeout, uint64_t thread,
                        uint32_t priority, struct cbus_failure *failure);

/// Asks for a niceness for a thread of this process. Returns 0, or -1 and why.
int cbus_make_high_priority(struct cbus_connection *connection, int timeout, uint64_t thread,
                            int32_t niceness, struct cbus_failure *failure);

#endif
