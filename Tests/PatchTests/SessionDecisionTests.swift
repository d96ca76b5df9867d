import Foundation
import SoundFiles
import TestSupport
import Testing

/// The decisions of a patch about interruptions and route changes, on a private server.
@Suite(
  .serialized, .enabled(if: PrivatePulse.isInstalled, "pulseaudio and parec are not installed"))
struct SessionDecisionTests {
  let place: Workplace
  let server: PrivatePulse

  init() throws {
    server = try PrivatePulse([.init("out"), .init("other", sampleRate: 44_100)])
    place = try Workplace(on: server)
  }

  /// Starts a patch with recorded noise and without a preferred rate.
  private func start(_ decision: String, _ options: String...) throws -> Workplace.Running {
    try place.write(
      TestPatch.noise(taps: TestPatch.recording)
        .replacingOccurrences(of: "\"preferredSampleRate\": 48000", with: decision),
      to: "noise.json")
    let run = try place.start(["noise.json"] + options)
    #expect(run.waitForErrors(" Hz, slice "), "\(run.errorsSoFar)")
    return run
  }

  private func frames() throws -> Int {
    try SoundFileReader(path: place.path("rec.wav")).frameCount
  }

  /// Expects the recording to equal an offline render: no frame is missing or doubled.
  private func expectWholeRecording() throws {
    let live = try place.samples("rec.wav")
    #expect(live.count > 0)
    let seconds = Double(live.count) / 96_000 + 0.1
    try place.run(
      "render", "noise.json", "--hardware", "rate=48000", "--duration", "\(seconds)", "-o",
      "offline.wav")
    #expect(live == Array(try place.samples("offline.wav").prefix(live.count)))
  }

  /// Plays noise as another program with the role of a call.
  private func call(seconds: Double) throws {
    let file = place.path("call.raw")
    try Data(count: Int(seconds * 44_100) * 4).write(to: URL(fileURLWithPath: file))
    let player = try ChildProcess(
      "/usr/bin/pacat",
      ["--playback", "--device=out", "--raw", "--property=media.role=phone", file],
      environment: server.environment)
    #expect(player.wait() == 0)
  }

  // MARK: Interruptions

  @Test(.enabled(if: isPulseAudio, "PipeWire plays on while a sink is suspended"))
  func `a patch pauses while its sink is suspended, and goes on where it was`() throws {
    let recording = try server.record()
    let run = try start(#""onInterruption": "pause""#)
    let watch = try place.watch()
    usleep(300_000)
    try server.control("suspend-sink", "out", "1")
    #expect(run.waitForErrors("note: the sink has been suspended: the patch pauses\n"))
    // Longer than a device may be suspended without this decision.
    usleep(2_500_000)
    #expect(try place.run("ctl", "status", "--json").output.contains("\"interrupted\""))
    let change = try place.run("ctl", "set", "/nodes/mixer/inputs/0/parameters/volume", "0.5")
    #expect(change.status == 0, "\(change.errors)")
    try server.control("suspend-sink", "out", "0")
    #expect(run.waitForErrors("note: the interruption is over: the patch plays on\n"))
    usleep(500_000)
    run.process.signal(SIGINT)
    let outcome = try run.wait()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains(", 0 xruns"), "\(outcome.errors)")
    try expectWholeRecording()
    let seen = try watch.wait().output
    #expect(seen.contains("interruption begins\n") && seen.contains("interruption is over\n"))
    // The end of what was heard, without the fade.
    let heard = try recording.stop()
    let live = try place.samples("rec.wav")
    let end = try #require(heard.lastIndex { $0 != 0 })
    let part = Array(heard[(end - 6000)..<(end - 4000)])
    let begin = try #require(
      live.indices.last { index in
        live[index] == part[0] && live[index...].prefix(part.count).elementsEqual(part)
      })
    #expect(begin > 0)
  }

  @Test(.enabled(if: isPulseAudio, "PipeWire plays on while a sink is suspended"))
  func `a patch can end when its sink is suspended, and one that plays on loses it`() throws {
    let run = try start(#""onInterruption": "stop""#)
    try server.control("suspend-sink", "out", "1")
    #expect(run.waitForErrors("note: the sink has been suspended: the patch ends\n"))
    #expect(try run.wait().status == 0)
    #expect(try frames() > 0)
    try server.control("suspend-sink", "out", "0")
    let other = try start(#""onInterruption": "continue", "onDeviceLoss": "exit""#)
    try server.control("suspend-sink", "out", "1")
    let outcome = try other.wait()
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("has been suspended"))
  }

  @Test(.enabled(if: isPulseAudio, "PipeWire asks nobody for silence"))
  func `a patch pauses for a call, as long or as short as it is`() throws {
    try server.control("load-module", "module-role-cork", "cork_roles=production")
    let run = try start(#""onInterruption": "pause""#)
    for seconds in [1, 0.02] {
      let notes = run.errorsSoFar.components(separatedBy: "the patch plays on").count
      try call(seconds: seconds)
      #expect(run.waitForErrors("note: the sound server asks for silence: the patch pauses\n"))
      for _ in 0..<1000 {
        if run.errorsSoFar.components(separatedBy: "the patch plays on").count > notes { break }
        usleep(5000)
      }
      #expect(run.errorsSoFar.components(separatedBy: "the patch plays on").count == notes + 1)
      usleep(200_000)
    }
    run.process.signal(SIGINT)
    let outcome = try run.wait()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains(", 0 xruns"), "\(outcome.errors)")
    try expectWholeRecording()
  }

  @Test(.enabled(if: isPulseAudio, "PipeWire asks nobody for silence"))
  func `a patch that is paused ends at a signal, and one that plays on hears of no call`()
    throws
  {
    try server.control("load-module", "module-role-cork", "cork_roles=production")
    let file = place.path("call.raw")
    try Data(count: 20 * 44_100 * 4).write(to: URL(fileURLWithPath: file))
    for (decision, note) in [("pause", true), ("continue", false)] {
      let run = try start("\"onInterruption\": \"\(decision)\"")
      let player = try ChildProcess(
        "/usr/bin/pacat",
        ["--playback", "--device=out", "--raw", "--property=media.role=phone", file],
        environment: server.environment)
      if note {
        #expect(run.waitForErrors("asks for silence: the patch pauses\n"))
        // Until the stream is corked.
        usleep(500_000)
      } else {
        usleep(500_000)
      }
      run.process.signal(SIGTERM)
      let outcome = try run.wait()
      #expect(outcome.status == 0)
      #expect(outcome.errors.contains("asks for silence") == note)
      player.signal(SIGTERM)
      player.wait()
    }
  }

  // MARK: Other devices

  @Test func `a patch begins again on another default sink, at its rate, and follows on`() throws {
    // A sink without streams would adopt the rate of the stream that is moved to it.
    let listener = try server.record("other.monitor", sampleRate: 44_100)
    let run = try start(#""onRouteChange": "restart""#)
    #expect(run.errorsSoFar.contains("sink out (2 ch), 48000 Hz"))
    try server.control("set-default-sink", "other")
    #expect(run.waitForErrors("note: the sink is now 'other': the patch begins again there\n"))
    #expect(run.waitForErrors("sink other (2 ch), 44100 Hz"), "\(run.errorsSoFar)")
    try server.control("set-default-sink", "out")
    #expect(run.waitForErrors("note: the sink is now 'out': the patch begins again there\n"))
    for _ in 0..<1000 {
      if run.errorsSoFar.components(separatedBy: "sink out (2 ch), 48000 Hz").count == 3 { break }
      usleep(5000)
    }
    #expect(run.errorsSoFar.components(separatedBy: "sink out (2 ch), 48000 Hz").count == 3)
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
    try expectWholeRecording()
    #expect(try listener.stop().contains { $0 != 0 })
  }

  @Test func `a patch begins again where it was moved to, and where its sink has gone`() throws {
    let run = try start(#""onRouteChange": "restart""#, "--sink", "other")
    let stream = try server.control("list", "short", "sink-inputs").prefix { $0.isNumber }
    try server.control("move-sink-input", String(stream), "out")
    #expect(run.waitForErrors("sink out (2 ch), 48000 Hz"), "\(run.errorsSoFar)")
    try server.unload("out")
    #expect(run.waitForErrors("note: the sink is now 'other': the patch begins again there\n"))
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
  }

  @Test func `a patch can end with another sink, and goes on where nothing is said`() throws {
    let run = try start(#""onRouteChange": "stop""#)
    try server.control("set-default-sink", "other")
    #expect(run.waitForErrors("note: the sink is now 'other': the patch ends\n"))
    #expect(try run.wait().status == 0)
    #expect(try frames() > 0)
    let follower = try start(#""preferredSampleRate": 44100"#)
    try server.control("set-default-sink", "out")
    #expect(follower.waitForErrors("note: the sink is now 'out'\n"))
    // Decisions can be changed during playback without an audible effect.
    let change = try place.run("ctl", "set", "/session/onRouteChange", "\"stop\"")
    #expect(change.output.contains("another device is answered by 'stop'"), "\(change)")
    try server.control("set-default-sink", "other")
    #expect(try follower.wait().status == 0)
    #expect(follower.errorsSoFar.contains("note: the sink is now 'other': the patch ends\n"))
  }
}

/// Whether the tests run with PulseAudio itself.
private let isPulseAudio = PrivatePulse.Kind.chosen == .pulseAudio
