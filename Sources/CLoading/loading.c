#include "CLoading.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { is_new, is_loaded, is_missing };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_missing_one;

/// The loader's message after the file name.
static const char *reason_of(const struct cloading_library *library, const char *text) {
  const char *name = text ? strstr(text, library->file) : NULL;
  const char *rest = name ? name + strlen(library->file) : "";
  return strncmp(rest, ": ", 2) == 0 ? rest + 2 : text;
}

static int refuse(struct cloading_library *library, const char *text) {
  const char *reason = reason_of(library, text);
  if (reason != text && strstr(reason, "No such file")) {
    snprintf(library->failure, sizeof library->failure,
             "%s is not installed; the Debian package %s has it", library->file, library->package);
  } else {
    snprintf(library->failure, sizeof library->failure,
             "%s cannot be used: %s; the Debian package %s has a whole one", library->file,
             reason ? reason : "the loader does not say why", library->package);
  }
  return is_missing;
}

static int load(struct cloading_library *library) {
  void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return refuse(library, dlerror());
  // All functions are looked up before the first is used, so that either all or none are available.
  for (size_t index = 0; index < library->count; index++) {
    if (dlsym(handle, library->names[index])) continue;
    snprintf(library->failure, sizeof library->failure,
             "%s is of another version, without '%s'; the Debian package %s has the one that is needed",
             library->file, library->names[index], library->package);
    return is_missing;
  }
  for (size_t index = 0; index < library->count; index++) {
    __atomic_store_n(&library->places[index], dlsym(handle, library->names[index]),
                     __ATOMIC_RELEASE);
  }
  return is_loaded;
}

const char *cloading_load(struct cloading_library *library) {
  pthread_mutex_lock(&lock);
  if (library->state == is_new) {
    library->state = load(library);
    if (library->state == is_missing && !library->is_optional) is_missing_one = 1;
  }
  int state = library->state;
  pthread_mutex_unlock(&lock);
  return state == is_loaded ? NULL : library->failure;
}

int cloading_is_missing(void) {
  pthread_mutex_lock(&lock);
  int is_one = is_missing_one;
  pthread_mutex_unlock(&lock);
  return is_one;
}

void *cloading_find(struct cloading_library *library, size_t index) {
  const char *failure = cloading_load(library);
  if (failure) {
    fprintf(stderr, "error: a library that is needed cannot be loaded: %s\n", failure);
    // Not exit(3): this may be any thread, and other threads are running.
    _exit(3);
  }
  return library->places[index];
}
