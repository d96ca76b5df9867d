/// When a slice starts: Core Audio's `AudioTimeStamp`, of which patchrun fills the sample time and
/// the host time.
public struct TimeStamp: Hashable, Sendable, BitwiseCopyable {
  /// Frames since the graph was started, in the rate of the bus that is rendered.
  public var sampleTime: Double
  /// Nanoseconds of the monotonic clock at which the first frame is due; 0 where it is not known.
  public var hostTime: UInt64
  /// Real frames per nominal frame.
  public var rateScalar: Double
  /// Which of the fields mean something.
  public var flags: Flags

  /// `kAudioTimeStamp…Valid`: which fields of a time stamp mean something.
  public struct Flags: OptionSet, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt32
    @_noLocks
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// `kAudioTimeStampSampleTimeValid`
    public static var sampleTimeValid: Flags { @_noLocks get { Flags(rawValue: 1) } }
    /// `kAudioTimeStampHostTimeValid`
    public static var hostTimeValid: Flags { @_noLocks get { Flags(rawValue: 2) } }
    /// `kAudioTimeStampRateScalarValid`
    public static var rateScalarValid: Flags { @_noLocks get { Flags(rawValue: 4) } }
  }

  @_noLocks
  public init(sampleTime: Double, hostTime: UInt64 = 0) {
    self.sampleTime = sampleTime
    self.hostTime = hostTime
    rateScalar = 1
    flags = Flags(rawValue: hostTime == 0 ? 1 : 3)
  }
}

/// What goes with a render call in either direction: Core Audio's `AudioUnitRenderActionFlags`.
public struct RenderActionFlags: OptionSet, Hashable, Sendable, BitwiseCopyable {
  public var rawValue: UInt32
  @_noLocks
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// `kAudioUnitRenderAction_PreRender`: said before a slice is rendered.
  public static var preRender: RenderActionFlags {
    @_noLocks get { RenderActionFlags(rawValue: 4) }
  }
  /// `kAudioUnitRenderAction_PostRender`: said after a slice has been rendered.
  public static var postRender: RenderActionFlags {
    @_noLocks get { RenderActionFlags(rawValue: 8) }
  }
  /// A hint that every sample is zero. The buffers are zeroed all the same.
  public static var outputIsSilence: RenderActionFlags {
    @_noLocks get { RenderActionFlags(rawValue: 16) }
  }
  /// `kAudioOfflineUnitRenderAction_Render`: an offline unit renders.
  public static var offlineRender: RenderActionFlags {
    @_noLocks get { RenderActionFlags(rawValue: 64) }
  }
  /// `kAudioUnitRenderAction_PostRenderError`: the slice that has been rendered failed.
  public static var postRenderError: RenderActionFlags {
    @_noLocks get { RenderActionFlags(rawValue: 256) }
  }
}
