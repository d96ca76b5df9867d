public import AudioTypes
public import RenderCore

/// Passes the frames of a ring on: lent where that can be, otherwise copied.
public struct RingForward: RenderKernel {
  private let ring: FrameRingAccess
  private let lends: Bool

  public init(_ ring: FrameRingAccess, lends: Bool = true) {
    self.ring = ring
    self.lends = lends
  }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    var isLent = false
    if lends, output.canBorrow { isLent = ring.lend(to: output) }
    if !isLent { ring.read(output.frameCount, into: output, at: 0) }
    ring.discard(output.frameCount)
    return .ok
  }
}

/// Copies its stereo input, which may be interleaved, to its output.
public struct FrameReader: RenderKernel {
  public static var readsInterleaved: Bool { true }
  private let notesFinite: Bool

  /// - Parameter notesFinite: Whether it says that all frames are finite.
  public init(notesFinite: Bool = false) { self.notesFinite = notesFinite }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let (input, output) = (context.input(0), context.output(0))
    for channel in 0..<2 {
      for frame in 0..<output.frameCount {
        output[channel][frame] =
          input.isInterleaved ? input.interleaved[2 * frame + channel] : input[channel][frame]
      }
    }
    if notesFinite { input.noteFinite() }
    return .ok
  }
}

/// Samples that a ring does not own.
@safe
public final class StoredFloats {
  public let samples: UnsafeMutableBufferPointer<Float>

  public init(_ samples: [Float]) {
    unsafe self.samples = .allocate(capacity: samples.count)
    _ = unsafe self.samples.initialize(from: samples)
  }

  deinit { unsafe samples.deallocate() }
}
