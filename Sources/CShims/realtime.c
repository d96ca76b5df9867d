#define _GNU_SOURCE
#include "CShims.h"

#include <dlfcn.h>

static void (*enter)(void);
static void (*leave)(void);

// Runs before there are other threads. A preloaded library stays loaded.
__attribute__((constructor)) static void find_sanitizer(void) {
  void (*ensure)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "__rtsan_ensure_initialized");
  if (!ensure) return;
  ensure();
  enter = (void (*)(void))dlsym(RTLD_DEFAULT, "__rtsan_realtime_enter");
  leave = (void (*)(void))dlsym(RTLD_DEFAULT, "__rtsan_realtime_exit");
}

void shims_real_time_enter(void) {
  if (__builtin_expect(enter != 0, 0)) enter();
}

void shims_real_time_exit(void) {
  if (__builtin_expect(leave != 0, 0)) leave();
}

int shims_real_time_is_watched(void) { return enter && leave; }
