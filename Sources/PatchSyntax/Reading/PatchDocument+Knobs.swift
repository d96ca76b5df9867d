extension PatchDocument {
  /// A control that a patch offers to the patches around it: one or more of its parameters, under a
  /// name.
  public struct Knob: Sendable {
    public var json: JSONValue
    /// The places of the parameters in the patch that declares it, or of knobs of its own
    /// sub-graphs.
    public var turns: [Located<JSONPointer>]
    /// The least and the greatest value, not interpreted yet; `nil` for that of the parameters.
    public var min: JSONValue?
    public var max: JSONValue?
  }

  /// A knob of a sub-graph, with its targets in the patch that contains the sub-graph.
  public struct TurnedKnob: Sendable {
    public var name: String
    /// The places of the parameters in the whole: `/nodes/strip~1fader/inputs/0/parameters/volume`.
    /// Empty where the knob has an error.
    public var places: [JSONPointer]
    /// The values that it may have, in the unit of its targets; `nil` where the knob narrows no
    /// range.
    public var range: ClosedRange<Double>?
    /// The value that the patch around the sub-graph sets; `nil` for none.
    public var value: JSONValue?

    public init(
      name: String, places: [JSONPointer], range: ClosedRange<Double>?, value: JSONValue?
    ) {
      self.name = name
      self.places = places
      self.range = range
      self.value = value
    }
  }
}

extension PatchDocument.Element {
  /// A bus that the patch does not write, for a knob that turns something of it.
  ///
  /// - Parameter json: The value that messages about the bus point to.
  package init(unwritten bus: Located<Int>, at json: JSONValue) {
    self.init(json: json, bus: bus)
  }
}
