import Diagnostics
import FileAccess
import PatchSyntax
import Synchronization

/// The records of a batch: a file of JSON lines for each process that has worked on it, in the
/// folder `records` of the outputs.
///
/// A record is one line, written in one call after the outputs of its job are in place. A partial
/// last line of a killed process is ignored. Any thread.
public final class RecordStore: Sendable {
  static let folderName = "records"

  /// The output folder of the batch.
  public let folder: String
  private let recordFolder: String

  /// The base name of this process's files.
  let ownName: String

  private struct State {
    var table = RecordTable()
    /// The offset up to which each file has been read.
    var offsets: [String: Int] = [:]
    var own: RawFile?
    var ownName = ""
    /// The lists of further files that records have read, with their digests. The first list is
    /// empty.
    var reads: [[(path: String, digest: String)]] = [[]]
    var readNumbers: [ArraySlice<UInt8>: UInt32] = [:]
    var badLines = 0
    /// The lines of records whose outputs may not be on the disk: those of the last second of a
    /// killed process, or of a process that is working.
    var unverified: [ShortDigest: [UInt8]] = [:]
    /// The number of records in this process's file, and how many of them are on the disk with
    /// their outputs.
    var written = 0
    var synchronized = 0
  }

  private let state = Mutex(State())

  /// Opens the records of an output folder and creates the folder if necessary.
  ///
  /// - Throws: If a folder cannot be created.
  public init(folder: String) throws(JobFault) {
    self.folder = folder
    ownName = Self.newName()
    recordFolder = folder + "/" + Self.folderName
    do throws(RawFile.Failure) { try RawFile.makeFolder(recordFolder) } catch {
      throw JobFault(BatchRules.output, "the folder cannot be made: \(error.message)")
    }
  }

  /// Opens existing records; `nil` if there are none.
  public init?(existing folder: String) {
    self.folder = folder
    ownName = Self.newName()
    recordFolder = folder + "/" + Self.folderName
    guard FolderListing.isFolder(recordFolder) else { return nil }
  }

  // MARK: Reading

  private static func names(in folder: String) -> [String] {
    ((try? FolderListing.names(in: folder)) ?? []).filter { $0.hasSuffix(".jsonl") }.sorted()
  }

  /// Reads all records. To be called once, before jobs are looked up.
  ///
  /// - Throws: If a file cannot be read.
  public func load() throws(JobFault) {
    try reading { () throws(RawFile.Failure) in
      let names = Self.names(in: recordFolder)
      let folder = recordFolder
      let failure = state.withLock { state -> RawFile.Failure? in
        let bytes = names.reduce(0) { $0 + (RawFile.size(of: folder + "/" + $1) ?? 0) }
        state.table.reserve(bytes / 400)
        do throws(RawFile.Failure) {
          for name in names { try Self.read(name, in: folder, &state, fresh: false) }
        } catch {
          return error
        }
        state.table.sort()
        return nil
      }
      if let failure { throw failure }
    }
  }

  /// Reads the records that other processes have written since the last reading.
  func refresh() throws(JobFault) {
    try reading { () throws(RawFile.Failure) in
      let names = Self.names(in: recordFolder)
      let folder = recordFolder
      let failure = state.withLock { state -> RawFile.Failure? in
        do throws(RawFile.Failure) {
          for name in names where name != state.ownName {
            let size = RawFile.size(of: folder + "/" + name) ?? 0
            guard size > state.offsets[name] ?? 0 else { continue }
            try Self.read(name, in: folder, &state, fresh: true)
          }
        } catch {
          return error
        }
        return nil
      }
      if let failure { throw failure }
    }
  }

  private func reading(_ body: () throws(RawFile.Failure) -> Void) throws(JobFault) {
    do throws(RawFile.Failure) { try body() } catch {
      throw JobFault(BatchRules.output, "the records cannot be read: \(error.message)")
    }
  }

  private static func read(
    _ name: String, in folder: String, _ state: inout State, fresh: Bool
  ) throws(RawFile.Failure) {
    let file = try RawFile(folder + "/" + name, for: .reading)
    var lines = LineReader(file, from: state.offsets[name] ?? 0)
    // Records whose outputs may not be on the disk.
    var waiting: [(entry: RecordEntry, line: [UInt8])] = []
    var counted = 0
    func add(_ entry: RecordEntry) {
      if fresh { state.table.addFresh(entry) } else { state.table.add(entry) }
    }
    while let line = try lines.next(wholeOnly: true) {
      if let count = RecordEntry.synchronized(line) {
        let onDisk = min(waiting.count, max(0, count - counted))
        for (entry, _) in waiting.prefix(onDisk) { add(entry) }
        waiting.removeFirst(onDisk)
        counted += onDisk
        continue
      }
      guard let (found, reads) = RecordEntry.read(line) else {
        state.badLines += 1
        continue
      }
      var entry = found
      entry.reads = number(of: reads, &state)
      waiting.append((entry, Array(line)))
    }
    for (entry, line) in waiting {
      var entry = entry
      entry.isOnDisk = false
      state.unverified[entry.job] = line
      state.unverified[entry.outputKey] = line
      add(entry)
    }
    state.offsets[name] = lines.offset
  }

  /// The index of a list of read files.
  private static func number(of reads: ArraySlice<UInt8>, _ state: inout State) -> UInt32 {
    guard reads.count > 2 else { return 0 }
    if let known = state.readNumbers[reads] { return known }
    let own = Array(reads)
    let json = JSONReader.read(SourceText(name: "record", bytes: own), dialect: .json).tree?.root
    let list = json?.members.map { (path: $0.key.string ?? "", digest: $0.value.string ?? "") }
    state.reads.append(list ?? [])
    let number = UInt32(state.reads.count - 1)
    state.readNumbers[own[...]] = number
    return number
  }

  /// The parts of a record that are kept in memory.
  struct Found {
    var isDone: Bool
    var sizes: UInt64
    /// The further files that the job has read.
    var reads: [(path: String, digest: String)]
    /// The record, if its outputs have to be verified.
    var unverified: BatchRecord?
  }

  private static func found(_ entry: RecordEntry, _ digest: ShortDigest, _ state: State) -> Found {
    Found(
      isDone: entry.isDone, sizes: entry.sizes, reads: state.reads[Int(entry.reads)],
      unverified: entry.isOnDisk ? nil : state.unverified[digest].flatMap { BatchRecord(line: $0) })
  }

  func find(job: Digest) -> Found? {
    state.withLock { state in
      state.table.entry(ofJob: job.short).map { Self.found($0, job.short, state) }
    }
  }

  func find(outputKey: Digest) -> Found? {
    state.withLock { state in
      state.table.entry(outputKey: outputKey.short).map { Self.found($0, outputKey.short, state) }
    }
  }

  /// Calls `body` with every record, in the order of files and lines. A job that was rendered again
  /// has several records.
  ///
  /// - Throws: If a file cannot be read.
  public func readAll(_ body: (BatchRecord) -> Void) throws(JobFault) {
    try reading { () throws(RawFile.Failure) in
      for name in Self.names(in: recordFolder) {
        let file = try RawFile(recordFolder + "/" + name, for: .reading)
        var lines = LineReader(file)
        while let line = try lines.next(wholeOnly: true) {
          if let record = BatchRecord(line: Array(line)) { body(record) }
        }
      }
    }
  }

  // MARK: Writing

  private static let opened = Atomic<Int>(0)

  /// A name for the files of this process: machine, process, second, number.
  private static func newName() -> String {
    let number = opened.wrappingAdd(1, ordering: .relaxed).oldValue
    return "\(RawFile.hostName)-\(RawFile.processNumber)-\(RawFile.secondsNow)"
      + (number > 0 ? "-\(number)" : "")
  }

  func append(_ record: BatchRecord) throws(JobFault) {
    let bytes = Array((record.json.compact + "\n").utf8)
    let folder = recordFolder
    let ownName = ownName
    let failure = state.withLock { state -> RawFile.Failure? in
      do throws(RawFile.Failure) {
        if state.own == nil {
          state.ownName = ownName + ".jsonl"
          state.own = try RawFile(folder + "/" + state.ownName, for: .appending)
        }
        try state.own?.write(bytes)
        state.written += 1
      } catch {
        return error
      }
      if let (entry, _) = RecordEntry.read(bytes.dropLast()) { state.table.addFresh(entry) }
      return nil
    }
    if let failure {
      throw JobFault(BatchRules.output, "the record cannot be written: \(failure.message)")
    }
  }

  /// Flushes the outputs of all records so far to the disk, and writes a `synchronized` line.
  /// Blocks until the disk has finished: call it on a separate thread.
  ///
  /// After a power cut the next run verifies, byte by byte, the outputs of the last second.
  func synchronize() {
    let (written, isNew) = state.withLock { ($0.written, $0.written > $0.synchronized) }
    guard isNew, let folder = try? RawFile(self.folder, for: .reading) else { return }
    folder.synchronizeAll()
    state.withLock { state in
      state.synchronized = written
      try? state.own?.write(Array("{\"synchronized\":[\(written)]}\n".utf8))
    }
  }

  /// The path of a further file of this process.
  func path(_ ending: String) -> String { "\(recordFolder)/\(ownName).\(ending)" }

  /// The file with the locks of `JobClaims`.
  var claimsPath: String { recordFolder + "/claims.lock" }
}
