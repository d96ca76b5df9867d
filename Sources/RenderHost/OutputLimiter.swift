import RenderCore

/// Keeps what a session puts out below a level, sample by sample.
///
/// What would be louder is turned down by one gain for all channels, so that they stay where they are in
/// space. The gain falls at once, to where the frame is as loud as may be, stays for 20 ms behind the last
/// frame that was so loud, and then rises by 60 dB a second, in the depths by 3000. It looks at no later frame, so that there is no
/// delay, and at each frame by itself, so that slices make no difference. A steady tone that is too loud is
/// turned down and not bent.
struct OutputLimiter: BitwiseCopyable {
  /// The greatest magnitude now, where 1 is full scale; infinity for any.
  private(set) var ceiling = Double.infinity
  /// What is multiplied by; 1 where nothing has to be turned down.
  private(set) var gain = 1.0
  /// The level that is wanted, and on the way there the frames that are left, each of which multiplies.
  private var target = Double.infinity
  private var step = 1.0
  private var framesLeft = 0
  private var hold = 0
  /// Whether nothing has been put out yet, so that nothing has to glide.
  private var isFresh = true
  private let holdFrames: Int
  private let glideFrames: Int
  private let rise: Double
  private let steepRise: Double

  /// - Parameter sampleRate: In Hz, of what is put out.
  init(sampleRate: Double) {
    holdFrames = Int(sampleRate * 0.02) + 1
    glideFrames = Int(sampleRate * 0.02) + 1
    rise = renderExp(60 / 20 * renderLog(10) / sampleRate)
    steepRise = renderExp(3000 / 20 * renderLog(10) / sampleRate)
  }

  /// Forgets what has been put out.
  mutating func restart() {
    gain = 1
    hold = 0
    framesLeft = 0
    ceiling = target
    isFresh = true
  }

  // MARK: Render thread

  /// Above which level a glide from no limit at all begins.
  private static var loudest: Double { @_noLocks get { 16 } }
  /// What counts as just as loud as may be.
  private static var nearly: Double { @_noLocks get { 0.99 } }

  /// Sets out for a level: one that is lower is reached in 20 ms, one that is higher holds at once.
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

  /// A gain below which the sound is gone, and nothing is lost by coming back from there fast.
  private static var depth: Double { @_noLocks get { 0.001 } }

  /// Whether a frame that is less loud than the ceiling would be left as it is, and leave this as it is.
  var isIdle: Bool { @_noLocks get { gain == 1 && framesLeft == 0 } }

  /// The gain of the next frame, whose greatest magnitude is `peak`, a finite number.
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

  /// Lets frames of silence go by.
  @_noLocks
  mutating func skip(_ frameCount: Int) {
    for _ in 0..<frameCount {
      if isIdle { return }
      _ = next(0)
    }
  }
}

/// What an `OutputLimiter` has done to a stretch of frames.
struct LimiterReport: BitwiseCopyable {
  /// Frames that were turned down.
  var frames = 0
  /// Samples that were infinite, or no numbers, and became silence.
  var silenced = 0
  /// The smallest gain.
  var leastGain = 1.0
  /// The greatest magnitude that came out.
  var peak = 0.0

  @_noLocks
  init() {}
}
