internal import CVoicePeers
import RenderCore

/// The echo canceller of another library, if it is installed.
public enum VoicePeer: String, CaseIterable, Sendable {
  case speex = "libspeexdsp"
  case webrtc = "WebRTC 0.3"

  /// The output for a scene without its delay, and the processor time in seconds; `nil` if the
  /// library is not installed.
  ///
  /// WebRTC's canceller works at up to 16 kHz. At higher rates the scene is converted and its
  /// output converted back; the cost does not include that.
  public func process(
    loudspeaker: [Float], microphone: [Float], sampleRate: Double, clock: () -> Double
  ) -> (output: [Float], cost: Double)? {
    let rate = self == .webrtc ? min(sampleRate, 16_000) : sampleRate
    let far = SpeechMeasures.converted(loudspeaker, from: sampleRate, to: rate)
    let near = SpeechMeasures.converted(microphone, from: sampleRate, to: rate)
    guard
      let peer = unsafe voice_peer_create(
        self == .speex ? voice_peer_speex : voice_peer_webrtc, Int32(rate))
    else { return nil }
    defer { unsafe voice_peer_free(peer) }
    let frames = unsafe voice_peer_frames(peer)
    var output: [Float] = []
    output.reserveCapacity(near.count)
    var processed = [Float](repeating: 0, count: frames)
    let begin = clock()
    var start = 0
    let delay = delay(rate)
    while start < near.count + delay {
      let heard = (start..<(start + frames)).map { $0 < near.count ? near[$0] : 0 }
      let played = (start..<(start + frames)).map { $0 < far.count ? far[$0] : 0 }
      unsafe voice_peer_process(peer, played, heard, &processed)
      output += processed
      start += frames
    }
    let cost = clock() - begin
    let restored = Array(output.dropFirst(delay).prefix(near.count))
    return (SpeechMeasures.converted(restored, from: rate, to: sampleRate), cost)
  }

  /// The delay of the output in frames, measured with a voice and a silent loudspeaker.
  func delay(_ rate: Double) -> Int {
    switch self {
    case .speex: Int(rate / 100)
    case .webrtc: 112
    }
  }
}
