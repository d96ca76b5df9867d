/// The meter of a tap, a bus or a matrix.
public struct ControlMeter: Hashable, Sendable {
  /// What is measured.
  public enum Place: Hashable, Sendable {
    /// A tap of the patch.
    case tap(name: String)
    /// An input or output bus whose metering is on.
    case bus(node: String, isInput: Bool, element: Int)
    /// A crosspoint of a matrix whose metering is on: an input channel and an output channel,
    /// counted through all buses.
    case crosspoint(node: String, input: Int, output: Int)
    /// The master of a matrix whose metering is on.
    case master(node: String)
  }

  public var place: Place
  /// Levels after the fader, one for each channel; empty if levels are not measured.
  public var levels: [ControlLevel]
  /// Levels before the fader; `nil` if they are not measured.
  public var preFaderLevels: [ControlLevel]?
  /// Further readings, such as loudness or a spectrum.
  public var readings: [ControlReading]

  public init(
    place: Place, levels: [ControlLevel], preFaderLevels: [ControlLevel]? = nil,
    readings: [ControlReading] = []
  ) {
    self.place = place
    self.levels = levels
    self.preFaderLevels = preFaderLevels
    self.readings = readings
  }
}

/// The level of a channel in dBFS. Silence is the floor of the meter, or minus infinity (`null` in
/// JSON).
public struct ControlLevel: Hashable, Sendable {
  public var average: Double
  public var peak: Double

  public init(average: Double, peak: Double) {
    self.average = average
    self.peak = peak
  }
}

/// A named reading.
public struct ControlReading: Hashable, Sendable {
  /// The axis of a spectrum.
  public enum Axis: Hashable, Sendable {
    /// Frequencies from 0 Hz in steps of `width` hertz.
    case bins(width: Double)
    /// Logarithmic bands from `ControlReading.lowestBand` upwards.
    case bands(perOctave: Int)
  }

  /// The centre of the lowest band in hertz.
  public static let lowestBand = 20.0

  /// The name in camel case: `momentary`, `truePeak`, `spectrum`.
  public var name: String
  /// The unit: `LUFS`, `dBFS`, `Hz`.
  public var unit: String
  /// One value, or one for each channel or band.
  public var values: [Double]
  /// The axis of a spectrum; `nil` for other readings.
  public var axis: Axis?

  public init(name: String, unit: String, values: [Double], axis: Axis? = nil) {
    self.axis = axis
    self.name = name
    self.unit = unit
    self.values = values
  }
}
