public import RenderCore

/// The controls of an effect, as its kernel follows them: each change is linear, over the frames of
/// the control's glide or, without a glide, over a length that the kernel chooses.
///
/// A value is computed from the frame's position in the change, so that it does not depend on
/// slices. The values found by the first `follow()` apply at once.
public struct GlideBank: ~Copyable {
  /// One control: its word in the control block, and the frames of a change without a glide of its
  /// own; 0 for a step.
  public struct Control {
    var slot: Int
    var length: Int
    var constant: Double

    public init(_ slot: Int, length: Int) {
      self.slot = slot
      self.length = length
      constant = 0
    }

    /// A constant, for a control that the unit lacks.
    public init(always value: Double) {
      slot = -1
      length = 0
      constant = value
    }
  }

  private static var stride: Int { @_noLocks get { 7 } }
  private static var slot: Int { @_noLocks get { 0 } }
  private static var length: Int { @_noLocks get { 1 } }
  // The word of the control at the last `follow()`.
  private static var word: Int { @_noLocks get { 2 } }
  private static var origin: Int { @_noLocks get { 3 } }
  private static var target: Int { @_noLocks get { 4 } }
  private static var position: Int { @_noLocks get { 5 } }
  private static var frames: Int { @_noLocks get { 6 } }

  /// The number of controls.
  public let count: Int
  private let controls: ControlAccess
  private let rows: DoubleStorage
  private var version: UInt32 = 0
  private var hasBegun = false
  /// Frames until every change has ended.
  public private(set) var remaining = 0

  // MARK: Control thread

  /// - Parameter controls: Their block must outlive the bank.
  public init(_ controls: ControlAccess, _ list: [Control]) {
    precondition(!list.isEmpty, "a bank has at least one control")
    precondition(list.allSatisfy { $0.slot < controls.count }, "no such control")
    self.controls = controls
    count = list.count
    rows = DoubleStorage(
      list.flatMap { control -> [Double] in
        let word = control.slot < 0 ? 0 : controls[word: control.slot]
        let value = control.slot < 0 ? control.constant : Double(Float(bitPattern: word))
        return [
          Double(control.slot), Double(control.length), Double(word), value, value, 0, 0,
        ]
      })
  }

  // MARK: Render thread

  /// Reads the controls, and starts a change for each that has been set. Called at the beginning of
  /// each slice.
  ///
  /// - Returns: Whether a control has been set, or this is the first call.
  @_noLocks
  public mutating func follow() -> Bool {
    let now = controls.version
    if hasBegun, now == version { return false }
    version = now
    let isFirst = !hasBegun
    hasBegun = true
    var hasChanged = isFirst
    for index in 0..<count where followControl(index, isFirst: isFirst) { hasChanged = true }
    return hasChanged
  }

  @_noLocks
  private mutating func followControl(_ index: Int, isFirst: Bool) -> Bool {
    let row = index * Self.stride
    let slot = Int(rows[row + Self.slot])
    if slot < 0 { return false }
    let word = controls[word: slot]
    if Double(word) == rows[row + Self.word] { return false }
    rows[row + Self.word] = Double(word)
    let value = Double(Float(bitPattern: word))
    // Infinities and NaN are ignored.
    guard value - value == 0 else { return false }
    let glide = controls.glide(slot)
    let frames = isFirst ? 0 : glide > 0 ? glide : Int(rows[row + Self.length])
    rows[row + Self.origin] = frames > 0 ? self.value(index) : value
    rows[row + Self.target] = value
    rows[row + Self.position] = 0
    rows[row + Self.frames] = Double(frames)
    if frames > remaining { remaining = frames }
    return true
  }

  /// The value `ahead` frames from now; 0 is the frame rendered last.
  @_noLocks
  public func value(_ index: Int, ahead: Int = 0) -> Double {
    let row = index * Self.stride
    let place = rows[row + Self.position] + Double(ahead)
    let frames = rows[row + Self.frames]
    let target = rows[row + Self.target]
    if place >= frames { return target }
    let origin = rows[row + Self.origin]
    return origin + (target - origin) * (place / frames)
  }

  /// The value at the end of a control's change.
  @_noLocks
  public func goal(_ index: Int) -> Double { rows[index * Self.stride + Self.target] }

  /// Whether a control has reached the end of its change.
  @_noLocks
  public func isSettled(_ index: Int) -> Bool {
    let row = index * Self.stride
    return rows[row + Self.position] >= rows[row + Self.frames]
  }

  /// Advances by frames that have been rendered.
  @_noLocks
  public mutating func advance(_ frameCount: Int) {
    guard remaining > 0 else { return }
    remaining = frameCount < remaining ? remaining - frameCount : 0
    for index in 0..<count {
      let row = index * Self.stride
      let frames = rows[row + Self.frames]
      let place = rows[row + Self.position] + Double(frameCount)
      rows[row + Self.position] = place < frames ? place : frames
    }
  }
}
