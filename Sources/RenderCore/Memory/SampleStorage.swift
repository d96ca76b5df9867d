/// Samples that a kernel owns: taken when it is made, given back when it is freed, never resized.
@safe
public struct SampleStorage: ~Copyable, @unchecked Sendable {
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
}
