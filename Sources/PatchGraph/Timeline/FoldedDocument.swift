import PatchSyntax

/// A document whose timeline is playing, with the passed steps made in it. It is computed again
/// only when further steps have passed.
struct FoldedDocument: Sendable {
  /// The number of the document, as `LivePatch` counts the documents that it plays.
  let base: Int
  private let whole: PatchReader.Result
  private let updates: [PlannedUpdate]
  private let sampleRate: Double
  /// The times at which its steps end, ascending, in seconds from the start.
  private let ends: [Double]
  /// How many of `ends` had passed when `reading` was computed.
  private var passed = 0
  private(set) var reading: PatchReader.Result

  init(
    _ whole: PatchReader.Result, _ updates: [PlannedUpdate], base: Int, sampleRate: Double
  ) {
    self.base = base
    self.whole = whole
    self.updates = updates
    self.sampleRate = sampleRate
    reading = whole
    ends = whole.document.map { TimelineFold.ends(of: $0, sampleRate: sampleRate).sorted() } ?? []
  }

  /// Takes the steps that end by a time into the document. Returns whether there were any.
  mutating func advance(to seconds: Double) -> Bool {
    var low = 0
    var high = ends.count
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] <= seconds { low = middle + 1 } else { high = middle }
    }
    guard low != passed else { return false }
    passed = low
    reading = TimelineFold.fold(whole, updates, upTo: seconds, sampleRate: sampleRate)
    return true
  }
}
