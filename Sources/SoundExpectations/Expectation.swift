public import PatchSyntax
public import RenderCore

/// An expectation as it has been read: what is expected of which part of which sound.
public struct Expectation: Sendable {
  public var kind: ExpectationKind
  /// The whole of it, in the test file.
  public var json: JSONValue
  /// What stands behind the kind's name.
  public var value: JSONValue
  /// The key with the kind's name.
  public var key: JSONValue
  /// Where it listens; `nil` for what the output unit plays.
  public var at: Located<PatchDocument.Address>?
  /// In seconds; `nil` for all of it.
  public var during: Located<ClosedRange<Double>>?
  /// From 0; `nil` for all.
  public var channel: Located<Int>?
  /// What its number may be; everything, where the kind has none.
  public var bound = Bound()
  /// Where the ends of the bound are written, and their keys.
  public var boundPlaces = BoundPlaces()
  public var settings: [String: SettingValue] = [:]
  public var numbers: [String: [Double]] = [:]
  public var rows: [String: [[Double]]] = [:]
  public var texts: [String: [String]] = [:]
  /// What stands at a key as JSON, for what is neither number nor text.
  public var changes: [String: JSONValue] = [:]

  /// Where the ends of a bound are written.
  public struct BoundPlaces: Sendable {
    public var low: JSONValue?
    public var high: JSONValue?
    /// Of `near` and `within`, the distance.
    public var within: JSONValue?
    public init() {}
  }

  public init(kind: ExpectationKind, json: JSONValue, key: JSONValue, value: JSONValue) {
    self.kind = kind
    self.json = json
    self.key = key
    self.value = value
  }

  /// Measures it.
  public func measure(_ patch: any TestedPatch) throws(ExpectationProblem) -> [MeasuredQuantity] {
    try kind.measure(self, patch)
  }
}
