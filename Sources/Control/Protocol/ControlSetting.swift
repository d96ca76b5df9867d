public import PatchSyntax

/// Something of a patch that plays that can be turned: a parameter, or a property that may change
/// meanwhile.
public struct ControlSetting: Hashable, Sendable {
  /// What a person is given to turn it with.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A linear gain: a fader in decibels.
    case gain
    /// A fader.
    case decibels
    /// From -1, left, to 1, right.
    case pan
    /// Degrees: a dial.
    case angle
    /// Metres.
    case distance
    /// Hertz.
    case frequency
    /// Values are booleans.
    case `switch`
    /// One of `choices`.
    case list
    case number
  }

  /// A value that has a name.
  public struct Choice: Hashable, Sendable {
    public var value: JSONText
    public var title: String

    public init(value: JSONText, title: String) {
      self.value = value
      self.title = title
    }
  }

  /// Where the document has it, or would: a JSON Pointer.
  public var pointer: String
  public var node: String
  /// What the node is: `MultichannelMixer`.
  public var component: String
  /// `global`, `input` or `output`.
  public var scope: String
  public var element: Int
  /// What the bus is called; `nil` for nothing.
  public var elementName: String?
  /// Whether something feeds the bus or takes from it; the global scope always is.
  public var isUsed: Bool
  /// `volume`.
  public var name: String
  /// The name to show: `Volume`.
  public var title: String
  /// What it does, in a sentence.
  public var summary: String
  public var kind: Kind
  /// `linearGain`.
  public var unit: String
  /// A few letters to follow a number: `dB`; empty for none.
  public var symbol: String
  /// The described range; `nil` where the value is no number.
  public var range: ClosedRange<Double>?
  /// Whether a value outside the range is refused.
  public var isRangeEnforced: Bool
  /// What it is until it is set.
  public var defaultValue: JSONText
  /// What it is now, as the document writes it.
  public var value: JSONText
  public var choices: [Choice]
  /// Whether it may be set now.
  public var isWritable: Bool
  /// Whether the document says it.
  public var isInDocument: Bool
  public var isProperty: Bool
  /// Whether the timeline of the patch still moves it.
  public var isScheduled: Bool

  public init(
    pointer: String, node: String, component: String, scope: String, element: Int,
    elementName: String?, isUsed: Bool, name: String, title: String, summary: String, kind: Kind,
    unit: String, symbol: String, range: ClosedRange<Double>?, isRangeEnforced: Bool,
    defaultValue: JSONText, value: JSONText, choices: [Choice], isWritable: Bool,
    isInDocument: Bool, isProperty: Bool, isScheduled: Bool
  ) {
    self.pointer = pointer
    self.node = node
    self.component = component
    self.scope = scope
    self.element = element
    self.elementName = elementName
    self.isUsed = isUsed
    self.name = name
    self.title = title
    self.summary = summary
    self.kind = kind
    self.unit = unit
    self.symbol = symbol
    self.range = range
    self.isRangeEnforced = isRangeEnforced
    self.defaultValue = defaultValue
    self.value = value
    self.choices = choices
    self.isWritable = isWritable
    self.isInDocument = isInDocument
    self.isProperty = isProperty
    self.isScheduled = isScheduled
  }
}

/// Everything of a patch that can be turned, in the order of the patch.
public struct ControlSettings: Hashable, Sendable {
  /// The entity tag of the document that they are of.
  public var tag: String
  public var settings: [ControlSetting]

  public init(tag: String, settings: [ControlSetting]) {
    self.tag = tag
    self.settings = settings
  }
}
