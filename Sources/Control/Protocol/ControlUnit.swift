/// A kind of audio unit that a node can have: what somebody who draws a graph has to know of it.
public struct ControlUnit: Hashable, Sendable {
  /// The name that a document writes as `component`.
  public var name: String
  public var summary: String
  /// Its inputs in a new node.
  public var inputs: Buses
  /// Its outputs in a new node.
  public var outputs: Buses
  /// Whether it ends a graph: an I/O unit, or the one that renders offline.
  public var isOutputUnit: Bool

  public init(
    name: String, summary: String, inputs: Buses, outputs: Buses, isOutputUnit: Bool
  ) {
    self.name = name
    self.summary = summary
    self.inputs = inputs
    self.outputs = outputs
    self.isOutputUnit = isOutputUnit
  }

  /// The buses of one side.
  public struct Buses: Hashable, Sendable {
    /// Their number, until a document sets another.
    public var count: Int
    /// The most that a document may set; `count` where the number is fixed.
    public var most: Int

    public init(count: Int, most: Int) {
      self.count = count
      self.most = most
    }
  }
}
