import Glibc
import PatchGraph
import PatchSyntax
import RenderHost

/// What the limit of a run's output has done, to be read.
enum LimitText {
  /// `limited to -6 dBFS for 0.520 s`; `nil` where nothing was turned down.
  static func summary(_ session: RenderSession) -> String? {
    let frames = session.limited.frames
    guard frames > 0 else { return nil }
    let seconds = Double(frames) / max(1, session.configuration.sampleRate)
    let level = session.outputPeakLimit.map { " to \(OutputLimits.text(ofPeak: $0))" } ?? ""
    return "limited\(level) for \(fixed(seconds, 3)) s"
  }

  /// The same for programs; `null` where there is no limit.
  static func json(_ session: RenderSession) -> JSONText {
    guard let peak = session.outputPeakLimit else { return .null }
    let level = 20 * log10(Double(peak))
    return [
      "level": .number((level * 100).rounded() / 100),
      "frames": .number(session.limited.frames),
    ]
  }

  /// Decibels by which a gain turns down; 0 for nothing.
  static func reduction(_ gain: Float) -> Double {
    gain < 1 ? -20 * log10(Double(max(gain, 1e-36))) : 0
  }
}
