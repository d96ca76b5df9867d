internal import AudioTypes
internal import RenderCore

/// Where the 3D Mixer's numbers stand in its control block.
///
/// Parameters are `Float`s, the properties that may change while the unit renders whole words.
struct SpatialControls: BitwiseCopyable {
  /// In the order of `Mixer3D.inputParameters`, from the start of an input's run.
  static var azimuth: Int { @_noLocks get { 0 } }
  static var elevation: Int { @_noLocks get { 1 } }
  static var distance: Int { @_noLocks get { 2 } }
  static var gain: Int { @_noLocks get { 3 } }
  static var playbackRate: Int { @_noLocks get { 4 } }
  static var enable: Int { @_noLocks get { 5 } }
  static var minGain: Int { @_noLocks get { 6 } }
  static var maxGain: Int { @_noLocks get { 7 } }
  static var reverbBlend: Int { @_noLocks get { 8 } }
  static var occlusion: Int { @_noLocks get { 9 } }
  static var obstruction: Int { @_noLocks get { 10 } }

  private let access: ControlAccess
  private let inputBase: Int
  private let inputStride: Int
  private let outputGainSlot: Int
  private let reverbGainSlot: Int
  private let reverbSlot: Int
  private let roomSlot: Int
  private let dopplerOffset: Int
  private let flagsOffset: Int
  private let curveOffset: Int
  private let algorithmOffset: Int
  private let distancesOffset: Int

  init(_ layout: ControlLayout) {
    func slot(_ id: PropertyID, _ scope: Scope) -> Int {
      guard let slot = layout.slot(PropertyPlace(id, scope, 0)) else {
        preconditionFailure("a live property has a word")
      }
      return slot
    }
    access = layout.block.access
    inputBase = layout.base(.input, element: 0)
    inputStride = layout.stride(.input)
    outputGainSlot = layout.base(.output, element: 0)
    reverbGainSlot = layout.base(.global, element: 0)
    reverbSlot = slot(.usesInternalReverb, .global)
    roomSlot = slot(.reverbPreset, .global)
    dopplerOffset = slot(.dopplerShift, .input) - layout.base(.input, element: 0)
    flagsOffset = slot(.renderingFlags3DMixer, .input) - layout.base(.input, element: 0)
    curveOffset = slot(.attenuationCurve3DMixer, .input) - layout.base(.input, element: 0)
    algorithmOffset = slot(.spatializationAlgorithm, .input) - layout.base(.input, element: 0)
    distancesOffset = slot(.distanceParameters3DMixer, .input) - layout.base(.input, element: 0)
  }

  /// A parameter of an input; the nearer end of its range where it is outside.
  @_noLocks
  func input(_ element: Int, _ parameter: Int, _ low: Double, _ high: Double) -> Double {
    Self.held(access[inputBase + element * inputStride + parameter], low, high)
  }

  @_noLocks
  func isEnabled(_ element: Int) -> Bool {
    access[inputBase + element * inputStride + Self.enable] != 0
  }

  @_noLocks
  func curve(_ element: Int) -> UInt32 {
    access[word: inputBase + element * inputStride + curveOffset]
  }

  /// `kSpatializationAlgorithm_…`
  @_noLocks
  func algorithm(_ element: Int) -> UInt32 {
    access[word: inputBase + element * inputStride + algorithmOffset]
  }

  /// How a source gets quieter: the reference and the maximum distance, and the maximum attenuation.
  @_noLocks
  func attenuation(_ element: Int) -> DistanceAttenuation {
    let first = inputBase + element * inputStride + distancesOffset
    // Nobody has set them yet.
    if access[word: first] == 0 {
      return DistanceAttenuation(reference: 1, maximum: 100_000, attenuation: 100)
    }
    return DistanceAttenuation(
      reference: Double(access[first + 1]), maximum: Double(access[first + 2]),
      attenuation: Double(access[first + 3]))
  }

  /// The rendering flags, Doppler's set where its own property says so.
  @_noLocks
  func flags(_ element: Int) -> UInt32 {
    let first = inputBase + element * inputStride
    let flags = access[word: first + flagsOffset]
    return access[word: first + dopplerOffset] != 0 ? flags | RenderingFlags.doppler : flags
  }

  /// In decibels.
  var outputGain: Double { @_noLocks get { Self.held(access[outputGainSlot], -120, 20) } }
  /// In decibels.
  var reverbGain: Double { @_noLocks get { Self.held(access[reverbGainSlot], -40, 40) } }
  var usesReverb: Bool { @_noLocks get { access[word: reverbSlot] != 0 } }
  var room: Int { @_noLocks get { Int(access[word: roomSlot]) } }

  @_noLocks
  private static func held(_ value: Float, _ low: Double, _ high: Double) -> Double {
    let value = Double(value)
    return value > high ? high : value >= low ? value : low
  }
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
