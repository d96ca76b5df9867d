import RenderCore

/// Keeps the output of a session below a level, sample by sample.
///
/// A frame that would be louder is turned down by one gain for all channels, which keeps the stereo
/// image. The gain falls at once, so that the frame just reaches the level. It stays for 20 ms
/// after the last frame at that level, and then rises by 60 dB per second; below a gain of 0.001 by
/// 3000 dB per second. There is no lookahead, and so no delay; each frame is treated by itself, so
/// that the output does not depend on slices. A steady tone that is too loud is turned down without
/// distortion.
struct OutputLimiter: BitwiseCopyable {
  /// The level now, as a magnitude where 1 is full scale; infinity for no limit.
  private(set) var ceiling = Double.infinity
  /// The factor for all channels; 1 where nothing is turned down.
  private(set) var gain = 1.0
  /// The level to reach, the factor per frame on the way there, and the frames that are left.
  private var target = Double.infinity
  private var step = 1.0
  private var framesLeft = 0
  private var hold = 0
  /// Whether there has been no output yet, so that a new level applies at once.
  private var isFresh = true
  private let holdFrames: Int
  private let glideFrames: Int
  private let rise: Double
  private let steepRise: Double

  /// - Parameter sampleRate: Of the output, in Hz.
  init(sampleRate: Double) {
    holdFrames = Int(sampleRate * 0.02) + 1
    glideFrames = Int(sampleRate * 0.02) + 1
    rise = renderExp(60 / 20 * renderLog(10) / sampleRate)
    steepRise = renderExp(3000 / 20 * renderLog(10) / sampleRate)
  }

  /// Forgets the output so far.
  mutating func restart() {
    gain = 1
    hold = 0
    framesLeft = 0
    ceiling = target
    isFresh = true
  }

  // MARK: Render thread

  /// The level at which a glide from no limit begins.
  private static var loudest: Double { @_noLocks get { 16 } }
  /// The share of the ceiling from which a frame counts as loud, for the hold.
  private static var nearly: Double { @_noLocks get { 0.99 } }

  /// Sets a new level: a lower one is reached in 20 ms, a higher one applies at once.
  @_noLocks
  mutating func aim(at level: Float) {
    let level = Double(level)
    guard level != target || isFresh else { return }
    target = level
    if isFresh || level >= ceiling {
      ceiling = level
      framesLeft = 0
    } else {
      if ceiling > Self.loudest { ceiling = Self.loudest }
      if level < ceiling {
        step = renderExp(renderLog(level / ceiling) / Double(glideFrames))
        framesLeft = glideFrames
      } else {
        ceiling = level
        framesLeft = 0
      }
    }
    isFresh = false
  }

  /// The gain below which the sound is inaudible, so that it may rise fast.
  private static var depth: Double { @_noLocks get { 0.001 } }

  /// Whether a frame below the ceiling passes unchanged and leaves this state unchanged.
  var isIdle: Bool { @_noLocks get { gain == 1 && framesLeft == 0 } }

  /// The gain for the next frame. `peak` is its greatest magnitude, finite.
  @_noLocks
  mutating func next(_ peak: Double) -> Double {
    if framesLeft > 0 {
      framesLeft -= 1
      ceiling = framesLeft == 0 ? target : ceiling * step
    }
    if gain < 1 {
      if hold > 0 {
        hold -= 1
      } else {
        let more = gain * (gain < Self.depth ? steepRise : rise)
        gain = more < 1 ? more : 1
      }
    }
    let level = peak * gain
    if level > ceiling {
      gain = ceiling / peak
      hold = holdFrames
    } else if gain < 1, level >= ceiling * Self.nearly {
      hold = holdFrames
    }
    return gain
  }

  /// Passes frames of silence.
  @_noLocks
  mutating func skip(_ frameCount: Int) {
    for _ in 0..<frameCount {
      if isIdle { return }
      _ = next(0)
    }
  }
}

/// What an `OutputLimiter` did to some frames.
struct LimiterReport: BitwiseCopyable {
  /// Frames that were turned down.
  var frames = 0
  /// Samples that were not finite and became silence.
  var silenced = 0
  /// The smallest gain applied.
  var leastGain = 1.0
  /// The greatest magnitude put out.
  var peak = 0.0

  @_noLocks
  init() {}
}
