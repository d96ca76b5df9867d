#include "CLoading.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { is_new, is_loaded, is_missing };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void keep(struct cloading_library *library, const char *reason) {
  snprintf(library->failure, sizeof library->failure, "%s",
           reason ? reason : "the loader does not say why");
}

static int load(struct cloading_library *library) {
  void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    keep(library, dlerror());
    return is_missing;
  }
  // Looked up before the first is handed out: with one of them all are there.
  for (size_t index = 0; index < library->count; index++) {
    void *place = dlsym(handle, library->names[index]);
    if (!place) {
      keep(library, dlerror());
      return is_missing;
    }
  }
  for (size_t index = 0; index < library->count; index++) {
    __atomic_store_n(&library->places[index], dlsym(handle, library->names[index]),
                     __ATOMIC_RELEASE);
  }
  return is_loaded;
}

const char *cloading_load(struct cloading_library *library) {
  pthread_mutex_lock(&lock);
  if (library->state == is_new) library->state = load(library);
  int state = library->state;
  pthread_mutex_unlock(&lock);
  return state == is_loaded ? NULL : library->failure;
}

void *cloading_find(struct cloading_library *library, size_t index) {
  const char *failure = cloading_load(library);
  if (failure) {
    fprintf(stderr, "error: %s is needed, and cannot be loaded: %s\n", library->names[index],
            failure);
    // The program's status for a world that refuses.
    _exit(3);
  }
  return library->places[index];
}
