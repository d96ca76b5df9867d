/// A patch to begin with, one for each design pattern of the hosting guide. `patchrun new` writes
/// them.
///
/// They need no file: what sounds is computed.
public struct StarterPatch: Hashable, Sendable {
  /// What it is asked for by: `mixer-host`.
  public var name: String
  /// A line on what it does.
  public var summary: String
  /// The document, in strict JSON, as `patchrun fmt` writes it.
  public var text: String

  /// All of them, from the simplest on.
  public static let all = [
    passThrough, ioCallback, ioMixer, oneCallback, mixerHost, eq, offline, record, voiceChat,
    spatial,
  ]

  /// The one of a name.
  public static func named(_ name: String) -> StarterPatch? { all.first { $0.name == name } }
}
