extension PatchDocument {
  /// What a patch lets the patches around it turn: one or more of its parameters, under a name.
  public struct Knob: Sendable {
    public var json: JSONValue
    /// Where the parameters are in the patch that declares it, or the knobs of its own sub-graphs.
    public var turns: [Located<JSONPointer>]
    /// The least and the greatest value that it goes to, as yet unread; where one is not written, that
    /// of the parameters.
    public var min: JSONValue?
    public var max: JSONValue?
  }

  /// A knob of a sub-graph, with what it turns in the patch that the sub-graph has been put into.
  public struct TurnedKnob: Sendable {
    public var name: String
    /// Where the parameters are in the whole: `/nodes/strip~1fader/inputs/0/parameters/volume`. Empty where
    /// something is wrong with the knob.
    public var places: [JSONPointer]
    /// The values that it may have, in the unit of what it turns; `nil` where the knob narrows nothing.
    public var range: ClosedRange<Double>?
    /// What the patch around the sub-graph sets it to.
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
  /// A bus that is not written, for what a knob turns of it.
  ///
  /// - Parameter json: What stands for the bus in messages.
  package init(unwritten bus: Located<Int>, at json: JSONValue) {
    self.init(json: json, bus: bus)
  }
}
