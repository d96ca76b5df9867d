import Foundation
import TestSupport
import Testing

@testable import patchrun

/// The messages to a service manager by the protocol of `sd_notify(3)`, on a test socket.
@Suite struct ServiceManagerTests {
  /// The socket of a service manager.
  private final class Manager {
    let name: String
    private let descriptor: Int32
    private(set) var heard: [[String: String]] = []

    /// - Parameter name: A path, or an abstract name after `@`.
    init(_ name: String) throws {
      self.name = name
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      let address = try #require(ServiceManager.Address(name))
      let bound = unsafe address.withPointer { unsafe bind(descriptor, $0, $1) }
      try #require(bound == 0)
      var patience = timeval(tv_sec: 20, tv_usec: 0)
      unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The next datagram as values by name, skipping those for the watchdog.
    func next() throws -> [String: String] {
      while true {
        let message = try anything()
        if message["WATCHDOG"] == nil { return message }
      }
    }

    func anything() throws -> [String: String] {
      var block = [UInt8](repeating: 0, count: 4096)
      let count = unsafe recv(descriptor, &block, block.count, 0)
      try #require(count > 0, "nothing more is heard after \(heard)")
      var message: [String: String] = [:]
      for line in String(decoding: block[..<count], as: UTF8.self).split(separator: "\n") {
        let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
        #expect(parts.count == 2 && message[parts[0]] == nil, "\(line)")
        message[parts[0]] = parts.last
      }
      heard.append(message)
      return message
    }
  }

  /// A run with the test as its service manager.
  private struct Stage {
    let pulse: PrivatePulse
    let place: Workplace
    let manager: Manager
    let run: Workplace.Running

    init(
      isAbstract: Bool = false, variables: [String: String] = [:], options: [String] = []
    ) throws {
      pulse = try PrivatePulse()
      place = try Workplace()
      manager = try Manager(
        isAbstract ? "@patchrun-test-\(UUID().uuidString)" : place.path("notify"))
      place.environment = pulse.environment.merging(variables) { $1 }
      place.environment["NOTIFY_SOCKET"] = manager.name
      try place.write(TestPatch.noise(), to: "noise.json")
      run = try place.start(["run", "noise.json", "--no-control"] + options)
    }

    func signal(_ number: Int32) { kill(run.process.processIdentifier, number) }
  }

  @Test(.enabled(if: PrivatePulse.isInstalled))
  func `a manager hears of the start, of reloads, refused ones too, and of the end`() throws {
    let stage = try Stage()
    let start = try stage.manager.next()
    #expect(start.keys.sorted() == ["READY", "STATUS"] && start["READY"] == "1")
    #expect(start["STATUS"]?.hasPrefix("playing: sink out (2 ch), 48000 Hz, slice ") == true)

    let before = monotonicMicroseconds()
    try stage.place.write(
      TestPatch.noise().replacing(#""volume": 0.5"#, with: #""volume": 0.25"#), to: "noise.json")
    stage.signal(SIGHUP)
    let reloading = try stage.manager.next()
    #expect(reloading.keys.sorted() == ["MONOTONIC_USEC", "RELOADING", "STATUS"])
    #expect(reloading["RELOADING"] == "1")
    let time = try #require(reloading["MONOTONIC_USEC"].flatMap { UInt64($0) })
    // The manager would ignore an older time.
    #expect(before <= time && time <= monotonicMicroseconds())
    let reloaded = try stage.manager.next()
    #expect(reloaded["READY"] == "1")
    #expect(reloaded["STATUS"]?.hasSuffix("; reloaded with 1 change") == true, "\(reloaded)")

    // A line feed in a name of the patch does not begin a new line.
    try stage.place.write(
      TestPatch.noise().replacing("\"MultichannelMixer\"", with: #""Mixer\nSTOPPING=1""#),
      to: "noise.json")
    stage.signal(SIGHUP)
    #expect(try stage.manager.next()["RELOADING"] == "1")
    let refused = try stage.manager.next()
    #expect(refused.keys.sorted() == ["READY", "STATUS"])
    let words = refused["STATUS"] ?? ""
    #expect(words.contains("; as before a reload that was refused: noise.json:6:"), "\(words)")
    #expect(words.contains("error[PR0") && words.contains("STOPPING=1"), "\(words)")

    try FileManager.default.removeItem(atPath: stage.place.path("noise.json"))
    stage.signal(SIGHUP)
    #expect(try stage.manager.next()["RELOADING"] == "1")
    let missing = try stage.manager.next()
    #expect(missing["READY"] == "1")
    #expect(missing["STATUS"]?.contains("refused: there is no file") == true, "\(missing)")

    stage.signal(SIGTERM)
    #expect(try stage.manager.next() == ["STOPPING": "1", "STATUS": "ending: as asked"])
    #expect(try stage.run.wait().status == 0)
  }

  @Test(.enabled(if: PrivatePulse.isInstalled))
  func `a reload that has to begin again is over once that sounds`() throws {
    let stage = try Stage()
    #expect(try stage.manager.next()["READY"] == "1")
    try stage.place.write(
      TestPatch.noise().replacing("48000", with: "44100"), to: "noise.json")
    stage.signal(SIGHUP)
    #expect(try stage.manager.next()["RELOADING"] == "1")
    let again = try stage.manager.next()
    #expect(again["READY"] == "1" && again["STATUS"]?.contains(" Hz, ") == true, "\(again)")
    // The loss of the server is reported, and the run stays ready.
    stage.pulse.kill()
    let waiting = try stage.manager.next()
    #expect(
      waiting["READY"] == "1"
        && waiting["STATUS"]?.hasPrefix("waiting: the sound server went away") == true, "\(waiting)"
    )
    stage.signal(SIGTERM)
    #expect(try stage.manager.next() == ["STOPPING": "1", "STATUS": "ending: as asked"])
    #expect(try stage.run.wait().status == 0)
  }

  @Test(.enabled(if: PrivatePulse.isInstalled))
  func `a watchdog is answered, at an abstract address as well`() throws {
    let stage = try Stage(isAbstract: true, variables: ["WATCHDOG_USEC": "400000"])
    var barks = 0
    while barks < 4 {
      if try stage.manager.anything()["WATCHDOG"] == "1" { barks += 1 }
    }
    #expect(stage.manager.heard.contains { $0["READY"] == "1" })
    stage.signal(SIGTERM)
    #expect(try stage.manager.next()["STOPPING"] == "1")
    #expect(try stage.run.wait().status == 0)
  }

  @Test(.enabled(if: PrivatePulse.isInstalled))
  func `another process's watchdog is not answered, and the end of the sources is told`() throws {
    let stage = try Stage(
      variables: ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"], options: ["--duration", "0.5"])
    #expect(try stage.manager.anything()["READY"] == "1")
    #expect(
      try stage.manager.anything() == ["STOPPING": "1", "STATUS": "ending: the patch is over"])
    #expect(try stage.run.wait().status == 0)
  }

  @Test(.enabled(if: PrivatePulse.isInstalled))
  func `a manager that is not there is not missed`() throws {
    let pulse = try PrivatePulse()
    let place = try Workplace()
    place.environment = pulse.environment
    try place.write(TestPatch.noise(), to: "noise.json")
    for name in ["/nowhere/notify", "@patchrun-nobody", "relative", "", "/"] {
      place.environment["NOTIFY_SOCKET"] = name
      let outcome = try place.run("run", "noise.json", "--duration", "0.1", "-q")
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(name): \(outcome.errors)")
    }
  }

  @Test func `a watchdog is answered at half its patience`() {
    var watchdog = Watchdog(period: 30_000_000)
    let seconds: [UInt64] = [5, 5, 19, 20, 34, 35]
    let answers = seconds.map { watchdog.isDue($0 * 1_000_000_000) }
    #expect(answers == [true, false, false, true, false, true])
    var endless = Watchdog(period: .max)
    let times: [UInt64] = [1, 1 << 62, .max - 1]
    #expect(times.map { endless.isDue($0) } == [true, false, false])
  }

  @Test func `an address is a path or an abstract name that fits`() {
    let longest = String(repeating: "a", count: 106)
    #expect(ServiceManager.Address("/" + longest) != nil)
    #expect(ServiceManager.Address("@" + longest + "a") != nil)
    for name in ["", "/", "@", "notify", "vsock:2:1", "/" + longest + "a", "@" + longest + "aa"] {
      #expect(ServiceManager.Address(name) == nil, "\(name)")
    }
  }

  private func monotonicMicroseconds() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
  }
}
