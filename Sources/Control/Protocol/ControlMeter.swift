/// What a tap, a metered bus or a metered matrix reads.
public struct ControlMeter: Hashable, Sendable {
  /// Whose readings these are.
  public enum Place: Hashable, Sendable {
    /// A tap of the patch.
    case tap(name: String)
    /// A bus whose metering is on: of a node, an input or an output.
    case bus(node: String, isInput: Bool, element: Int)
    /// A crosspoint of a matrix whose metering is on: from a channel of its inputs to one of its outputs, each
    /// counted through all buses.
    case crosspoint(node: String, input: Int, output: Int)
    /// The master of such a matrix.
    case master(node: String)
  }

  public var place: Place
  /// Behind the fader: one for each channel, in order. Empty where no levels are measured.
  public var levels: [ControlLevel]
  /// The same in front of the fader; `nil` where that is not measured.
  public var preFaderLevels: [ControlLevel]?
  /// What else is measured: loudness, a spectrum.
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

/// The level of a channel, in decibels of which 0 is full scale. Silence is the floor of the meter,
/// or minus infinity, which is written as `null`.
public struct ControlLevel: Hashable, Sendable {
  public var average: Double
  public var peak: Double

  public init(average: Double, peak: Double) {
    self.average = average
    self.peak = peak
  }
}

/// A measure that has a name of its own.
public struct ControlReading: Hashable, Sendable {
  /// What the values of a spectrum belong to.
  public enum Axis: Hashable, Sendable {
    /// To frequencies from 0 Hz on, so many hertz apart.
    case bins(width: Double)
    /// To bands from `ControlReading.lowestBand` on, so many an octave.
    case bands(perOctave: Int)
  }

  /// The middle of the lowest band, in hertz.
  public static let lowestBand = 20.0

  /// In camel case: `momentary`, `truePeak`, `spectrum`.
  public var name: String
  /// `LUFS`, `dBFS`, `Hz`.
  public var unit: String
  /// One value, or one for each channel or band.
  public var values: [Double]
  /// `nil` for what is no spectrum.
  public var axis: Axis?

  public init(name: String, unit: String, values: [Double], axis: Axis? = nil) {
    self.axis = axis
    self.name = name
    self.unit = unit
    self.values = values
  }
}
