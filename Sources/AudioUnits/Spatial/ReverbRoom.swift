/// The properties of a reverb room. Core Audio documents only the names; the values are patchrun's.
struct ReverbRoom: Hashable, Sendable {
  /// The name in a patch.
  var name: String
  /// The name in Core Audio's headers.
  var constant: String
  /// Seconds until the sound has fallen by 60 dB, at low frequencies.
  var decay: Double
  /// The decay time at half the sample rate, as a fraction of `decay`.
  var treble: Double
  /// Seconds until the first echo.
  var preDelay: Double
  /// The mean time in seconds between two walls.
  var meanDelay: Double

  /// In the order of their numbers.
  static let all: [ReverbRoom] = [
    room("SmallRoom", 0.4, 0.35, 0.002, 0.011),
    room("MediumRoom", 0.7, 0.35, 0.005, 0.017),
    room("LargeRoom", 1.1, 0.3, 0.010, 0.026),
    room("MediumHall", 1.8, 0.28, 0.018, 0.038),
    room("LargeHall", 2.6, 0.25, 0.025, 0.052),
    room("Plate", 1.6, 0.6, 0, 0.014),
    room("MediumChamber", 1.2, 0.45, 0.006, 0.021),
    room("LargeChamber", 1.9, 0.4, 0.010, 0.031),
    room("Cathedral", 5, 0.2, 0.030, 0.068),
    room("LargeRoom2", 1.4, 0.4, 0.012, 0.028),
    room("MediumHall2", 2, 0.35, 0.015, 0.041),
    room("MediumHall3", 1.6, 0.22, 0.022, 0.036),
    room("LargeHall2", 3.2, 0.3, 0.028, 0.058),
  ]

  private static func room(
    _ name: String, _ decay: Double, _ treble: Double, _ preDelay: Double, _ meanDelay: Double
  ) -> ReverbRoom {
    ReverbRoom(
      name: name, constant: "kReverbRoomType_\(name)", decay: decay, treble: treble,
      preDelay: preDelay, meanDelay: meanDelay)
  }
}
