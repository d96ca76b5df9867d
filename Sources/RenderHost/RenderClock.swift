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
