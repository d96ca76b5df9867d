/// A patch to start from, one for each design pattern of the hosting guide. `patchrun new` writes
/// them.
///
/// Starters need no files: their sounds are computed.
public struct StarterPatch: Hashable, Sendable {
  /// Its name for `patchrun new`: `mixer-host`.
  public var name: String
  /// A description, in one line.
  public var summary: String
  /// The document, in strict JSON and in canonical form.
  public var text: String

  /// All starters, the simplest first.
  public static let all = [
    passThrough, ioCallback, ioMixer, oneCallback, mixerHost, eq, offline, record, voiceChat,
    spatial,
  ]

  /// The starter with a name; `nil` for none.
  public static func named(_ name: String) -> StarterPatch? { all.first { $0.name == name } }
}
