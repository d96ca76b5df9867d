package import AudioTypes
package import RenderCore

/// The frames of a bus on their way from the render thread to a service of a tap.
///
/// Frames that find no room are lost: they are counted, and silence stands in their place, so that what
/// follows is where it belongs.
///
/// `@unchecked Sendable`: the ring and the counters are made for two threads; the reading side is used
/// by one at a time.
@safe
package final class FrameFeed: @unchecked Sendable {
  /// Frames that are taken in one go.
  package static let block = 4096

  package let channelCount: Int
  private let sampleRate: Double
  let sample: SampleType
  private let ring: FrameRing
  private let access: FrameRingAccess
  private let counters = ControlBlock(count: 2)
  private let lane: UnsafeMutablePointer<Float>

  /// A feed that bridges `seconds`.
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

  /// Frames that have been lost and whose silence found no room either.
  package var missingFrames: Int { Int(counters[word: FrameFeedKernel.missing]) }

  /// Frames that have come, silence in the place of lost ones included.
  var totalWritten: Int { access.totalWritten }

  /// Frames that have been given up.
  var totalRead: Int { access.totalRead }

  /// Frames that wait.
  package var available: Int { access.available }

  /// Frames that there is room for.
  package var room: Int { access.room }

  /// In how many seconds a service should take frames, at the latest: before half of the room is used.
  package func secondsToSpare(atLeast frameCount: Int) -> Double {
    guard sampleRate > 0 else { return 0 }
    return access.secondsToSpare(room, atLeast: frameCount, sampleRate: sampleRate)
  }

  /// In how many seconds there will be a block, at the bus's own pace.
  var secondsToBlock: Double {
    sampleRate > 0 ? Double(Self.block - available) / sampleRate : 0
  }

  /// Copies the oldest frames, at most `block`, channel beside channel; `discard` gives them up.
  ///
  /// - Parameter number: What becomes of the words of the bus.
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

  /// The same as the numbers that the words stand for, to be measured: what is not finite is 0.
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

  /// The same as they are, those included that are no finite numbers.
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

// MARK: - Render thread

struct FrameFeedKernel: RenderKernel {
  /// Where in the counters the frames are that were lost in all.
  static var lost: Int { @_noLocks get { 0 } }
  /// Where the frames are whose silence is still missing in the ring.
  static var missing: Int { @_noLocks get { 1 } }

  private let ring: FrameRingAccess
  private let counters: ControlAccess
  /// Frames that found no room and whose silence is not in the ring yet.
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
