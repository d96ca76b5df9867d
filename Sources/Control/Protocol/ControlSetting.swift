public import PatchSyntax

/// A setting that can be changed while the patch plays: a parameter, or a property that may change
/// after initialization.
public struct ControlSetting: Hashable, Sendable {
  /// The kind of control to show.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A linear gain, shown as a fader in decibels.
    case gain
    /// A level in decibels, shown as a fader.
    case decibels
    /// From -1 (left) to 1 (right).
    case pan
    /// Degrees, shown as a dial.
    case angle
    /// Metres.
    case distance
    /// Hertz.
    case frequency
    /// A boolean.
    case `switch`
    /// One of `choices`.
    case list
    case number
  }

  /// A named value.
  public struct Choice: Hashable, Sendable {
    public var value: JSONText
    public var title: String

    public init(value: JSONText, title: String) {
      self.value = value
      self.title = title
    }
  }

  /// The JSON Pointer of the setting, whether the document contains it or not.
  public var pointer: String
  public var node: String
  /// The component of the node, such as `MultichannelMixer`.
  public var component: String
  /// `global`, `input` or `output`.
  public var scope: String
  public var element: Int
  /// The name of the bus; `nil` for none.
  public var elementName: String?
  /// Whether the bus is connected; always true for the global scope.
  public var isUsed: Bool
  /// The name in the document, such as `volume`.
  public var name: String
  /// The displayed name, such as `Volume`.
  public var title: String
  /// A sentence about the setting.
  public var summary: String
  public var kind: Kind
  /// The unit, such as `linearGain`.
  public var unit: String
  /// The symbol after a number, such as `dB`; empty for none.
  public var symbol: String
  /// The range; `nil` if the value is no number.
  public var range: ClosedRange<Double>?
  /// Whether a value outside the range is refused.
  public var isRangeEnforced: Bool
  /// The default value.
  public var defaultValue: JSONText
  /// The current value, as in a document.
  public var value: JSONText
  public var choices: [Choice]
  /// Whether it may be set now.
  public var isWritable: Bool
  /// Whether the document sets it.
  public var isInDocument: Bool
  public var isProperty: Bool
  /// Whether the timeline will still change it.
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

/// All settings of a patch, in its order.
public struct ControlSettings: Hashable, Sendable {
  /// The entity tag of the document.
  public var tag: String
  public var settings: [ControlSetting]

  public init(tag: String, settings: [ControlSetting]) {
    self.tag = tag
    self.settings = settings
  }
}
