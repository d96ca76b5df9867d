import FileAccess
import PatchGraph
import Synchronization

/// Renders some jobs of a batch again and compares the bytes with their records.
public struct BatchSample: Sendable {
  public var rendered = 0
  public var findings: [BatchVerification.Finding] = []

  /// Renders `count` jobs, spread over the manifest, in a temporary folder below the folder of
  /// records.
  ///
  /// - Throws: If the manifest or the records cannot be read.
  public init(
    of count: Int, manifest: String, in context: BatchContext, _ store: RecordStore
  ) throws(JobFault) {
    var records: [String: BatchRecord] = [:]
    var ids: [String] = []
    let all = try ManifestReader(manifest)
    var lines: [(id: String, number: Int)] = []
    while let line = all.next() {
      if let id = try? JobReader.job(line: line.text).id { lines.append((id, line.number)) }
    }
    let step = max(1, lines.count / max(1, count))
    let chosen = stride(from: step / 2, to: lines.count, by: step).prefix(count).map { lines[$0] }
    ids = chosen.map(\.id)
    let wanted = Set(ids)
    try store.readAll { record in
      if wanted.contains(record.id), record.status == .done { records[record.id] = record }
    }
    let folder = store.path("sample")
    var sampleContext = context
    sampleContext.outputFolder = folder
    let surroundings = context.surroundings
    sampleContext.surroundings = { directory in
      var around = surroundings(directory)
      around.files = FilePolicy(patchIn: directory, allowed: [folder])
      return around
    }
    defer { RawFile.removeTree(folder) }
    for (id, number) in chosen {
      guard let record = records[id] else { continue }
      let reader = try ManifestReader(
        manifest, LineSelection(lines: number...number))
      let fresh = try RecordStore(folder: folder)
      let found = Mutex<BatchRecord?>(nil)
      let runner = try BatchRunner(
        reader, in: sampleContext, fresh, BatchRunner.Options(), isCancelled: { false },
        report: { record, _ in if let record { found.withLock { $0 = record } } })
      _ = try runner.run()
      rendered += 1
      let again = found.withLock { $0 }
      for output in record.outputs {
        let same = again?.outputs.first { $0.path == output.path }
        guard same?.sha256 != output.sha256 else { continue }
        let why =
          again.map { $0.status == .failed ? $0.diagnostics.first?.message ?? "" : "" } ?? ""
        findings.append(
          .init(
            id: id, path: output.path,
            problem: "rendered anew it has other bytes"
              + (again?.key == record.key
                ? "" : ": patch, inputs, version or kernel class are others")
              + (why.isEmpty ? "" : ": \(why)")))
      }
    }
  }
}
