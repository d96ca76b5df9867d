public import AudioTypes

/// A graph in the form that renders: kernels in the order in which they run, each with its buses.
///
/// A plan has one rate: every row renders the same number of frames. A unit that changes the rate
/// has the plan upstream of it as a `PulledInput`. A plan is made and freed on the control thread
/// and run on the render thread.
@safe
public struct RenderPlan: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: a plan has one owner at a time.

  /// A row of the plan: a kernel, with the buses that it reads and writes, by their index in the
  /// plan.
  public struct Row: BusRow {
    /// Renders the row.
    public var kernel: KernelBox
    /// The bus of each input element.
    public var inputs: BusList
    /// The bus of each output element.
    public var outputs: BusList
    /// The inputs that the kernel pulls, by their element. `inputs` must have an entry for each of
    /// them too, which the kernel does not read.
    public var pulled: [Int: PulledInput]
    /// Receives the status of each failed render of the kernel; `nil` for none.
    public var failure: RenderFailure?
    /// The input element that a callback feeds; 0 for other rows.
    public var element: Int

    /// Makes a row. An output may also be an input: the kernel then works in place, and must call
    /// `markSounding()` where a silent bus becomes audible.
    public init(
      kernel: KernelBox, inputs: BusList, outputs: BusList, pulled: [Int: PulledInput] = [:],
      failure: RenderFailure? = nil, element: Int = 0
    ) {
      self.kernel = kernel
      self.inputs = inputs
      self.outputs = outputs
      self.pulled = pulled
      self.failure = failure
      self.element = element
    }

    /// The same with the buses in arrays.
    public init(
      kernel: KernelBox, inputs: [Int], outputs: [Int], pulled: [Int: PulledInput] = [:],
      failure: RenderFailure? = nil, element: Int = 0
    ) {
      self.init(
        kernel: kernel, inputs: BusList(inputs), outputs: BusList(outputs), pulled: pulled,
        failure: failure, element: element)
    }

    var lendsMemory: Bool { kernel.lendsMemory }
    var readsInterleaved: Bool { kernel.readsInterleaved }
    var sharesMix: Bool { kernel.sharesMix }
    var weight: Int { pulled.values.reduce(kernel.weight) { $0 + $1.weight } }
    var callsClient: Bool { kernel.callsClient }
  }

  /// The bus that feeds the output unit, in every plan with an output.
  public static var clientBus: Int { @_noLocks get { 0 } }

  /// The frames of the largest slice.
  public let maximumFramesPerSlice: Int
  /// Whether several threads may render it.
  public var isShared: Bool { @_noLocks get { unsafe shared != nil } }
  private let steps: PlanSteps
  private let indices: UnsafeMutableBufferPointer<Int32>
  private let buses: UnsafeMutableBufferPointer<RenderBus.Row>
  /// `nil` where one thread renders it.
  private let shared: UnsafeMutablePointer<SharedRows>?
  private let channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let contents: UnsafeMutableBufferPointer<BusContent>
  /// The own memory of the channels of the buses that borrow.
  private let ownChannels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let samples: UnsafeMutableRawPointer
  private let observers: UnsafeMutableBufferPointer<Unmanaged<RenderObserver>>
  /// Whether a row calls a client's code, which may rely on one thread.
  let callsClients: Bool
  /// The weight of all rows: see `RenderKernel.weight`.
  let weight: Int
  /// Retains what the steps point to.
  private let failures: [RenderFailure]

  /// Makes a plan of rows that run in the order given.
  ///
  /// A bus is named by its index in `busChannelCounts`. A bus that no row writes stays zero and
  /// silent, unless the host fills it.
  ///
  /// - Parameters:
  ///   - kept: The buses that the host fills, or reads after a slice; `nil` for all. Other buses
  ///     share memory where they are not in use at the same time. A bus that a row fills may show
  ///     memory of its kernel's, which the host must not write to; with `nil` none does.
  ///   - interleaved: Those of the kept buses of which the host reads interleaved frames, too: see
  ///     `RenderBus.isInterleaved`.
  ///   - threadCount: The most threads that may render it. One thread is used where the rows depend
  ///     on each other, where more would not be faster, or where a client's code is called.
  ///   - inRealTime: Whether a clock times the pulls, so that threads that wait for each other make
  ///     no system call.
  public init(
    rows: [Row], busChannelCounts: [Int], maximumFramesPerSlice: Int,
    observers: [RenderObserver] = [], keeping kept: [Int]? = nil, interleaved: [Int] = [],
    threadCount: Int = 1, inRealTime: Bool = false
  ) {
    precondition(maximumFramesPerSlice > 0, "a slice has at least one frame")
    self.maximumFramesPerSlice = maximumFramesPerSlice
    var flat: [Int32] = []
    flat.reserveCapacity(2 * rows.count)
    for index in rows.indices {
      for bus in rows[index].inputs { flat.append(Int32(bus)) }
      for bus in rows[index].outputs { flat.append(Int32(bus)) }
    }
    precondition(
      flat.allSatisfy { $0 >= 0 && Int($0) < busChannelCounts.count }, "a row names a missing bus")
    callsClients = rows.indices.contains { index in
      rows[index].callsClient || rows[index].pulled.values.contains { $0.callsClients }
    }
    weight = rows.reduce(0) { $0 + $1.weight }
    var strands: RowStrands?
    if threadCount > 1, !callsClients,
      RowStrands.maySave(rows, busCount: busChannelCounts.count, maximumFramesPerSlice)
    {
      var order = RowStrands(rows, busCount: busChannelCounts.count)
      if order.isWorthSharing(maximumFramesPerSlice) {
        order.gather(for: threadCount)
        strands = order
      }
    }
    func busMemory(_ strands: RowStrands?) -> BusMemory {
      guard let kept else { return BusMemory(busChannelCounts) }
      return BusMemory(busChannelCounts, rows: rows, kept: kept, strands: strands?.strandOfRow)
    }
    var memory = busMemory(strands)
    // Only strands with memory of their own take more than one thread needs.
    if strands != nil, kept != nil, memory.count * maximumFramesPerSlice > Self.mostShared {
      strands = nil
      memory = busMemory(nil)
    }
    let channelCount = memory.stretches.count
    // Whole cache lines for each channel, so that no vector load straddles two.
    let stride = (maximumFramesPerSlice + 15) / 16 * 16
    let byteCount = max(1, memory.count * stride * MemoryLayout<Float>.stride)
    unsafe samples = .allocate(byteCount: byteCount, alignment: 64)
    unsafe samples.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    let base = unsafe samples.assumingMemoryBound(to: Float.self)
    unsafe channels = .allocate(capacity: max(1, channelCount))
    for (channel, stretch) in memory.stretches.enumerated() {
      unsafe channels.initializeElement(at: channel, to: base + stretch * stride)
    }
    unsafe contents = .allocate(capacity: busChannelCounts.count)
    unsafe contents.initialize(repeating: .silent)
    unsafe buses = .allocate(capacity: busChannelCounts.count)
    let borrowing =
      kept.map {
        BorrowingBuses(
          rows, busChannelCounts: busChannelCounts, kept: $0, interleaved: interleaved)
      } ?? BorrowingBuses()
    unsafe ownChannels = .allocate(capacity: max(1, borrowing.channelCount))
    var first = 0
    for (index, count) in busChannelCounts.enumerated() {
      let borrows = borrowing.channelCount > 0 && borrowing.places[index] >= 0
      let own = unsafe borrows ? ownChannels.baseAddress! + borrowing.places[index] : nil
      if let own = unsafe own {
        unsafe own.initialize(from: channels.baseAddress! + first, count: count)
      }
      unsafe buses.initializeElement(
        at: index,
        to: RenderBus.Row(
          channels: channels.baseAddress! + first, channelCount: count,
          content: contents.baseAddress! + index, own: own.map { unsafe UnsafePointer($0) },
          takesInterleaved: borrows && borrowing.takesInterleaved[index]))
      first += count
    }
    unsafe indices = .allocate(capacity: max(1, flat.count))
    for (index, bus) in flat.enumerated() { unsafe indices.initializeElement(at: index, to: bus) }
    let table = UnsafeMutableBufferPointer<PlanSteps.Step>.allocate(capacity: rows.count)
    var failures: [RenderFailure] = []
    failures.reserveCapacity(rows.count)
    for index in rows.indices {
      if let failure = rows[index].failure { failures.append(failure) }
    }
    self.failures = failures
    var firstIndex = 0
    // By index, so that rows are not copied.
    for index in rows.indices {
      let (inputs, outputs) = (rows[index].inputs, rows[index].outputs)
      unsafe table.initializeElement(
        at: index,
        to: PlanSteps.Step(
          kernel: .passRetained(rows[index].kernel), firstIndex: firstIndex,
          inputCount: inputs.count, outputCount: outputs.count,
          pulled: rows[index].pulled.isEmpty ? nil : Self.table(of: rows[index]),
          isInPlace: outputs.contains { inputs.contains($0) }, lends: rows[index].lendsMemory,
          failure: rows[index].failure.map { unsafe .passUnretained($0) },
          element: rows[index].element))
      firstIndex += inputs.count + outputs.count
    }
    unsafe steps = PlanSteps(
      steps: table, indices: UnsafePointer(indices.baseAddress!),
      buses: UnsafePointer(buses.baseAddress!), contents: contents.baseAddress!)
    if let strands {
      unsafe shared = .allocate(capacity: 1)
      unsafe shared!.initialize(
        to: SharedRows(steps, strands, threadCount: threadCount, inRealTime: inRealTime))
    } else {
      unsafe shared = nil
    }
    unsafe self.observers = .allocate(capacity: observers.count)
    for (index, observer) in observers.enumerated() {
      unsafe self.observers.initializeElement(at: index, to: .passRetained(observer))
    }
  }

  private static func table(of row: Row) -> UnsafeMutablePointer<Unmanaged<PulledInput>?> {
    precondition(
      row.pulled.keys.allSatisfy(row.inputs.indices.contains), "a row pulls a missing input")
    let table = UnsafeMutablePointer<Unmanaged<PulledInput>?>.allocate(capacity: row.inputs.count)
    for input in row.inputs.indices {
      unsafe (table + input).initialize(to: row.pulled[input].map { unsafe .passRetained($0) })
    }
    return unsafe table
  }

  /// The most samples of the buses where strands have memory of their own: 128 MB.
  private static let mostShared = 32 << 20

  deinit {
    if let shared = unsafe shared {
      unsafe shared.deinitialize(count: 1)
      unsafe shared.deallocate()
    }
    let steps = unsafe steps.steps
    for index in steps.indices {
      unsafe steps[index].kernel.release()
      guard let table = unsafe steps[index].pulled else { continue }
      for input in 0..<(unsafe steps[index].inputCount) { unsafe table[input]?.release() }
      unsafe table.deallocate()
    }
    for index in unsafe observers.indices { unsafe observers[index].release() }
    unsafe steps.deallocate()
    unsafe observers.deallocate()
    unsafe indices.deallocate()
    unsafe buses.deallocate()
    unsafe channels.deallocate()
    unsafe ownChannels.deallocate()
    unsafe contents.deallocate()
    unsafe samples.deallocate()
  }

  /// Runs every row once, between two notifications of the observers. The first failure ends the
  /// slice and is returned.
  @_noLocks
  public func render(frameCount: Int, at timeStamp: TimeStamp) -> Status {
    guard frameCount > 0 else { return .ok }
    guard frameCount <= maximumFramesPerSlice else { return .tooManyFramesToProcess }
    beginSlice(frameCount: frameCount, at: timeStamp)
    let status = renderPiece(frameCount: frameCount, at: timeStamp)
    endSlice(status, frameCount: frameCount, at: timeStamp)
    return status
  }

  /// Notifies the observers of a slice, which is then rendered in one or more pieces.
  @_noLocks
  public func beginSlice(frameCount: Int, at timeStamp: TimeStamp) {
    notify(.preRender, frameCount: frameCount, at: timeStamp)
  }

  /// Notifies the observers of the end of a slice; with an error flag where `status` is a failure.
  @_noLocks
  public func endSlice(_ status: Status, frameCount: Int, at timeStamp: TimeStamp) {
    let flags = status == .ok ? RenderActionFlags.postRender : RenderActionFlags(rawValue: 8 | 256)
    notify(flags, frameCount: frameCount, at: timeStamp)
  }

  /// Runs every row once for a piece of a slice, without a notification. The first failure ends the
  /// piece and is returned.
  ///
  /// - Parameter crew: The helpers, for a plan made for several threads; `nil` for none.
  @_noLocks
  public func renderPiece(
    frameCount: Int, at timeStamp: TimeStamp, crew: Unmanaged<RenderCrew>?
  ) -> Status {
    guard frameCount > 0 else { return .ok }
    guard frameCount <= maximumFramesPerSlice else { return .tooManyFramesToProcess }
    if let shared = unsafe shared, let crew = unsafe crew {
      unsafe shared.pointee.begin(frameCount: frameCount, at: timeStamp)
      return unsafe crew._withUnsafeGuaranteedRef { unsafe $0.render(shared) }
    }
    for index in 0..<(unsafe steps.steps.count) {
      let status = unsafe steps.render(
        index, frameCount: frameCount, at: timeStamp, sharing: MixSharing(nil))
      guard status == .ok else { return status }
    }
    return .ok
  }

  /// Renders a piece with this thread alone.
  @_noLocks
  public func renderPiece(frameCount: Int, at timeStamp: TimeStamp) -> Status {
    unsafe renderPiece(frameCount: frameCount, at: timeStamp, crew: nil)
  }

  @_noLocks
  private func notify(_ flags: RenderActionFlags, frameCount: Int, at timeStamp: TimeStamp) {
    for index in 0..<(unsafe observers.count) {
      unsafe Self.tell(observers[index], flags, frameCount, timeStamp)
    }
  }

  // The client's code, which must keep the render thread's rules.
  @_semantics("no_performance_analysis")
  private static func tell(
    _ observer: Unmanaged<RenderObserver>, _ flags: RenderActionFlags, _ frameCount: Int,
    _ timeStamp: TimeStamp
  ) {
    unsafe observer._withUnsafeGuaranteedRef { $0.notify(flags, timeStamp, frameCount) }
  }

  /// A bus, for the host to fill before a slice or to read after it.
  @_noLocks
  public func bus(_ index: Int, frameCount: Int) -> RenderBus {
    precondition(
      index >= 0 && index < (unsafe buses.count) && frameCount <= maximumFramesPerSlice,
      "no such bus")
    return unsafe RenderBus(
      row: UnsafePointer(buses.baseAddress.unsafelyUnwrapped + index), frameCount: frameCount)
  }
}
