#ifndef CBUS_H
#define CBUS_H

#include <stddef.h>
#include <stdint.h>

/// A connection to RealtimeKit on the system bus. RealtimeKit gives a thread real-time scheduling
/// when the user's limits do not allow it. Uses libdbus, which is loaded on first use.
struct cbus_connection;

/// The reason of a failure: words that start in lower case.
struct cbus_failure {
  char text[200];
};

/// Opens a private connection to a bus; `cbus_close` closes it. `timeout` is in milliseconds. It
/// does not limit the connection to a socket whose server does not accept.
///
/// Returns NULL and the reason if there is no libdbus, no bus, or no answer.
struct cbus_connection *cbus_open(const char *address, int timeout, struct cbus_failure *failure);

void cbus_close(struct cbus_connection *connection);

/// The limits of RealtimeKit.
struct cbus_limits {
  /// The highest priority, at least 1.
  int64_t priority;
  /// The lowest niceness, at most 0.
  int64_t niceness;
  /// The most microseconds that a thread may compute without waiting: the maximum of RLIMIT_RTTIME.
  int64_t time;
};

/// Reads the three limits. Returns 0, or -1 and the reason.
int cbus_get_limits(struct cbus_connection *connection, int timeout, struct cbus_limits *limits,
                    struct cbus_failure *failure);

/// Requests SCHED_RR for a thread of this process, given by its system number. Returns 0, or -1 and
/// the reason.
int cbus_make_real_time(struct cbus_connection *connection, int timeout, uint64_t thread,
                        uint32_t priority, struct cbus_failure *failure);

/// Requests a niceness for a thread of this process. Returns 0, or -1 and the reason.
int cbus_make_high_priority(struct cbus_connection *connection, int timeout, uint64_t thread,
                            int32_t niceness, struct cbus_failure *failure);

#endif
