/// A table of records by job and by output key, with 60 bytes for each record.
struct RecordTable {
  private var entries: [RecordEntry] = []
  /// Indices of the entries at the last `sort()`, sorted by job and by output key.
  private var byJob: [UInt32] = []
  private var byOutputKey: [UInt32] = []
  /// The entries added since `sort()`.
  private var freshByJob: [ShortDigest: Int] = [:]
  private var freshByOutputKey: [ShortDigest: Int] = [:]

  mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  /// Adds an entry; call `sort()` before looking it up.
  mutating func add(_ entry: RecordEntry) { entries.append(entry) }

  /// Adds an entry that can be looked up at once.
  mutating func addFresh(_ entry: RecordEntry) {
    entries.append(entry)
    let number = entries.count - 1
    if Self.isBetter(entry, than: freshByJob[entry.job].map { entries[$0] }) {
      freshByJob[entry.job] = number
    }
    if Self.isBetter(entry, than: freshByOutputKey[entry.outputKey].map { entries[$0] }) {
      freshByOutputKey[entry.outputKey] = number
    }
  }

  /// A done entry is never replaced by a failed one.
  private static func isBetter(_ entry: RecordEntry, than other: RecordEntry?) -> Bool {
    guard let other else { return true }
    return entry.isDone || !other.isDone
  }

  mutating func sort() {
    byJob = (0..<UInt32(entries.count)).map { $0 }
    byOutputKey = byJob
    let entries = entries
    byJob.sort { entries[Int($0)].job < entries[Int($1)].job }
    byOutputKey.sort { entries[Int($0)].outputKey < entries[Int($1)].outputKey }
  }

  func entry(ofJob job: ShortDigest) -> RecordEntry? {
    let old = found(byJob, job, \.job)
    let new = freshByJob[job].map { entries[$0] }
    guard let new else { return old }
    return Self.isBetter(new, than: old) ? new : old
  }

  func entry(outputKey: ShortDigest) -> RecordEntry? {
    let old = found(byOutputKey, outputKey, \.outputKey)
    let new = freshByOutputKey[outputKey].map { entries[$0] }
    guard let new else { return old }
    return Self.isBetter(new, than: old) ? new : old
  }

  private func found(
    _ order: [UInt32], _ wanted: ShortDigest, _ part: KeyPath<RecordEntry, ShortDigest>
  ) -> RecordEntry? {
    var low = 0
    var high = order.count
    while low < high {
      let middle = low + (high - low) / 2
      if entries[Int(order[middle])][keyPath: part] < wanted {
        low = middle + 1
      } else {
        high = middle
      }
    }
    var best: RecordEntry?
    while low < order.count, entries[Int(order[low])][keyPath: part] == wanted {
      let entry = entries[Int(order[low])]
      if Self.isBetter(entry, than: best) { best = entry }
      low += 1
    }
    return best
  }
}
