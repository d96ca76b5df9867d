#ifndef CLOADING_H
#define CLOADING_H

#include <stddef.h>

/// A shared library that is loaded when it is first needed, and stays.
///
/// A target of C functions that forward to it is written with the macros below. The functions have
/// the names and the types of the library's own header, so that its callers need not know; they are
/// hidden from other shared objects, which go on to find the library's.
struct cloading_library {
  /// What the loader looks for: the soname.
  const char *file;
  /// What to install where it is missing: Debian's name.
  const char *package;
  /// Whether all that is asked for can be done without it.
  int is_optional;
  /// Of the functions, each with a place for its address.
  const char *const *names;
  void **places;
  size_t count;
  /// Read and written under a lock. Empty as long as there is no failure.
  int state;
  char failure[384];
};

/// Loads the library and all of its functions, once. Any thread but the render thread.
///
/// Returns NULL, or why the library is not there: a sentence in lower case, which stays as it is.
const char *cloading_load(struct cloading_library *library);

/// Whether a library that was needed has been found missing. Any thread.
int cloading_is_missing(void);

/// Where a function is. Before the library has been loaded it is loaded; where it is not there the
/// process says so and ends with status 3: a caller asks beforehand.
void *cloading_find(struct cloading_library *library, size_t index);

// Both take a macro `FUNCTIONS(CALL)`: for each function `CALL(result, name, (parameters), (arguments))`.
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
