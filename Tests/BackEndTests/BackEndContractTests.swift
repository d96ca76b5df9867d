import AudioTypes
import Glibc
import PipeIO
import PulseIO
import RenderCore
import RenderHost
import TestSupport
import Testing

/// A device for a session, and a way to break it.
final class TestBench {
  enum Kind: CaseIterable { case pulse, paced, pipes }

  /// The kinds that this machine has.
  static let kinds = Kind.allCases.filter { $0 != .pulse || PrivatePulse.isInstalled }

  let hardware: any AudioHardware
  private let harm: () -> Void

  init(_ kind: Kind) throws {
    switch kind {
    case .pulse:
      let server = try PrivatePulse()
      hardware = try PulseBackEnd(address: server.address).open(
        HardwareRequest(preferredSampleRate: 48_000, preferredIOBufferDuration: 0.01))
      harm = { server.kill() }
    case .paced:
      let flag = TestFlag()
      hardware = PacedHost(
        HardwareGrant(
          outputFormat: StreamFormat(
            .float32, channels: 2, sampleRate: 48_000, interleaved: true),
          inputFormat: StreamFormat(
            .float32, channels: 1, sampleRate: 48_000, interleaved: true), ioBufferFrames: 512),
        speed: 4
      ) { (_, _) throws(ServiceError) in
        if flag.isSet { throw ServiceError("unplugged") }
      }
      harm = { flag.set() }
    case .pipes:
      let pipe = try TestFIFO()
      let drain = try Drain(pipe)
      hardware = try PipeBackEnd().open(
        HardwareRequest(
          preferredSampleRate: 48_000, preferredIOBufferDuration: 0.01, sinkName: pipe.path))
      harm = { drain.end() }
    }
  }

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

  @Test(arguments: TestBench.kinds)
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
    for backEnd in [PulseBackEnd(address: "unix:/nowhere"), PipeBackEnd()] as [any AudioBackEnd] {
      #expect(!backEnd.name.isEmpty && backEnd.summary.hasSuffix("."))
      #expect(throws: HardwareError.self) {
        try backEnd.open(HardwareRequest(sinkName: "/nowhere/at/all"))
      }
    }
    #expect(PipeBackEnd().devices().map(\.name) == ["-", "-"])
    #expect(try PipeBackEnd().server() == nil)
  }
}
