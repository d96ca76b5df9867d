/// Claims on jobs: locks on single bytes of one file, at offsets taken from the digests of the
/// jobs. The system releases them when the process ends, however it ends. Each thread has its own
/// instance.
struct JobClaims {
  private let file: RawFile?

  /// If the file cannot be opened, nothing is claimed. Two workers may then render the same job:
  /// the outputs are the same, and one replaces the other.
  init(_ store: RecordStore) { file = try? RawFile(store.claimsPath, for: .updating) }

  /// Whether this thread may render the job.
  func take(_ job: Digest) -> Bool { file?.lock(at: job.words.0) != .taken }

  func release(_ job: Digest) { file?.unlock(at: job.words.0) }
}
