#include "CBus.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CLoading.h"

// The part of libdbus-1 that is used, declared here. Its interface has not changed since 1.0
// (2006), and its headers are in two folders that only pkg-config knows.
typedef struct DBusConnection DBusConnection;
typedef struct DBusMessage DBusMessage;
typedef uint32_t dbus_bool_t;

typedef struct {
  const char *name;
  const char *message;
  unsigned int flags;
  void *padding;
} DBusError;

/// An iterator on the caller's stack: at most 14 words, whose meaning only the library knows.
typedef struct {
  void *words[16];
} DBusMessageIter;

// clang-format off
#define FUNCTIONS(CALL)                                                                            \
  CALL(void, dbus_connection_close, (DBusConnection *c), (c))                                      \
  CALL(DBusConnection *, dbus_connection_open_private, (const char *a, DBusError *e), (a, e))      \
  CALL(DBusMessage *, dbus_connection_send_with_reply_and_block,                                   \
       (DBusConnection *c, DBusMessage *m, int t, DBusError *e), (c, m, t, e))                     \
  CALL(void, dbus_connection_set_exit_on_disconnect, (DBusConnection *c, dbus_bool_t b), (c, b))   \
  CALL(void, dbus_connection_unref, (DBusConnection *c), (c))                                      \
  CALL(void, dbus_error_free, (DBusError *e), (e))                                                 \
  CALL(void, dbus_error_init, (DBusError *e), (e))                                                 \
  CALL(dbus_bool_t, dbus_message_iter_append_basic,                                                \
       (DBusMessageIter *i, int t, const void *v), (i, t, v))                                      \
  CALL(int, dbus_message_iter_get_arg_type, (DBusMessageIter *i), (i))                             \
  CALL(void, dbus_message_iter_get_basic, (DBusMessageIter *i, void *v), (i, v))                   \
  CALL(dbus_bool_t, dbus_message_iter_init, (DBusMessage *m, DBusMessageIter *i), (m, i))          \
  CALL(void, dbus_message_iter_init_append, (DBusMessage *m, DBusMessageIter *i), (m, i))          \
  CALL(void, dbus_message_iter_recurse, (DBusMessageIter *i, DBusMessageIter *s), (i, s))          \
  CALL(DBusMessage *, dbus_message_new_method_call,                                                \
       (const char *d, const char *p, const char *i, const char *m), (d, p, i, m))                 \
  CALL(void, dbus_message_unref, (DBusMessage *m), (m))                                            \
  CALL(dbus_bool_t, dbus_threads_init_default, (void), ())
// clang-format on

#define DECLARE(result, name, parameters, arguments) result name parameters;
FUNCTIONS(DECLARE)

CLOADING_OPTIONAL("libdbus-1.so.3", "libdbus-1-3", FUNCTIONS)

// The type codes of D-Bus messages.
enum { is_variant = 'v', is_string = 's', is_int32 = 'i', is_uint32 = 'u', is_int64 = 'x', is_uint64 = 't' };

static const char service[] = "org.freedesktop.RealtimeKit1";
static const char path[] = "/org/freedesktop/RealtimeKit1";

struct cbus_connection {
  DBusConnection *connection;
};

/// Keeps the first line of an error message.
static void keep(struct cbus_failure *failure, const char *text) {
  snprintf(failure->text, sizeof failure->text, "%s", text && *text ? text : "it does not say why");
  failure->text[strcspn(failure->text, "\r\n")] = 0;
}

static void keep_error(struct cbus_failure *failure, DBusError *error) {
  // An error without a message has at least a name.
  keep(failure, error->message && *error->message ? error->message : error->name);
  dbus_error_free(error);
}

/// Sends a message and returns the reply, which the caller owns; NULL and the reason if there is
/// none.
static DBusMessage *ask(DBusConnection *connection, int timeout, DBusMessage *message,
                        struct cbus_failure *failure) {
  DBusError error;
  dbus_error_init(&error);
  DBusMessage *reply =
      dbus_connection_send_with_reply_and_block(connection, message, timeout, &error);
  dbus_message_unref(message);
  if (!reply) keep_error(failure, &error);
  return reply;
}

struct cbus_connection *cbus_open(const char *address, int timeout, struct cbus_failure *failure) {
  const char *missing = cloading_load(&library);
  if (missing) {
    keep(failure, missing);
    return NULL;
  }
  dbus_threads_init_default();
  DBusError error;
  dbus_error_init(&error);
  DBusConnection *opened = dbus_connection_open_private(address, &error);
  if (!opened) {
    keep_error(failure, &error);
    return NULL;
  }
  // By default libdbus ends the process when the bus disconnects.
  dbus_connection_set_exit_on_disconnect(opened, 0);
  DBusMessage *hello = dbus_message_new_method_call("org.freedesktop.DBus", "/org/freedesktop/DBus",
                                                    "org.freedesktop.DBus", "Hello");
  DBusMessage *reply = hello ? ask(opened, timeout, hello, failure) : NULL;
  struct cbus_connection *connection = reply ? malloc(sizeof *connection) : NULL;
  if (reply) dbus_message_unref(reply);
  if (!connection) {
    dbus_connection_close(opened);
    dbus_connection_unref(opened);
    return NULL;
  }
  connection->connection = opened;
  return connection;
}

void cbus_close(struct cbus_connection *connection) {
  if (!connection) return;
  dbus_connection_close(connection->connection);
  dbus_connection_unref(connection->connection);
  free(connection);
}

/// A method call with up to two arguments, each given as a type and a pointer to its value; a type
/// of 0 ends them.
static DBusMessage *call(struct cbus_connection *connection, int timeout, const char *interface,
                         const char *method, struct cbus_failure *failure, int type1,
                         const void *value1, int type2, const void *value2) {
  DBusMessage *message = dbus_message_new_method_call(service, path, interface, method);
  if (!message) {
    keep(failure, "there is no memory");
    return NULL;
  }
  DBusMessageIter place;
  dbus_message_iter_init_append(message, &place);
  if (!dbus_message_iter_append_basic(&place, type1, value1) ||
      !dbus_message_iter_append_basic(&place, type2, value2)) {
    dbus_message_unref(message);
    keep(failure, "there is no memory");
    return NULL;
  }
  return ask(connection->connection, timeout, message, failure);
}

/// Reads an integer property of any width.
static int get(struct cbus_connection *connection, int timeout, const char *name, int64_t *value,
               struct cbus_failure *failure) {
  const char *interface = service;
  DBusMessage *reply = call(connection, timeout, "org.freedesktop.DBus.Properties", "Get", failure,
                            is_string, &interface, is_string, &name);
  if (!reply) return -1;
  DBusMessageIter place, inner;
  int result = -1;
  keep(failure, "RealtimeKit does not say its limits in numbers");
  if (dbus_message_iter_init(reply, &place) &&
      dbus_message_iter_get_arg_type(&place) == is_variant) {
    dbus_message_iter_recurse(&place, &inner);
    // The largest possible value.
    union {
      int32_t narrow;
      uint32_t natural;
      int64_t wide;
    } number = {.wide = 0};
    int type = dbus_message_iter_get_arg_type(&inner);
    if (type == is_int32 || type == is_uint32 || type == is_int64 || type == is_uint64) {
      dbus_message_iter_get_basic(&inner, &number);
      *value = type == is_int32 ? number.narrow : type == is_uint32 ? number.natural : number.wide;
      result = 0;
    }
  }
  dbus_message_unref(reply);
  return result;
}

int cbus_get_limits(struct cbus_connection *connection, int timeout, struct cbus_limits *limits,
                    struct cbus_failure *failure) {
  if (get(connection, timeout, "MaxRealtimePriority", &limits->priority, failure)) return -1;
  if (get(connection, timeout, "MinNiceLevel", &limits->niceness, failure)) return -1;
  return get(connection, timeout, "RTTimeUSecMax", &limits->time, failure);
}

int cbus_make_real_time(struct cbus_connection *connection, int timeout, uint64_t thread,
                        uint32_t priority, struct cbus_failure *failure) {
  DBusMessage *reply = call(connection, timeout, service, "MakeThreadRealtime", failure, is_uint64,
                            &thread, is_uint32, &priority);
  if (reply) dbus_message_unref(reply);
  return reply ? 0 : -1;
}

int cbus_make_high_priority(struct cbus_connection *connection, int timeout, uint64_t thread,
                            int32_t niceness, struct cbus_failure *failure) {
  DBusMessage *reply = call(connection, timeout, service, "MakeThreadHighPriority", failure,
                            is_uint64, &thread, is_int32, &niceness);
  if (reply) dbus_message_unref(reply);
  return reply ? 0 : -1;
}
