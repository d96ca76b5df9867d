package import AudioTypes
import CEbur128
package import RenderCore

/// A libebur128 measurement of one programme, with our own loudness range.
///
/// `@safe`: it owns its memory, and passes libebur128 no more samples than there are.
@safe
package struct LoudnessState: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: it owns its memory, and one thread at a time uses it.
  /// Up to 5.1: left, right, centre, LFE (which does not count), left surround, right surround.
  package static let mostChannels = 6
  /// The sample rates that the library supports, in Hz.
  package static let rates = 16.0...2_822_400.0
  /// The most sound that the integrated loudness covers, in milliseconds: a day.
  static let history: UInt = 86_400_000

  private var handle: UnsafeMutablePointer<ebur128_state>?
  private let channelCount: Int
  /// Frames between two samples of the momentary and the short-term loudness: 100 ms.
  private let step: Int
  private var frameCount = 0
  private var highestMomentary = -Double.infinity
  private var highestShortTerm = -Double.infinity
  private var spread = LoudnessRange()

  /// Fails where there is no memory, or no library; `refusal` tells which.
  ///
  /// - Parameter truePeak: Whether the reading has true peaks, which take most of the time.
  package init?(_ format: StreamFormat, dualMono: Bool, truePeak: Bool = true) {
    channelCount = format.channelCount
    step = max(1, Int((format.sampleRate / 10).rounded()))
    let modes =
      EBUR128_MODE_I.rawValue | EBUR128_MODE_S.rawValue
      | (truePeak ? EBUR128_MODE_TRUE_PEAK.rawValue : 0)
    guard unsafe cebur128_load() == nil else { return nil }
    unsafe handle = ebur128_init(
      UInt32(channelCount), UInt(format.sampleRate.rounded()), Int32(bitPattern: modes))
    guard unsafe handle != nil else { return nil }
    if channelCount == 1 && dualMono {
      unsafe ebur128_set_channel(handle, 0, Int32(bitPattern: EBUR128_DUAL_MONO.rawValue))
    }
    unsafe ebur128_set_max_history(handle, Self.history)
  }

  /// Why `init` failed.
  package static var refusal: String {
    guard let reason = unsafe cebur128_load() else {
      return "there is no memory to measure loudness in"
    }
    let text = unsafe String(cString: reason)
    return "libebur128, which measures loudness, cannot be loaded (\(text))"
  }

  deinit {
    guard unsafe handle != nil else { return }
    var handle = unsafe handle
    unsafe ebur128_destroy(&handle)
  }

  /// Measures the next frames, interleaved. Returns false where memory ran out.
  package mutating func add(_ samples: [Double], frameCount count: Int) -> Bool {
    precondition(samples.count >= count * channelCount, "there are samples for each frame")
    var done = 0
    while done < count {
      let length = min(step - frameCount % step, count - done)
      let start = done * channelCount
      let result = unsafe samples.withUnsafeBufferPointer { samples in
        unsafe ebur128_add_frames_double(
          handle, samples.baseAddress.unsafelyUnwrapped + start, length)
      }
      guard result == Int32(EBUR128_SUCCESS.rawValue) else { return false }
      done += length
      frameCount += length
      guard frameCount % step == 0 else { continue }
      highestMomentary = max(highestMomentary, momentary)
      let shortTerm = shortTerm
      highestShortTerm = max(highestShortTerm, shortTerm)
      if frameCount >= 30 * step { spread.count(shortTerm) }
    }
    return true
  }

  /// The loudness of the last 400 ms, in LUFS.
  package var momentary: Double {
    unsafe value { handle, value in unsafe ebur128_loudness_momentary(handle, value) }
  }

  /// The loudness of the last 3 s, in LUFS.
  package var shortTerm: Double {
    unsafe value { handle, value in unsafe ebur128_loudness_shortterm(handle, value) }
  }

  package var reading: LoudnessReading {
    LoudnessReading(
      frameCount: frameCount, momentary: momentary, shortTerm: shortTerm,
      integrated: unsafe value { handle, value in unsafe ebur128_loudness_global(handle, value) },
      range: spread.range,
      highestMomentary: highestMomentary, highestShortTerm: highestShortTerm,
      truePeaks: (0..<channelCount).map { channel in
        decibels(
          unsafe value { handle, value in unsafe ebur128_true_peak(handle, UInt32(channel), value) }
        )
      })
  }

  private func decibels(_ magnitude: Double) -> Double { 20 * renderLog10(magnitude) }

  private func value(
    _ ask: (UnsafeMutablePointer<ebur128_state>?, UnsafeMutablePointer<Double>) -> Int32
  ) -> Double {
    var value = 0.0
    let result = unsafe ask(handle, &value)
    return result == Int32(EBUR128_SUCCESS.rawValue) ? value : -.infinity
  }
}
