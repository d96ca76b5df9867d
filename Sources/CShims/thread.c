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

int shims_processor_count(void) {
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count > 0 ? count : 1;
}

int shims_pin_to_last_processor(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set)) return -1;
  int last = -1;
  for (int number = 0; number < CPU_SETSIZE; number++)
    if (CPU_ISSET(number, &set)) last = number;
  if (last < 0) return -1;
  CPU_ZERO(&set);
  CPU_SET(last, &set);
  return sched_setaffinity(0, sizeof set, &set);
}

void shims_unpin(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int number = 0; number < CPU_SETSIZE; number++) CPU_SET(number, &set);
  sched_setaffinity(0, sizeof set, &set);
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
