// The subscript is `@inlinable` and has no `@_noLocks`. The checker refuses a generic accessor with
// that mark; it checks one without it where it is specialized, in the marked function that calls
// it. In a debug build it cannot see a body in another file of the same module: render code of this
// module therefore uses storage of floats and doubles only, whose subscripts are not generic.
// An element type that is private to its file crashes the compiler where another file frees the
// storage.

/// Memory of a kernel: an element for each channel, voice, band or sample. Allocated by `init`,
/// freed with the kernel, never resized; numbers are aligned to 64 bytes.
///
/// Made on the control thread, then used by one render thread at a time. An index out of range ends
/// the process.
@safe
public struct StateStorage<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: it owns its memory, and one thread at a time uses it.
  @usableFromInline let base: UnsafeMutablePointer<Element>
  /// The number of elements, at least 1.
  public let count: Int

  /// - Parameters:
  ///   - count: At least 1.
  ///   - element: Makes the element at an index.
  public init(count: Int, _ element: (Int) -> Element) {
    precondition(count > 0, "storage needs at least one element")
    // Vectors are loaded of numbers only. An alignment takes longer, and up to a line more.
    let alignment = MemoryLayout<Element>.stride > 8 ? MemoryLayout<Element>.alignment : 64
    let bytes = UnsafeMutableRawPointer.allocate(
      byteCount: count * MemoryLayout<Element>.stride, alignment: alignment)
    unsafe base = bytes.bindMemory(to: Element.self, capacity: count)
    for index in 0..<count { unsafe base.advanced(by: index).initialize(to: element(index)) }
    self.count = count
  }

  /// - Parameter count: At least 1.
  public init(repeating element: Element, count: Int) { self.init(count: count) { _ in element } }

  /// - Parameter elements: At least one.
  public init(_ elements: [Element]) { self.init(count: elements.count) { elements[$0] } }

  deinit { unsafe base.deallocate() }

  /// An element, in place: changing one property of it copies nothing else.
  @inlinable
  public subscript(index: Int) -> Element {
    unsafeAddress {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      return unsafe UnsafePointer(base + index)
    }
    nonmutating unsafeMutableAddress {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      return unsafe base + index
    }
  }
}

/// Samples of a kernel, in single precision.
public typealias SampleStorage = StateStorage<Float>

/// Numbers of a kernel in double precision, such as the coefficients and the state of filters.
public typealias DoubleStorage = StateStorage<Double>

extension StateStorage where Element == Float {
  /// The first element, for inner loops that have checked the bounds before.
  var start: UnsafeMutablePointer<Float> { @_noLocks get { unsafe base } }

  /// A sample. An index out of range ends the process.
  public subscript(index: Int) -> Float {
    @_noLocks get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      return unsafe base[index]
    }
    @_noLocks nonmutating set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      unsafe base[index] = newValue
    }
  }

  /// Some of the samples as a channel's frames, valid as long as the storage.
  @_noLocks
  public func buffer(at start: Int, count length: Int) -> ChannelBuffer {
    precondition(start >= 0 && length >= 0 && start <= count - length, "index out of range")
    return unsafe ChannelBuffer(base: base + start, count: length)
  }
}

extension StateStorage where Element == Double {
  /// The first element, for inner loops that have checked the bounds before.
  var start: UnsafeMutablePointer<Double> { @_noLocks get { unsafe base } }

  /// A number. An index out of range ends the process.
  public subscript(index: Int) -> Double {
    @_noLocks get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      return unsafe base[index]
    }
    @_noLocks nonmutating set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      unsafe base[index] = newValue
    }
  }

  /// Whether the state of a filter should be cleared: all of it is below 1e-30, or some of it is
  /// not finite.
  public var isSpent: Bool {
    @_noLocks get {
      var rings = false
      var isSpoilt = false
      for index in 0..<count {
        let value = self[index].magnitude
        if value >= 1e-30 { rings = true }
        // True for NaN too.
        if !(value <= .greatestFiniteMagnitude) { isSpoilt = true }
      }
      return !rings || isSpoilt
    }
  }

  /// Clears each value that is below `bound`, above 1e30, or NaN.
  @_noLocks
  public func clear(below bound: Double) {
    for index in 0..<count {
      let value = self[index].magnitude
      if !(value >= bound && value <= 1e30) { self[index] = 0 }
    }
  }
}
