import PatchSyntax

extension JSONValue {
  /// Of a meter, as `GET /meters` has it: which crosspoint of a matrix reads it, or that it is the master; `nil`
  /// for a tap or a bus.
  var placeInMatrix: String? {
    guard self["scope"]?.string == "global" else { return nil }
    guard let input = self["input"]?.integer, let output = self["output"]?.integer else {
      return "master"
    }
    return "\(input) to \(output)"
  }
}
