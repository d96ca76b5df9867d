public import AudioTypes
import Glibc
public import RenderCore
import Synchronization

/// Measures the level of each channel of a bus: peak, RMS, and a held peak.
///
/// It measures on the render thread, frame by frame from the first one on, so that readings neither
/// depend on how a render is sliced nor wait. Samples that are not finite count as silence.
public struct MeterTap: RenderTap {
  /// The fall of a held peak after its hold time, in dB per second.
  public static let fallRate = 20.0

  public static let description = TapDescription(
    kind: "meter",
    summary: "Reads the level of each channel: peak, RMS, and a peak that is held and then falls.",
    settings: [
      SettingInfo(
        "interval", .number(0.001...60), unit: .seconds, defaultValue: .number(0.3),
        summary: "The stretches, one after the other, of which peak and RMS are taken."),
      SettingInfo(
        "hold", .number(0...3600), unit: .seconds, defaultValue: .number(1),
        summary: "How long a peak is held, which then falls by 20 dB a second."),
    ],
    make: { values, _ in
      var tap = MeterTap()
      if case .number(let interval) = values["interval"] { tap.interval = interval }
      if case .number(let hold) = values["hold"] { tap.hold = hold }
      return tap
    })

  /// The time over which peak and RMS are taken, in seconds, from 0.001 to 60.
  public var interval: Double
  /// The hold time of a peak, in seconds, from 0 to 3600.
  public var hold: Double

  public init(interval: Double = 0.3, hold: Double = 1) {
    self.interval = interval
    self.hold = hold
  }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    Self.description.problems(with: ["interval": .number(interval), "hold": .number(hold)])
  }

  public func makeSink(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSink {
    if let problem = problems(for: format).first { throw problem }
    let reader = MeterReader(channelCount: format.channelCount)
    let kernel = MeterKernel(
      snapshot: reader.exchange.writer, sample: format.sampleType ?? .float32,
      channelCount: format.channelCount,
      interval: max(1, Int((interval * format.sampleRate).rounded())),
      hold: Int((hold * format.sampleRate).rounded()),
      fall: pow(10, -Self.fallRate / 20 / format.sampleRate))
    return RenderSink(kernel: .holding(kernel, with: reader), reader: reader)
  }
}

/// The layout of a snapshot: the number of frames, then these columns for each channel.
private enum MeterRow {
  static var peak: Int { @_noLocks get { 0 } }
  static var meanSquare: Int { @_noLocks get { 1 } }
  static var heldPeak: Int { @_noLocks get { 2 } }
  static var highestPeak: Int { @_noLocks get { 3 } }
  static var overallMeanSquare: Int { @_noLocks get { 4 } }
  static var width: Int { @_noLocks get { 5 } }

  @_noLocks
  static func index(_ channel: Int, _ column: Int) -> Int { 1 + channel * width + column }
}

// MARK: - Render thread

struct MeterKernel: RenderKernel, ~Copyable {
  private var snapshot: SnapshotWriter
  /// Whether the words of the bus are floats, and the scale of words that are not.
  private let hasFloats: Bool
  private let scale: Double
  private let channelCount: Int
  private let interval: Int
  private let hold: Double
  private let fall: Double
  /// All frames, and the frames of the interval that is not complete.
  private var frameCount = 0
  private var filled = 0
  /// For each channel: the sum of squares and the peak of this interval, the mean square and the
  /// peak of the last one, the held peak, the frames left of its hold time, the highest peak, and
  /// the sum of squares of all complete intervals.
  private let values: DoubleStorage
  private static var width: Int { @_noLocks get { 8 } }

  init(
    snapshot: SnapshotWriter, sample: SampleType, channelCount: Int, interval: Int, hold: Int,
    fall: Double
  ) {
    self.snapshot = snapshot
    hasFloats = sample.fitsFloat
    scale = 1 / SampleCoding.scale(sample)
    self.channelCount = channelCount
    self.interval = interval
    self.hold = Double(hold)
    self.fall = fall
    values = DoubleStorage(repeating: 0, count: max(1, channelCount * Self.width))
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    var done = 0
    while done < context.frameCount {
      let rest = context.frameCount - done
      let length = interval - filled < rest ? interval - filled : rest
      for channel in 0..<channelCount {
        measure(input[channel].dropping(done).prefix(length), channel)
      }
      done += length
      filled += length
      if filled == interval { endInterval() }
    }
    frameCount += context.frameCount
    publish()
    return .ok
  }

  @_noLocks
  private func measure(_ buffer: ChannelBuffer, _ channel: Int) {
    let first = channel * Self.width
    var levels = Levels(
      sum: values[first], peak: values[first + 1], held: values[first + 4],
      left: values[first + 5], hold: hold, fall: fall)
    if hasFloats {
      for frame in buffer.indices {
        let sample = buffer[frame]
        levels.take(sample.isFinite ? Double(sample) : 0)
      }
    } else {
      for frame in buffer.indices {
        let word = buffer[word: frame]
        levels.take(Double(word) * scale)
      }
    }
    values[first] = levels.sum
    values[first + 1] = levels.peak
    values[first + 4] = levels.held
    values[first + 5] = levels.left
    if levels.peak > values[first + 6] { values[first + 6] = levels.peak }
  }

  /// The values of a channel that change with each frame.
  private struct Levels: BitwiseCopyable {
    var sum: Double
    var peak: Double
    var held: Double
    var left: Double
    let hold: Double
    let fall: Double

    @_noLocks
    @inline(__always)
    mutating func take(_ value: Double) {
      let magnitude = value.magnitude
      sum += value * value
      peak = magnitude > peak ? magnitude : peak
      if magnitude >= held {
        held = magnitude
        left = hold
      } else if left > 0 {
        left -= 1
      } else {
        held *= fall
        held = magnitude > held ? magnitude : held
      }
    }
  }

  @_noLocks
  private mutating func endInterval() {
    for channel in 0..<channelCount {
      let first = channel * Self.width
      values[first + 2] = values[first] / Double(interval)
      values[first + 3] = values[first + 1]
      values[first + 7] += values[first]
      values[first] = 0
      values[first + 1] = 0
    }
    filled = 0
  }

  @_noLocks
  private mutating func publish() {
    // Until the first interval is complete, publish its part.
    let isFirst = frameCount < interval
    snapshot.write(Double(frameCount), at: 0)
    for channel in 0..<channelCount {
      let first = channel * Self.width
      snapshot.write(
        isFirst ? values[first + 1] : values[first + 3],
        at: MeterRow.index(channel, MeterRow.peak))
      snapshot.write(
        isFirst ? values[first] / Double(frameCount) : values[first + 2],
        at: MeterRow.index(channel, MeterRow.meanSquare))
      snapshot.write(values[first + 4], at: MeterRow.index(channel, MeterRow.heldPeak))
      snapshot.write(values[first + 6], at: MeterRow.index(channel, MeterRow.highestPeak))
      snapshot.write(
        (values[first + 7] + values[first]) / Double(frameCount),
        at: MeterRow.index(channel, MeterRow.overallMeanSquare))
    }
    snapshot.publish()
  }
}

// MARK: - Beside the render thread

final class MeterReader: TapReader {
  let exchange: SnapshotExchange
  private let channelCount: Int

  init(channelCount: Int) {
    self.channelCount = channelCount
    exchange = SnapshotExchange(count: 1 + channelCount * MeterRow.width)
  }

  var reading: TapReading {
    let row = exchange.latest
    return .meter(
      MeterReading(
        frameCount: Int(row[0]),
        channels: (0..<channelCount).map { channel in
          MeterReading.Channel(
            peak: 20 * log10(row[MeterRow.index(channel, MeterRow.peak)]),
            rms: 10 * log10(row[MeterRow.index(channel, MeterRow.meanSquare)]),
            heldPeak: 20 * log10(row[MeterRow.index(channel, MeterRow.heldPeak)]),
            highestPeak: 20 * log10(row[MeterRow.index(channel, MeterRow.highestPeak)]),
            overallRMS: 10 * log10(row[MeterRow.index(channel, MeterRow.overallMeanSquare)]))
        }))
  }
}
