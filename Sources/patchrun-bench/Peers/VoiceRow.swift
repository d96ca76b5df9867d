import TestSupport

/// W10: echo cancelling at 16 kHz, beside libspeexdsp on the same scenes.
///
/// The scenes and both cancellers are those of `patchrun-bench voice`, which also judges the sound.
/// Each round has a scene of its own, and both in turn. Only the canceller is measured, in this
/// process: there is no start, and no file.
struct VoiceRow {
  static let peer = VoicePeer.speex

  /// The least times real time.
  private static let goal = 150.0
  private static let sampleRate = 16_000.0

  let rounds: Int

  /// Whether the library is installed.
  static var hasPeer: Bool {
    peer.process(
      loudspeaker: [], microphone: [], sampleRate: sampleRate, clock: processorTime) != nil
  }

  /// Prints the row.
  func run() {
    let pool = VoicePool.modelled(sampleRate: Self.sampleRate)
    // More than half of the scenes have this rate.
    let seeds = (0..<20 * UInt64(rounds))
      .filter { VoiceScene.sampleRate(seed: $0) == Self.sampleRate }.prefix(rounds)
    var ours: [Double] = []
    var theirs: [Double] = []
    for seed in seeds {
      let scene = VoiceScene(seed: seed, pool: pool)
      // As with the programs of other rows, the second run counts.
      let own = (0..<2).map { _ in VoiceBattery.process(scene).cost }
      ours.append(own[1] / VoiceScene.seconds)
      let other = (0..<2).compactMap { _ in VoiceBattery.process(scene, with: Self.peer)?.cost }
      if other.count == 2 { theirs.append(other[1] / VoiceScene.seconds) }
    }
    func speed(_ costs: [Double]) -> String { "\(fixed(1 / median(costs), 0)) x" }
    var others = ("–", "–")
    var isMet = 1 / median(ours) >= Self.goal
    if theirs.count == ours.count {
      let ratio = median(zip(ours, theirs).map { $0 / $1 })
      others = ("\(Self.peer.rawValue) \(speed(theirs))", fixed(ratio, 2))
      isMet = isMet && ratio <= 1
    }
    print(
      "| W10 echo cancelling at 16 kHz, times real time | – | \(others.0) | \(speed(ours)) | – | "
        + "\(others.1) | \(fixed(Self.goal, 0)) x real time, ahead of the peer | "
        + "\(isMet ? "yes" : "no") |")
  }
}
