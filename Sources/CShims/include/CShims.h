#ifndef C_SHIMS_H
#define C_SHIMS_H

#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>

/// Switches denormal numbers off for the calling thread and returns what was set before.
uint32_t shims_denormals_off(void);

/// Puts back what `shims_denormals_off` returned.
void shims_denormals_restore(uint32_t previous);

/// Names the calling thread, for debuggers and `top -H`: 15 bytes at the most.
void shims_name_thread(const char *name);

/// Asks for SCHED_FIFO for the calling thread, with `priority` or as much of it as RLIMIT_RTPRIO
/// allows; child processes do not inherit it. Returns the priority granted, or a negative `errno`.
int shims_request_real_time(int priority);

/// The system's number of the calling thread.
uint64_t shims_thread_number(void);

/// Opens the system's account of the calling thread for `shims_run_delay`: a descriptor, or -1 where the system
/// keeps none.
int shims_open_run_delay(void);

/// How long that thread has waited for a processor since it began, in nanoseconds. A system call.
uint64_t shims_run_delay(int descriptor);

/// Keeps real-time threads of this process from computing for longer than some microseconds without waiting, and
/// for all time: a limit that is lower stays. A thread that does so all the same gets normal scheduling, if it
/// is the one that `shims_watch_real_time` was called in, instead of ending the process. Returns 0 or an
/// `errno`.
int shims_limit_real_time(uint64_t microseconds);

/// Has `shims_limit_real_time` watch the calling thread, which no longer blocks SIGXCPU.
void shims_watch_real_time(void);

/// Whether the thread that is watched has lost its scheduling for that.
int shims_has_lost_real_time(void);

/// What a thread has, and 0 or an `errno`.
struct shims_niceness {
  int granted;
  int error;
};

/// Sets the niceness of the calling thread, or as little as RLIMIT_NICE allows of it where that is less
/// than what it has.
struct shims_niceness shims_set_niceness(int niceness);

/// What a loop does that waits for another thread without giving the processor away.
static inline void shims_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// How many processors this process may run on, at least 1.
int shims_processor_count(void);

/// A number that no other thread has at the time. No system call.
uintptr_t shims_thread_identity(void);

/// Waits until a semaphore has been posted to, and takes that back, or until the monotonic clock reaches
/// a time in nanoseconds. Returns 0 or an `errno`.
int shims_wait_until(sem_t *semaphore, uint64_t nanoseconds);

/// A descriptor that becomes readable once eight bytes, a count, are written to it; reading takes
/// them away, and neither blocks. Returns -1 and sets `errno` on failure.
int shims_event_descriptor(void);

/// Blocks the signals that a full-screen program answers itself, in the calling thread and in all
/// that it makes: SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT and SIGWINCH. Returns a
/// descriptor that becomes readable when one has come, or -1 with `errno`.
int shims_signal_descriptor(void);

/// Takes a signal that has come from such a descriptor. Returns its number, 0 for none.
int shims_take_signal(int descriptor);

/// Stops the processes of the terminal's foreground as Ctrl-Z does, and returns when they go on; at
/// once where there is no shell that they could be resumed from.
void shims_stop_as_the_terminal_does(void);

/// Remembers how a terminal is set, and puts it back if the program dies of a fatal signal, a Swift
/// trap among them: writes `text` to the terminal first. `text` has to stay.
void shims_guard_terminal(int descriptor, const char *text);

/// Ends that: fatal signals do again what they did.
void shims_unguard_terminal(void);

/// Marks an open file as written by patchrun, in an extended attribute that holds `text`. Returns -1
/// and sets `errno` where the file system has none.
int shims_set_mark(int descriptor, const char *text);

/// Whether an open file has that mark.
int shims_has_mark(int descriptor);

/// Opens a folder to name files in it (O_PATH), not to list it. `folder` is where `path` begins, or
/// AT_FDCWD. Where `path` ends in a link that is followed only if asked for; those before its end are.
/// Returns -1 and sets `errno` on failure.
int shims_open_folder(int folder, const char *path, int follows_link);

/// The type of the file system that an open file is on, a number of <linux/magic.h>; 0 where the
/// system does not say.
uint64_t shims_file_system(int descriptor);

/// Puts all onto the disk that has been written to the file system of an open file. Returns -1 and sets `errno`
/// on failure.
int shims_sync_file_system(int descriptor);

/// 128 bits that bytes which are not the same do not share by accident: to know contents again by, and
/// to find damage. It withstands nobody who chooses the bytes, and is another on a processor with another
/// order of bytes.
void shims_digest(const void *bytes, size_t count, uint64_t digest[2]);

/// Has the calling thread, and what it starts from now on, run on the last processor alone. Returns -1 and
/// sets `errno` on failure.
int shims_pin_to_last_processor(void);

/// Ends that: any processor will do.
void shims_unpin(void);

/// Says that what the calling thread does from here on must not wait, for a RealtimeSanitizer that has been
/// loaded in front of the program (LD_PRELOAD); without one it does nothing.
void shims_real_time_enter(void);

/// Ends what `shims_real_time_enter` began.
void shims_real_time_exit(void);

/// Whether a RealtimeSanitizer has been loaded.
int shims_real_time_is_watched(void);

#endif
