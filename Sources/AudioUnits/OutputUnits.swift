import AudioTypes

/// What the I/O units and the Generic Output share.
enum OutputUnits {
  static let isRunning = PropertyInfo(
    .isRunning, key: "isRunning", constant: "kAudioOutputUnitProperty_IsRunning",
    kind: .boolean, scopes: [.global], access: .readOnly, defaultValue: .uint32(0),
    summary: "Whether the unit, and with it the graph, has been started.")

  static let startTimestampsAtZero = PropertyInfo(
    .startTimestampsAtZero, key: "startTimestampsAtZero",
    constant: "kAudioOutputUnitProperty_StartTimestampsAtZero", kind: .boolean,
    scopes: [.global], access: .readOnly, defaultValue: .uint32(1),
    summary: "Whether sample times count from 0 at each start; here they always do.",
    proposed: "that it cannot be turned off")

  /// A conversion of rates that the unit makes by itself. It costs time and quality.
  static func conversion(
    _ what: String, from source: Double, to destination: Double, at part: Violation.Part,
    help: String
  ) -> Violation? {
    guard source != destination, source > 0, destination > 0 else { return nil }
    return Violation(
      UnitRules.deviceRate, .warning, status: .ok,
      "\(what) is converted from \(rateText(source)) to \(rateText(destination)) Hz",
      at: .init(node: nil, part), help: [help])
  }
}
