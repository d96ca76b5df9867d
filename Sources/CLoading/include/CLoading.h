#ifndef CLOADING_H
#define CLOADING_H

#include <stddef.h>

/// A shared library that is loaded on first use and stays loaded.
///
/// The macros below define forwarding functions with the names and types of the library's own
/// header, so that callers need not change. The functions are hidden from other shared objects,
/// which use the library directly.
struct cloading_library {
  /// The soname.
  const char *file;
  /// The Debian package to install if it is missing.
  const char *package;
  /// Whether the program can do everything without it.
  int is_optional;
  /// The names of the functions, each with a slot for its address.
  const char *const *names;
  void **places;
  size_t count;
  /// Both are guarded by a lock. `failure` is empty unless loading has failed.
  int state;
  char failure[384];
};

/// Loads the library and all of its functions, once. Any thread but the render thread.
///
/// Returns NULL, or the reason of a failure: a sentence in lower case that stays valid.
const char *cloading_load(struct cloading_library *library);

/// Whether a required library was found missing. Any thread.
int cloading_is_missing(void);

/// The address of a function. Loads the library if necessary. If loading fails, the process prints
/// the reason and ends with status 3. To handle a failure, call `cloading_load` first.
void *cloading_find(struct cloading_library *library, size_t index);

// Both macros take a macro `FUNCTIONS(CALL)`: `CALL(result, name, (parameters), (arguments))` for
// each function.
#define CLOADING_INDEX(result, name, parameters, arguments) index_of_##name,
#define CLOADING_NAME(result, name, parameters, arguments) #name,
#define CLOADING_FORWARD(result, name, parameters, arguments)                                   \
  __attribute__((visibility("hidden"))) result name parameters {                                \
    void *place = __atomic_load_n(&places[index_of_##name], __ATOMIC_ACQUIRE);                  \
    if (__builtin_expect(!place, 0)) place = cloading_find(&library, index_of_##name);          \
    return ((__typeof__(name) *)place)arguments;                                                \
  }

#define CLOADING_LIBRARY(soname, package, FUNCTIONS) CLOADING_ANY(soname, package, 0, FUNCTIONS)
#define CLOADING_OPTIONAL(soname, package, FUNCTIONS) CLOADING_ANY(soname, package, 1, FUNCTIONS)

#define CLOADING_ANY(soname, package, is_optional, FUNCTIONS)                                    \
  enum { FUNCTIONS(CLOADING_INDEX) function_count };                                            \
  static const char *const names[] = {FUNCTIONS(CLOADING_NAME)};                                \
  static void *places[function_count];                                                          \
  static struct cloading_library library = {                                                    \
      soname, package, is_optional, names, places, function_count, 0, ""};                      \
  FUNCTIONS(CLOADING_FORWARD)

#endif
