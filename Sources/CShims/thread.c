#define _GNU_SOURCE
#include "CShims.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

uint64_t shims_thread_number(void) { return (uint64_t)syscall(SYS_gettid); }

int shims_open_run_delay(void) {
  return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

uint64_t shims_run_delay(int descriptor) {
  char text[80];
  ssize_t count = pread(descriptor, text, sizeof text - 1, 0);
  if (count <= 0) return 0;
  text[count] = 0;
  // Time on a processor, time waiting for one, and the number of time slices: proc(5).
  char *end = text;
  strtoull(text, &end, 10);
  return strtoull(end, &end, 10);
}

// The threads that render: the one that pulls, and its helpers. 0 for a free place.
enum { most_watched = 64 };
static _Atomic(pid_t) watched[most_watched];
static _Atomic(int) has_lost;

static int is_here(pid_t thread) {
  return thread && syscall(SYS_tgkill, getpid(), thread, 0) == 0;
}

void shims_watch_real_time(void) {
  pid_t thread = (pid_t)shims_thread_number();
  for (int place = 0; place < most_watched; place++) {
    pid_t other = watched[place];
    if (other == thread) break;
    // The number of a thread that has ended may be that of another program's by now.
    if (!is_here(other) && atomic_compare_exchange_strong(&watched[place], &other, thread)) break;
  }
  // The kernel delivers SIGXCPU to the thread that caused it if that thread does not block it, so
  // that no other thread has to run first.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXCPU);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int shims_has_lost_real_time(void) { return has_lost; }

/// The soft limit was reached. The handler calls only async-signal-safe functions.
static void take_real_time_away(int number) {
  (void)number;
  int previous = errno;
  struct sched_param parameter = {.sched_priority = 0};
  // A thread with SCHED_RESET_ON_FORK must keep the flag.
  int policy = SCHED_OTHER | SCHED_RESET_ON_FORK;
  // All of them: one that waits for another must not be more urgent.
  for (int place = 0; place < most_watched; place++) {
    pid_t thread = watched[place];
    if (is_here(thread) && syscall(SYS_sched_setscheduler, thread, policy, &parameter) == 0)
      has_lost = 1;
  }
  errno = previous;
}

int shims_limit_real_time(uint64_t microseconds) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_RTTIME, &limit)) return errno;
  struct sigaction action;
  // Does not replace another handler.
  if (sigaction(SIGXCPU, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
    action.sa_handler = take_real_time_away;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGXCPU, &action, NULL);
  }
  if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > microseconds)
    limit.rlim_max = microseconds;
  // The soft limit leaves time to handle the signal before the hard limit, which kills.
  rlim_t soft = limit.rlim_max - limit.rlim_max / 4;
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > soft) limit.rlim_cur = soft;
  return setrlimit(RLIMIT_RTTIME, &limit) ? errno : 0;
}

struct shims_niceness shims_set_niceness(int niceness) {
  id_t thread = (id_t)shims_thread_number();
  int error = setpriority(PRIO_PROCESS, thread, niceness) ? errno : 0;
  errno = 0;
  int now = getpriority(PRIO_PROCESS, thread);
  struct rlimit limit;
  if (error && getrlimit(RLIMIT_NICE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    int least = 20 - (int)limit.rlim_cur;
    if (least < now && least > niceness && setpriority(PRIO_PROCESS, thread, least) == 0) {
      error = 0;
      now = least;
    }
  }
  return (struct shims_niceness){.granted = now, .error = error};
}

// In the memory that a thread gets at its start, so that the render thread need not allocate it.
static __thread uint64_t metered __attribute__((tls_model("initial-exec")));

uint64_t *shims_metered_nanoseconds(void) { return &metered; }

int shims_urgency(void) {
  struct sched_param parameter;
  int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  if ((policy == SCHED_FIFO || policy == SCHED_RR) && sched_getparam(0, &parameter) == 0)
    return 100 + parameter.sched_priority;
  errno = 0;
  int niceness = getpriority(PRIO_PROCESS, (id_t)shims_thread_number());
  return errno ? 0 : -niceness;
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
