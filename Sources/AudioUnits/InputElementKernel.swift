public import AudioTypes
public import RenderCore

/// The microphone side of an I/O unit: reads the device's frames from a ring, and gives them to the
/// graph in the client's format, at the client's rate.
///
/// **One clock.** Offline, and where a device has a microphone only, both sides run on one clock.
/// At equal rates the frames are copied. At different rates a resampler with a look-ahead converts
/// them; the kernel requests the look-ahead as the `lead` of its ring. A host that has the
/// microphone's frames in advance grants it: frame n of the microphone then arrives with frame n of
/// the output. Otherwise the microphone is late by the lead.
///
/// **Two clocks.** Live, a loudspeaker pulls and a microphone delivers, each by its own clock. The
/// writer of the ring sees both clocks, keeps the number of frames in the ring constant, and sets
/// the ring's `pace`, the number of frames to read for each nominal one (`FollowedCapture` in
/// RenderHost). At equal rates and a pace of 1 the frames are copied bit for bit; after the first
/// other pace they are resampled. The sound is late by half a filter (1.4 ms at 48 kHz; a little
/// more between different rates).
///
/// Frames that are missing in the ring are replaced by silence, and counted there.
public struct InputElementKernel: RenderKernel, ~Copyable {
  private let ring: FrameRingAccess
  private let clientChannels: Int
  /// The number of channels read from the ring.
  private let heardChannels: Int
  /// Whether the microphone has one channel, which is copied to all of the client's.
  private let isMono: Bool
  private let rounding: DitheredRounding
  private let isInteger: Bool
  private let isLive: Bool
  private let converts: Bool
  private var resampler: PolyphaseResampler
  /// Frames of silence left that replace a lead that was not granted.
  private var silentLead: Int

  /// The most frames converted at once: three periods of the usual ratios.
  private static var stretch: Int { @_noLocks get { 512 } }

  /// Makes a kernel. Control thread.
  ///
  /// - Parameters:
  ///   - ring: The ring that the device fills, with at least
  ///     `ringFrames(ioBufferFrames:sampleRate:)` frames; in a smaller one the lead is smaller.
  ///   - hardware: The device's format; only rate and channels count, its samples are floats.
  ///   - client: The graph's format: any rate, channels and sample type.
  ///   - dither: The dither of the client's samples.
  ///   - ioBufferFrames: The largest pull, in frames of the device.
  ///   - isSynchronous: Whether the device writes in step with the pulls: before each pull the
  ///     frames that the pull takes.
  ///   - isAhead: Whether such a device also grants the ring's `lead`.
  ///   - playedRate: The rate at which the graph also plays through the same device; `nil` where it
  ///     does not.
  ///   - graphLead: The look-ahead of the units between the two sides, in seconds.
  public init(
    ring: FrameRingAccess, hardware: StreamFormat, client: StreamFormat,
    dither: BusDither = .none, ioBufferFrames: Int,
    isSynchronous: Bool, isAhead: Bool = true, playedRate: Double?, graphLead: Double = 0
  ) {
    let converts = hardware.sampleRate != client.sampleRate || !isSynchronous
    let isConverting = hardware.sampleRate != client.sampleRate
    let heardChannels = max(
      1, min(hardware.channelCount, client.channelCount, ring.channelCount))
    let stretch = converts ? Self.stretch : 1
    let conversionLead = DeviceConversion.captureLead(
      heardRate: client.sampleRate, hardwareRate: hardware.sampleRate, playedRate: playedRate,
      graphLead: graphLead)
    // Between equal rates it corrects only a drift: the shorter filter is as good there.
    let resampler = PolyphaseResampler(
      inputRate: hardware.sampleRate, outputRate: client.sampleRate, channelCount: heardChannels,
      quality: isConverting ? DeviceConversion.quality : .normal, isAdjustable: !isSynchronous,
      maximumInputFrames: stretch, maximumOutputFrames: stretch)
    let wantedLead =
      isSynchronous ? conversionLead : max(conversionLead, resampler.lookAhead)
    // The frames that stay in the ring between two pulls in addition to the lead: fewer than one
    // frame of the graph needs.
    let rest = Int((hardware.sampleRate / client.sampleRate).rounded(.up)) + 1
    let lead =
      isAhead || !isSynchronous
      ? max(0, min(wantedLead, ring.capacity - ioBufferFrames - rest)) : 0
    ring.lead = lead

    self.ring = ring
    self.heardChannels = heardChannels
    self.converts = converts
    clientChannels = client.channelCount
    rounding = DitheredRounding(dither, to: client)
    isInteger = client.sampleType.map { $0 != .float32 } ?? false
    isMono = hardware.channelCount == 1
    isLive = !isSynchronous
    silentLead = wantedLead - lead
    self.resampler = resampler
  }

  /// The capacity that a ring should have, in frames, for any format of a client (from 2 kHz on).
  ///
  /// - Parameters:
  ///   - ioBufferFrames: The largest pull, in frames of the device; deliveries are assumed to be no
  ///     longer.
  ///   - sampleRate: The device's, in Hz.
  public static func ringFrames(ioBufferFrames: Int, sampleRate: Double) -> Int {
    // The lead is some 200 frames of the lower of the two rates.
    max(14 * ioBufferFrames, ioBufferFrames + Int(sampleRate / 10) + 512)
  }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    let frames = context.frameCount
    if isLive {
      let pace = ring.pace
      guard pace > 0 else {
        for channel in 0..<clientChannels { output[channel].clear() }
        output.markSilent()
        return .ok
      }
      if pace != 1 || resampler.isAdjusted { resampler.adjust(ratio: pace) }
    }
    let fresh = take(converts ? resampler.inputFramesNeeded(forOutput: frames) : frames)
    if converts {
      convert(fresh, into: output)
    } else {
      copy(fresh, into: output)
    }
    finish(output)
    return .ok
  }

  /// The number of the `need` frames that come from the ring; silence replaces the others.
  @_noLocks
  private func take(_ need: Int) -> Int {
    let available = ring.available
    let due = need - (silentLead < need ? silentLead : need)
    guard available < due else { return due }
    ring.countUnderrun(missing: due - available)
    return available
  }

  @_noLocks
  private mutating func convert(_ fresh: Int, into output: RenderBus) {
    var rest = fresh
    var done = 0
    var isSilent = true
    while done < output.frameCount {
      let left = output.frameCount - done
      let length = left < Self.stretch ? left : Self.stretch
      var need = resampler.inputFramesNeeded(forOutput: length)
      let lead = silentLead < need ? silentLead : need
      resampler.pushSilence(frameCount: lead)
      silentLead -= lead
      need -= lead
      let heard = rest < need ? rest : need
      resampler.push(ring, frameCount: heard)
      resampler.pushSilence(frameCount: need - heard)
      rest -= heard
      if !resampler.pull(into: output, offset: done, frameCount: length) { isSilent = false }
      done += length
    }
    if isSilent { output.markSilent() }
  }

  @_noLocks
  private func copy(_ fresh: Int, into output: RenderBus) {
    for channel in 0..<heardChannels {
      ring.read(into: output[channel].prefix(fresh), channel: channel)
      output[channel].dropping(fresh).clear()
    }
    ring.discard(fresh)
  }

  /// Fills the client's channels from those of the microphone, in the client's samples.
  @_noLocks
  private func finish(_ output: RenderBus) {
    for channel in heardChannels..<clientChannels {
      if isMono {
        output[channel].copy(from: output[0])
      } else {
        output[channel].clear()
      }
    }
    guard isInteger else { return }
    if !rounding.isResting { output.markSounding() }
    rounding.convert(output, into: output)
  }
}
