#define _GNU_SOURCE
#include "CShims.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

int shims_signal_descriptor(void) {
  sigset_t set;
  sigemptyset(&set);
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};
  for (size_t index = 0; index < sizeof signals / sizeof signals[0]; index++)
    sigaddset(&set, signals[index]);
  if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return -1;
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int shims_take_signal(int descriptor) {
  struct signalfd_siginfo info;
  if (read(descriptor, &info, sizeof info) != (ssize_t)sizeof info) return 0;
  return (int)info.ssi_signo;
}

void shims_stop_as_the_terminal_does(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTSTP);
  // All threads block the signal, so it stops the process in this thread.
  kill(0, SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static const int fatal[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
enum { fatalCount = sizeof fatal / sizeof fatal[0] };
static struct sigaction previous[fatalCount];
static struct termios terminal;
static int guarded = -1;
static const char *farewell;
static size_t farewellLength;

// Calls only async-signal-safe functions.
static void restore(int number) {
  for (int index = 0; index < fatalCount; index++) sigaction(fatal[index], &previous[index], NULL);
  if (guarded >= 0) {
    ssize_t written = write(guarded, farewell, farewellLength);
    (void)written;
    tcsetattr(guarded, TCSANOW, &terminal);
  }
  // The signal is delivered again after the handler has returned, with its default action.
  raise(number);
}

void shims_guard_terminal(int descriptor, const char *text) {
  shims_unguard_terminal();
  if (tcgetattr(descriptor, &terminal) != 0) return;
  farewell = text;
  farewellLength = strlen(text);
  guarded = descriptor;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = restore;
  sigemptyset(&action.sa_mask);
  for (int index = 0; index < fatalCount; index++)
    sigaction(fatal[index], &action, &previous[index]);
}

void shims_unguard_terminal(void) {
  if (guarded < 0) return;
  guarded = -1;
  for (int index = 0; index < fatalCount; index++) sigaction(fatal[index], &previous[index], NULL);
}
