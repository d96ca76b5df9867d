#define _GNU_SOURCE
#include "CShims.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

void shims_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

int shims_request_real_time(int priority) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_cur > 0 &&
      limit.rlim_cur < (rlim_t)priority)
    priority = (int)limit.rlim_cur;
  struct sched_param parameter = {.sched_priority = priority};
  int error = pthread_setschedparam(pthread_self(), SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter);
  return error == 0 ? priority : -error;
}

uintptr_t shims_thread_identity(void) { return (uintptr_t)pthread_self(); }

int shims_wait_until(sem_t *semaphore, uint64_t nanoseconds) {
  struct timespec time = {.tv_sec = (time_t)(nanoseconds / 1000000000),
                          .tv_nsec = (long)(nanoseconds % 1000000000)};
  while (sem_clockwait(semaphore, CLOCK_MONOTONIC, &time) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

int shims_event_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
