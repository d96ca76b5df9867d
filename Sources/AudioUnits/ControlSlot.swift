internal import AudioTypes
internal import RenderCore

/// One parameter, or one property that may change while the unit renders, of all elements of a scope: where
/// a kernel finds their words. A `ControlLayout` knows, by the number that the description gives it.
///
/// Valid as long as the control block, which the kernel's box holds as company.
struct ControlSlot: BitwiseCopyable, Sendable {
  private let access: ControlAccess
  private let first: Int
  private let stride: Int

  fileprivate init(_ access: ControlAccess, first: Int, stride: Int) {
    self.access = access
    self.first = first
    self.stride = stride
  }

  // Overloads and no default: what a default argument is made of is not checked in a debug build.

  /// The number of an element.
  subscript(element: Int) -> Float { @_noLocks get { access[first + element * stride] } }

  /// One of several numbers that an element has, counted from 0.
  subscript(element: Int, offset: Int) -> Float {
    @_noLocks get { access[first + element * stride + offset] }
  }

  /// The word of an element.
  subscript(word element: Int) -> UInt32 {
    @_noLocks get { access[word: first + element * stride] }
  }

  /// Whether a word is not 0: a property that is a switch.
  @_noLocks
  func isOn(_ element: Int) -> Bool { access[word: first + element * stride] != 0 }

  /// In how many frames a change is to be reached; 0 for as many as the unit likes.
  @_noLocks
  func glide(_ element: Int) -> Int { access.glide(first + element * stride) }

  /// Writes down what a kernel has measured, for clients to read.
  @_noLocks
  func note(_ value: Float, _ element: Int) {
    access.note(value.bitPattern, at: first + element * stride)
  }
}

/// A parameter that is read in the range that its description gives it.
struct RangedSlot: BitwiseCopyable, Sendable {
  private let slot: ControlSlot
  private let low: Double
  private let high: Double

  fileprivate init(_ slot: ControlSlot, _ range: ClosedRange<Float>) {
    self.slot = slot
    low = Double(range.lowerBound)
    high = Double(range.upperBound)
  }

  /// The number of an element; the nearer end of the range where it is outside, and the lower one for what
  /// is not a number.
  subscript(element: Int) -> Double {
    @_noLocks get {
      let value = Double(slot[element])
      return value > high ? high : value >= low ? value : low
    }
  }
}

extension ControlLayout {
  /// Where a parameter of the elements of a scope stands.
  ///
  /// - Precondition: The description has it.
  func control(_ parameter: UInt32, _ scope: Scope) -> ControlSlot {
    guard let first = slot(parameter, scope, 0) else {
      preconditionFailure("a kernel asks for parameters that its unit has")
    }
    return ControlSlot(block.access, first: first, stride: stride(scope))
  }

  /// The same, to be read in the range of the description.
  func ranged(_ parameter: UInt32, _ scope: Scope) -> RangedSlot {
    guard let range = range(parameter, scope) else {
      preconditionFailure("a kernel asks for parameters that its unit has")
    }
    return RangedSlot(control(parameter, scope), range)
  }

  /// Where the words of a live property of the elements of a scope begin.
  ///
  /// - Precondition: The description has it.
  func control(_ property: PropertyID, _ scope: Scope) -> ControlSlot {
    guard let first = slot(PropertyPlace(property, scope, 0)) else {
      preconditionFailure("a kernel asks for live properties that its unit has")
    }
    return ControlSlot(block.access, first: first, stride: stride(scope))
  }
}
