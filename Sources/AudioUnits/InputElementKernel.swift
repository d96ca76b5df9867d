public import AudioTypes
public import RenderCore

/// The microphone side of an I/O unit: takes what the device has put down and gives it to the graph
/// in the client's format, at the client's rate.
///
/// **One clock.** Offline, and where the microphone is all there is to a device, both sides run on
/// one clock. At equal rates the frames are copied. At different rates they are converted with a
/// filter that looks ahead; the kernel asks for that `lead` in its ring. A host that has the
/// microphone beforehand grants it, and then frame n of the microphone is heard together with frame n
/// of the output. Otherwise the sound comes later by as much.
///
/// **Two clocks.** Live, a loudspeaker asks and a microphone delivers, each in its own time. Whoever
/// fills the ring sees both, keeps what waits in it at one length and says by the ring's `pace` how many
/// frames are to be taken for one (`FollowedCapture` in RenderHost). As long as that is 1, equal rates
/// are a bit-exact copy; from the first other pace on the frames are resampled. The sound comes later by
/// half a filter (1.4 ms at 48 kHz; a little more between different rates).
///
/// What is due and not there is silence, and counted in the ring.
public struct InputElementKernel: RenderKernel, ~Copyable {
  private let ring: FrameRingAccess
  private let clientChannels: Int
  /// Channels that are taken from the ring.
  private let heardChannels: Int
  /// Whether the microphone has one channel, which is heard on all of the client's.
  private let isMono: Bool
  private let rounding: DitheredRounding
  private let isInteger: Bool
  private let isLive: Bool
  private let converts: Bool
  private var resampler: PolyphaseResampler
  /// Frames of silence ahead of the first one, in the place of a lead that is not granted.
  private var silentLead: Int

  /// Frames that are converted at a time.
  private static var stretch: Int { @_noLocks get { 256 } }

  /// Makes a kernel. Control thread.
  ///
  /// - Parameters:
  ///   - ring: What the device fills, with `ringFrames(ioBufferFrames:sampleRate:)` frames or more;
  ///     in a smaller one the lead is smaller.
  ///   - hardware: The device's format; only rate and channels count, its samples are floats.
  ///   - client: What the graph takes: any rate, channels and sample type.
  ///   - dither: How it is rounded to the client's samples.
  ///   - ioBufferFrames: The largest pull, in frames of the device.
  ///   - isSynchronous: Whether the device writes in step with the pulls, as many frames before each
  ///     as are then pulled.
  ///   - isAhead: Whether such a device also grants the ring's `lead`.
  ///   - playedRate: At which rate the graph that hears is also heard, through the same device;
  ///     `nil` where it is not.
  ///   - graphLead: How far the units between the two sides look ahead, in seconds.
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
    // Between equal rates it only ever takes out a drift: the shorter filter is as good there.
    let resampler = PolyphaseResampler(
      inputRate: hardware.sampleRate, outputRate: client.sampleRate, channelCount: heardChannels,
      quality: isConverting ? DeviceConversion.quality : .normal, isAdjustable: !isSynchronous,
      maximumInputFrames: stretch, maximumOutputFrames: stretch)
    let wantedLead =
      isSynchronous ? conversionLead : max(conversionLead, resampler.lookAhead)
    // What stays in the ring between two pulls beside the lead: less than a frame of the graph takes.
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

  /// How many frames a ring should have room for, whatever the client's format (from 2 kHz on).
  ///
  /// - Parameters:
  ///   - ioBufferFrames: The largest pull, in frames of the device; deliveries are taken to be no
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

  /// How many of `need` frames are to come out of the ring; silence stands for the others.
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

  /// From the channels that were heard to those of the client, in the client's samples.
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
