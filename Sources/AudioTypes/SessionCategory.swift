/// The purpose of an app's sound: Core Audio's audio session categories, which permit the
/// microphone, the loudspeaker, or both.
public enum SessionCategory: String, CaseIterable, Hashable, Sendable, SettingWord {
  case ambient
  case soloAmbient
  case playback
  case record
  case playAndRecord
  case audioProcessing
  case multiRoute

  /// Whether the microphone side of an I/O unit may be on.
  public var permitsInput: Bool {
    self == .record || self == .playAndRecord || self == .multiRoute
  }

  /// Whether the loudspeaker side of an I/O unit may be on.
  public var permitsOutput: Bool { self != .record && self != .audioProcessing }

  package var summary: String {
    switch (permitsInput, permitsOutput) {
    case (true, true): "Hears and plays."
    case (true, false): "Hears."
    case (false, true): "Plays."
    case (false, false): "Neither hears nor plays."
    }
  }
}
