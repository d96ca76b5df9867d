public import AudioTypes
public import RenderCore

/// Everything that can be said about a kind of expectation before there is one: the reader, the schema, the
/// listings, `--new`, `--bless` and the run of the tests are made from this.
///
/// Where sound is looked at (`at`, `during`, `channel`) is not among the settings: each expectation has that.
public struct ExpectationKind: Sendable {
  /// The name in a test file: `truePeak`.
  public var name: String
  /// A sentence.
  public var summary: String
  /// What is broken where it does not hold.
  public var rule: Rule
  /// What may be said of the number; `nil` where it has none.
  public var bound: BoundInfo?
  public var settings: [SettingInfo]
  public var lists: [ListInfo]
  /// What a value that is no object stands for; `nil` where it has to be one.
  public var shorthand: Shorthand?
  public var subject: Subject
  let measure:
    @Sendable (Expectation, any TestedPatch) throws(ExpectationProblem) -> [MeasuredQuantity]

  /// What is looked at.
  public enum Subject: Hashable, Sendable {
    /// The sound at a bus: `at`, `during` and `channel` say which.
    case sound
    /// The patch as a whole.
    case patch
  }

  /// What may be said of the number of a kind.
  public struct BoundInfo: Hashable, Sendable {
    public var unit: BoundUnit
    /// What can be meant.
    public var range: ClosedRange<Double>
    /// What holds where no bound is given; `nil` where one has to be.
    public var standard: Bound?
    /// The key of a single number that says it, beside `atMost`, `atLeast` and `between`: `below`.
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

  /// A setting that has more values than one.
  public struct ListInfo: Hashable, Sendable {
    public var key: String
    public var form: Form
    public var isRequired: Bool
    public var summary: String

    public enum Form: Hashable, Sendable {
      /// Finite numbers.
      case numbers
      case texts
      /// Arrays of so many finite numbers.
      case rows(Int)
      /// Whatever values by JSON Pointer.
      case changes
    }

    public init(_ key: String, _ form: Form, isRequired: Bool = false, _ summary: String) {
      self.key = key
      self.form = form
      self.isRequired = isRequired
      self.summary = summary
    }
  }

  /// What a value that is no object stands for.
  public enum Shorthand: Hashable, Sendable {
    /// `"clicks": 0`: the number is the most.
    case atMost
    /// `"golden": "mix.golden.flac"`: a setting.
    case setting(String)
    /// `"sameAtSlices": [64, 333]`: a list.
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

  /// The keys that an object of it may have.
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

  /// The keys that say what a number may be.
  public static let boundKeys = ["atMost", "atLeast", "between", "near", "within"]
}
