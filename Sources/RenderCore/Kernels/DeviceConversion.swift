/// What the two converters of an I/O unit have in common: the one between the graph and the
/// loudspeaker, which the session runs, and the one between the microphone and the graph, which the
/// microphone side's kernel runs.
public enum DeviceConversion {
  /// How both convert between different rates. In stereo from 44.1 to 48 kHz it takes some 0.05 %
  /// of a processor.
  public static var quality: PolyphaseResampler.Quality { .mastering }

  /// How far ahead of the output the microphone has to be, in frames of the device, for everything
  /// between the two to work without a delay: 0 where nothing converts.
  ///
  /// - Parameters:
  ///   - heardRate: The rate at which the graph takes what the microphone hears, in Hz.
  ///   - hardwareRate: The device's, on both sides, in Hz.
  ///   - playedRate: The rate at which the graph gives to the loudspeaker, in Hz; `nil` where it
  ///     does not.
  ///   - graphLead: How far the units between the two look ahead, in seconds.
  public static func captureLead(
    heardRate: Double, hardwareRate: Double, playedRate: Double?, graphLead: Double = 0
  ) -> Int {
    var lead = 0.0
    var roundings = 0
    if heardRate != hardwareRate {
      lead += Double(
        PolyphaseResampler.lookAhead(
          inputRate: hardwareRate, outputRate: heardRate, quality: quality))
      roundings += 1
    }
    if let playedRate, playedRate != hardwareRate {
      // The last frame that a pull of n asks the graph for is so much beyond the pull's end.
      let ahead = PolyphaseResampler.lookAhead(
        inputRate: playedRate, outputRate: hardwareRate, quality: quality)
      lead += (Double(ahead) * hardwareRate / playedRate).rounded(.up)
      roundings += roundings == 0 ? 1 : 0
    }
    if graphLead > 0 || (playedRate != nil && playedRate != heardRate) {
      lead += (graphLead * hardwareRate).rounded(.up)
      roundings += 1
    }
    // Nobody waits for 2^40 frames; a rate of next to nothing would ask for more than there are numbers.
    return Int(min(lead, 0x1p40)) + roundings
  }
}
