import Foundation
import RenderCore
import TestSupport
import VoiceProcessing

/// The inputs of the near-end detector for its training: `patchrun-bench voice --scenes N --seed S
/// --clues FOLDER`.
extension VoiceBattery {
  /// Writes a file for each scene. For each hop it has the detector's inputs, then the power of the
  /// near end, the echo and the noise in its frame of two hops, and the detector's probability of
  /// near-end speech, as 32-bit floats.
  ///
  /// Every fourth scene uses the speech model, so that a network does not learn only espeak-ng's
  /// voices.
  ///
  /// - Returns: Whether all files were written.
  func writeClues(to folder: String, _ pools: [Double: VoicePool]) -> Bool {
    let modelled = pools.mapValues { VoicePool.modelled(sampleRate: $0.sampleRate, count: 10) }
    for (index, sceneSeed) in numbers.enumerated() {
      let rate = VoiceScene.sampleRate(seed: sceneSeed)
      guard let pool = (index % 4 == 3 ? modelled : pools)[rate] else { continue }
      if let only, VoiceScene.coupling(seed: sceneSeed) != only { continue }
      let rows = Self.clues(of: VoiceScene(seed: sceneSeed, pool: pool))
      var data = Data(capacity: 4 * rows.count)
      for value in rows {
        let bits = value.bitPattern
        data.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt32($0))) })
      }
      do {
        try data.write(to: URL(fileURLWithPath: "\(folder)/\(sceneSeed).f32"))
      } catch {
        print("error: \(folder)/\(sceneSeed).f32: \(error)")
        return false
      }
    }
    return true
  }

  private static func clues(of scene: VoiceScene) -> [Float] {
    let hop = VoiceProcessor.hop(sampleRate: scene.sampleRate)
    var rows: [Float] = []
    _ = process(scene) { processor in
      let end = processor.hopCount * hop
      guard end <= scene.near.count else { return }
      let frame = max(0, end - 2 * hop)..<end
      let clues = processor.nearClues
      for index in clues.indices { rows.append(clues[index]) }
      rows.append(Float(SpeechMeasures.power(scene.near[frame])))
      rows.append(Float(SpeechMeasures.power(scene.echo[frame])))
      rows.append(Float(scene.noisePower))
      rows.append(processor.nearProbability)
    }
    return rows
  }
}
