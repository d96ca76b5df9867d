/// A control as a kernel follows it: each change is made in a straight line, in as many frames as the
/// control says or, where it says none, in as many as the kernel likes.
///
/// Where the line is in a frame is worked out from the frame's place in it, so that it is the same
/// however a render is cut. What the control is in the first slice holds at once.
public struct GlidingControl: BitwiseCopyable {
  private let controls: ControlAccess
  private let index: Int
  /// Frames of a change that brings no glide.
  private let length: Int
  private var word: UInt32
  private var origin: Double
  private var target: Double
  private var value: Double
  private var position = 0
  private var frames = 0
  /// Whether it has been looked at.
  public private(set) var hasBegun = false
  /// Whether the control has ever been another value than the one that this was made with.
  public private(set) var isTurned = false
  /// Whether the change that is on its way, or was last, brought a glide of its own.
  public private(set) var isRamping = false

  /// - Parameters:
  ///   - value: What the control is: of it a control keeps the nearest float.
  ///   - length: In frames, at least 1.
  public init(_ controls: ControlAccess, _ index: Int, value: Double, length: Int) {
    precondition(length > 0, "a change needs at least one frame")
    self.controls = controls
    self.index = index
    self.length = length
    word = controls[word: index]
    origin = value
    target = value
    self.value = value
  }

  /// Looks at the control, and sets out where it has been changed. At the beginning of each slice.
  /// Returns whether it has been changed.
  @_noLocks
  @discardableResult
  public mutating func follow() -> Bool {
    let now = controls[word: index]
    let isFirst = !hasBegun
    hasBegun = true
    if now == word { return false }
    word = now
    let next = Double(Float(bitPattern: now))
    // Neither an infinity nor what is no number.
    guard next - next == 0 else { return false }
    isTurned = true
    let glide = controls.glide(index)
    isRamping = glide > 0
    origin = value
    target = next
    position = 0
    frames = glide > 0 ? glide : length
    if isFirst {
      value = next
      origin = next
      frames = 0
    }
    return true
  }

  /// Whether the last change has been made, so that `next()` stays what it is.
  public var isSettled: Bool { @_noLocks get { position >= frames } }

  /// The value of the last frame.
  public var current: Double { @_noLocks get { value } }

  /// Where it goes, or is.
  public var goal: Double { @_noLocks get { target } }

  /// The value of the next frame.
  @_noLocks
  public mutating func next() -> Double {
    if position >= frames { return value }
    position += 1
    value =
      position == frames
      ? target : origin + (target - origin) * (Double(position) / Double(frames))
    return value
  }

  /// Goes on by some frames that nobody asks for.
  @_noLocks
  public mutating func skip(_ frameCount: Int) {
    if position >= frames { return }
    position = frameCount < frames - position ? position + frameCount : frames
    value =
      position == frames
      ? target : origin + (target - origin) * (Double(position) / Double(frames))
  }
}
