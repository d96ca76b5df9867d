public import AudioTypes
public import PatchSyntax

/// An expectation that has been read: its kind, its bound and settings, and the part of the sound
/// that it looks at.
public struct Expectation: Sendable {
  public var kind: ExpectationKind
  /// The whole expectation, in the test file.
  public var json: JSONValue
  /// The value at the key of the kind.
  public var value: JSONValue
  /// The key of the kind.
  public var key: JSONValue
  /// The bus to listen at; `nil` for the output unit's output.
  public var at: Located<PatchDocument.Address>?
  /// The time to look at, in seconds; `nil` for all of it.
  public var during: Located<ClosedRange<Double>>?
  /// The channel to look at, from 0; `nil` for all.
  public var channel: Located<Int>?
  /// The bound of the measured number; without ends where the kind has no number.
  public var bound = Bound()
  /// Where the ends of the bound are written in the test file.
  public var boundPlaces = BoundPlaces()
  public var settings: [String: SettingValue] = [:]
  public var numbers: [String: [Double]] = [:]
  public var rows: [String: [[Double]]] = [:]
  public var texts: [String: [String]] = [:]
  /// The values of ``ExpectationKind/ListInfo/Form/changes`` lists, by JSON Pointer.
  public var changes: [String: JSONValue] = [:]

  /// Where the ends of a bound are written in the test file.
  public struct BoundPlaces: Sendable {
    public var low: JSONValue?
    public var high: JSONValue?
    /// The distance of `near` and `within`.
    public var within: JSONValue?
    public init() {}
  }

  public init(kind: ExpectationKind, json: JSONValue, key: JSONValue, value: JSONValue) {
    self.kind = kind
    self.json = json
    self.key = key
    self.value = value
  }

  /// Renders what the kind needs of a patch, and measures it.
  ///
  /// - Throws: ``ExpectationProblem`` where it cannot be rendered or measured.
  public func measure(_ patch: any TestedPatch) throws(ExpectationProblem) -> [MeasuredQuantity] {
    try kind.measure(self, patch)
  }
}
