/// The controls of the 3D Mixer's kernel.
struct SpatialControls: BitwiseCopyable {
  // Parameters of an input.
  let azimuth: RangedSlot
  let elevation: RangedSlot
  let distance: RangedSlot
  let gain: RangedSlot
  let playbackRate: RangedSlot
  let enable: ControlSlot
  let minGain: RangedSlot
  let maxGain: RangedSlot
  let reverbBlend: RangedSlot
  let occlusion: RangedSlot
  let obstruction: RangedSlot

  // Properties of an input that may change while the unit renders.
  let algorithms: ControlSlot
  let renderingFlags: ControlSlot
  let dopplerShift: ControlSlot
  let curves: ControlSlot
  /// Whether they have been set; then the reference and the maximum distance, and the maximum attenuation.
  let distances: ControlSlot

  let outputGains: RangedSlot
  let reverbGains: RangedSlot
  let internalReverb: ControlSlot
  let reverbPreset: ControlSlot

  @_noLocks
  func curve(_ element: Int) -> UInt32 { curves[word: element] }

  /// `kSpatializationAlgorithm_…`
  @_noLocks
  func algorithm(_ element: Int) -> UInt32 { algorithms[word: element] }

  /// The attenuation of a source by its distance.
  @_noLocks
  func attenuation(_ element: Int) -> DistanceAttenuation {
    // They have not been set yet.
    guard distances.isOn(element) else {
      return DistanceAttenuation(reference: 1, maximum: 100_000, attenuation: 100)
    }
    return DistanceAttenuation(
      reference: Double(distances[element, 1]), maximum: Double(distances[element, 2]),
      attenuation: Double(distances[element, 3]))
  }

  /// The rendering flags, with Doppler's where its own property is on.
  @_noLocks
  func flags(_ element: Int) -> UInt32 {
    let flags = renderingFlags[word: element]
    return dopplerShift.isOn(element) ? flags | RenderingFlags.doppler : flags
  }

  /// In decibels.
  var outputGain: Double { @_noLocks get { outputGains[0] } }
  /// In decibels.
  var reverbGain: Double { @_noLocks get { reverbGains[0] } }
  var usesReverb: Bool { @_noLocks get { internalReverb.isOn(0) } }
  var room: Int { @_noLocks get { Int(reverbPreset[word: 0]) } }
}

/// `k3DMixerRenderingFlags_…`
enum RenderingFlags {
  static var interAuralDelay: UInt32 { @_noLocks get { 1 } }
  static var doppler: UInt32 { @_noLocks get { 2 } }
  static var distanceAttenuation: UInt32 { @_noLocks get { 4 } }
  static var distanceFilter: UInt32 { @_noLocks get { 8 } }
  static var distanceDiffusion: UInt32 { @_noLocks get { 16 } }
  static var linearDistanceAttenuation: UInt32 { @_noLocks get { 32 } }
  static var constantReverbBlend: UInt32 { @_noLocks get { 64 } }
}

/// `kSpatializationAlgorithm_…`
enum SpatializationAlgorithm {
  static var equalPowerPanning: UInt32 { @_noLocks get { 0 } }
  static var sphericalHead: UInt32 { @_noLocks get { 1 } }
  static var hrtf: UInt32 { @_noLocks get { 2 } }
  static var soundField: UInt32 { @_noLocks get { 3 } }
  static var vectorBasedPanning: UInt32 { @_noLocks get { 4 } }
  static var stereoPassThrough: UInt32 { @_noLocks get { 5 } }
}
