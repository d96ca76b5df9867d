/// What the two converters of an I/O unit have in common: the one between the graph and the
/// loudspeaker, which the session runs, and the one between the microphone and the graph, which the
/// microphone side's kernel runs.
public enum DeviceConversion {
  /// How both convert between different rates. In stereo from 44.1 to 48 kHz it takes some 0.2 %
  /// of a processor.
  public static var quality: PolyphaseResampler.Quality { .mastering }

  /// How far ahead of the output the microphone has to be, in frames of the device, for both
  /// converters to work without a delay: 0 where the graph runs at the device's rate.
  ///
  /// - Parameters:
  ///   - clientRate: The rate of the graph, in Hz.
  ///   - hardwareRate: The device's, on both sides, in Hz.
  ///   - hasOutput: Whether the graph is heard through the device, so that its output is converted.
  public static func captureLead(
    clientRate: Double, hardwareRate: Double, hasOutput: Bool
  ) -> Int {
    guard clientRate != hardwareRate else { return 0 }
    let heard = PolyphaseResampler.lookAhead(
      inputRate: hardwareRate, outputRate: clientRate, quality: quality)
    guard hasOutput else { return heard + 1 }
    let played = PolyphaseResampler.lookAhead(
      inputRate: clientRate, outputRate: hardwareRate, quality: quality)
    // The last frame that a pull of n asks the graph for is `played` frames beyond the pull's end,
    // and needs `heard` frames more. One for the rounding of positions.
    return heard + Int((Double(played) * hardwareRate / clientRate).rounded(.up)) + 1
  }
}
