import RenderCore
import TestSupport
import Testing

@testable import VoiceProcessing

@Suite struct EchoChoiceTests {
  /// The share of the bands in which the main filter leaves less echo than the kept one, if it
  /// models the echo below 8 kHz and adds a little noise above.
  private static func betterShare(sampleRate: Double) -> Float {
    let hop = VoiceProcessor.hop(sampleRate: sampleRate)
    var choice = EchoChoice(hop: hop, sampleRate: sampleRate)
    let spectra = SpectrumStorage(rowCount: 6, binCount: hop + 1)
    var random = SplitMix64(seed: 41)
    let edge = Int(8000 / sampleRate * Double(2 * hop))
    for _ in 0..<60 {
      for bin in 0...hop {
        let isEcho = bin < edge
        for row in 0..<2 {
          spectra[row].real[bin] = Float(0.001 * random.even())
          spectra[row].imaginary[bin] = Float(0.001 * random.even())
        }
        guard isEcho else { continue }
        let (re, im) = (Float(random.even()), Float(random.even()))
        for row in 0..<2 {
          spectra[row].real[bin] += re
          spectra[row].imaginary[bin] += im
        }
      }
      choice.choose(
        microphone: spectra[0], echoes: (spectra[1], spectra[2], spectra[3]), error: spectra[4],
        echo: spectra[5])
    }
    return choice.betterShare
  }

  @Test(arguments: [16_000.0, 48_000])
  func `what is above 8 kHz does not keep a filter from being better`(sampleRate: Double) {
    #expect(Self.betterShare(sampleRate: sampleRate) > 0.99)
  }
}
