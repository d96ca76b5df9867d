/// Memory of a kernel, an element for each channel, voice, band or sample: allocated when it is made,
/// freed with the kernel, never resized. It begins at a multiple of 64 bytes.
///
/// Made on the control thread, then used by one render thread at a time. An index that is out of range
/// ends the process.
// The subscript is `@inlinable` and has no `@_noLocks`: the checker refuses a generic accessor that is
// marked, and checks one that is not where it is specialized, in the marked function that calls it. In a
// debug build it sees no body in another file of the same module: so render code in this one has storage of
// floats and of doubles only, whose subscripts are not generic. And an element that is private to its file
// ends the compiler where another file frees the storage.
@safe
public struct StateStorage<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: it owns what it points to, and one thread at a time has it.
  /// How many elements there are, at least 1.
  @usableFromInline let base: UnsafeMutablePointer<Element>
  public let count: Int

  /// - Parameter count: At least 1.
  public init(repeating element: Element, count: Int) {
    precondition(count > 0, "storage needs at least one element")
    let bytes = UnsafeMutableRawPointer.allocate(
      byteCount: count * MemoryLayout<Element>.stride, alignment: 64)
    unsafe base = bytes.bindMemory(to: Element.self, capacity: count)
    unsafe base.initialize(repeating: element, count: count)
    self.count = count
  }

  /// - Parameter elements: At least one.
  public init(_ elements: [Element]) {
    precondition(!elements.isEmpty, "storage needs at least one element")
    self.init(repeating: elements[0], count: elements.count)
    for (index, element) in elements.enumerated() { unsafe base[index] = element }
  }

  deinit { unsafe base.deallocate() }

  /// An element, read and changed where it is: a change of one property copies nothing else.
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

/// Numbers of a kernel in double precision: coefficients and the memory of filters, say.
public typealias DoubleStorage = StateStorage<Double>

extension StateStorage where Element == Float {
  /// The first element, for inner loops that have checked their bounds beforehand.
  var start: UnsafeMutablePointer<Float> { @_noLocks get { unsafe base } }

  /// A sample. An index that is out of range ends the process.
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

  /// A stretch of the storage as the frames of a channel: valid as long as the storage.
  @_noLocks
  public func buffer(at start: Int, count length: Int) -> ChannelBuffer {
    precondition(start >= 0 && length >= 0 && start <= count - length, "index out of range")
    return unsafe ChannelBuffer(base: base + start, count: length)
  }
}

extension StateStorage where Element == Double {
  /// The first element, for inner loops that have checked their bounds beforehand.
  var start: UnsafeMutablePointer<Double> { @_noLocks get { unsafe base } }

  /// A number. An index that is out of range ends the process.
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

  /// Whether it is to be cleared, as the memory of filters: all of it is next to nothing, or some of it is
  /// spoilt by what is not a number.
  public var isSpent: Bool {
    @_noLocks get {
      var rings = false
      var isSpoilt = false
      for index in 0..<count {
        let value = self[index].magnitude
        if value >= 1e-30 { rings = true }
        // True of a NaN as well.
        if !(value <= .greatestFiniteMagnitude) { isSpoilt = true }
      }
      return !rings || isSpoilt
    }
  }

  /// Clears each value that is smaller than a bound, far beyond full scale, or no number.
  @_noLocks
  public func clear(below bound: Double) {
    for index in 0..<count {
      let value = self[index].magnitude
      if !(value >= bound && value <= 1e30) { self[index] = 0 }
    }
  }
}
