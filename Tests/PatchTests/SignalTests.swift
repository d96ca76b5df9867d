import Foundation
import SoundFiles
import TestSupport
import Testing

/// Checks the table of signals in the manual: each signal in each state of a run.
@Suite(
  .serialized, .enabled(if: PrivatePulse.isInstalled, "the sound server is not installed"))
struct SignalTests {
  let place: Workplace
  let server: PrivatePulse

  init() throws {
    server = try PrivatePulse([.init("out")])
    place = try Workplace(on: server)
    try place.write(TestPatch.noise(taps: TestPatch.recording), to: "noise.json")
  }

  enum State: String, CaseIterable, Sendable {
    /// There is no server yet.
    case waiting
    case playing
    /// The device has disappeared.
    case lost
    /// Another program has requested silence.
    case paused
    /// The patch is being read again.
    case reloading
    /// The run has been asked to end, and the server hangs.
    case stopping
  }

  private func run(in state: State) throws -> Workplace.Running {
    if state == .waiting { server.kill() }
    let run = try place.start(["noise.json"])
    guard state != .waiting else {
      #expect(run.waitForErrors("waits for it"), "\(run.errorsSoFar)")
      return run
    }
    #expect(run.waitForErrors(" Hz, slice "), "\(run.errorsSoFar)")
    usleep(200_000)
    switch state {
    case .waiting, .playing: break
    case .lost:
      try server.remove("out")
      #expect(run.waitForErrors("goes on unheard"), "\(run.errorsSoFar)")
    case .paused:
      #expect(try place.run("ctl", "pause").status == 0)
    case .reloading:
      // Large enough that the next signal comes while it is read.
      var text = TestPatch.noise(taps: TestPatch.recording)
      text += String(repeating: " \n", count: 2_000_000)
      try place.write(text, to: "noise.json")
      run.process.signal(SIGHUP)
    case .stopping:
      server.signal(SIGSTOP)
      run.process.signal(SIGINT)
      usleep(300_000)
    }
    return run
  }

  private func end(_ run: Workplace.Running, _ state: State) throws {
    if state == .stopping {
      server.signal(SIGCONT)
    } else {
      run.process.signal(SIGINT)
    }
    let outcome = try run.wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(arguments: State.allCases, [SIGINT, SIGTERM])
  func `the end is asked for once, and is there at once at the second time`(
    _ state: State, _ signal: Int32
  ) throws {
    let run = try run(in: state)
    run.process.signal(signal)
    let outcome = try run.wait()
    server.signal(SIGCONT)
    if state == .stopping {
      #expect(outcome.status == 128 + signal, "\(outcome.errors)")
    } else {
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    guard state != .waiting, state != .stopping else { return }
    #expect(try SoundFileReader(path: place.path("rec.wav")).frameCount > 0)
  }

  @Test(arguments: State.allCases)
  func `SIGHUP reads the patch again, but for one that ends`(_ state: State) throws {
    let run = try run(in: state)
    run.process.signal(SIGHUP)
    if state == .stopping {
      usleep(200_000)
      #expect(!run.errorsSoFar.contains("read again"))
    } else {
      #expect(run.waitForErrors("note: the patch was read again"), "\(run.errorsSoFar)")
    }
    try end(run, state)
  }

  @Test(arguments: State.allCases)
  func `SIGUSR1 says where the run is`(_ state: State) throws {
    let run = try run(in: state)
    run.process.signal(SIGUSR1)
    let word =
      switch state {
      case .waiting: "status: waiting, for "
      case .playing: "status: playing, "
      case .lost: "status: waiting, for "
      case .paused: "status: paused, "
      // It may have been read by then.
      case .reloading: "status: "
      case .stopping: "status: stopping, "
      }
    #expect(run.waitForErrors(word), "\(run.errorsSoFar)")
    try end(run, state)
  }

  @Test(arguments: State.allCases)
  func `SIGUSR2 begins a new take of each recording, where there is one`(_ state: State) throws {
    let run = try run(in: state)
    run.process.signal(SIGUSR2)
    switch state {
    case .waiting:
      #expect(run.waitForErrors("there is no take to begin anew"), "\(run.errorsSoFar)")
    case .stopping: usleep(100_000)
    case .paused:
      #expect(run.waitForErrors("a new take begins"), "\(run.errorsSoFar)")
    case .playing, .lost, .reloading:
      #expect(run.waitForErrors("the recording is 'rec-2.wav'"), "\(run.errorsSoFar)")
    }
    try end(run, state)
    guard state == .playing || state == .lost else { return }
    // No frame is lost between the takes.
    let both = try place.samples("rec.wav") + place.samples("rec-2.wav")
    try place.run(
      "render", "noise.json", "--hardware", "rate=48000", "--duration",
      "\(Double(both.count) / 96_000 + 0.1)", "-o", "offline.wav")
    #expect(both == Array(try place.samples("offline.wav").prefix(both.count)))
    #expect(try place.samples("rec-2.wav").count > 0)
  }

  @Test func `a patch that records nothing says so to SIGUSR2`() throws {
    try place.write(TestPatch.noise(), to: "noise.json")
    let run = try run(in: .playing)
    run.process.signal(SIGUSR2)
    #expect(run.waitForErrors("the patch records nothing"), "\(run.errorsSoFar)")
    try end(run, .playing)
  }
}
