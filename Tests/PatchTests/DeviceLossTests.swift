import Foundation
import SoundFiles
import TestSupport
import Testing

/// Servers and devices that disappear while a patch plays, and come back.
///
/// `PATCHRUN_FAULTS=100 swift test --filter DeviceLossTests` injects each fault 100 times in a row
/// instead of 3 times.
@Suite(
  .serialized, .enabled(if: PrivatePulse.isInstalled, "the sound server is not installed"))
struct DeviceLossTests {
  static let repeats =
    ProcessInfo.processInfo.environment["PATCHRUN_FAULTS"].flatMap { Int($0) } ?? 3

  let place: Workplace
  let server: PrivatePulse

  init() throws {
    server = try PrivatePulse([.init("out")])
    place = try Workplace(on: server)
  }

  /// A recorded tone, and decisions of the session.
  private func tone(_ decisions: String = "") -> String {
    TestPatch.noise(taps: TestPatch.recording)
      .replacingOccurrences(
        of: #"{ "kind": "noise", "seed": 7 }"#, with: #"{ "kind": "tone", "frequency": 440 }"#
      )
      .replacingOccurrences(
        of: "\"preferredSampleRate\"", with: decisions + "\"preferredSampleRate\"")
  }

  private func start(_ decisions: String = "", _ options: String...) throws -> Workplace.Running {
    try place.write(tone(decisions), to: "tone.json")
    let run = try place.start(["tone.json"] + options)
    #expect(run.waitForErrors(" Hz, slice "), "\(run.errorsSoFar)")
    return run
  }

  private func count(_ text: String, in run: Workplace.Running) -> Int {
    run.errorsSoFar.components(separatedBy: text).count - 1
  }

  /// Waits until standard error contains a text a number of times.
  private func wait(_ run: Workplace.Running, _ text: String, times: Int) -> Bool {
    for _ in 0..<2000 {
      if count(text, in: run) >= times { return true }
      guard run.process.isRunning else { return false }
      usleep(5000)
    }
    return false
  }

  private func seconds(of file: String) throws -> Double {
    let reader = try SoundFileReader(path: place.path(file))
    return Double(reader.frameCount) / reader.sampleRate
  }

  /// The faults to inject.
  enum Fault: String, CaseIterable, Sendable {
    case serverKilled, sinkRemoved, sinkSuspended, serverStopped

    /// Whether the server reports it. PipeWire continues to play when a sink is "suspended".
    var isTold: Bool { self != .sinkSuspended || PrivatePulse.Kind.chosen == .pulseAudio }
  }

  private func inject(_ fault: Fault) throws {
    switch fault {
    case .serverKilled: server.kill()
    case .sinkRemoved: try server.remove("out")
    case .sinkSuspended: try server.control("suspend-sink", "out", "1")
    case .serverStopped: server.signal(SIGSTOP)
    }
  }

  private func heal(_ fault: Fault) throws {
    switch fault {
    case .serverKilled: try server.start([.init("out")])
    case .sinkRemoved: try server.add(.init("out"))
    case .sinkSuspended: try server.control("suspend-sink", "out", "0")
    case .serverStopped: server.signal(SIGCONT)
    }
  }

  @Test(
    .enabled(if: PrivatePulse.Kind.chosen == .pipeWire, "PulseAudio has no session manager"))
  func `no stream is left behind that the server makes too late`() throws {
    let run = try start()
    server.endSessionManager()
    try server.remove("out")
    try server.add(.init("out"))
    #expect(
      wait(run, "the patch goes on unheard until it is there", times: 1), "\(run.errorsSoFar)")
    // Longer than the program waits for a stream.
    usleep(8_000_000)
    try server.startSessionManager()
    #expect(wait(run, "the sink 'out' is there, after ", times: 1), "\(run.errorsSoFar)")
    let recording = try server.record()
    #expect(try recording.stop().contains { abs($0) > 0.1 }, "nothing is heard")
    #expect(try server.control("list", "short", "sink-inputs").split(separator: "\n").count == 1)
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
  }

  @Test(arguments: Fault.allCases.filter(\.isTold))
  func `a run outlives a loss again and again, and its recording is as long as the clock`(
    _ fault: Fault
  ) throws {
    let run = try start()
    let begin = Date()
    for round in 1...Self.repeats {
      usleep(300_000)
      try inject(fault)
      #expect(
        wait(run, "the patch goes on unheard until it is there", times: round),
        "\(run.errorsSoFar)")
      usleep(300_000)
      try heal(fault)
      let healed = Date()
      #expect(
        wait(run, "the sink 'out' is there, after ", times: round), "\(run.errorsSoFar)")
      // A second, plus the delay of a busy machine.
      #expect(Date().timeIntervalSince(healed) < 3)
      let recording = try server.record()
      #expect(try recording.stop().contains { abs($0) > 0.1 }, "nothing is heard in round \(round)")
    }
    run.process.signal(SIGINT)
    let outcome = try run.wait()
    let passed = Date().timeIntervalSince(begin)
    #expect(outcome.status == 0, "\(outcome.errors)")
    // The lines of the file list what is missing. A server that hangs is noticed late.
    let missing = outcome.errors.split(separator: "\n")
      .filter { $0.hasPrefix("  'rec.wav': ") }
      .compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Double($0) } }
    let length = try seconds(of: "rec.wav") + missing.reduce(0, +)
    // Up to a third of a second of each stop is too short to be reported.
    #expect(abs(length - passed) < 1 + 0.35 * Double(Self.repeats), "\(length) of \(passed) s")
    if fault != .serverStopped { #expect(missing.isEmpty, "\(outcome.errors)") }
  }

  @Test func `a run begins when there is a server, and when there is a sink`() throws {
    server.kill()
    try place.write(tone(), to: "tone.json")
    let run = try place.start(["tone.json"])
    #expect(
      run.waitForErrors("(Connection refused): the patch waits for it\n"), "\(run.errorsSoFar)")
    try server.start([])
    #expect(
      run.waitForErrors("warning: the sound server has no sink"), "\(run.errorsSoFar)")
    try server.add(.init("out"))
    #expect(run.waitForErrors("sink out (2 ch)"), "\(run.errorsSoFar)")
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
  }

  @Test func `a patch that is changed before there is a device begins as it was changed`() throws {
    server.kill()
    try place.write(tone(), to: "tone.json")
    let run = try place.start(["tone.json", "--watch"])
    #expect(run.waitForErrors(": the patch waits for it\n"), "\(run.errorsSoFar)")
    try place.write("{", to: "tone.json")
    #expect(run.waitForErrors("note: the patch stays as it was\n"), "\(run.errorsSoFar)")
    try place.write(TestPatch.noise(), to: "tone.json")
    #expect(run.waitForErrors("note: the patch was read again\n"), "\(run.errorsSoFar)")
    try server.start([.init("out")])
    #expect(run.waitForErrors("sink out (2 ch)"), "\(run.errorsSoFar)")
    #expect(try place.run("ctl", "get").output.contains("\"noise\""))
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
  }

  @Test func `a patch that is changed while its device is lost is heard as it was changed`() throws
  {
    let run = try start("", "--watch")
    try server.remove("out")
    #expect(run.waitForErrors("goes on unheard"), "\(run.errorsSoFar)")
    try place.write("{", to: "tone.json")
    #expect(run.waitForErrors("note: the patch plays on as it was\n"), "\(run.errorsSoFar)")
    let lower = tone().replacingOccurrences(of: "\"frequency\": 440", with: "\"frequency\": 220")
    try place.write(lower, to: "tone.json")
    #expect(run.waitForErrors("from 440 to 220"), "\(run.errorsSoFar)")
    #expect(try place.run("ctl", "get", "/callbacks").output.contains("220"))
    #expect(try place.run("ctl", "status").output.contains(": waiting, "))
    // A patch that needs a restart waits with its new session.
    try place.write(
      lower.replacing("Duration\": 0.02", with: "Duration\": 0.005"), to: "tone.json")
    #expect(run.waitForErrors("the sound server has no sink"), "\(run.errorsSoFar)")
    try server.add(.init("out"))
    #expect(run.waitForErrors("slice 256 frames"), "\(run.errorsSoFar)")
    let heard = try server.record().stop()
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
    // The left channel has 220 upward zero crossings per second.
    let left = stride(from: 0, to: heard.count, by: 2).map { heard[$0] }.drop { $0 == 0 }
    let crossings = zip(left, left.dropFirst()).count { $0 < 0 && $1 >= 0 }
    let seconds = Double(left.count) / 48_000
    #expect(
      seconds > 0.1 && abs(Double(crossings) / seconds - 220) < 15, "\(crossings) in \(seconds)")
  }

  @Test func `a device is waited for as long as it may be`() throws {
    let run = try start(#""deviceWait": 0.7, "#)
    try server.remove("out")
    #expect(run.waitForErrors(", for 0.7 s at the most\n"))
    let outcome = try run.wait()
    #expect(outcome.status == 4)
    #expect(
      outcome.errors.contains("and was not there again within 0.7 s\n"), "\(outcome.errors)")
    let none = try place.run("tone.json", "--wait-device=0.2")
    #expect(none.status == 3 && none.errors.contains(", for 0.2 s at the most\n"))
    let refused = try place.run("tone.json", "--wait-device=0")
    #expect(refused.status == 3 && !refused.errors.contains("waits for it"))
    for options in [
      ["--wait-device=0", "--duration", "1"], ["--wait-device", "0", "--duration", "1"],
      ["--duration", "1", "--wait-device=0"], ["--wait-device=0", "-q"],
    ] {
      let first = try place.start(options + ["tone.json"]).wait()
      let last = try place.start(["tone.json"] + options).wait()
      #expect(first.status == 3 && last.status == 3, "\(options): \(first) \(last)")
    }
    for value in ["soon", "-1", ""] {
      let wrong = try place.run("tone.json", "--wait-device=\(value)", "--duration", "1")
      #expect(wrong.status == 2, "\(wrong)")
      #expect(wrong.errors.contains("takes a number of seconds, not '\(value)'"), "\(wrong)")
    }
    // Without a number it waits without limit, and the next argument is the patch.
    let endless = try place.start(["--wait-device", "tone.json"])
    #expect(endless.waitForErrors(": the patch waits for it\n"), "\(endless.errorsSoFar)")
    endless.process.signal(SIGINT)
    #expect(try endless.wait().status == 0)
  }

  @Test func `a limit of the command line holds while it runs, whatever stands behind it`() throws {
    try server.add(.init("other"))
    let run = try start("", "--wait-device=0.5", "--sink", "out")
    try server.remove("out")
    let outcome = try run.wait()
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("and was not there again within 0.5 s\n"), "\(outcome.errors)")
  }

  @Test func `time stands still without a device where the patch says so`() throws {
    let run = try start(#""withoutDevice": "hold", "#)
    usleep(300_000)
    try server.remove("out")
    #expect(run.waitForErrors("the patch stands still until it is there\n"), "\(run.errorsSoFar)")
    usleep(1_500_000)
    #expect(try place.run("ctl", "status", "--json").output.contains("\"waiting\""))
    try server.add(.init("out"))
    #expect(run.waitForErrors("the patch is heard again\n"))
    usleep(300_000)
    run.process.signal(SIGINT)
    let outcome = try run.wait()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains(" s missing at 0:0"), "\(outcome.errors)")
    // No frame is lost or doubled: it is one tone from the beginning to the fade at the end.
    let live = try place.samples("rec.wav")
    try place.run(
      "render", "tone.json", "--hardware", "rate=48000", "--duration",
      "\(Double(live.count) / 96_000 + 0.1)", "-o", "offline.wav")
    #expect(live == Array(try place.samples("offline.wav").prefix(live.count)))
  }

  @Test(
    .enabled(if: PrivatePulse.Kind.chosen == .pulseAudio, "PipeWire suspends no sink that is used"))
  func `what comes back is faded in`() throws {
    let run = try start()
    let recording = try server.record()
    usleep(300_000)
    try server.control("suspend-sink", "out", "1")
    #expect(run.waitForErrors("goes on unheard"))
    try server.control("suspend-sink", "out", "0")
    #expect(run.waitForErrors("is heard again"))
    usleep(300_000)
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
    let heard = try recording.stop()
    let loudest = heard.map(abs).max() ?? 0
    #expect(loudest > 0.1)
    // Where sound begins after at least 20 ms of silence; a busy server may add silences.
    let quiet = 2 * 960
    var silent = 0
    var starts: [Int] = []
    for (index, sample) in heard.enumerated() {
      if sample == 0 {
        silent += 1
      } else {
        if silent > quiet { starts.append(index) }
        silent = 0
      }
    }
    // In the first 5 of 20 ms, the gain is at most a quarter. The tone itself begins at its full
    // level.
    let beginnings = starts.filter { $0 + 480 <= heard.count }.compactMap { start in
      heard[start..<start + 480].map(abs).max()
    }
    let beginning = try #require(beginnings.min())
    #expect(beginning < 0.3 * loudest, "\(beginning) of \(loudest)")
  }

  @Test func `a sink that was asked for is waited for, or left and taken again`() throws {
    try server.add(.init("other"))
    let run = try start("", "--sink", "out")
    try server.remove("out")
    #expect(run.waitForErrors("the sink 'out' is gone: the patch goes on unheard"))
    try server.add(.init("out"))
    #expect(run.waitForErrors("the sink 'out' is there"))
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
    let follower = try start(#""onDeviceLoss": "follow", "#, "--sink", "out")
    try server.remove("out")
    #expect(follower.waitForErrors("note: the sink is now 'other'\n"), "\(follower.errorsSoFar)")
    try server.add(.init("out"))
    #expect(follower.waitForErrors("note: the sink is now 'out'\n"), "\(follower.errorsSoFar)")
    follower.process.signal(SIGINT)
    #expect(try follower.wait().status == 0)
  }

  @Test func `a sink is left by hand without being a loss`() throws {
    try server.add(.init("other"))
    let run = try start("", "--sink", "out")
    let stream = try server.control("list", "short", "sink-inputs").prefix { $0.isNumber }
    try server.control("move-sink-input", String(stream), "other")
    #expect(run.waitForErrors("note: the sink is now 'other'\n"), "\(run.errorsSoFar)")
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
  }

  @Test func `a microphone that goes is not replaced by what the patch plays`() throws {
    try server.add(.init("in"))
    try server.control("set-default-source", "in.monitor")
    let patch = """
      { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
        "session": { "category": "playAndRecord" },
        "nodes": { "io": { "component": "remoteIO",
          "inputs": { "1": { "properties": { "enableIO": true } } } } },
        "connections": [ { "from": "io:1", "to": "io:0" } ] }
      """
    try place.write(patch, to: "through.json")
    let run = try place.start(["through.json"])
    #expect(run.waitForErrors("source in.monitor"), "\(run.errorsSoFar)")
    try server.remove("in")
    #expect(run.waitForErrors("the patch hears silence until it is there"), "\(run.errorsSoFar)")
    usleep(700_000)
    #expect(!(try server.control("list", "short", "source-outputs").contains("float32le")))
    #expect(
      try !server.control("list", "short", "sink-inputs").isEmpty, "the loudspeaker side plays on")
    try server.add(.init("in"))
    try server.control("set-default-source", "in.monitor")
    #expect(run.waitForErrors("the source 'in.monitor' is there, after "), "\(run.errorsSoFar)")
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
    try server.remove("in")
    let none = try place.run("through.json", "--wait-device=0")
    #expect(none.status == 3 && none.errors.contains("which hears what the patch plays"))
    let asked = try place.run("through.json", "--source", "out.monitor", "--duration", "0.2")
    #expect(asked.status == 0, "\(asked.errors)")
  }

  @Test func `a source that was asked for is left for another and taken again`() throws {
    for name in ["in", "spare"] { try server.add(.init(name)) }
    try server.control("set-default-source", "spare.monitor")
    let patch = """
      { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
        "session": { "category": "playAndRecord", "onDeviceLoss": "follow" },
        "nodes": { "io": { "component": "remoteIO",
          "inputs": { "1": { "properties": { "enableIO": true } } } } },
        "connections": [ { "from": "io:1", "to": "io:0" } ] }
      """
    try place.write(patch, to: "through.json")
    let run = try place.start(["through.json", "--source", "in.monitor"])
    #expect(run.waitForErrors("source in.monitor"), "\(run.errorsSoFar)")
    try server.remove("in")
    // PipeWire would first choose the monitor of the sink, which is not accepted.
    #expect(
      run.waitForErrors(
        PrivatePulse.Kind.chosen == .pulseAudio
          ? "note: the source is now 'spare.monitor'\n"
          : "note: the source 'spare.monitor' is there, after "), "\(run.errorsSoFar)")
    try server.add(.init("in"))
    #expect(run.waitForErrors("note: the source is now 'in.monitor'\n"), "\(run.errorsSoFar)")
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
  }

  @Test func `a sink with one channel plays both of a patch's, and it is said`() throws {
    try server.add(.init("mono", channels: 1))
    let recording = try server.record("mono.monitor", channels: 1)
    let run = try start("", "--sink", "mono")
    #expect(run.errorsSoFar.contains("the server mixes 2 channels down to the sink's one"))
    usleep(300_000)
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
    #expect(try recording.stop().contains { abs($0) > 0.1 })
  }
}
