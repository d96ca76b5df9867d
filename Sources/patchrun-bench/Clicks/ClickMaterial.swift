import Glibc
import SoundFiles
import TestSupport

/// Sound without clicks, generated from a seed, to count the false alarms of a click detector.
struct ClickMaterial {
  enum Kind: String, CaseIterable {
    case speech = "speech, 22.05 kHz"
    case convertedSpeech = "speech, 48 kHz"
    case chords, plucks, drums
    case mix = "all three"
    case naiveBass = "bass, naive waves"
    case bass = "bass, band-limited"
    case sweep, sines, noise
    case gated = "hard gating"

    /// Whether faults are inserted into this material.
    var takesFaults: Bool { self != .noise && self != .gated }

    /// Whether a step of -50 dBFS is audible at a level of -20 dBFS: the material leaves a part of
    /// the spectrum empty, or consists of tones. Hiss, bursts of noise and naive waveforms mask it.
    var showsSteps: Bool {
      switch self {
      case .convertedSpeech, .chords, .sweep, .sines: true
      default: false
      }
    }
  }

  let kind: Kind
  let samples: [Float]
  let rate: Double

  /// - Parameter seconds: The duration.
  init(_ kind: Kind, seconds: Double, using random: inout SplitMix64) {
    self.kind = kind
    switch kind {
    case .speech:
      rate = 22_050
      samples = Self.speech(seconds, using: &random)
    case .convertedSpeech:
      rate = 48_000
      samples = Self.converted(Self.speech(seconds, using: &random), from: 22_050, to: 48_000)
    default:
      rate = Bool.random(using: &random) ? 44_100 : 48_000
      var scene = MusicScene(rate: rate, seconds: seconds, random: random)
      switch kind {
      case .chords: scene.addChords()
      case .plucks: scene.addPlucks()
      case .drums: scene.addDrums()
      case .mix:
        scene.addChords()
        scene.addPlucks()
        scene.addDrums()
      case .naiveBass: scene.addBass(isBandLimited: false)
      case .bass: scene.addBass(isBandLimited: true)
      case .sweep: scene.addSweep()
      case .sines: scene.addSines()
      case .noise: scene.addNoise()
      default:
        scene.addGated()
      }
      random = scene.random
      samples = scene.samples.map(Float.init)
    }
  }

  /// The material scaled to a root mean square in dBFS.
  func samples(level: Double) -> [Float] {
    let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    guard sum > 0 else { return samples }
    let gain = pow(10, level / 20) / (sum / Double(samples.count)).squareRoot()
    return samples.map { Float(Double($0) * gain) }
  }

  // MARK: Speech

  private static let voices = [
    "en-us", "en-gb", "de", "fr", "es", "it", "pl", "ru", "en-us+f2", "en-us+m3", "de+f4",
  ]
  private static let words = [
    "patch", "seven", "sound", "cheese", "table", "kicks", "zebra", "murmur", "window", "stop",
    "vowel", "hiss", "thunder", "garden", "peter", "quick", "measure", "yellow", "judge", "snow",
  ]

  private static func speech(_ seconds: Double, using random: inout SplitMix64) -> [Float] {
    var samples: [Float] = []
    let count = Int(seconds * 22_050)
    while samples.count < count {
      let text = (0..<12).map { _ in words.randomElement(using: &random) ?? "" }
      guard
        let spoken = SpokenText.speak(
          text.joined(separator: " "), voice: voices.randomElement(using: &random) ?? "en",
          speed: .random(in: 110...220, using: &random),
          pitch: .random(in: 10...90, using: &random))
      else { return [] }
      precondition(spoken.rate == 22_050, "espeak-ng speaks at 22050 Hz")
      samples += spoken.samples
    }
    return Array(samples.prefix(count))
  }

  private static func converted(_ samples: [Float], from: Double, to: Double) -> [Float] {
    guard !samples.isEmpty else { return [] }
    var output: [Float] = []
    guard let converter = try? RateConverter(from: from, to: to, channelCount: 1) else { return [] }
    let input = samples.map(Double.init)
    var block = [Double](repeating: 0, count: 4096)
    var done = 0
    while done < input.count {
      let count = min(4096, input.count - done)
      let (taken, given) = converter.convert(input, from: done, frameCount: count, into: &block)
      done += taken
      output += block[..<given].map(Float.init)
    }
    while case let given = converter.flush(into: &block), given > 0 {
      output += block[..<given].map(Float.init)
    }
    return output
  }
}
