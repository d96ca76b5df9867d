/// The state of one source in the 3D Mixer's kernel, from block to block.
struct SpatialSource: BitwiseCopyable {
  /// The state of one ear's filters.
  struct Ear: BitwiseCopyable {
    /// The last outputs of the low-passes of occlusion and of obstruction.
    var occluded: Float = 0
    var obstructed: Float = 0
    /// The last input and output of the head's shadow.
    var shadowInput: Float = 0
    var shadowOutput: Float = 0

    @_noLocks
    init() {}

    /// Whether all of it is below -180 dBFS.
    var isQuiet: Bool {
      @_noLocks get {
        SpatialSource.isQuiet(occluded) && SpatialSource.isQuiet(obstructed)
          && SpatialSource.isQuiet(shadowInput) && SpatialSource.isQuiet(shadowOutput)
      }
    }
  }

  /// The input's rate divided by the output's.
  let ratio: Double
  let isStereo: Bool
  /// The settings at the end of the last block.
  var settings = SpatialSettings()
  /// A source without separate ears uses the left one.
  var left = Ear()
  var right = Ear()
  /// The last output of the occlusion's low-pass on the path to the room.
  var roomOccluded: Float = 0
  /// The distance in metres, smoothed by one low-pass and by two.
  var distance = 0.0
  var smoothDistance = 0.0
  var hasStarted = false
  /// Frames of the input that have been pulled: a sample time.
  var pulled = 0.0
  /// Frames of the input for each frame of the output, at the end of the last block.
  var pace = 0.0
  /// The present algorithm, until it has faded out.
  var algorithm: UInt32 = 0
  /// Whether it fades in by a new algorithm.
  var isEntering = false

  @_noLocks
  init(ratio: Double, isStereo: Bool) {
    self.ratio = ratio
    self.isStereo = isStereo
  }

  /// The left ear for 0, the right one for any other number.
  subscript(ear: Int) -> Ear {
    @_noLocks get { ear == 0 ? left : right }
    @_noLocks set { if ear == 0 { left = newValue } else { right = newValue } }
  }

  /// Clears the filters if all of their state is below -180 dBFS. Returns whether it did.
  @_noLocks
  mutating func settle() -> Bool {
    guard left.isQuiet, right.isQuiet, Self.isQuiet(roomOccluded) else { return false }
    clearFilters()
    return true
  }

  @_noLocks
  mutating func clearFilters() {
    left = Ear()
    right = Ear()
    roomOccluded = 0
  }

  /// Whether a value is below -180 dBFS; `true` for NaN, too.
  @_noLocks
  private static func isQuiet(_ value: Float) -> Bool { !(Double(value.magnitude) > 1e-9) }
}
