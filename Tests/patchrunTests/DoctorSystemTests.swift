import AudioTypes
import FoundationEssentials
import RenderHost
import TestSupport
import Testing

@testable import patchrun

/// What `doctor` says of made-up systems and servers.
struct DoctorSystemTests {
  private func findings(
    _ files: [String: String], priority: Int32 = 5
  ) throws -> [String: DoctorFinding] {
    let place = try Workplace()
    for (path, text) in files { try place.write(text, to: path) }
    let system = DoctorSystem(root: place.url.path, priority: priority, priorityLimit: 0)
    return Dictionary(uniqueKeysWithValues: system.findings.map { ($0.topic, $0) })
  }

  // MARK: Quotas

  private func quota(_ files: [String: String]) throws -> DoctorFinding {
    try #require(try findings(files)["processor quota"])
  }

  @Test(arguments: UInt64(1)...24)
  func `the least quota of a group and of those around it counts, in both versions`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let isOld = Bool.random(using: &random)
    let controllers = ["cpu", "cpu,cpuacct", "cpuacct,cpu"].randomElement(using: &random) ?? "cpu"
    // The folder of the mount may be called otherwise than the line.
    let mount =
      "sys/fs/cgroup"
      + (isOld ? "/" + (Bool.random(using: &random) ? controllers : "cpu") : "")
    let path = (0..<Int.random(in: 0...4, using: &random)).map { "group\($0)" }
    // In a container, the path may be that of the host.
    let isBelow = Bool.random(using: &random)
    let folders = (0...(isBelow ? path.count : 0)).map {
      ([mount] + path.prefix($0)).joined(separator: "/")
    }
    var files = [
      "proc/self/cgroup": "7:memory:/else\n"
        + (isOld ? "3:\(controllers):" : "0::") + "/\(path.joined(separator: "/"))\n"
    ]
    var least: Double?
    for folder in folders {
      let period = Int.random(in: 1000...1_000_000, using: &random)
      let limit =
        Bool.random(using: &random) ? Int.random(in: 1000...8_000_000, using: &random) : nil
      if let limit {
        least = min(least ?? .infinity, Double(limit) / Double(period))
      }
      if isOld {
        files["\(folder)/cpu.cfs_quota_us"] = "\(limit ?? -1)\n"
        files["\(folder)/cpu.cfs_period_us"] = "\(period)\n"
      } else {
        files["\(folder)/cpu.max"] = "\(limit.map { "\($0)" } ?? "max") \(period)\n"
      }
    }
    let found = try quota(files)
    guard let least else {
      #expect(found.state == .ok && found.found == "none", "\(files)")
      return
    }
    #expect(found.state == .warning && !found.cure.isEmpty, "\(files)")
    #expect(found.found.hasPrefix("\(fixed(least, 2)) processors, "), "\(found) \(files)")
  }

  @Test func `a quota that cannot be read is unknown, and not none`() throws {
    for files in [
      [:], ["proc/self/cgroup": "0::/job\n"],
      ["proc/self/cgroup": "1:cpu:/job\n", "sys/fs/cgroup/memory/job/tasks": "1\n"],
      ["proc/self/cgroup": "1:cpuset:/\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "5\n"],
    ] as [[String: String]] {
      let found = try quota(files)
      #expect(found.state == .note && found.found.hasPrefix("unknown"), "\(files): \(found)")
    }
    // The root of version 2 never has the file.
    let root = try quota([
      "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cgroup.controllers": "cpuset cpu io\n",
    ])
    #expect(root.state == .ok && root.found == "none")
  }

  @Test func `groups outside of a container's own are not looked for in the system`() throws {
    let found = try quota([
      "proc/self/cgroup": "0::/../../job\n", "sys/job/cpu.max": "1000 100000\n",
      "sys/fs/cgroup/cpu.max": "max 100000\n",
    ])
    #expect(found.state == .ok)
  }

  // MARK: Scheduling

  @Test func `who is granted real-time scheduling is not warned of a missing RealtimeKit`() throws {
    let service = "usr/share/dbus-1/system-services/org.freedesktop.RealtimeKit1.service"
    for files in [[:], [service: ""]] as [[String: String]] {
      let granted = try #require(try findings(files, priority: 5)["RealtimeKit"])
      #expect(granted.state == .note && granted.cure.isEmpty)
      #expect(granted.found.contains("patchrun does not need it"))
      let refused = try #require(try findings(files, priority: -1)["RealtimeKit"])
      #expect(refused.state == .warning && !refused.cure.isEmpty)
    }
  }

  // MARK: Governors

  private func governor(
    driver: String, status: [String: String] = [:], preference: String? = nil,
    governor: String = "powersave"
  ) throws -> DoctorFinding {
    let processors = "sys/devices/system/cpu"
    var files: [String: String] = [:]
    for number in 0..<2 {
      let folder = "\(processors)/cpu\(number)/cpufreq"
      files["\(folder)/scaling_governor"] = governor + "\n"
      files["\(folder)/scaling_driver"] = driver + "\n"
      files["\(folder)/energy_performance_preference"] = preference.map { $0 + "\n" }
    }
    for (name, mode) in status { files["\(processors)/\(name)/status"] = mode + "\n" }
    return try #require(try findings(files)["frequency governor"])
  }

  @Test func `powersave is the usual governor of a driver in its active mode`() throws {
    for driver in ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"] {
      for preference in [nil, "default", "performance", "balance_performance", "128"] {
        let found = try governor(driver: driver, preference: preference)
        #expect(found.state == .ok && found.cure.isEmpty, "\(driver): \(found)")
        #expect(found.found == "powersave of \(driver), which follows the load")
      }
      for preference in ["power", "balance_power", "255"] {
        let found = try governor(driver: driver, preference: preference)
        #expect(found.state == .note, "\(driver): \(found)")
        #expect(found.found.contains("energy_performance_preference is '\(preference)'"))
        #expect(found.cure.contains("energy_performance_preference"))
      }
    }
    #expect(try governor(driver: "amd-pstate", status: ["amd_pstate": "active"]).state == .ok)
  }

  @Test func `powersave of any other driver is a warning, whatever it prefers`() throws {
    for (driver, status) in [
      ("acpi-cpufreq", [:]), ("intel_cpufreq", ["intel_pstate": "passive"]), ("amd-pstate", [:]),
      ("amd-pstate", ["amd_pstate": "passive"]), ("amd-pstate", ["amd_pstate": "guided"]),
      ("", [:]),
    ] as [(String, [String: String])] {
      for preference in [nil, "power", "performance"] {
        let found = try governor(driver: driver, status: status, preference: preference)
        #expect(found.state == .warning && found.found == "powersave", "\(driver): \(found)")
      }
    }
    let slow = try governor(driver: "acpi-cpufreq", governor: "conservative")
    #expect(slow.state == .warning)
    let fast = try governor(driver: "intel_pstate", preference: "power", governor: "performance")
    #expect(fast.state == .ok && fast.found == "performance")
  }

  // MARK: Devices

  private func device(
    _ direction: AudioDevice.Direction, _ name: String, index: UInt32, isDefault: Bool = false,
    monitorOf: String? = nil, properties: [String: String] = [:]
  ) -> AudioDevice {
    AudioDevice(
      direction: direction, index: index, name: name, description: name, sampleFormat: "s16le",
      sampleRate: 48_000, channelMap: ["front-left", "front-right"], state: .idle,
      isDefault: isDefault, monitorOf: monitorOf, properties: properties)
  }

  private func devices(_ devices: [AudioDevice]) -> DoctorDevices {
    DoctorDevices(
      server: SoundServer(
        name: "made up", version: "1", sampleRate: 48_000, sampleFormat: "s16le", channelCount: 2,
        devices: devices))
  }

  @Test func `a device is found by its name, its index and the server's words for defaults`() {
    let known = devices([
      device(.sink, "desk", index: 3, isDefault: true), device(.sink, "hall", index: 4),
      device(.source, "desk.monitor", index: 5, monitorOf: "desk"),
      device(.source, "mic", index: 6, isDefault: true),
    ])
    for (direction, name, expected) in [
      (.sink, nil, "desk"), (.sink, "hall", "hall"), (.sink, "4", "hall"),
      (.sink, "@DEFAULT_SINK@", "desk"), (.source, nil, "mic"), (.source, "5", "desk.monitor"),
      (.source, "@DEFAULT_SOURCE@", "mic"), (.source, "@DEFAULT_MONITOR@", "desk.monitor"),
    ] as [(AudioDevice.Direction, String?, String)] {
      #expect(known.device(direction, name)?.name == expected)
      #expect(known.complaint(direction, name) == nil)
    }
    for (direction, name) in [
      (.sink, "mic"), (.sink, "5"), (.source, "hall"), (.source, "@DEFAULT_SINK@"),
    ] as [(AudioDevice.Direction, String)] {
      #expect(known.device(direction, name) == nil)
      #expect(known.complaint(direction, name)?.state == .warning, "\(name)")
    }
    #expect(known.complaint(.sink, "mic")?.cure.contains("there are 'desk', 'hall'") == true)
    #expect(devices([]).complaint(.sink, nil)?.found == "the server has no sink")
    #expect(devices([]).complaint(.source, nil) == nil)
    #expect(
      devices([device(.sink, "desk", index: 1)]).complaint(.sink, nil)?.found
        == "the server has no default sink")
  }

  // MARK: Buffers

  @Test func `of a device's buffer nothing is said but what its properties say`() {
    #expect(DoctorBuffers.finding(of: device(.sink, "desk", index: 1)) == nil)
    let pulse = DoctorBuffers.finding(
      of: device(
        .sink, "desk", index: 1,
        properties: [
          "device.buffering.buffer_size": "19200", "device.buffering.fragment_size": "1920",
        ]))
    #expect(pulse?.topic == "sink buffer" && pulse?.state == .note)
    #expect(
      pulse?.found
        == "the device buffer has 4800 frames (100.0 ms), a fragment of it has 480 frames (10.0 ms)"
    )
    let pipeWire = DoctorBuffers.finding(
      of: device(
        .source, "mic", index: 1,
        properties: ["node.latency": "1024/48000", "api.alsa.period-size": "256", "node.name": "m"])
    )
    #expect(pipeWire?.topic == "source buffer")
    #expect(pipeWire?.found == "node.latency is 1024/48000, api.alsa.period-size is 256")
  }

  @Test func `of a stream's buffer nothing is said but what was granted`() {
    let stereo = StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true)
    var grant = HardwareGrant(outputFormat: stereo, inputFormat: stereo, ioBufferFrames: 256)
    #expect(DoctorBuffers.finding(playback: grant) == nil)
    #expect(DoctorBuffers.finding(capture: grant) == nil)
    #expect(DoctorBuffers.measured(playback: grant).isEmpty)
    #expect(DoctorBuffers.measured(capture: grant).isEmpty)
    grant.outputBuffer = StreamBuffer(frames: 960, requestFrames: 96, deviceLatency: 0.005)
    grant.inputBuffer = StreamBuffer(frames: 480, requestFrames: 480, deviceLatency: 0)
    #expect(
      DoctorBuffers.finding(playback: grant)?.found
        == "the server keeps 960 frames (20.0 ms) and asks for 96 frames (2.0 ms) at a time; the "
        + "sink is set to a latency of 5.0 ms")
    #expect(
      DoctorBuffers.finding(capture: grant)?.found
        == "the server hands over 480 frames (10.0 ms) at a time")
  }

  // MARK: Settings

  @Test func `the duration that is recommended gets the slices that were granted`() {
    for rate in [
      8000.0, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000, 768_000,
    ] {
      var frames = HardwareGrant.ioBufferLimits.lowerBound
      while frames <= HardwareGrant.ioBufferLimits.upperBound {
        let duration = DoctorReport.preference(forFrames: frames, sampleRate: rate)
        #expect(
          HardwareGrant.ioBufferFrames(forDuration: duration, sampleRate: rate) == frames,
          "\(frames) at \(rate)")
        #expect(Double(frames) / rate - duration < 1.001e-5)
        frames *= 2
      }
    }
    #expect(DoctorReport.preference(forFrames: 256, sampleRate: 44_100) == 0.0058)
    let advice = DoctorReport.advice(frames: 256, sampleRate: 44_100, hasGaps: false)
    #expect(advice.contains("slices of 256 frames") && advice.contains("0.0116 gives 512 frames"))
    #expect(
      !DoctorReport.advice(frames: 4096, sampleRate: 44_100, hasGaps: false).contains("gives"))
    let gaps = DoctorReport.advice(frames: 2048, sampleRate: 44_100, hasGaps: true)
    #expect(gaps.contains("they had gaps"))
  }
}
