import AudioTypes
import RenderCore

/// Converts between different rates; pulls its input 0 as the ratio needs. Reads and writes bus
/// words.
struct RateKernel: RenderKernel, ~Copyable {
  /// The most frames of either side that are converted at once.
  static var stretch: Int { @_noLocks get { 512 } }

  private static var inputBus: Int { @_noLocks get { 0 } }
  private static var outputBus: Int { @_noLocks get { 1 } }

  private let input: SampleType
  private let rounding: DitheredRounding
  /// The input channel of each lane of the resampler.
  private let laneSources: ChannelRoute
  /// The lane of each output channel, or silence.
  private let outputLanes: ChannelRoute
  private let ratio: Double
  private let startsAtZero: Bool
  private var resampler: PolyphaseResampler
  /// A plan without rows, for two buses of floats: pulled frames, and output frames.
  private let scratch: RenderPlan
  /// The sample time of the next input frame, in frames of the input; negative before the first
  /// pull.
  private var inputTime = -1.0

  /// - Parameter route: For each output channel the input channel that it comes from, or -1.
  init(
    _ settings: ConverterSettings, from input: StreamFormat, to output: StreamFormat,
    _ dither: BusDither, route: [Int]
  ) {
    // A channel that is used twice is converted once, and an unused one not at all.
    var laneSources: [Int] = []
    for channel in route where channel >= 0 && !laneSources.contains(channel) {
      laneSources.append(channel)
    }
    let outputLanes = route.map { channel in
      laneSources.firstIndex(of: channel) ?? ChannelRoute.silence
    }
    // Without a used channel, one lane counts the frames.
    if laneSources.isEmpty { laneSources = [0] }
    self.input = input.sampleType ?? .float32
    rounding = DitheredRounding(dither, to: output)
    self.laneSources = ChannelRoute(laneSources)
    self.outputLanes = ChannelRoute(outputLanes)
    ratio = settings.inputRate / settings.outputRate
    startsAtZero = settings.startsAtZero
    resampler = PolyphaseResampler(
      inputRate: settings.inputRate, outputRate: settings.outputRate,
      channelCount: laneSources.count,
      quality: settings.quality, alignment: settings.alignment, maximumInputFrames: Self.stretch,
      maximumOutputFrames: Self.stretch)
    scratch = RenderPlan(
      rows: [], busChannelCounts: [laneSources.count, laneSources.count],
      maximumFramesPerSlice: Self.stretch)
  }

  var weight: Int { 3 }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    if inputTime < 0 || context.timeStamp.sampleTime == 0 {
      // The graph has been started, perhaps again. The time is a whole number of frames; sample
      // times are exact far beyond 2^40.
      let time = startsAtZero ? 0 : context.timeStamp.sampleTime * ratio
      inputTime = time > 0 ? Double(Int64(time < 0x1p62 ? time : 0x1p62)) : 0
    }
    let sink = context.output(0)
    var done = 0
    var isSilent = rounding.isResting
    while done < context.frameCount {
      let rest = context.frameCount - done
      let length = rest < Self.stretch ? rest : Self.stretch
      let status = supply(resampler.inputFramesNeeded(forOutput: length), context)
      guard status == .ok else { return status }
      let bus = scratch.bus(Self.outputBus, frameCount: length)
      if !resampler.pull(into: bus, frameCount: length) { isSilent = false }
      for channel in 0..<sink.channelCount {
        let lane = outputLanes[channel]
        let part = sink[channel].dropping(done).prefix(length)
        if lane < 0 {
          part.clear()
        } else {
          rounding.convert(bus[lane], of: .float32, into: part, channel: channel)
        }
      }
      done += length
    }
    if isSilent { sink.markSilent() }
    return .ok
  }

  /// Pulls `frameCount` frames of the input into the resampler.
  @_noLocks
  private mutating func supply(_ frameCount: Int, _ context: RenderContext) -> Status {
    let limit = context.pullLimit(0)
    var need = frameCount
    while need > 0 {
      guard limit > 0 else { return .noConnection }
      var length = need < limit ? need : limit
      if length > Self.stretch { length = Self.stretch }
      let status = context.pull(0, frameCount: length, at: TimeStamp(sampleTime: inputTime))
      guard status == .ok else { return status }
      let source = context.pulled(0, frameCount: length)
      if source.isSilent {
        resampler.pushSilence(frameCount: length)
      } else {
        let floats = scratch.bus(Self.inputBus, frameCount: length)
        floats.markSounding()
        for lane in 0..<laneSources.count {
          SampleCoding.convert(
            source[laneSources[lane]], of: input, into: floats[lane], as: .float32)
        }
        resampler.push(floats, frameCount: length)
      }
      inputTime += Double(length)
      need -= length
    }
    return .ok
  }
}
