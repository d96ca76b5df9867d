/// The presets of Distortion. Core Audio documents only their names; the values are patchrun's.
struct DistortionPreset: Sendable {
  let name: String
  /// The values by parameter ID.
  let parameters: [UInt32: Float]

  /// Changes a neutral setting, in which all mixes are 0 but the final one.
  private init(_ name: String, _ changes: [(UInt32, Float)]) {
    self.name = name
    typealias Parameter = Distortion.Parameter
    var parameters: [UInt32: Float] = [
      Parameter.delay: 0.1, Parameter.decay: 1, Parameter.delayMix: 0, Parameter.decimation: 0,
      Parameter.rounding: 0, Parameter.decimationMix: 0, Parameter.linearTerm: 1,
      Parameter.squaredTerm: 0, Parameter.cubicTerm: 0, Parameter.polynomialMix: 0,
      Parameter.ringModFreq1: 100, Parameter.ringModFreq2: 100, Parameter.ringModBalance: 50,
      Parameter.ringModMix: 0, Parameter.softClipGain: -6, Parameter.finalMix: 100,
    ]
    for (parameter, value) in changes { parameters[parameter] = value }
    self.parameters = parameters
  }

  private typealias P = Distortion.Parameter

  private static func echo(
    _ milliseconds: Float, _ decay: Float, _ mix: Float
  ) -> [(UInt32, Float)] {
    [(P.delay, milliseconds), (P.decay, decay), (P.delayMix, mix)]
  }

  private static func coarse(
    _ decimation: Float, _ rounding: Float, _ mix: Float
  ) -> [(UInt32, Float)] {
    [(P.decimation, decimation), (P.rounding, rounding), (P.decimationMix, mix)]
  }

  private static func curve(
    _ linear: Float, _ squared: Float, _ cubic: Float, _ mix: Float
  ) -> [(UInt32, Float)] {
    [
      (P.linearTerm, linear), (P.squaredTerm, squared), (P.cubicTerm, cubic),
      (P.polynomialMix, mix),
    ]
  }

  private static func ring(
    _ first: Float, _ second: Float, _ mix: Float
  ) -> [(UInt32, Float)] {
    [(P.ringModFreq1, first), (P.ringModFreq2, second), (P.ringModMix, mix)]
  }

  private static func end(_ gain: Float, _ mix: Float) -> [(UInt32, Float)] {
    [(P.softClipGain, gain), (P.finalMix, mix)]
  }

  /// In the order of their numbers.
  static let all: [DistortionPreset] = [
    .init("DrumsBitBrush", coarse(30, 80, 100) + end(0, 60)),
    .init("DrumsBufferBeats", echo(125, 0.7, 60) + coarse(50, 0, 40) + end(0, 60)),
    .init("DrumsLoFi", coarse(45, 60, 100) + curve(1, 0.5, 0, 40) + end(0, 80)),
    .init("MultiBrokenSpeaker", curve(0.6, 6, 8, 80) + end(14, 90)),
    .init("MultiCellphoneConcert", coarse(40, 40, 100) + curve(0.8, 0, 4, 60) + end(8, 90)),
    .init("MultiDecimated1", coarse(25, 0, 100) + end(-6, 100)),
    .init("MultiDecimated2", coarse(50, 0, 100) + end(-6, 100)),
    .init("MultiDecimated3", coarse(75, 20, 100) + end(-6, 100)),
    .init("MultiDecimated4", coarse(100, 40, 100) + end(-6, 100)),
    .init("MultiDistortedFunk", curve(1, 2, 2, 70) + ring(8, 8, 30) + end(6, 70)),
    .init("MultiDistortedCubed", curve(0, 0, 20, 100) + end(6, 80)),
    .init("MultiDistortedSquared", curve(0, 20, 0, 100) + end(0, 80)),
    .init("MultiEcho1", echo(250, 0.7, 50) + end(-6, 60)),
    .init("MultiEcho2", echo(400, 0.5, 50) + end(-6, 60)),
    .init("MultiEchoTight1", echo(40, 0.5, 50) + end(-6, 60)),
    .init("MultiEchoTight2", echo(20, 0.3, 50) + end(-6, 60)),
    .init(
      "MultiEverythingIsBroken",
      echo(90, 0.4, 40) + coarse(60, 60, 70) + curve(0.5, 8, 8, 70) + ring(120, 433, 40)
        + end(12, 90)),
    .init("SpeechAlienChatter", echo(10, 0.3, 40) + ring(60, 210, 90) + end(0, 90)),
    .init("SpeechCosmicInterference", ring(570, 1230, 70) + coarse(55, 30, 60) + end(4, 80)),
    .init("SpeechGoldenPi", ring(314, 508, 60) + echo(31, 0.6, 30) + end(-3, 70)),
    .init("SpeechRadioTower", coarse(35, 50, 80) + curve(0.7, 1, 6, 80) + end(12, 100)),
    .init("SpeechWaves", echo(6, 0.2, 60) + ring(0.5, 3, 80) + end(-3, 80)),
  ]
}
