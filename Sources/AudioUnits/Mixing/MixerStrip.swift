extension MixerKernel {
  /// The state of an input, or of the output: 72 bytes, as a graph may have very many mixers.
  struct Strip: BitwiseCopyable {
    /// The gains from the left channel to the left and from the right one to the right; of a mono
    /// input, from its channel to both.
    var straight: GainRamp
    /// The cross gains: from the right channel to the left, from the left one to the right.
    var cross: GainRamp
    private var storedChannelCount: Int8
    /// The controls that the present gains have been computed from.
    var volume: Float = 0
    var pan: Float = 0
    var enable: Float = 0
    /// Another number each time that levels have been set.
    var levelsVersion: UInt32 = 0
    /// Whether levels replace the pan.
    var hasLevels = false
    /// Whether the meters run.
    var isMetered = false

    init(channelCount: Int, straight: GainRamp, cross: GainRamp) {
      storedChannelCount = Int8(channelCount)
      self.straight = straight
      self.cross = cross
    }

    /// 1 or 2.
    var channelCount: Int {
      @_noLocks get { Int(storedChannelCount) }
      @_noLocks set { storedChannelCount = Int8(truncatingIfNeeded: newValue) }
    }
  }
}
