public import AudioTypes

/// One of the iPod EQ's factory presets: ten gains in decibels.
public struct EqualizerPreset: Hashable, Sendable {
  /// Core Audio's number, 0 to 22.
  public let number: Int32
  public let name: String
  /// Decibels at each of `EqualizerPresets.centers`, the lowest first.
  public let gains: [Double]

  /// Whether the preset leaves every sample as it is: Disabled and Flat.
  public var isTransparent: Bool { gains.allSatisfy { $0 == 0 } }
}

/// The iPod EQ's 23 presets.
///
/// The names, and the numbers 0 (Disabled) and 8 (Flat), are Core Audio's. The curves are those of
/// the Music application's presets of the same names; Core Audio does not promise that the unit's
/// are the same.
public enum EqualizerPresets {
  /// The frequencies of the ten gains, in hertz.
  ///
  /// They are the presets' labels. An iPod's true centres are powers of two, 32 to 16384 Hz: up to
  /// 2.4 % above the label, where a curve is within 0.2 dB of its gains.
  public static let centers: [Double] = [
    32, 64, 125, 250, 500, 1000, 2000, 4000, 8000, 16000,
  ]

  /// The presets in order: the preset with number n is at index n.
  public static let all: [EqualizerPreset] = table.enumerated().map { index, row in
    EqualizerPreset(number: Int32(index), name: row.name, gains: row.gains)
  }

  /// The value of `kAudioUnitProperty_FactoryPresets`.
  public static var factoryPresets: [Preset] {
    all.map { Preset(number: $0.number, name: $0.name) }
  }

  /// The preset with a number; `nil` outside 0 to 22.
  public static func preset(number: Int32) -> EqualizerPreset? {
    number >= 0 && number < all.count ? all[Int(number)] : nil
  }

  /// The preset with exactly this name, such as `Bass Booster`.
  public static func preset(named name: String) -> EqualizerPreset? {
    all.first { $0.name == name }
  }

  private static let table: [(name: String, gains: [Double])] = [
    ("Disabled", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("Acoustic", [5, 4.9, 3.95, 1.05, 2.15, 1.75, 3.5, 4.1, 3.55, 2.15]),
    ("Bass Booster", [5.5, 4.25, 3.5, 2.5, 1.25, 0, 0, 0, 0, 0]),
    ("Bass Reducer", [-5.5, -4.25, -3.5, -2.5, -1.25, 0, 0, 0, 0, 0]),
    ("Classical", [4.75, 3.75, 3, 2.5, -1.5, -1.5, 0, 2.25, 3.25, 3.75]),
    ("Dance", [3.57, 6.55, 4.99, 0, 1.92, 3.65, 5.15, 4.54, 3.59, 0]),
    ("Deep", [4.95, 3.55, 1.75, 1, 2.85, 2.5, 1.45, -2.15, -3.55, -4.6]),
    ("Electronic", [4.25, 3.8, 1.2, 0, -2.15, 2.25, 0.85, 1.25, 3.95, 4.8]),
    ("Flat", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("Hip-Hop", [5, 4.25, 1.5, 3, -1, -1, 1.5, -0.5, 2, 3]),
    ("Jazz", [4, 3, 1.5, 2.25, -1.5, -1.5, 0, 1.5, 3, 3.75]),
    ("Latin", [4.5, 3, 0, 0, -1.5, -1.5, -1.5, 0, 3, 4.5]),
    ("Loudness", [6, 4, 0, 0, -2, 0, -1, -5, 5, 1]),
    ("Lounge", [-3, -1.5, -0.5, 1.5, 4, 2.5, 0, -1.5, 2, 1]),
    ("Piano", [3, 2, 0, 2.5, 3, 1.5, 3.5, 4.5, 3, 3.5]),
    ("Pop", [-1.5, -1, 0, 2, 4, 4, 2, 0, -1, -1.5]),
    ("R & B", [2.62, 6.92, 5.65, 1.33, -2.19, -1.5, 2.32, 2.65, 3, 3.75]),
    ("Rock", [5, 4, 3, 1.5, -0.5, -1, 0.5, 2.5, 3.5, 4.5]),
    ("Small Speakers", [5.5, 4.25, 3.5, 2.5, 1.25, 0, -1.25, -2.5, -3.5, -4.25]),
    ("Spoken Word", [-3.46, -0.47, 0, 0.69, 3.46, 4.61, 4.84, 4.28, 2.54, 0]),
    ("Treble Booster", [0, 0, 0, 0, 0, 1.25, 2.5, 3.5, 4.25, 5.5]),
    ("Treble Reducer", [0, 0, 0, 0, 0, -1.25, -2.5, -3.5, -4.25, -5.5]),
    ("Vocal Booster", [-1.5, -3, -3, 1.5, 3.75, 3.75, 3, 1.5, 0, -1.5]),
  ]
}
