public import AudioTypes
import Synchronization

extension Violation {
  /// A format set on an input is not the one that its connection brings.
  public static func otherFormat(
    _ arriving: StreamFormat, wanted: String, _ element: Int, at place: Place, notes: [Note] = []
  ) -> Violation {
    Violation(
      UnitRules.formatWritable, status: .propertyNotWritable,
      "input \(element) takes its stream format from its connection: \(arriving.summary) arrives, "
        + "not \(wanted)", at: place, notes: notes,
      help: [
        "remove what is set here, or set it where the connection begins",
        "to change the format on the way put a FormatConverter before the input",
      ],
      remedies: [Remedy("remove what is set here", [.removeFormat(.input, element)])])
  }

  func at(_ place: Place) -> Violation {
    var copy = self
    copy.place = place
    return copy
  }
}

extension String {
  static func outsideUsual(_ info: ParameterInfo, _ value: Float) -> String {
    guard info.unit == .linearGain else {
      return "'\(info.key)' is \(plain(value)), and usually \(plain(info.range.lowerBound)) to "
        + "\(plain(info.range.upperBound))"
    }
    return value < 0
      ? "'\(info.key)' is \(plain(value)): a negative gain turns the signal over"
      : "'\(info.key)' is \(plain(value)): a gain above \(plain(info.range.upperBound)) can clip"
  }

  static func unknownParameter(
    _ parameter: UInt32, _ scope: Scope, _ description: UnitDescription
  ) -> String {
    let there = description.parameters(in: scope)
    return there.isEmpty
      ? "the \(scope) scope of \(description.name) has no parameters"
      : "the \(scope) scope of \(description.name) has no parameter \(parameter)"
  }

  static func noSuchElement(
    _ description: UnitDescription, _ scope: Scope, _ element: Int, _ count: Int
  ) -> String {
    guard scope != .global else { return "the global scope has element 0 only" }
    let range = count == 1 ? "only element 0" : "elements 0 to \(count - 1)"
    return "\(description.name) has no \(scope) element \(element): it has \(range)"
  }

  static func badElementCount(
    _ description: UnitDescription, _ scope: Scope, _ count: Int
  ) -> String {
    let settable = scope == .input ? description.inputs.settable : description.outputs.settable
    let range = settable.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "a fixed number of"
    return "\(description.name) has \(range) \(scope) elements, not \(count)"
  }
}
