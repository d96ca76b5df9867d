import Foundation
import TestSupport
import Testing

/// Patches that name their devices, on a private server.
@Suite(
  .serialized, .enabled(if: PrivatePulse.isInstalled, "pulseaudio and parec are not installed"))
struct DeviceNameTests {
  let place: Workplace
  let server: PrivatePulse

  init() throws {
    server = try PrivatePulse([.init("first"), .init("second"), .init("third")])
    place = try Workplace(on: server)
  }

  /// Writes a patch with a constant on the I/O unit, and its device.
  private func write(_ name: String, level: Double, device: String) throws {
    try place.write(
      """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
        "callbacks": { "level": { "kind": "expression", "value": "\(level)" } },
        "nodes": { "io": { "component": "remoteIO", "device": \(device) } },
        "connections": [ { "from": "level", "to": "io" } ]
      }
      """, to: name)
  }

  @Test func `two patches play on the sinks that they name, whatever the default is`() throws {
    try write("a.json", level: 0.25, device: #"{ "sink": "sec*" }"#)
    try write(
      "b.json", level: 0.5,
      device: #"{ "sink": { "name": "th*", "driver": "*e*" } }"#)
    let recordings = try [
      server.record("first.monitor"), server.record("second.monitor"),
      server.record("third.monitor"),
    ]
    let runs = try ["a.json", "b.json"].map { try place.start([$0]) }
    for (run, sink) in zip(runs, ["second", "third"]) {
      #expect(run.waitForErrors("sink \(sink) (2 ch)"), "\(run.errorsSoFar)")
      #expect(run.waitForErrors(" Hz, slice "))
    }
    usleep(700_000)
    let heard = try recordings.map { try $0.stop() }
    for run in runs {
      run.process.signal(SIGINT)
      #expect(try run.wait().status == 0)
    }
    #expect(heard[0].allSatisfy { $0 == 0 })
    // No other patch plays on the sink.
    for (samples, level) in [(heard[1], Float(0.25)), (heard[2], 0.5)] {
      #expect(samples.contains(level))
      #expect(samples.allSatisfy { $0 <= level })
    }
  }

  @Test func `an option names the sink before the patch does`() throws {
    try write("a.json", level: 0.25, device: #"{ "sink": "second" }"#)
    let run = try place.start(["a.json", "--sink", "third", "--duration", "0.2"])
    #expect(try run.wait().status == 0)
    #expect(run.errorsSoFar.contains("sink third (2 ch)"), "\(run.errorsSoFar)")
  }

  @Test func `a device that is not there is said with what was looked for`() throws {
    try write(
      "a.json", level: 0.25, device: #"{ "sink": { "description": "*Scarlett*" } }"#)
    let outcome = try place.run("a.json", "--wait-device=0")
    #expect(outcome.status == 3)
    #expect(
      outcome.errors.contains("there is no sink whose description is like '*Scarlett*'"),
      "\(outcome.errors)")
    #expect(outcome.errors.contains("description of those there are: "), "\(outcome.errors)")
    // A render does not need the device.
    let rendered = try place.run("render", "a.json", "--duration", "0.1", "-o", "a.wav")
    #expect(rendered.status == 0)
    #expect(!rendered.errors.contains("Scarlett"))
  }

  @Test func `the devices are listed with what a patch may name them by`() throws {
    let list = try place.run("devices", "--json").output
    #expect(list.contains(#""driver": "#))
    #expect(list.contains(#""name": "second""#))
  }
}
