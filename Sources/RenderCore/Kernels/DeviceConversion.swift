/// The settings shared by the two resamplers of an I/O unit: the one from the graph to the
/// loudspeaker, in the session, and the one from the microphone to the graph, in the kernel of the
/// microphone side.
public enum DeviceConversion {
  /// The quality of both. In stereo from 44.1 to 48 kHz it takes some 0.05 % of a processor.
  public static var quality: PolyphaseResampler.Quality { .mastering }

  /// How far ahead of the output the microphone must be, in frames of the device, so that
  /// resamplers and units need no delay; 0 where none of them looks ahead.
  ///
  /// - Parameters:
  ///   - heardRate: The rate at which the graph takes the microphone, in Hz.
  ///   - hardwareRate: The device's rate, on both sides, in Hz.
  ///   - playedRate: The rate at which the graph feeds the loudspeaker, in Hz; `nil` where it does
  ///     not.
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
      // A pull takes frames from the graph up to `ahead` frames behind its own end.
      let ahead = PolyphaseResampler.lookAhead(
        inputRate: playedRate, outputRate: hardwareRate, quality: quality)
      lead += (Double(ahead) * hardwareRate / playedRate).rounded(.up)
      roundings += roundings == 0 ? 1 : 0
    }
    if graphLead > 0 || (playedRate != nil && playedRate != heardRate) {
      lead += (graphLead * hardwareRate).rounded(.up)
      roundings += 1
    }
    // 2^40 frames are longer than any run; at a tiny rate the lead could overflow an `Int`.
    return Int(min(lead, 0x1p40)) + roundings
  }
}
