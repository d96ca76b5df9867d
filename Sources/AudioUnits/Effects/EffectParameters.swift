import AudioTypes
import RenderCore

/// Parameters that several effects share.
enum EffectParameters {
  static func mix(
    _ id: UInt32, key: String, constant: String, defaultValue: Double
  ) -> ParameterInfo {
    ParameterInfo(
      id: id, key: key, constant: constant, scope: .global, unit: .equalPowerCrossfade,
      range: 0...100, defaultValue: defaultValue, canRamp: true,
      summary: "0 for the input as it is, 100 for the effect alone; between with equal power.",
      proposed: "that the two are weighed by the cosine and the sine of a quarter turn")
  }

  /// The frames of a change without a glide of its own: 10 ms.
  static func glideLength(_ sampleRate: Double) -> Int {
    Swift.max(1, Int((0.01 * sampleRate).rounded()))
  }

  /// The controls of parameters of the global scope, each with the frames of a change; 0 for a
  /// step.
  static func controls(
    _ layout: ControlLayout, _ parameters: [(id: UInt32, length: Int)]
  ) -> [GlideBank.Control] {
    parameters.map { parameter in
      guard let slot = layout.slot(parameter.id, .global, 0) else {
        preconditionFailure("the unit has no parameter \(parameter.id)")
      }
      return .init(slot, length: parameter.length)
    }
  }
}

/// The factor of a level in decibels: exactly 1 for 0.
@_noLocks
func linearGain(_ decibels: Double) -> Double {
  decibels == 0 ? 1 : renderExp(decibels * 0.11512925464970229)
}

/// The weights of the dry input and of the wet result of an effect; their squares add up to 1.
struct EqualPowerMix: BitwiseCopyable {
  private var part = 0.0
  private(set) var dry = 1.0
  private(set) var wet = 0.0

  @_noLocks
  init() {}

  /// - Parameter part: 0 for the input alone, 1 for the effect alone.
  @_noLocks
  mutating func turn(to part: Double) {
    if part == self.part { return }
    self.part = part
    // Exact at both ends.
    dry = part >= 1 ? 0 : part <= 0 ? 1 : renderCosine(part * Double.pi / 2)
    wet = part >= 1 ? 1 : part <= 0 ? 0 : renderSine(part * Double.pi / 2)
  }
}
