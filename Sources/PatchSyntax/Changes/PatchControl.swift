public import AudioTypes

/// A control of a playing patch: a parameter, a property that may change while the patch plays, or
/// a live setting of a callback. Meters (which are read-only), names and lists of numbers are not
/// controls.
public struct PatchControl: Hashable, Sendable {
  /// The kind of control that a person turns.
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

  /// The pointer of its value in the document, whether the document has it or not.
  public var pointer = JSONPointer()
  /// The name of the node or the callback; in a sub-graph `strip/fader`.
  public var node = ""
  /// The name of the unit or the kind of the callback.
  public var component = ""
  public var scope: Scope
  public var element = 0
  /// The name of the bus; `nil` for none.
  public var elementName: String?
  /// Whether something feeds the bus or takes from it; always true in the global scope.
  public var isUsed = true
  /// The key, such as `volume`.
  public var key: String
  /// A sentence about it.
  public var summary: String
  public var kind: Kind
  public var unit: ParameterUnit
  /// The range of the value; `nil` where it is not a number, or has no bounds.
  public var range: ClosedRange<Double>?
  /// Whether a value outside the range is refused.
  public var isRangeEnforced: Bool
  /// The default value.
  public var defaultValue: JSONText
  /// The current value, as a document writes it.
  public var value: JSONText
  public var choices: [Choice]
  /// Whether it may be set; false where the document sets the same value in another way: by a knob,
  /// or at the place that the knob turns.
  public var isWritable: Bool
  /// Whether the document contains its value.
  public var isInDocument = false
  public var isProperty: Bool
  /// Whether a step of the timeline that has not ended yet changes it.
  public var isScheduled = false

  /// Makes a control without its place, which the caller fills in.
  ///
  /// - Parameter value: The current value; `nil` for the default value.
  public init(
    _ key: String, _ kind: Kind, scope: Scope = .global, unit: ParameterUnit,
    range: ClosedRange<Double>? = nil, isRangeEnforced: Bool = true, defaultValue: JSONText,
    value: JSONText? = nil, choices: [Choice] = [], isWritable: Bool = true,
    isProperty: Bool = false, summary: String
  ) {
    self.key = key
    self.kind = kind
    self.scope = scope
    self.unit = unit
    self.range = range
    self.isRangeEnforced = isRangeEnforced
    self.defaultValue = defaultValue
    self.value = value ?? defaultValue
    self.choices = choices
    self.isWritable = isWritable
    self.isProperty = isProperty
    self.summary = summary
  }

  /// The name to show: `Bypass Effect`.
  public var title: String {
    let path = key.split(separator: "/").map(String.init)
    if path.count == 3 {
      return "Band \(path[1]) " + path[2].prefix(1).uppercased() + path[2].dropFirst()
    }
    return key.reduce(into: "") { title, character in
      if title.isEmpty {
        title += character.uppercased()
      } else {
        title += character.isUppercase ? " \(character)" : "\(character)"
      }
    }
  }
}
