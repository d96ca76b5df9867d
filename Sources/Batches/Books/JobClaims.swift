/// Who does which job: a lock on a byte of one file, whose place is the job's digest. The end of a process
/// gives it back, however it ends. One thread at a time may use it; each thread has its own.
struct JobClaims {
  private let file: RawFile?

  /// Where there is no such file to be had nothing is claimed, and two may do the same job: then the outputs
  /// of one take the place of the other's, which are the same.
  init(_ books: RecordBooks) { file = try? RawFile(books.claimsPath, for: .updating) }

  /// Whether the job is this thread's to do.
  func take(_ job: Digest) -> Bool { file?.lock(at: job.words.0) != .taken }

  func giveBack(_ job: Digest) { file?.unlock(at: job.words.0) }
}
