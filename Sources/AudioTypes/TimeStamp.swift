/// The time of a slice: Core Audio's `AudioTimeStamp`, of which patchrun sets the sample time and
/// the host time.
public struct TimeStamp: Hashable, Sendable, BitwiseCopyable {
  /// Frames since the start of the graph, at the rate of the bus that is rendered.
  public var sampleTime: Double
  /// When the first frame is due, in nanoseconds of the monotonic clock; 0 where it is not known.
  public var hostTime: UInt64
  /// Real frames per nominal frame.
  public var rateScalar: Double
  /// The valid fields.
  public var flags: Flags

  /// `kAudioTimeStamp…Valid`: the valid fields of a time stamp.
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

/// The flags of a render call or notification: Core Audio's `AudioUnitRenderActionFlags`.
public struct RenderActionFlags: OptionSet, Hashable, Sendable, BitwiseCopyable {
  public var rawValue: UInt32
  @_noLocks
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// `kAudioUnitRenderAction_PreRender`: set before a slice is rendered.
  public static var preRender: RenderActionFlags {
    @_noLocks get { RenderActionFlags(rawValue: 4) }
  }
  /// `kAudioUnitRenderAction_PostRender`: set after a slice was rendered.
  public static var postRender: RenderActionFlags {
    @_noLocks get { RenderActionFlags(rawValue: 8) }
  }
  /// `kAudioUnitRenderAction_OutputIsSilence`: every sample is zero. The buffers are zeroed too.
  public static var outputIsSilence: RenderActionFlags {
    @_noLocks get { RenderActionFlags(rawValue: 16) }
  }
  /// `kAudioOfflineUnitRenderAction_Render`: an offline unit renders.
  public static var offlineRender: RenderActionFlags {
    @_noLocks get { RenderActionFlags(rawValue: 64) }
  }
  /// `kAudioUnitRenderAction_PostRenderError`: set after a slice that failed.
  public static var postRenderError: RenderActionFlags {
    @_noLocks get { RenderActionFlags(rawValue: 256) }
  }
}
