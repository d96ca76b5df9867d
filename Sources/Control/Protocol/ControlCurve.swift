/// How loud a node lets each frequency through: an equalizer's response.
public struct ControlCurve: Hashable, Sendable {
  public var node: String
  /// In hertz, rising.
  public var frequencies: [Double]
  /// The gain at each, in decibels.
  public var decibels: [Double]

  public init(node: String, frequencies: [Double], decibels: [Double]) {
    self.node = node
    self.frequencies = frequencies
    self.decibels = decibels
  }
}
