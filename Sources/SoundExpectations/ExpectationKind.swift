public import AudioTypes
import SoundMeasures

/// The description of a kind of expectation, from which the reader, the schema, the listings,
/// `--new`, `--bless` and the test run are made.
///
/// Its settings exclude `at`, `during` and `channel`, which every expectation has.
public struct ExpectationKind: Sendable {
  /// The name in a test file: `truePeak`.
  public var name: String
  /// A sentence about what is expected.
  public var summary: String
  /// The rule that an expectation breaks when it does not hold.
  public var rule: Rule
  /// The unit and range of the bound; `nil` for a kind that measures no bounded number.
  public var bound: BoundInfo?
  public var settings: [SettingInfo]
  public var lists: [ListInfo]
  /// The meaning of a value that is not an object; `nil` where an object is required.
  public var shorthand: Shorthand?
  public var subject: Subject
  let measure:
    @Sendable (Expectation, any TestedPatch) throws(ExpectationProblem) -> [MeasuredQuantity]

  /// The part of a patch that a kind of expectation looks at.
  public enum Subject: Hashable, Sendable {
    /// The sound at a bus, selected by `at`, `during` and `channel`.
    case sound
    /// The patch as a whole.
    case patch
  }

  /// The bounds that a kind of expectation accepts.
  public struct BoundInfo: Hashable, Sendable {
    public var unit: BoundUnit
    /// The range of the bound's ends, in the unit.
    public var range: ClosedRange<Double>
    /// The bound where none is written; `nil` where one is required.
    public var standard: Bound?
    /// A further key for a bound of one end, beside `atMost`, `atLeast` and `between`: `below`, for
    /// example.
    public var alias: Alias?

    public enum Alias: Hashable, Sendable {
      case atMost(String)
      case atLeast(String)
    }

    public init(
      _ unit: BoundUnit, in range: ClosedRange<Double> = -1000...1000, standard: Bound? = nil,
      alias: Alias? = nil
    ) {
      self.unit = unit
      self.range = range
      self.standard = standard
      self.alias = alias
    }
  }

  /// A setting with several values.
  public struct ListInfo: Hashable, Sendable {
    public var key: String
    public var form: Form
    public var isRequired: Bool
    public var summary: String

    public enum Form: Hashable, Sendable {
      /// Finite numbers.
      case numbers
      case texts
      /// Arrays, each of this many finite numbers.
      case rows(Int)
      /// An object of values by JSON Pointer.
      case changes
    }

    public init(_ key: String, _ form: Form, isRequired: Bool = false, _ summary: String) {
      self.key = key
      self.form = form
      self.isRequired = isRequired
      self.summary = summary
    }
  }

  /// The meaning of a value that is not an object.
  public enum Shorthand: Hashable, Sendable {
    /// `"clicks": 0`: the number is the upper bound.
    case atMost
    /// `"golden": "mix.golden.flac"`: the value of a setting.
    case setting(String)
    /// `"sameAtSlices": [64, 333]`: the values of a list.
    case list(String)
    /// `"finite": true`.
    case yes
  }

  public init(
    _ name: String, _ summary: String, rule: Rule, bound: BoundInfo?, settings: [SettingInfo] = [],
    lists: [ListInfo] = [], shorthand: Shorthand? = nil, subject: Subject = .sound,
    measure:
      @escaping @Sendable (Expectation, any TestedPatch) throws(ExpectationProblem)
      -> [MeasuredQuantity]
  ) {
    self.name = name
    self.summary = summary
    self.rule = rule
    self.bound = bound
    self.settings = settings
    self.lists = lists
    self.shorthand = shorthand
    self.subject = subject
    self.measure = measure
  }

  /// A kind that measures one quantity, in the unit of its bound.
  init(
    _ name: String, _ summary: String, rule: Rule, bound: BoundInfo, settings: [SettingInfo] = [],
    subject: Subject = .sound, quantity: String,
    readings:
      @escaping @Sendable (Expectation, any TestedPatch) throws(ExpectationProblem)
      -> [SoundReading]
  ) {
    self.init(name, summary, rule: rule, bound: bound, settings: settings, subject: subject) {
      expectation, patch throws(ExpectationProblem) in
      [
        MeasuredQuantity(
          quantity, bound.unit, try readings(expectation, patch), expectation.bound)
      ]
    }
  }

  /// A kind that measures one quantity of the sound, in the unit of its bound.
  init(
    _ name: String, _ summary: String, rule: Rule, bound: BoundInfo, shorthand: Shorthand? = nil,
    quantity: String,
    ofSound readings: @escaping @Sendable (Sound) throws(ExpectationProblem) -> [SoundReading]
  ) {
    self.init(name, summary, rule: rule, bound: bound, quantity: quantity) {
      expectation, patch throws(ExpectationProblem) in
      try readings(try patch.sound(for: expectation))
    }
    self.shorthand = shorthand
  }

  /// The keys that an object of this kind may have.
  public var keys: [String] {
    var keys: [String] = []
    if let bound {
      switch bound.alias {
      case .atMost(let key)?, .atLeast(let key)?: keys.append(key)
      case nil: break
      }
      keys += Self.boundKeys
    }
    return keys + settings.map(\.key) + lists.map(\.key)
  }

  /// The keys of a bound.
  public static let boundKeys = ["atMost", "atLeast", "between", "near", "within"]
}
