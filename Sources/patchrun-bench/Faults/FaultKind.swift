import Foundation
import TestSupport

/// A fault of the device that must not end a run, and its expected effects.
struct FaultKind: Sendable {
  var name: String
  var setup = FaultRig.Setup()
  /// The sinks to record.
  var sinks = ["out", "other"]
  /// Causes the fault. Returns the time of its end on the clock of `now()`; `nil` if it is
  /// permanent.
  var inject: @Sendable (FaultRig) throws -> Double?
  /// Whether the fault is expected to interrupt the sound.
  var interruptsSound = true
  /// The longest tolerated interruption in seconds: the jitter of the recorder, or the time of a
  /// restart.
  var tolerance = 0.1
  /// The expected exit status; 4 if frames were never written.
  var status: Int32 = 0

  /// The duration of a fault in seconds.
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
      // A recorder whose sink has gone may have moved to another sink. It takes 0.3 s to restart on
      // a busy machine, so it is restarted only if necessary.
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

  /// All faults for a kind of server.
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
        }, interruptsSound: kind == .pulseAudio, tolerance: 0.5),
      FaultKind(
        name: "source gone, back",
        setup: .init(
          sinks: [out, .init("mic")], arguments: ["--source", "mic.monitor"], hasInput: true),
        inject: pausing(
          { try $0.server.remove("mic") }, undone: { try $0.server.add(.init("mic")) }),
        interruptsSound: false),
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
          { try $0.server.remove("out") },
          undone: { try $0.server.add(.init("out", channels: 6, channelMap: "surround-51")) })
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
          // 512 KiB hold 1.4 s of the recording.
          sleep(3)
          try rig.makeRoom()
          let made = now()
          // The run checks for room once a second.
          sleep(2)
          return made
        }, interruptsSound: false, status: 4),
    ]
  }
}
