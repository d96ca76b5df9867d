internal import RenderCore

/// The gains, filters and delays of one source at one moment, computed from its parameters.
struct SpatialSettings: BitwiseCopyable {
  /// Source frames for each frame of the output, before the ratio of their rates.
  var speed = 1.0
  /// Gains of the direct sound in both channels; for HRTF the left one is the source's gain.
  var left = 0.0
  var right = 0.0
  /// The gain into the reverb.
  var wet = 0.0
  /// Coefficients of the low-passes: of both paths, and of the direct sound alone.
  var occlusion = 0.0
  var obstruction = 0.0
  /// Delays of both ears, in frames of the output.
  var leftDelay = 0.0
  var rightDelay = 0.0
  var leftShadow = FirstOrderFilter(b0: 1, b1: 0, a1: 0)
  var rightShadow = FirstOrderFilter(b0: 1, b1: 0, a1: 0)
  var azimuth = 0.0
  var elevation = 0.0
  var focus = 1.0

  @_noLocks
  init() {}

  /// Reads the controls of an input.
  ///
  /// - Parameter velocity: The velocity at which the source moves away, in m/s.
  @_noLocks
  init(
    _ controls: SpatialControls, _ element: Int, algorithm: UInt32,
    attenuation: DistanceAttenuation, velocity: Double, sampleRate: Double
  ) {
    let flags = controls.flags(element)
    let distance = controls.distance[element]
    azimuth = controls.azimuth[element]
    elevation = controls.elevation[element]
    focus = Self.focus(
      distance, attenuation, isDiffuse: flags & RenderingFlags.distanceDiffusion != 0)
    speed = controls.playbackRate[element]
    if flags & RenderingFlags.doppler != 0 { speed *= Self.doppler(velocity) }

    // Gains.
    let curve =
      flags & RenderingFlags.linearDistanceAttenuation != 0
      ? DistanceAttenuation.linear : controls.curve(element)
    var far = 1.0
    if flags & RenderingFlags.distanceAttenuation != 0 {
      far = attenuation.gain(distance, curve: curve)
    }
    let least = controls.minGain[element]
    let most = controls.maxGain[element]
    if far > most { far = most }
    if far < least { far = least }
    let source =
      controls.enable[element] != 0
      ? renderPower(10, controls.gain[element] / 20) : 0
    let blend = controls.reverbBlend[element] / 100
    let isConstant = flags & RenderingFlags.constantReverbBlend != 0
    wet =
      blend == 0
      ? 0
      : source * renderSine(blend * (Double.pi / 2)) * (isConstant ? far : renderSquareRoot(far))
    let direct = blend == 1 ? 0 : source * far * renderCosine(blend * (Double.pi / 2))

    // Low-passes.
    occlusion = Muffling.coefficient(
      controls.occlusion[element], sampleRate: sampleRate)
    var hidden = controls.obstruction[element]
    if flags & RenderingFlags.distanceFilter != 0 {
      hidden -= (attenuation.held(distance) - attenuation.reference) * Muffling.airAbsorption
    }
    obstruction = Muffling.coefficient(hidden < -100 ? -100 : hidden, sampleRate: sampleRate)

    // Direction.
    let direction = SourceDirection(azimuth: azimuth, elevation: elevation, focus: focus)
    var gains = StereoGains(left: 1, right: 1)
    if algorithm == SpatializationAlgorithm.equalPowerPanning {
      gains = EqualPowerPanning.gains(direction)
    } else if algorithm == SpatializationAlgorithm.soundField {
      gains = SoundFieldPanning.gains(direction)
    } else if algorithm == SpatializationAlgorithm.vectorBasedPanning {
      gains = VectorBasedPanning.gains(direction)
    }
    if algorithm == SpatializationAlgorithm.sphericalHead {
      let near = SphericalHead.angle(direction, isLeft: true)
      let other = SphericalHead.angle(direction, isLeft: false)
      leftShadow = SphericalHead.shadow(near, sampleRate: sampleRate)
      rightShadow = SphericalHead.shadow(other, sampleRate: sampleRate)
      // As loud as a panned source, whose power the two channels share.
      gains = StereoGains(left: 0.707_106_781_186_547_6, right: 0.707_106_781_186_547_6)
    }
    if Self.hasEars(algorithm, flags) {
      leftDelay = SphericalHead.delay(SphericalHead.angle(direction, isLeft: true)) * sampleRate
      rightDelay = SphericalHead.delay(SphericalHead.angle(direction, isLeft: false)) * sampleRate
    }
    left = direct * gains.left
    right = direct * gains.right
  }

  /// Whether each ear has its own delay: with the spherical head, and with panning where the flag
  /// requests it.
  @_noLocks
  static func hasEars(_ algorithm: UInt32, _ flags: UInt32) -> Bool {
    if algorithm == SpatializationAlgorithm.sphericalHead { return true }
    if algorithm == SpatializationAlgorithm.hrtf { return false }
    if algorithm == SpatializationAlgorithm.stereoPassThrough { return false }
    return flags & RenderingFlags.interAuralDelay != 0
  }

  /// The directionality of a source: 0 in the middle of the head, 1 from 10 cm on. With diffusion,
  /// half of it decreases with the distance.
  @_noLocks
  private static func focus(
    _ distance: Double, _ attenuation: DistanceAttenuation, isDiffuse: Bool
  ) -> Double {
    let near = distance < 0.1 ? distance * 10 : 1
    if !isDiffuse { return near }
    if distance <= attenuation.reference { return near }
    return near * (0.5 + 0.5 * attenuation.reference / distance)
  }

  /// The Doppler factor of a source that goes away with a velocity in m/s: c / (c + v), from 0.5 to
  /// 2.
  @_noLocks
  static func doppler(_ velocity: Double) -> Double {
    let c = SphericalHead.speedOfSound
    if velocity <= -c / 2 { return 2 }
    if velocity >= c { return 0.5 }
    return c / (c + velocity)
  }
}
