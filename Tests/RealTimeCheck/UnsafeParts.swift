import AudioGraphs
import AudioTypes
import AudioUnits
import Foundation
import RenderCallbacks
import RenderCore
import RenderHost
import RenderTaps
import Synchronization

// Parts of graphs that break the rules of the render thread, each in another way. The names of
// their functions and kernels are what `.ci/realtime` looks for in the reports. They are at the top
// level: Swift's mangled names abbreviate a word that occurs again.

/// Not private: the compiler removes what only this file can see and never reads, and with it the
/// allocation.
let lastAddress = Atomic<UInt>(0)

/// A callback that allocates memory on the render thread.
private func makeUnsafeCallback() -> ClosureCallback {
  ClosureCallback { _, _, _, frameCount, _ in
    let memory = unsafe malloc(frameCount)
    lastAddress.store(UInt(bitPattern: memory), ordering: .relaxed)
    unsafe free(memory)
    return .ok
  }
}

/// A unit that takes a lock on the render thread.
private enum UnsafeUnit: EffectUnit {
  static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "lock", manufacturer: "test"),
    name: "UnsafeUnit", constant: "kTestUnitSubType_UnsafeUnit", summary: "Takes a lock.",
    properties: EffectProperties.common, formatNotes: EffectProperties.formatNotes)

  static func tailTime(of settings: EffectSettings) -> Double { 0 }

  static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    UnitKernels(main: .holding(UnsafeUnitKernel()))
  }
}

private struct UnsafeUnitKernel: RenderKernel {
  private let lock = NSLock()

  // Without `@_noLocks`, with which the compiler refuses it.
  @inline(never)
  mutating func render(_ context: RenderContext) -> Status {
    lock.lock()
    context.output(0).silence()
    lock.unlock()
    return .ok
  }
}

/// A tap that makes a system call on the render thread.
private struct UnsafeTap: RenderTap {
  func problems(for format: StreamFormat) -> [CallbackProblem] { [] }

  func makeSink(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSink {
    RenderSink(kernel: .holding(UnsafeTapKernel()))
  }
}

private struct UnsafeTapKernel: RenderKernel {
  // Without `@_noLocks`, with which the compiler refuses it.
  @inline(never)
  mutating func render(_ context: RenderContext) -> Status {
    usleep(1)
    return .ok
  }
}

/// Renders a graph with an unsafe part: a `callback`, a `unit` or a `tap`.
func runUnsafe(_ kind: String) {
  let grant = HardwareGrant(
    outputFormat: StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true),
    inputFormat: nil, ioBufferFrames: 64)
  let graph = AudioGraph(
    assuming: grant, catalog: UnitCatalog(UnitCatalog.standard.units + [UnsafeUnit.self]))
  do {
    let format = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    let component =
      kind == "unit" ? UnsafeUnit.description.component : SampleDelay.description.component
    let effect = try graph.addNode(component)
    let io = try graph.addNode(RemoteIO.description.component)
    try graph.connect(effect, to: io)
    try graph.open()
    graph.defaultStreamFormat = format
    let unit = try graph.unit(effect)
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(format))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(format))
    if kind == "callback" {
      try graph.setInputCallback(makeUnsafeCallback(), of: effect)
    } else {
      try graph.setInputCallback(NoiseCallback(), of: effect)
    }
    if kind == "tap" { try graph.addTap(UnsafeTap(), at: effect) }
    try graph.initialize()
  } catch { fail("\(error)") }
  guard let session = graph.session else { return }
  _ = OfflineDevice(grant).run(session, frameCount: 64)
}
