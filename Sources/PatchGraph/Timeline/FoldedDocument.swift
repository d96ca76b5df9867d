import PatchSyntax

/// A document whose timeline is being played, with what has happened of it in it: made once when a step
/// has passed, and not each time somebody asks.
struct FoldedDocument: Sendable {
  /// What it is of: another number for every document that is played.
  let base: Int
  private let whole: PatchReader.Result
  private let updates: [PlannedUpdate]
  private let sampleRate: Double
  /// When its steps are over, rising, in seconds from the start.
  private let ends: [Double]
  /// How many of them were over when `reading` was made.
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

  /// Takes what is over by then into the document. Returns whether there was anything.
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
