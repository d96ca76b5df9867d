/// Samples that a kernel owns: taken when it is made, given back when it is freed, never resized.
@safe
public struct SampleStorage: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: it owns what it points to, and one thread at a time has it.
  private let base: UnsafeMutablePointer<Float>
  public let count: Int

  public init(repeating value: Float, count: Int) {
    precondition(count > 0, "storage needs at least one element")
    let bytes = UnsafeMutableRawPointer.allocate(
      byteCount: count * MemoryLayout<Float>.stride, alignment: 64)
    unsafe base = bytes.bindMemory(to: Float.self, capacity: count)
    unsafe base.initialize(repeating: value, count: count)
    self.count = count
  }

  public init(_ elements: [Float]) {
    precondition(!elements.isEmpty, "storage needs at least one element")
    self.init(repeating: elements[0], count: elements.count)
    for (index, element) in elements.enumerated() { unsafe base[index] = element }
  }

  deinit { unsafe base.deallocate() }

  /// The first element, for inner loops that have checked their bounds beforehand.
  var start: UnsafeMutablePointer<Float> { @_noLocks get { unsafe base } }

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

/// Double-precision numbers that a kernel owns: coefficients and filter memory, say.
// Not one generic type: the checker refuses generic storage, whose metadata it cannot rule out.
@safe
public struct DoubleStorage: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: as `SampleStorage`.
  private let base: UnsafeMutablePointer<Double>
  public let count: Int

  public init(repeating value: Double, count: Int) {
    precondition(count > 0, "storage needs at least one element")
    let bytes = UnsafeMutableRawPointer.allocate(
      byteCount: count * MemoryLayout<Double>.stride, alignment: 64)
    unsafe base = bytes.bindMemory(to: Double.self, capacity: count)
    unsafe base.initialize(repeating: value, count: count)
    self.count = count
  }

  public init(_ elements: [Double]) {
    precondition(!elements.isEmpty, "storage needs at least one element")
    self.init(repeating: elements[0], count: elements.count)
    for (index, element) in elements.enumerated() { unsafe base[index] = element }
  }

  deinit { unsafe base.deallocate() }

  /// The first element, for inner loops that have checked their bounds beforehand.
  var start: UnsafeMutablePointer<Double> { @_noLocks get { unsafe base } }

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
