/// The frequency response of an equalizer or filter.
public struct ControlFrequencyResponse: Hashable, Sendable {
  public var node: String
  /// Frequencies in hertz, ascending.
  public var frequencies: [Double]
  /// The gain at each frequency in decibels.
  public var decibels: [Double]

  public init(node: String, frequencies: [Double], decibels: [Double]) {
    self.node = node
    self.frequencies = frequencies
    self.decibels = decibels
  }
}
