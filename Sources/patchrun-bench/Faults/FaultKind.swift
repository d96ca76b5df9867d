import Foundation
import TestSupport

/// What may happen to the device of a run that nothing ends, and what has to come of it.
struct FaultKind: Sendable {
  var name: String
  var setup = FaultRig.Setup()
  /// The sinks that are heard.
  var sinks = ["out", "other"]
  /// Does the harm. Returns when it was undone, on the clock of `now()`; `nil` where it stays.
  var inject: @Sendable (FaultRig) throws -> Double?
  /// Whether what is heard is interrupted meanwhile: else it must not be.
  var isHeard = true
  /// How long it may be unheard where it must not be, in seconds: a recorder's raggedness, or as long as it
  /// takes to begin again.
  var tolerance = 0.1
  /// What the run ends with. Frames that were never written are 4.
  var status: Int32 = 0

  /// How long harm lasts, in seconds.
  private static let pause = 1.5

  private static func pausing(
    _ harm: @escaping @Sendable (FaultRig) throws -> Void,
    undone undo: @escaping @Sendable (FaultRig) throws -> Void
  ) -> @Sendable (FaultRig) throws -> Double? {
    { rig in
      try harm(rig)
      usleep(UInt32(pause * 1e6))
      try undo(rig)
      let undone = now()
      // A recorder whose sink has gone may be at another one's. To begin again takes it a third of a second
      // on a busy machine: only where it is needed.
      if rig.setup.sinks.count > 1, !rig.setup.hasInput { rig.listener.renew() }
      return undone
    }
  }

  private static func hanging(seconds: UInt32) -> FaultKind {
    FaultKind(
      name: "server hangs for \(seconds) s",
      inject: { rig in
        rig.server.signal(SIGSTOP)
        sleep(seconds)
        rig.server.signal(SIGCONT)
        return now()
      })
  }

  /// Every one, on a server of a kind.
  static func all(on kind: PrivatePulse.Kind) -> [FaultKind] {
    let out = PrivatePulse.Sink("out")
    let two = FaultRig.Setup(sinks: [out, .init("other")])
    let back = { @Sendable (rig: FaultRig) in try rig.server.add(out) }
    return [
      FaultKind(
        name: "server killed, started again",
        inject: pausing({ $0.server.kill() }, undone: { try $0.server.start([out]) })),
      hanging(seconds: 3),
      hanging(seconds: 12),
      FaultKind(
        name: "last sink gone, back", inject: pausing({ try $0.server.remove("out") }, undone: back)
      ),
      FaultKind(
        name: "sink gone, another there", setup: two,
        inject: { rig in
          try rig.server.remove("out")
          return now()
        }),
      FaultKind(
        name: "named sink gone, back, another there",
        setup: .init(sinks: [out, .init("other")], arguments: ["--sink", "out"]),
        inject: pausing({ try $0.server.remove("out") }, undone: back)),
      FaultKind(
        name: "sink suspended for 4 s",
        inject: { rig in
          try rig.server.control("suspend-sink", "out", "1")
          rig.listener.renew()
          sleep(4)
          try rig.server.control("suspend-sink", "out", "0")
          return now()
        }, isHeard: kind == .pulseAudio, tolerance: 0.5),
      FaultKind(
        name: "source gone, back",
        setup: .init(
          sinks: [out, .init("mic")], arguments: ["--source", "mic.monitor"], hasInput: true),
        inject: pausing(
          { try $0.server.remove("mic") }, undone: { try $0.server.add(.init("mic")) }),
        isHeard: false),
      FaultKind(
        name: "another sink becomes the default", setup: two,
        inject: { rig in
          try rig.server.control("set-default-sink", "other")
          return now()
        }),
      FaultKind(
        name: "sink gone, back at 44,100 Hz",
        inject: pausing(
          { try $0.server.remove("out") },
          undone: { try $0.server.add(.init("out", sampleRate: 44_100)) })),
      FaultKind(
        name: "sink gone, back with 1 channel",
        inject: pausing(
          { try $0.server.remove("out") }, undone: { try $0.server.add(.init("out", channels: 1)) })
      ),
      FaultKind(
        name: "sink gone, back with 6 channels",
        inject: pausing(
          { try $0.server.remove("out") }, undone: { try $0.server.add(.init("out", channels: 6)) })
      ),
      FaultKind(
        name: "no sink at the start", setup: .init(sinks: []),
        inject: pausing({ _ in }, undone: back)),
      FaultKind(
        name: "no server at the start", setup: .init(sinks: [], isServerThere: false),
        inject: pausing({ _ in }, undone: { try $0.server.start([out]) })),
      FaultKind(
        name: "disk full, with room again after 3 s", setup: .init(hasSmallDisk: true),
        inject: { rig in
          // 512 KiB are 1.4 s of the recording, of which one has been.
          sleep(3)
          try rig.makeRoom()
          let made = now()
          // Room is looked for once a second.
          sleep(2)
          return made
        }, isHeard: false, status: 4),
    ]
  }
}
