import AudioTypes
import RenderCore

/// Resamples from the rate of a graph to that of a device.
struct SessionResampler: ~Copyable {
  /// The most frames of the device in one pull.
  static var stretch: Int { @_noLocks get { 1024 } }

  private static var inputBus: Int { @_noLocks get { 0 } }
  private static var outputBus: Int { @_noLocks get { 1 } }

  private let client: SampleType
  private let clientIsFloat: Bool
  private let channelCount: Int
  private var resampler: PolyphaseResampler
  /// Memory only, no steps: a bus for decoded floats, and the bus of the output.
  private let scratch: RenderPlan

  /// - Parameters:
  ///   - client: The sample type of the buses that are pushed.
  ///   - channelCount: The number of channels to convert, counted from the first; at least one.
  init(client: SampleType, channelCount: Int, clientRate: Double, deviceRate: Double) {
    self.client = client
    clientIsFloat = client.fitsFloat
    self.channelCount = channelCount
    resampler = PolyphaseResampler(
      inputRate: clientRate, outputRate: deviceRate, channelCount: channelCount,
      quality: DeviceConversion.quality, maximumInputFrames: Self.stretch,
      maximumOutputFrames: Self.stretch)
    scratch = RenderPlan(
      rows: [], busChannelCounts: [channelCount, channelCount], maximumFramesPerSlice: Self.stretch)
  }

  // MARK: Render thread

  @_noLocks
  func framesNeeded(forNext frameCount: Int) -> Int {
    resampler.inputFramesNeeded(forOutput: frameCount)
  }

  /// Takes a slice of the client's bus, of no more frames than one pull needs.
  @_noLocks
  mutating func push(_ bus: RenderBus) {
    guard !clientIsFloat else { return resampler.push(bus, frameCount: bus.frameCount) }
    guard !bus.isSilent else { return resampler.pushSilence(frameCount: bus.frameCount) }
    var done = 0
    while done < bus.frameCount {
      let rest = bus.frameCount - done
      let length = rest < Self.stretch ? rest : Self.stretch
      let floats = scratch.bus(Self.inputBus, frameCount: length)
      floats.markSounding()
      for channel in 0..<channelCount {
        SampleCoding.decode(bus[channel].dropping(done), into: floats[channel], of: client)
      }
      resampler.push(floats, frameCount: length)
      done += length
    }
  }

  @_noLocks
  mutating func pushSilence(_ frameCount: Int) { resampler.pushSilence(frameCount: frameCount) }

  /// The next frames of the device, at most `stretch`, once the frames that they need have been
  /// pushed. The bus is valid until the next call.
  @_noLocks
  mutating func pull(_ frameCount: Int) -> RenderBus {
    let bus = scratch.bus(Self.outputBus, frameCount: frameCount)
    resampler.pull(into: bus, frameCount: frameCount)
    return bus
  }
}
