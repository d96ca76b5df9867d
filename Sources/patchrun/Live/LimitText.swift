import Glibc
import PatchGraph
import PatchSyntax
import RenderHost

/// Formats the effect of the output limit.
enum LimitText {
  /// For example `limited to -6 dBFS for 0.520 s`; `nil` if it never acted.
  static func summary(_ session: RenderSession) -> String? {
    let frames = session.limited.frames
    guard frames > 0 else { return nil }
    let seconds = Double(frames) / max(1, session.configuration.sampleRate)
    let level = session.outputPeakLimit.map { " to \(OutputLimits.text(ofPeak: $0))" } ?? ""
    return "limited\(level) for \(fixed(seconds, 3)) s"
  }

  /// The effect as JSON; `null` without a limit.
  static func json(_ session: RenderSession) -> JSONText {
    guard let peak = session.outputPeakLimit else { return .null }
    let level = 20 * log10(Double(peak))
    return [
      "level": .number((level * 100).rounded() / 100),
      "frames": .number(session.limited.frames),
    ]
  }

  /// The reduction by a gain in decibels; 0 for none.
  static func reduction(_ gain: Float) -> Double {
    gain < 1 ? -20 * log10(Double(max(gain, 1e-36))) : 0
  }
}
