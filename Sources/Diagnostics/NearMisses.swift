/// The candidates that a misspelt name may have meant, the nearest first.
///
/// A candidate that differs only in case comes first. Others are kept when their
/// Damerau-Levenshtein distance (insertions, deletions, replacements and exchanges of neighbours,
/// letter case apart) is at most a third of the longer name's length. Those at one distance stay in
/// the order given. Where none is near, the result is the candidates that begin with the name or
/// that the name begins with: `bypassEffect` for `bypass`.
///
/// - Returns: At most three names.
public func nearMisses(to name: String, among candidates: some Sequence<String>) -> [String] {
  var folded: [UInt32] = []
  folded.reserveCapacity(name.utf8.count)
  fold(name, into: &folded)
  // Nobody misspells a name that long, and a hostile one would take quadratic time.
  guard !folded.isEmpty, folded.count <= 128 else { return [] }
  var nearest: [(distance: Int, candidate: String)] = []
  var other: [UInt32] = []
  var rows = DistanceRows()
  for candidate in candidates where candidate != name {
    fold(candidate, into: &other)
    var limit = max(folded.count, other.count) / 3
    // A fourth candidate has to be nearer than the third: of equals the earlier counts.
    if nearest.count == 3 { limit = min(limit, nearest[2].distance - 1) }
    guard abs(folded.count - other.count) <= limit,
      let distance = rows.distance(folded, other, atMost: limit),
      !nearest.contains(where: { $0.candidate == candidate })
    else { continue }
    let place = nearest.firstIndex { $0.distance > distance } ?? nearest.count
    nearest.insert((distance, candidate), at: place)
    if nearest.count > 3 { nearest.removeLast() }
  }
  guard nearest.isEmpty, folded.count >= 3 else { return nearest.map(\.candidate) }
  var longer: [String] = []
  for candidate in candidates where candidate != name && !longer.contains(candidate) {
    fold(candidate, into: &other)
    guard other.count >= 3 else { continue }
    if other.starts(with: folded) || folded.starts(with: other) { longer.append(candidate) }
    if longer.count == 3 { break }
  }
  return longer
}

/// The scalars of a name in lower case.
private func fold(_ name: String, into scalars: inout [UInt32]) {
  scalars.removeAll(keepingCapacity: true)
  for byte in name.utf8 {
    guard byte < 0x80 else {
      scalars.removeAll(keepingCapacity: true)
      for scalar in name.lowercased().unicodeScalars { scalars.append(scalar.value) }
      return
    }
    scalars.append(UInt32((0x41...0x5A).contains(byte) ? byte + 0x20 : byte))
  }
}

/// The one candidate that a misspelt name can have meant; `nil` where there is none, or where there
/// are several. One that differs in case alone outweighs those that differ in letters.
public func onlyNearMiss(to name: String, among candidates: some Sequence<String>) -> String? {
  let near = nearMisses(to: name, among: candidates)
  if near.count == 1 { return near[0] }
  let sameLetters = near.filter { $0.lowercased() == name.lowercased() }
  return sameLetters.count == 1 ? sameLetters[0] : nil
}

/// "did you mean 'gain'?", or `nil` when nothing is near.
public func didYouMean(_ name: String, among candidates: some Sequence<String>) -> String? {
  let near = nearMisses(to: name, among: candidates).map(quoted)
  switch near.count {
  case 0: return nil
  case 1: return "did you mean \(near[0])?"
  default: return "did you mean \(near.dropLast().joined(separator: ", ")) or \(near.last ?? "")?"
  }
}

/// A name for messages: in single quotes, with control characters escaped, and cut after 80
/// scalars.
public func quoted(_ name: String) -> String {
  var text = "'"
  for (index, scalar) in name.unicodeScalars.enumerated() {
    if index == 80 {
      text += "..."
      break
    }
    // A byte of a file name that is not UTF-8: see `SystemPath`.
    if (0x10FF80...0x10FFFF).contains(scalar.value) {
      text += "\\x" + String(scalar.value & 0xFF, radix: 16, uppercase: true)
      continue
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse:
      text += scalar.escaped(asASCII: true)
    default: text.unicodeScalars.append(scalar)
    }
  }
  return text + "'"
}

/// The rows of the table that computes an edit distance. Their memory is reused for every name.
private struct DistanceRows {
  private var beforeLast: [Int] = []
  private var last: [Int] = []
  private var current: [Int] = []

  /// The optimal string alignment distance: no part is edited twice. `nil` for more than `limit`.
  mutating func distance(_ left: [UInt32], _ right: [UInt32], atMost limit: Int) -> Int? {
    guard !left.isEmpty, !right.isEmpty else {
      let distance = max(left.count, right.count)
      return distance <= limit ? distance : nil
    }
    last.removeAll(keepingCapacity: true)
    for column in 0...right.count { last.append(column) }
    beforeLast = last
    for row in 1...left.count {
      current.removeAll(keepingCapacity: true)
      current.append(row)
      var least = row
      for column in 1...right.count {
        let same = left[row - 1] == right[column - 1]
        var best = min(
          last[column] + 1, current[column - 1] + 1, last[column - 1] + (same ? 0 : 1))
        if row > 1, column > 1, left[row - 1] == right[column - 2],
          left[row - 2] == right[column - 1]
        {
          best = min(best, beforeLast[column - 2] + 1)
        }
        current.append(best)
        least = min(least, best)
      }
      // An exchange reaches back two rows, and adds 1 to what stood there.
      if least > limit, (last.min() ?? 0) >= limit { return nil }
      swap(&beforeLast, &last)
      swap(&last, &current)
    }
    return last[right.count] <= limit ? last[right.count] : nil
  }
}
