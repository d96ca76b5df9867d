import AudioTypes
import CSoxr

/// Converts interleaved frames from one sample rate to another, by libsoxr's very-high-quality
/// recipe: a linear-phase filter with 28 bits, whose delay is compensated.
///
/// Not for a render thread: libsoxr reallocates its queues while it runs, thousands of times a
/// minute for small slices. One thread at a time may use it.
@safe
public final class RateConverter {
  /// The number of channels.
  public let channelCount: Int
  private let handle: OpaquePointer
  private let from: Double
  private let to: Double
  private var fed = 0
  private var produced = 0

  /// - Parameters:
  ///   - from: The rate of the input, in Hz.
  ///   - to: The rate of the output, in Hz.
  /// - Throws: `.formatNotSupported` where libsoxr is missing, or does not support the rates.
  public init(from: Double, to: Double, channelCount: Int) throws(SoundFileError) {
    if let reason = unsafe csoxr_load() {
      let problem =
        unsafe "libsoxr, which converts rates, cannot be loaded (\(String(cString: reason)))"
      throw SoundFileError(
        .formatNotSupported, status: .fileFailed,
        "\(rateText(from)) Hz cannot be converted to \(rateText(to)) Hz: \(problem)")
    }
    var failure: soxr_error_t?
    var io = unsafe soxr_io_spec(SOXR_FLOAT64_I, SOXR_FLOAT64_I)
    var quality = unsafe soxr_quality_spec(UInt(SOXR_VHQ), 0)
    var runtime = unsafe soxr_runtime_spec(1)
    let made = unsafe soxr_create(
      from, to, UInt32(channelCount), &failure, &io, &quality, &runtime)
    guard let handle = unsafe made, unsafe failure == nil else {
      throw SoundFileError(
        .formatNotSupported, status: .formatNotSupported,
        "\(rateText(from)) Hz cannot be converted to \(rateText(to)) Hz")
    }
    unsafe self.handle = handle
    self.channelCount = channelCount
    self.from = from
    self.to = to
  }

  deinit { unsafe soxr_delete(handle) }

  /// The frames that `frames` input frames give, `flush` included: `frames * to / from`, rounded to
  /// the nearest whole number, halves up.
  public static func outputLength(_ frames: Int, from: Double, to: Double) -> Int {
    if let from = Int(exactly: from), let to = Int(exactly: to) {
      let (high, low) = frames.multipliedFullWidth(by: 2 * to)
      let sum = low.addingReportingOverflow(UInt(from))
      return (2 * from).dividingFullWidth((high + (sum.overflow ? 1 : 0), sum.partialValue))
        .quotient
    }
    return Int((Double(frames) * to / from + 0.5).rounded(.down))
  }

  /// Takes input frames, and returns as many output frames as there are so far, and as fit.
  ///
  /// - Parameters:
  ///   - first: The first frame of `input` to take.
  ///   - frameCount: The number of frames from there.
  ///   - output: Filled from its beginning.
  /// - Returns: The number of frames taken, and the number of frames returned.
  public func convert(
    _ input: [Double], from first: Int = 0, frameCount: Int, into output: inout [Double]
  ) -> (taken: Int, given: Int) {
    precondition(
      first >= 0 && frameCount >= 0 && (first + frameCount) * channelCount <= input.count,
      "so many frames are there")
    var taken = 0
    var given = 0
    let room = output.count / channelCount
    unsafe input.withUnsafeBufferPointer { input in
      guard let start = input.baseAddress else { return }
      unsafe output.withUnsafeMutableBufferPointer { output in
        guard let sink = output.baseAddress else { return }
        // Empty libsoxr first: it takes a little more than it returns, and its queues would grow
        // without end.
        _ = unsafe soxr_process(handle, start, 0, nil, sink, room, &given)
        guard given < room else { return }
        var more = 0
        _ = unsafe soxr_process(
          handle, start + first * channelCount, frameCount, &taken, sink + given * channelCount,
          room - given, &more)
        given += more
      }
    }
    fed += taken
    produced += given
    return (taken, given)
  }

  /// Returns the remaining frames after the last input; called until it returns 0. Input and output
  /// then have the lengths of `outputLength`.
  public func flush(into output: inout [Double]) -> Int {
    let total = Self.outputLength(fed, from: from, to: to)
    let room = min(output.count / channelCount, total - produced)
    guard room > 0 else { return 0 }
    var given = 0
    _ = unsafe soxr_process(handle, nil, 0, nil, &output, room, &given)
    if given == 0 {
      for index in 0..<room * channelCount { output[index] = 0 }
      given = room
    }
    produced += given
    return given
  }
}
