#ifndef C_SHIMS_H
#define C_SHIMS_H

#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>

/// Sets flush-to-zero for denormals in the calling thread and returns the previous mode.
uint32_t shims_denormals_off(void);

/// Restores the mode that `shims_denormals_off` returned.
void shims_denormals_restore(uint32_t previous);

/// Has the heap grow at once by the memory that is expected to be needed, at most 1 GiB, in pages of 2 MiB where
/// the system has some: a page is zeroed when it is first touched, and that takes 2.5 µs for each of 4 KiB.
/// What is not touched is not taken. Only the first call does anything: what has grown stays. Any thread but the
/// render thread; on another than the main one the system's own way of growing remains.
void shims_expect_memory(size_t bytes);

/// A stretch of a file in memory.
struct shims_stretch {
  /// The first byte of the stretch. What is behind the end of the file in its last page is 0.
  const void *bytes;
  void *start;
  size_t mapped;
  int entry;
};

/// Maps `length` bytes of a file from `offset` on, for reading. Returns 0 where that fails.
///
/// Where the disk fails, or somebody has cut the file off, the stretch has zeros in the place of a page that is read,
/// and is incomplete from then on: a handler for SIGBUS, set by the first call, sees to that. `pread` then tells why. A
/// SIGBUS of other memory goes to the handler that was set before. At most 256 stretches at once. Any thread but the
/// render thread.
int shims_map(int descriptor, int64_t offset, size_t length, struct shims_stretch *stretch);

/// Brings bytes of a stretch into memory, page by page. The stretch is incomplete if the file does not have them.
void shims_touch(const void *bytes, size_t length);

/// Brings bytes of a stretch into memory, many pages at a time. Returns 1, or 0 where not all of them are in memory then;
/// the stretch may be incomplete in that case.
int shims_load(const void *bytes, size_t length);

/// Whether bytes were missing when they were read. Any thread.
int shims_is_incomplete(const struct shims_stretch *stretch);

/// Unmaps a stretch, once nobody reads it.
void shims_unmap(const struct shims_stretch *stretch);

/// Names the calling thread for debuggers and `top -H`: at most 15 bytes.
void shims_name_thread(const char *name);

/// Requests SCHED_FIFO for the calling thread, with `priority` or the highest that RLIMIT_RTPRIO
/// allows. Child processes do not inherit it. Returns the granted priority, or a negative `errno`.
int shims_request_real_time(int priority);

/// The system's number (TID) of the calling thread.
uint64_t shims_thread_number(void);

/// Opens the scheduler statistics of the calling thread for `shims_run_delay`. Returns a
/// descriptor, or -1 if the system has none.
int shims_open_run_delay(void);

/// The nanoseconds that the thread has waited for a processor since its start. A system call.
uint64_t shims_run_delay(int descriptor);

/// Limits the microseconds that a real-time thread of this process may compute without waiting,
/// permanently; a lower limit stays. If a thread that called `shims_watch_real_time` exceeds the
/// limit, all of them get normal scheduling, instead of the process being killed. Returns 0 or an
/// `errno`.
int shims_limit_real_time(uint64_t microseconds);

/// Makes the calling thread one of those that `shims_limit_real_time` protects, until it ends. The
/// thread no longer blocks SIGXCPU.
void shims_watch_real_time(void);

/// Whether the watched thread has lost its real-time scheduling by exceeding the limit.
int shims_has_lost_real_time(void);

/// The niceness of a thread, and 0 or an `errno`.
struct shims_niceness {
  int granted;
  int error;
};

/// Sets the niceness of the calling thread. If RLIMIT_NICE does not allow it, sets the lowest
/// allowed niceness, if that is below the present one.
struct shims_niceness shims_set_niceness(int niceness);

/// Tells the processor that the calling thread spins. To be called in each turn of the loop.
static inline void shims_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// The number of processors that this process may use, at least 1.
int shims_processor_count(void);

/// A number that no other living thread has. Makes no system call.
uintptr_t shims_thread_identity(void);

/// Waits for a semaphore, or until the monotonic clock reaches a time in nanoseconds. Returns 0 or
/// an `errno`.
int shims_wait_until(sem_t *semaphore, uint64_t nanoseconds);

/// A number of the calling thread, 0 at first: the time of what it has metered.
uint64_t *shims_metered_nanoseconds(void);

/// How the calling thread is scheduled, as a number: 100 + its priority in real time, otherwise its
/// niceness with the other sign. The thread with the larger number runs first.
int shims_urgency(void);

/// An eventfd: writing an 8-byte count makes it readable, and reading resets it. Neither blocks.
/// Returns -1 and sets `errno` on failure.
int shims_event_descriptor(void);

/// Blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT and SIGWINCH, which a full-screen
/// program handles itself, in the calling thread and in the threads that it creates later. Returns
/// a descriptor that becomes readable after a signal, or -1 with `errno`.
int shims_signal_descriptor(void);

/// Reads a signal from this descriptor. Returns its number, 0 for none.
int shims_take_signal(int descriptor);

/// Stops the foreground processes of the terminal as Ctrl-Z does, and returns when they continue.
/// Returns at once if there is no shell that could continue them.
void shims_stop_as_the_terminal_does(void);

/// Saves the settings of a terminal. If the program dies of a fatal signal (such as a Swift trap),
/// a handler writes `text` to the terminal and restores the settings. `text` must stay valid.
void shims_guard_terminal(int descriptor, const char *text);

/// Removes the handlers of `shims_guard_terminal`.
void shims_unguard_terminal(void);

/// Marks an open file as written by patchrun with an extended attribute containing `text`. Returns
/// -1 and sets `errno` if the file system does not support it.
int shims_set_mark(int descriptor, const char *text);

/// Whether an open file has this mark.
int shims_has_mark(int descriptor);

/// Opens a folder with O_PATH, for opening files in it but not for listing it. `path` is relative
/// to `folder` or, with AT_FDCWD, to the working directory. A link at the end of `path` is followed
/// only with `follows_link`; other links are always followed. Returns -1 and sets `errno` on
/// failure.
int shims_open_folder(int folder, const char *path, int follows_link);

/// The type of the file system of an open file, a number of <linux/magic.h>; 0 if unknown.
uint64_t shims_file_system(int descriptor);

/// Reserves room on the disk for a range of a file, and leaves the file's length as it is. Returns
/// -1 and sets `errno` on failure.
int shims_reserve(int descriptor, long offset, long length);

/// Begins to write a range of a file to the disk, and does not wait for it. Returns -1 and sets
/// `errno` on failure.
int shims_begin_writeback(int descriptor, long offset, long length);

/// Flushes the file system of an open file to the disk. Returns -1 and sets `errno` on failure.
int shims_sync_file_system(int descriptor);

/// Creates a pipe whose ends child processes do not inherit: `ends[0]` is for reading, `ends[1]`
/// for writing. Returns 0, or -1 and sets `errno`. With `pipe` and then `fcntl`, a child that
/// another thread starts in between would keep the pipe open.
int shims_pipe(int ends[2]);

/// A 128-bit hash for recognizing contents and detecting damage. It is not cryptographic, and
/// depends on the byte order of the processor.
void shims_digest(const void *bytes, size_t count, uint64_t digest[2]);

/// Pins the calling thread, and the processes that it starts, to the last processor. Returns -1 and
/// sets `errno` on failure.
int shims_pin_to_last_processor(void);

/// Allows all processors again.
void shims_unpin(void);

/// Begins a real-time section of the calling thread for a RealtimeSanitizer that was loaded with
/// LD_PRELOAD. Does nothing without one.
void shims_real_time_enter(void);

/// Ends the section of `shims_real_time_enter`.
void shims_real_time_exit(void);

/// Whether a RealtimeSanitizer is loaded.
int shims_real_time_is_watched(void);

#endif
