import FileAccess
import PatchSyntax
import RenderHost
import Synchronization

/// Renders the jobs of a manifest that have no record or lack outputs, each once.
///
/// Several runners, in one process or in many, may share a manifest and an output folder:
/// `JobClaims` decides which of them renders a job. Any thread.
public final class BatchRunner: Sendable {
  /// The options of a run.
  public struct Options: Sendable {
    /// The number of render threads.
    public var jobs = 1
    /// The size in bytes at which an archive of outputs is finished; `nil` to write outputs as
    /// files.
    public var archiveLimit: Int?
    /// Whether only jobs that have failed before are rendered.
    public var retries = false
    /// The most samples (of all channels together) that are kept in memory for normalizing; a
    /// longer sound is kept on the disk.
    public var mostSamples = 1 << 26

    public init() {}
  }

  /// The number of jobs by result.
  public struct Summary: Sendable, Hashable {
    /// Rendered in this run.
    public var done = 0
    /// Rendered before; with `retries` also the jobs without a failed record.
    public var present = 0
    /// Failed in this run.
    public var failed = 0
    /// Failed before and not rendered again.
    public var failedBefore = 0
    /// The total duration of the rendered sounds in seconds.
    public var rendered = 0.0

    public var total: Int { done + present + failed + failedBefore }
  }

  private let manifest: ManifestReader
  private let context: BatchContext
  private let store: RecordStore
  private let options: Options
  private let isCancelled: @Sendable () -> Bool
  private let report: @Sendable (BatchRecord?, Summary) -> Void
  private let cache: PatchCache
  private let files = FileDigests()
  /// The archives of the outputs; `nil` to write outputs as files.
  private let tar: TarShards?

  private struct State {
    var summary = Summary()
    var waiting: [ManifestLine] = []
    /// Hashes of ids and of output paths.
    var seen: Set<Int> = []
    /// The failure that ends the run: records cannot be written.
    var failure: JobFault?
  }

  private let state = Mutex(State())
  /// Held while a job goes into the archive and into the records.
  private let packing = Mutex(())

  /// - Parameters:
  ///   - store: The records, after `load()`.
  ///   - isCancelled: Asked repeatedly, from any of the threads.
  ///   - report: Called for each finished job, one call at a time, from any of the threads. The
  ///     record is `nil` if the job was neither rendered nor failed in this run.
  /// - Throws: If libcrypto is missing, the records cannot be read, or the folder of archives
  ///   cannot be created.
  public init(
    _ manifest: ManifestReader, in context: BatchContext, _ store: RecordStore, _ options: Options,
    isCancelled: @escaping @Sendable () -> Bool,
    report: @escaping @Sendable (BatchRecord?, Summary) -> Void
  ) throws(JobFault) {
    if let refusal = Hashing.refusal { throw JobFault(BatchRules.render, refusal) }
    self.manifest = manifest
    self.context = context
    self.store = store
    self.options = options
    self.isCancelled = isCancelled
    self.report = report
    cache = PatchCache(limits: context.limits)
    try TarShards.recover(in: store.folder) { () throws(JobFault) in
      var ends: [String: Int] = [:]
      try store.readAll { record in
        guard let archive = record.outputs.first?.archive, let end = record.archiveEnd else {
          return
        }
        ends[archive] = max(ends[archive] ?? 0, end)
      }
      return ends
    }
    guard let limit = options.archiveLimit else {
      tar = nil
      return
    }
    do throws(RawFile.Failure) {
      tar = try TarShards(in: store.folder, called: store.ownName, limit: limit)
    } catch {
      throw JobFault(BatchRules.output, "the folder of archives cannot be made: \(error.message)")
    }
  }

  /// Renders the jobs and returns when all threads have ended.
  ///
  /// - Throws: If records cannot be written, or the manifest cannot be read to its end.
  public func run() throws(JobFault) -> Summary {
    // This thread works too. If another thread cannot be started, fewer work.
    let threads = (1..<max(1, options.jobs)).compactMap { number in
      try? HostThread("patchrun batch") { self.work(number) }
    }
    let isOver = Atomic<Bool>(false)
    // Once a second for all outputs: waiting for the disk after each output takes longer than
    // rendering it.
    let flusher = try? HostThread("patchrun disk") {
      var tenths = 0
      while !isOver.load(ordering: .acquiring) {
        RawFile.wait(milliseconds: 100)
        tenths += 1
        if tenths % 10 == 0 { self.store.synchronize() }
      }
    }
    work(0)
    for thread in threads { thread.join() }
    isOver.store(true, ordering: .releasing)
    flusher?.join()
    store.synchronize()
    if let tar {
      do throws(RawFile.Failure) { try tar.finish() } catch {
        throw JobFault(BatchRules.output, "an archive cannot be finished: \(error.message)")
      }
      RawFile.removeFolder(packingFolder)
    }
    let (summary, failure) = state.withLock { ($0.summary, $0.failure) }
    if let failure { throw failure }
    if let failure = manifest.failure {
      throw JobFault(BatchRules.line, "the manifest cannot be read: \(failure)")
    }
    return summary
  }

  private var mustEnd: Bool { isCancelled() || state.withLock { $0.failure != nil } }

  private func work(_ worker: Int) {
    let claims = JobClaims(store)
    while !mustEnd, let line = manifest.next() { process(line, claims, worker) }
    // Jobs that other workers had claimed: these jobs are done by now, or their process has ended.
    while !mustEnd, let line = state.withLock({ $0.waiting.popLast() }) {
      if !process(line, claims, worker, isFirst: false) { RawFile.wait(milliseconds: 20) }
    }
  }

  // MARK: A job

  /// Returns whether the job is finished; otherwise another worker holds its claim.
  @discardableResult
  private func process(
    _ line: ManifestLine, _ claims: JobClaims, _ worker: Int, isFirst: Bool = true
  ) -> Bool {
    do throws(JobFault) {
      let prepared: PreparedJob
      do throws(JobFault) {
        if let fault = line.fault { throw fault }
        let job = try JobReader.job(line: line.text)
        if isFirst, let fault = repeated(job) { throw fault }
        prepared = try PreparedJob(
          job, text: line.text, line: line.number, context: context, cache, files)
      } catch {
        try refuse(line, error)
        return true
      }
      return try process(prepared, line, claims, worker)
    } catch {
      state.withLock { $0.failure = $0.failure ?? error }
      return true
    }
  }

  private func process(
    _ prepared: PreparedJob, _ line: ManifestLine, _ claims: JobClaims, _ worker: Int
  ) throws(JobFault) -> Bool {
    if settle(prepared) { return true }
    guard claims.take(prepared.digest) else {
      state.withLock { $0.waiting.append(line) }
      return false
    }
    defer { claims.release(prepared.digest) }
    let paths = prepared.job.outputs.map { context.outputPath($0.path) }
    if tar != nil || paths.isEmpty || paths.contains(where: { RawFile.size(of: $0) != nil }) {
      // Another process may have rendered it since the records were read.
      try store.refresh()
      if settle(prepared) { return true }
    }
    let begin = monotonicNanoseconds()
    var record = BatchRecord(
      id: prepared.job.id, line: line.number, status: .failed, job: prepared.digest,
      outputKey: prepared.digest, key: "")
    record.patch = prepared.job.patch
    record.version = context.version
    record.kernel = context.kernel
    var members: [TarShards.Member] = []
    do throws(JobFault) {
      if let key = try prepared.knownKey(), isPresent(key, prepared) { return true }
      let built = try prepared.build { self.writePath($0, worker) }
      let key = try prepared.key(built)
      record.key = key.digest.description
      record.outputKey = key.outputKey
      record.reads = key.reads
      if isPresent(key, prepared) { return true }
      guard
        let render = JobRender(
          prepared, built, isCancelled: isCancelled, mostSamples: options.mostSamples,
          path: { self.writePath($0, worker) })
      else { throw JobFault(BatchRules.patch, "the patch has no graph") }
      guard try render.run(into: &record) else { return true }
      members = try addOutputs(prepared, worker, &record)
      record.status = .done
    } catch {
      record.diagnostics.insert(error, at: 0)
    }
    let seconds = Double(monotonicNanoseconds() - begin) / 1e9
    try write(&record, members, seconds: seconds)
    finish(record)
    return true
  }

  /// Writes a record, after the job's files where they go into an archive: the same job gives the same archive, so
  /// that the time it has taken is in the record only.
  private func write(
    _ record: inout BatchRecord, _ members: [TarShards.Member], seconds: Double
  ) throws(JobFault) {
    guard let tar, !members.isEmpty else {
      record.seconds = seconds
      return try store.append(record)
    }
    // One job after the other: an archive that was left behind is cut after the last job with a record.
    try packing.withLock { _ throws(JobFault) in
      do throws(JobFault) { try pack(members, into: tar, &record) } catch {
        record.status = .failed
        record.diagnostics.insert(error, at: 0)
      }
      record.seconds = seconds
      try store.append(record)
    }
  }

  /// The path that an output is written to: its own, or in a folder of this process if it goes into
  /// an archive.
  private func writePath(_ output: BatchJob.File, _ worker: Int) -> String {
    guard tar != nil else { return context.outputPath(output.path) }
    let last = output.path.split(separator: "/").last ?? ""
    let number = output.place.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 0xFFFF
    return "\(packingFolder)/\(worker)-\(number)-\(last)"
  }

  private var packingFolder: String { store.path("packing") }

  /// Adds the files of a job to its record. Returns those that go into an archive.
  private func addOutputs(
    _ prepared: PreparedJob, _ worker: Int, _ record: inout BatchRecord
  ) throws(JobFault) -> [TarShards.Member] {
    var members: [TarShards.Member] = []
    for output in prepared.job.outputs {
      let path = writePath(output, worker)
      do throws(FileRefusal) {
        if tar == nil {
          let (digest, size) = try FileDigests.fresh(path)
          record.outputs.append(
            .init(
              place: output.place, path: output.path, bytes: size, sha256: digest.description))
        } else {
          let bytes = try FilePolicy.user.read(path, limit: 1 << 33).bytes
          RawFile.remove(path)
          members.append(.init(name: TarShards.name(of: output.path), bytes: bytes))
          record.outputs.append(
            .init(
              place: output.place, path: output.path, bytes: bytes.count,
              sha256: Hashing.digest(bytes).description))
        }
      } catch {
        throw JobFault(BatchRules.output, error.message(for: path), help: [error.help])
      }
    }
    return members
  }

  /// Adds the files of a job, and a file with its measurements, to the archive.
  private func pack(
    _ members: [TarShards.Member], into tar: TarShards, _ record: inout BatchRecord
  ) throws(JobFault) {
    var members = members
    let ending = BatchJob.ending(of: members[0].name)
    let name = members[0].name.dropLast(ending.isEmpty ? 0 : ending.utf8.count + 1)
    members.append(.init(name: name + ".json", bytes: Array((record.measured.document).utf8)))
    do throws(RawFile.Failure) {
      let places = try tar.add(members)
      for index in record.outputs.indices {
        record.outputs[index].archive = places.archive
        record.outputs[index].offset = places.offsets[index]
      }
      record.archiveEnd = places.end
    } catch {
      throw JobFault(BatchRules.output, "the archive cannot be written: \(error.message)")
    }
  }

  // MARK: Existing outputs

  /// Counts a job that needs no rendering. Returns whether the job is one.
  private func settle(_ prepared: PreparedJob) -> Bool {
    guard let found = store.find(job: prepared.digest) else {
      if options.retries {
        count(\.present)
        return true
      }
      return false
    }
    guard found.isDone else {
      if options.retries { return false }
      count(\.failedBefore)
      return true
    }
    guard isUnchanged(found), outputsExist(found, prepared) else {
      if options.retries { count(\.present) }
      return options.retries
    }
    count(\.present)
    return true
  }

  private func isUnchanged(_ found: RecordStore.Found) -> Bool {
    found.reads.allSatisfy { file in
      guard let digest = try? files.digest(of: file.path).digest else { return false }
      return digest.description == file.digest
    }
  }

  /// Whether the outputs of a record have their recorded sizes. If the outputs may not have reached
  /// the disk, their bytes are compared too.
  private func outputsExist(_ found: RecordStore.Found, _ prepared: PreparedJob) -> Bool {
    if let record = found.unverified {
      return BatchVerification.isAsRecorded(record, in: store.folder)
    }
    if found.sizes == RecordEntry.fold([]) { return true }
    var sizes: [Int] = []
    for output in prepared.job.outputs {
      guard let size = RawFile.size(of: context.outputPath(output.path)) else { return false }
      sizes.append(size)
    }
    return RecordEntry.fold(sizes) == found.sizes
  }

  /// Counts a job whose key and outputs have a record from another line. Returns whether the job is
  /// one.
  private func isPresent(_ key: PreparedJob.Key, _ prepared: PreparedJob) -> Bool {
    guard let found = store.find(outputKey: key.outputKey), found.isDone,
      outputsExist(found, prepared)
    else {
      return false
    }
    count(\.present)
    return true
  }

  // MARK: Results

  private func count(_ part: WritableKeyPath<Summary, Int>) {
    state.withLock { state in
      state.summary[keyPath: part] += 1
      report(nil, state.summary)
    }
  }

  private func finish(_ record: BatchRecord) {
    state.withLock { state in
      if record.status == .done {
        state.summary.done += 1
        if record.sampleRate > 0 {
          state.summary.rendered += Double(record.frames) / record.sampleRate
        }
      } else {
        state.summary.failed += 1
      }
      report(record, state.summary)
    }
  }

  /// Records that a line is not a valid job.
  private func refuse(_ line: ManifestLine, _ fault: JobFault) throws(JobFault) {
    let digest = PreparedJob.digest(ofFaulty: line.text, context)
    if let found = store.find(job: digest), !found.isDone, !options.retries {
      count(\.failedBefore)
      return
    }
    let job = try? JobReader.job(line: line.text)
    var record = BatchRecord(
      id: job?.id ?? "line \(line.number)", line: line.number, status: .failed, job: digest,
      outputKey: digest, key: "")
    record.patch = job?.patch ?? ""
    record.version = context.version
    record.kernel = context.kernel
    record.diagnostics = [fault]
    try store.append(record)
    finish(record)
  }

  /// The fault of a job that has the id or an output of another job of this run; `nil` for none.
  private func repeated(_ job: BatchJob) -> JobFault? {
    state.withLock { state in
      if !state.seen.insert("id \(job.id)".hashValue).inserted {
        return JobFault(
          BatchRules.repeated, "there are two jobs '\(job.id)'",
          help: ["give each an id of its own"])
      }
      for output in job.outputs where !state.seen.insert("output \(output.path)".hashValue).inserted
      {
        return JobFault(BatchRules.repeated, "two jobs write '\(output.path)'")
      }
      return nil
    }
  }
}
