import PatchSyntax

extension JSONValue {
  /// The place of a meter from `GET /meters` in a matrix: a crosspoint or the master; `nil` for a
  /// tap or a bus.
  var placeInMatrix: String? {
    guard self["scope"]?.string == "global" else { return nil }
    guard let input = self["input"]?.integer, let output = self["output"]?.integer else {
      return "master"
    }
    return "\(input) to \(output)"
  }
}
