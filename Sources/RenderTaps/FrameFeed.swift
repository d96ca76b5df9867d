package import AudioTypes
package import RenderCore

/// Passes the frames of a bus from the render thread to the service of a tap.
///
/// Frames that do not fit are counted as lost, and silence replaces them, so that later frames keep
/// their positions.
///
/// `@unchecked Sendable`: the ring and the counters are made for two threads; one thread at a time
/// reads.
@safe
package final class FrameFeed: @unchecked Sendable {
  /// The most frames of one `read`.
  package static let block = 4096

  package let channelCount: Int
  private let sampleRate: Double
  let sample: SampleType
  private let ring: FrameRing
  private let access: FrameRingAccess
  private let counters = ControlBlock(count: 2)
  private let lane: UnsafeMutablePointer<Float>

  /// - Parameter seconds: The time for which the service may fall behind without a loss.
  package init(_ format: StreamFormat, seconds: Int = 4, maximumFramesPerSlice: Int) {
    sample = format.sampleType ?? .float32
    channelCount = format.channelCount
    sampleRate = format.sampleRate
    ring = FrameRing(
      channelCount: channelCount,
      minimumCapacity: max(
        Int(min(format.sampleRate, 1e6)) * seconds, 4 * maximumFramesPerSlice, 4 * Self.block))
    access = ring.access
    unsafe lane = .allocate(capacity: Self.block)
    unsafe lane.initialize(repeating: 0, count: Self.block)
  }

  deinit { unsafe lane.deallocate() }

  package func makeKernel() -> KernelBox {
    .holding(FrameFeedKernel(ring: access, counters: counters.access), with: ring, counters)
  }

  package var lostFrames: Int { Int(counters[word: FrameFeedKernel.lost]) }

  /// Lost frames whose silence does not fit yet.
  package var missingFrames: Int { Int(counters[word: FrameFeedKernel.missing]) }

  /// Frames written so far, with the silence for lost ones.
  var totalWritten: Int { access.totalWritten }

  /// Frames discarded so far.
  var totalRead: Int { access.totalRead }

  /// Frames that can be read.
  package var available: Int { access.available }

  /// Frames that can be written.
  package var room: Int { access.room }

  /// The seconds after which a service must read again: before half of the ring is full.
  package func secondsToSpare(atLeast frameCount: Int) -> Double {
    guard sampleRate > 0 else { return 0 }
    return access.secondsToSpare(room, atLeast: frameCount, sampleRate: sampleRate)
  }

  /// The seconds until a block is complete, at the rate of the bus.
  var secondsToBlock: Double {
    sampleRate > 0 ? Double(Self.block - available) / sampleRate : 0
  }

  /// Copies the oldest frames, at most `block`, interleaved; `discard` removes them.
  ///
  /// - Parameter number: Converts a word of the bus.
  @inline(__always)
  func read<Number>(
    _ frameCount: Int, into samples: inout [Number], _ number: (Float) -> Number
  ) {
    let buffer = unsafe ChannelBuffer(base: lane, count: frameCount)
    for channel in 0..<channelCount {
      access.read(into: buffer, channel: channel)
      for frame in 0..<frameCount {
        samples[frame * channelCount + channel] = unsafe number(lane[frame])
      }
    }
  }

  /// Copies the oldest frames as numbers, for measuring. Samples that are not finite become 0.
  package func read(_ frameCount: Int, into samples: inout [Double]) {
    if sample.fitsFloat {
      read(frameCount, into: &samples) { $0.isFinite ? Double($0) : 0 }
    } else {
      let sample = sample
      read(frameCount, into: &samples) {
        SampleCoding.value(Int32(bitPattern: $0.bitPattern), of: sample)
      }
    }
  }

  /// Copies the oldest frames as floats, unchanged even where they are not finite.
  package func readAll(_ frameCount: Int, into samples: inout [Float]) {
    if sample.fitsFloat {
      read(frameCount, into: &samples) { $0 }
    } else {
      let sample = sample
      read(frameCount, into: &samples) {
        Float(SampleCoding.value(Int32(bitPattern: $0.bitPattern), of: sample))
      }
    }
  }

  package func discard(_ frameCount: Int) { access.discard(frameCount) }
}

/// A service that takes its frames from a feed.
package protocol FeedService: RenderService {
  var feed: FrameFeed { get }
  /// The frames that must wait for the service to take them, unless the feed has no room for more.
  static var leastFrames: Int { get }

  /// Takes the frames that wait.
  func drain() throws(ServiceError)
}

extension FeedService {
  package static var leastFrames: Int { 256 }

  package var lostFrames: Int { feed.lostFrames }

  package func service(atLeast frameCount: Int) throws(ServiceError) {
    guard feed.available >= Self.leastFrames || feed.room < frameCount else { return }
    try drain()
  }

  package func secondsToSpare(atLeast frameCount: Int) -> Double {
    feed.secondsToSpare(atLeast: frameCount)
  }

  package func finish() throws(ServiceError) { try drain() }
}

// MARK: - Render thread

struct FrameFeedKernel: RenderKernel {
  /// The counter of all lost frames.
  static var lost: Int { @_noLocks get { 0 } }
  /// The counter of lost frames whose silence is not in the ring yet.
  static var missing: Int { @_noLocks get { 1 } }

  private let ring: FrameRingAccess
  private let counters: ControlAccess
  /// Lost frames whose silence is not in the ring yet.
  private var missing = 0

  init(ring: FrameRingAccess, counters: ControlAccess) {
    self.ring = ring
    self.counters = counters
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    var room = ring.room
    if missing > 0 && room > 0 {
      let filled = missing < room ? missing : room
      ring.writeSilence(filled)
      ring.commit(filled)
      missing -= filled
      room -= filled
      counters[word: Self.missing] = Self.saturated(missing)
    }
    let taken = room < context.frameCount ? room : context.frameCount
    if taken > 0 {
      for channel in 0..<input.channelCount {
        ring.write(input[channel].prefix(taken), channel: channel)
      }
      ring.commit(taken)
    }
    let lost = context.frameCount - taken
    if lost > 0 {
      missing += lost
      counters[word: Self.missing] = Self.saturated(missing)
      counters[word: Self.lost] = Self.saturated(
        Int(counters[word: Self.lost]) + lost)
    }
    return .ok
  }

  @_noLocks
  private static func saturated(_ count: Int) -> UInt32 {
    count > Int(UInt32.max) ? .max : UInt32(truncatingIfNeeded: count)
  }
}
