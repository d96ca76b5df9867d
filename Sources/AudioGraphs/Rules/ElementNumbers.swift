extension [Int] {
  /// "8", "8 and 9", "8, 9 and 11".
  var listed: String {
    guard count > 1, let last else { return first.map(String.init) ?? "" }
    return dropLast().map(String.init).joined(separator: ", ") + " and \(last)"
  }

  /// As `listed`, but "8 to 11" where three and more follow each other.
  var listedByRange: String {
    guard count > 2, let first, let last, last - first == count - 1 else { return listed }
    return "\(first) to \(last)"
  }
}
