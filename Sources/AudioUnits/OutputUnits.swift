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
}
