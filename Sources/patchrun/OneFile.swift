import FileAccess

/// Whether two paths lead to one file.
enum OneFile {
  /// However they are spelt: through links, by two names of one file, or to one that is not there yet. What
  /// is no regular file, `/dev/null`, is not overwritten, and never the same.
  static func same(_ left: String, _ right: String) -> Bool {
    guard let one = try? FilePolicy.user.writePlace(left),
      let other = try? FilePolicy.user.writePlace(right)
    else { return left == right }
    return one.isSame(as: other)
  }
}
