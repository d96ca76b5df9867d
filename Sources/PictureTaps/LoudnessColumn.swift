/// The loudness of a stretch as mean power: 10^(LUFS / 10).
struct LoudnessColumn: PictureColumn {
  var momentary: Double
  /// `nil` in the first 3 s.
  var shortTerm: Double?
  var count = 1
  /// How many of them have a short-term loudness.
  private var shortTermCount: Int

  init(momentary: Double, shortTerm: Double?) {
    self.momentary = momentary
    self.shortTerm = shortTerm
    shortTermCount = shortTerm == nil ? 0 : 1
  }

  mutating func join(_ next: LoudnessColumn) {
    let sum = Double(count + next.count)
    momentary = (momentary * Double(count) + next.momentary * Double(next.count)) / sum
    count += next.count
    guard let other = next.shortTerm else { return }
    let both = Double(shortTermCount + next.shortTermCount)
    shortTerm =
      ((shortTerm ?? 0) * Double(shortTermCount) + other * Double(next.shortTermCount)) / both
    shortTermCount += next.shortTermCount
  }
}
