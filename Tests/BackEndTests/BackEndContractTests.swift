import AudioTypes
import Glibc
import PulseIO
import RenderCore
import RenderHost
import TestSupport
import Testing

@testable import BackEnds

/// A device for a session, and a way to break it.
final class TestBench {
  /// A kind of device: one that a back end opens, or hardware of `RenderHost`.
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The back end, for what it says of itself; `nil` for hardware without one.
    var backEnd: (any AudioBackEnd)?
    /// Whether this machine has it.
    var isInstalled = true
    /// Whether something can end its run. Nothing takes a clock away.
    var canBreak = true
    /// Opens it; the second part breaks it.
    let open: @Sendable () throws -> (any AudioHardware, () -> Void)
  }

  /// Every kind; what is no back end is `RenderHost`'s.
  static let all: [Kind] = [pulse, paced, clock, pipes]
  /// The kinds that this machine has.
  static let kinds = all.filter(\.isInstalled)
  /// Those whose run something can end.
  static let breakable = kinds.filter(\.canBreak)

  /// What is asked of each back end.
  private static let request = HardwareRequest(
    preferredSampleRate: 48_000, preferredIOBufferDuration: 0.01)
  private static let stereo = StreamFormat(
    .float32, channels: 2, sampleRate: 48_000, interleaved: true)

  private static let pulse = Kind(
    testDescription: "pulse", backEnd: PulseBackEnd(address: "unix:/nowhere"),
    isInstalled: PrivatePulse.isInstalled
  ) {
    let server = try PrivatePulse()
    return (try PulseBackEnd(address: server.address).open(request), { server.kill() })
  }

  private static let paced = Kind(testDescription: "paced") {
    let flag = TestFlag()
    let mono = StreamFormat(.float32, channels: 1, sampleRate: 48_000, interleaved: true)
    let host = PacedHost(
      HardwareGrant(outputFormat: stereo, inputFormat: mono, ioBufferFrames: 512), speed: 4
    ) { (_, _) throws(ServiceError) in
      if flag.isSet { throw ServiceError("unplugged") }
    }
    return (host, { flag.set() })
  }

  private static let clock = Kind(testDescription: "clock", canBreak: false) {
    let grant = HardwareGrant(outputFormat: stereo, inputFormat: nil, ioBufferFrames: 512)
    return (PacedHost(grant, speed: 4), {})
  }

  private static let pipes = Kind(testDescription: "pipes", backEnd: PipeBackEnd()) {
    let pipe = try TestFIFO()
    let drain = try Drain(pipe)
    var toPipe = request
    toPipe.sinkName = pipe.path
    return (try PipeBackEnd().open(toPipe), { drain.end() })
  }

  let hardware: any AudioHardware
  private let harm: () -> Void

  init(_ kind: Kind) throws { (hardware, harm) = try kind.open() }

  func session() -> RenderSession {
    let session = RenderSession(
      .init(
        client: .float32, device: hardware.grant.outputFormat, channelMap: [0, 1],
        sampleRate: hardware.grant.sampleRate))
    session.play(
      RenderPlan(
        rows: [
          .init(kernel: .holding(NumberingKernel()), inputs: [], outputs: [RenderPlan.clientBus])
        ], busChannelCounts: [2], maximumFramesPerSlice: 4096))
    return session
  }

  /// Makes the device go away.
  func breakDevice() { harm() }
}

/// The contract of all devices, checked by the same tests.
@Suite(.serialized)
struct BackEndContractTests {
  @Test(arguments: TestBench.kinds)
  func `what is granted is known before the start`(kind: TestBench.Kind) throws {
    let bench = try TestBench(kind)
    let grant = bench.hardware.grant
    #expect(grant.outputFormat?.channelCount == 2)
    #expect(grant.outputFormat?.isInterleaved == true)
    #expect(grant.outputFormat?.sampleType != nil)
    #expect(grant.sampleRate == 48_000)
    #expect(grant.ioBufferFrames == 512)
    #expect(bench.hardware.failure == nil)
  }

  @Test(arguments: TestBench.kinds)
  func `slices come from the start on, and none after stop`(kind: TestBench.Kind) throws {
    let bench = try TestBench(kind)
    let session = bench.session()
    try bench.hardware.start(session)
    #expect(eventually { session.renderedFrames > 10_000 })
    bench.hardware.stop()
    let slices = session.sliceCount
    usleep(50_000)
    #expect(session.sliceCount == slices)
    #expect(session.failedSlices.count == 0)
    #expect(bench.hardware.failure == nil)
    // Stopping again has no effect.
    bench.hardware.stop()
  }

  @Test(arguments: TestBench.kinds)
  func `it goes on where it is started again`(kind: TestBench.Kind) throws {
    let bench = try TestBench(kind)
    let session = bench.session()
    for _ in 0..<3 {
      let before = session.sliceCount
      try bench.hardware.start(session)
      #expect(eventually { session.sliceCount > before })
      bench.hardware.stop()
    }
    #expect(bench.hardware.failure == nil)
  }

  @Test(arguments: TestBench.breakable)
  func `what ends the pulls is its failure, and stop still returns`(kind: TestBench.Kind) throws {
    let bench = try TestBench(kind)
    let session = bench.session()
    try bench.hardware.start(session)
    #expect(eventually { session.sliceCount > 2 })
    bench.breakDevice()
    #expect(eventually { bench.hardware.failure != nil })
    #expect([.deviceLost, .connectionLost].contains(bench.hardware.failure?.code))
    #expect(bench.hardware.failure?.message.isEmpty == false)
    let slices = session.sliceCount
    usleep(50_000)
    #expect(session.sliceCount == slices)
    bench.hardware.stop()
  }

  @Test(arguments: TestBench.kinds)
  func `a device that is let go pulls no more`(kind: TestBench.Kind) throws {
    var bench: TestBench? = try TestBench(kind)
    let session = try #require(bench).session()
    try bench?.hardware.start(session)
    #expect(eventually { session.sliceCount > 2 })
    bench = nil
    let slices = session.sliceCount
    usleep(50_000)
    #expect(session.sliceCount == slices)
  }

  @Test
  func `each says what it is called, what it has, and what it cannot open`() throws {
    let backEnds = TestBench.all.compactMap(\.backEnd)
    #expect(Set(backEnds.map(\.name)).count == backEnds.count && backEnds.count >= 2)
    for backEnd in backEnds {
      #expect(!backEnd.name.isEmpty && backEnd.summary.hasSuffix("."))
      #expect(throws: HardwareError.self) {
        try backEnd.open(HardwareRequest(sinkName: "/nowhere/at/all"))
      }
    }
    #expect(PipeBackEnd().devices().map(\.name) == ["-", "-"])
    #expect(try PipeBackEnd().server() == nil)
  }
}
