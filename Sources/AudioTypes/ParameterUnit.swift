/// The unit of a parameter's value: Core Audio's `AudioUnitParameterUnit`, with its numbers.
public enum ParameterUnit: UInt32, CaseIterable, Hashable, Sendable {
  case generic, indexed, boolean, percent, seconds, sampleFrames, phase, rate, hertz, cents
  case relativeSemiTones, midiNoteNumber, midiController, decibels, linearGain, degrees
  case equalPowerCrossfade, mixerFaderCurve1, pan, meters, absoluteCents, octaves
  case beatsPerMinute, beats, milliseconds, ratio, custom

  /// The symbol behind a number: `dB`, `Hz`; empty for none.
  public var symbol: String {
    switch self {
    case .percent: "%"
    case .seconds: "s"
    case .sampleFrames: "frames"
    case .hertz: "Hz"
    case .cents, .absoluteCents: "cents"
    case .decibels: "dB"
    case .degrees: "°"
    case .meters: "m"
    case .milliseconds: "ms"
    case .beatsPerMinute: "bpm"
    default: ""
    }
  }

  public var name: String { "\(self)" }
}
