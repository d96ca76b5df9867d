import AudioTypes

/// The rows of a plan in the form that renders: flat tables of pointers.
@safe
struct PlanSteps {
  @safe
  struct Step {
    let kernel: Unmanaged<KernelBox>
    let firstIndex: Int
    let inputCount: Int
    let outputCount: Int
    /// An entry for each input; `nil` where the kernel pulls no input.
    let pulled: UnsafeMutablePointer<Unmanaged<PulledInput>?>?
    /// Whether an output bus is also an input: its mark of silence is then kept.
    let isInPlace: Bool
    /// Whether the kernel may have lent memory to its outputs in the last slice.
    let lends: Bool
    let failure: Unmanaged<RenderFailure>?
    let element: Int
  }

  let steps: UnsafeMutableBufferPointer<Step>
  /// The buses of all steps, in order: for each step its inputs, then its outputs.
  let indices: UnsafePointer<Int32>
  let buses: UnsafePointer<RenderBus.Row>
  let contents: UnsafeMutablePointer<BusContent>

  init(
    steps: UnsafeMutableBufferPointer<Step>, indices: UnsafePointer<Int32>,
    buses: UnsafePointer<RenderBus.Row>, contents: UnsafeMutablePointer<BusContent>
  ) {
    unsafe self.steps = steps
    unsafe self.indices = indices
    unsafe self.buses = buses
    unsafe self.contents = contents
  }

  /// Runs one row.
  ///
  /// - Parameter mix: The helpers, where several threads render.
  @_noLocks
  func render(
    _ index: Int, frameCount: Int, at timeStamp: TimeStamp, sharing mix: MixSharing
  ) -> Status {
    let step = unsafe steps.baseAddress.unsafelyUnwrapped + index
    let inputCount = unsafe step.pointee.inputCount
    let outputCount = unsafe step.pointee.outputCount
    let first = unsafe indices + step.pointee.firstIndex
    if unsafe step.pointee.isInPlace {
      for output in inputCount..<(inputCount + outputCount) {
        let bus = unsafe first[output]
        var isInput = false
        for input in 0..<inputCount where unsafe first[input] == bus { isInput = true }
        if isInput {
          unsafe contents[Int(bus)].largest = BusContent.notFound
        } else {
          unsafe contents[Int(bus)] = .unknown
        }
      }
    } else {
      for output in inputCount..<(inputCount + outputCount) {
        unsafe contents[Int(first[output])] = .unknown
      }
    }
    if unsafe step.pointee.lends {
      // Before the kernel writes anything: the memory that it has lent is read by others.
      for output in inputCount..<(inputCount + outputCount) {
        unsafe buses[Int(first[output])].endLoan()
      }
    }
    let context = unsafe RenderContext(
      timeStamp: timeStamp, frameCount: frameCount, inputCount: inputCount,
      outputCount: outputCount, element: step.pointee.element, buses: buses, indices: first,
      pulled: step.pointee.pulled, mix: mix)
    let status = unsafe Self.render(step.pointee.kernel, context)
    guard status != .ok else { return status }
    if let failure = unsafe step.pointee.failure {
      unsafe failure._withUnsafeGuaranteedRef { $0.note(status) }
    }
    return status
  }

  // The checker is switched off here, because it cannot follow a vtable into a generic body. It
  // checks every kernel by the `@_noLocks` on its `render`.
  @_semantics("no_performance_analysis")
  private static func render(_ kernel: Unmanaged<KernelBox>, _ context: RenderContext) -> Status {
    unsafe kernel._withUnsafeGuaranteedRef { $0.render(context) }
  }
}
