/// What the 3D Mixer's kernel keeps of one source from block to block.
struct SpatialSource: BitwiseCopyable {
  /// What the filters of one ear hold.
  struct Ear: BitwiseCopyable {
    /// What the low-passes of occlusion and of obstruction put out last.
    var occluded: Float = 0
    var obstructed: Float = 0
    /// What the head's shadow took and put out last.
    var shadowInput: Float = 0
    var shadowOutput: Float = 0

    @_noLocks
    init() {}

    /// Whether all of it is nothing, to 180 dB below full scale.
    var isQuiet: Bool {
      @_noLocks get {
        SpatialSource.isQuiet(occluded) && SpatialSource.isQuiet(obstructed)
          && SpatialSource.isQuiet(shadowInput) && SpatialSource.isQuiet(shadowOutput)
      }
    }
  }

  /// The input's rate by the output's.
  let ratio: Double
  let isStereo: Bool
  /// Those that the block before ended with.
  var settings = SpatialSettings()
  /// A source that has no ears of its own uses the left one for the filters of all of it.
  var left = Ear()
  var right = Ear()
  /// What the low-pass of occlusion put out last of what goes to the room alone.
  var roomOccluded: Float = 0
  /// The distance in metres on its way, through one low-pass and through two.
  var distance = 0.0
  var smoothDistance = 0.0
  var hasStarted = false
  /// Frames of the input that have been asked for: a sample time.
  var pulled = 0.0
  /// Frames of the input for each of the output, at the end of the block before.
  var pace = 0.0
  /// The algorithm that the source has its place by, until it has faded out.
  var algorithm: UInt32 = 0
  /// Whether it fades in, with another algorithm than before.
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

  /// Whether what is left in the filters is nothing; then it is nothing from here on.
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

  /// False of nothing but a number above 180 dB below full scale.
  @_noLocks
  private static func isQuiet(_ value: Float) -> Bool { !(Double(value.magnitude) > 1e-9) }
}
