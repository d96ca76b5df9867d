import Glibc

/// The time of the monotonic clock, in nanoseconds. Any thread.
///
/// The C library reads it from memory shared by the kernel, without a system call.
@_semantics("no_performance_analysis")
public func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Sleeps between two looks at what another thread does: for a tenth of the time since `begin`, from 0.2 to 10 ms, so
/// that a long wait costs nothing and a short one is not made longer.
public func pause(waitingSince begin: UInt64) {
  let tenth = (monotonicNanoseconds() &- begin) / 10_000
  usleep(UInt32(min(max(tenth, 200), 10_000)))
}
