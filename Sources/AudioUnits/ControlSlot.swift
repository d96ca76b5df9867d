internal import AudioTypes
internal import RenderCore

/// Access for a kernel to the words of one parameter, or of one live property, in all elements of a
/// scope. `ControlLayout` makes it.
///
/// Valid as long as the control block, which the kernel's box retains.
struct ControlSlot: BitwiseCopyable, Sendable {
  private let access: ControlAccess
  // A kernel has many of these.
  private let first: Int32
  private let stride: Int32

  /// - Parameters:
  ///   - first: The word of the first element in the block.
  ///   - stride: Words from one element to the next.
  @_noLocks
  init(_ access: ControlAccess, first: Int32, stride: Int32) {
    self.access = access
    self.first = first
    self.stride = stride
  }

  /// The word of an element in the block.
  @_noLocks
  private func place(_ element: Int) -> Int { Int(first) + element * Int(stride) }

  // Overloads and no default: in a debug build the checker does not look into default arguments.

  /// The value of an element.
  subscript(element: Int) -> Float { @_noLocks get { access[place(element)] } }

  /// One of several values of an element, counted from 0.
  subscript(element: Int, offset: Int) -> Float {
    @_noLocks get { access[place(element) + offset] }
  }

  /// The word of an element.
  subscript(word element: Int) -> UInt32 { @_noLocks get { access[word: place(element)] } }

  /// Whether a word is not 0, for a property that is a switch.
  @_noLocks
  func isOn(_ element: Int) -> Bool { access[word: place(element)] != 0 }

  /// The glide of the last change, in frames; 0 leaves the length to the unit.
  @_noLocks
  func glide(_ element: Int) -> Int { access.glide(place(element)) }

  /// Stores one of several values that a kernel has measured, for clients to read.
  @_noLocks
  func note(_ value: Float, _ element: Int, _ offset: Int) {
    access.note(value.bitPattern, at: place(element) + offset)
  }
}

/// A parameter that is read within the range of its description.
struct RangedSlot: BitwiseCopyable, Sendable {
  private let slot: ControlSlot
  private let low: Double
  private let high: Double

  fileprivate init(_ slot: ControlSlot, _ range: ClosedRange<Float>) {
    self.slot = slot
    low = Double(range.lowerBound)
    high = Double(range.upperBound)
  }

  /// The value of an element, clamped to the range; the lower end for NaN.
  subscript(element: Int) -> Double {
    @_noLocks get {
      let value = Double(slot[element])
      return value > high ? high : value >= low ? value : low
    }
  }
}

extension ControlLayout {
  /// The slot of a parameter in the elements of a scope.
  ///
  /// - Precondition: The description has the parameter.
  func control(_ parameter: UInt32, _ scope: Scope) -> ControlSlot {
    guard let first = slot(parameter, scope, 0) else {
      preconditionFailure("a kernel asks for parameters that its unit has")
    }
    return ControlSlot(block.access, first: Int32(first), stride: Int32(stride(scope)))
  }

  /// The same, clamped to the range of the description.
  func ranged(_ parameter: UInt32, _ scope: Scope) -> RangedSlot {
    guard let range = range(parameter, scope) else {
      preconditionFailure("a kernel asks for parameters that its unit has")
    }
    return RangedSlot(control(parameter, scope), range)
  }

  /// The slot of a live property in the elements of a scope.
  ///
  /// - Precondition: The description has the property.
  func control(_ property: PropertyID, _ scope: Scope) -> ControlSlot {
    guard let first = slot(PropertyPlace(property, scope, 0)) else {
      preconditionFailure("a kernel asks for live properties that its unit has")
    }
    return ControlSlot(block.access, first: Int32(first), stride: Int32(stride(scope)))
  }
}
