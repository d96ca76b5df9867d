import Foundation
import RenderHost
import TestSupport
import Testing

@testable import patchrun

struct DoctorTests {
  // MARK: The noise

  @Test func `a maximum-length sequence is like nothing but itself`() {
    let samples = MaximumLengthSequence().samples
    let count = MaximumLengthSequence.count
    #expect(samples.count == count)
    #expect(samples.count { $0 == 1 } == 16_384)
    for lag in [1, 2, 3, 100, 16_383, 32_766] {
      var sum = 0
      for index in 0..<count { sum += Int(samples[index] * samples[(index + lag) % count]) }
      #expect(sum == -1, "\(lag)")
    }
  }

  /// The sequence in noise, with a delay in frames.
  private func recording(late frames: Int, level: Float, noise: Float) -> [Float] {
    var samples = [Float](repeating: 0, count: LoopMeasurement.window)
    var word: UInt32 = 1
    for index in samples.indices {
      word = word &* 1_664_525 &+ 1_013_904_223
      samples[index] = noise * (Float(word >> 8) / Float(1 << 23) - 1)
    }
    for (index, sample) in MaximumLengthSequence().samples.enumerated()
    where index + frames < samples.count {
      samples[index + frames] += level * sample
    }
    return samples
  }

  @Test(arguments: [0, 1, 1234, 32_000])
  func `a round trip is found to a frame, also far below other noise`(frames: Int) throws {
    var measurement = LoopMeasurement(MaximumLengthSequence())
    let clean = recording(late: frames, level: 0.01, noise: 0)
    let first = measurement.delay(in: clean[...])
    #expect(abs(try #require(first) - Double(frames)) < 0.01)
    // 20 dB below the noise.
    let noisy = measurement.delay(in: recording(late: frames, level: 0.01, noise: 0.17)[...])
    #expect(abs(try #require(noisy) - Double(frames)) < 0.5)
    let inverted = measurement.delay(in: clean.map { -$0 }[...])
    #expect(abs(try #require(inverted) - Double(frames)) < 0.01)
  }

  @Test func `what was not played is not found`() {
    var measurement = LoopMeasurement(MaximumLengthSequence())
    let noise = measurement.delay(in: recording(late: 0, level: 0, noise: 0.5)[...])
    #expect(noise == nil)
    let silence = measurement.delay(in: [Float](repeating: 0, count: 1000)[...])
    #expect(silence == nil)
  }

  @Test func `a clock that is fast is found to be, and a pull that comes late`() throws {
    func pulls(_ drift: Double, late: Double = 0) -> [(time: Double, frame: Double)] {
      (0..<400).map { index in
        let time = Double(index) * 0.01 / (1 + drift * 1e-6)
        // Pulls that are alternately early and late.
        let swing = late * (index % 4 < 2 ? 1 : -1)
        return (time + swing, Double(index) * 480)
      }
    }
    let exact = try #require(PullTimes(pulls(100), sampleRate: 48_000))
    #expect(abs(exact.drift - 100) < 1e-3 && exact.jitter < 1e-9)
    let shaken = try #require(PullTimes(pulls(-50, late: 0.001), sampleRate: 48_000))
    #expect(abs(shaken.drift + 50) <= shaken.driftError)
    #expect(abs(shaken.jitter - 0.001) < 1e-5 && abs(shaken.latest - 0.001) < 2e-5)
    #expect(PullTimes([], sampleRate: 48_000) == nil)
  }

  // MARK: Running patches

  private func finding(_ status: String?) throws -> DoctorFinding {
    DoctorRuns.finding("mix", try status.map { try readAnswer($0) })
  }

  @Test func `a patch that runs is found, and whether its latency was raised`() throws {
    let playing = #"{ "state": "playing", "underruns": 3, "overruns": 0, "#
    let causes = #""underrunCauses": { "machine": 3 }, "raisedLatency": "#
    let fine = try finding(playing + causes + "null }")
    #expect(
      fine
        == DoctorFinding(
          topic: "run mix", state: .ok,
          found: "playing, 3 xruns (machine 3), latency as it was asked for"))
    let latency = #"{ "asked": 0.04, "granted": 0.06, "age": 12.5, "timeUntilLess": "#
    let raised = try finding(playing + causes + latency + "47.5 } }")
    #expect(raised.state == .warning && raised.cure.contains("ctl watch --name mix"))
    #expect(
      raised.found
        == "playing, 3 xruns (machine 3), latency raised by 20.0 ms for 0:12.5: 40.0 ms of what "
        + "is played were asked for, 60.0 ms are kept; a slice less in 0:47.5")
    let silent = try finding(playing + causes + latency + "null } }")
    #expect(silent.found.hasSuffix("60.0 ms are kept; not less before it plays"))
    #expect(try finding(nil).found == "it does not answer within 2 s")
  }

  // MARK: The system

  private func findings(
    _ files: [String: String], priority: Int32 = 5
  ) throws -> [String: DoctorFinding] {
    let place = try Workplace()
    for (path, text) in files { try place.write(text, to: path) }
    let system = DoctorSystem(root: place.url.path, priority: priority, priorityLimit: 0)
    return Dictionary(uniqueKeysWithValues: system.findings.map { ($0.topic, $0) })
  }

  @Test func `what stands in the way is a warning with a cure`() throws {
    let found = try findings(
      [
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
        "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "powersave\n",
        "proc/self/cgroup": "0::/user.slice/job\n",
        "sys/fs/cgroup/user.slice/job/cpu.max": "max 100000\n",
        "sys/fs/cgroup/user.slice/cpu.max": "50000 100000\n",
        "proc/loadavg": "1000.00 1 1 1/1 1\n",
      ], priority: -1)
    for topic in [
      "real-time scheduling", "RealtimeKit", "frequency governor", "processor quota", "load",
    ] {
      let finding = try #require(found[topic])
      #expect(finding.state == .warning && !finding.cure.isEmpty, "\(topic)")
    }
    #expect(found["frequency governor"]?.found == "performance and powersave")
    #expect(found["processor quota"]?.found.hasPrefix("0.50 processors") == true)
    #expect(found["container"]?.state == .ok)
  }

  @Test func `a system that is fit has nothing to cure`() throws {
    let found = try findings([
      "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
      "usr/share/dbus-1/system-services/org.freedesktop.RealtimeKit1.service": "",
      "run/dbus/system_bus_socket": "", "proc/self/cgroup": "0::/\n",
      "sys/fs/cgroup/cpu.max": "max 100000\n", "proc/loadavg": "0.00 1 1 1/1 1\n",
      ".dockerenv": "",
    ])
    for (topic, finding) in found where topic != "container" {
      #expect(finding.state == .ok && finding.cure.isEmpty, "\(topic): \(finding)")
    }
    #expect(found["container"]?.state == .note)
  }

  // MARK: The command

  @Test func `without a server it says so, and looks at the rest`() throws {
    let place = try Workplace()
    let outcome = try place.run("doctor")
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(outcome.output.contains("WARNING  sound server"))
    #expect(outcome.output.contains("no sound server answers"))
    #expect(outcome.output.contains("real-time scheduling"))
    let named = try place.run("doctor", "--sink", "desk", "--source", "mic").output
    for name in ["desk", "mic"] {
      #expect(named.contains("'\(name)' cannot be checked: no sound server answers"), "\(named)")
    }
    #expect(try place.run("doctor", "--deny-warnings").status == 1)
    #expect(try place.run("doctor", "--seconds", "1").status == 2)
    #expect(try place.run("doctor", "--level", "6").status == 2)
  }

  private func measure(
    _ pulse: PrivatePulse, _ arguments: String...
  ) throws -> (json: [String: Any], topics: [String: String]) {
    let place = try Workplace()
    place.environment = pulse.environment
    let outcome = try place.start(["doctor", "--json"] + arguments).wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let findings = try #require(json["findings"] as? [[String: Any]])
    let topics = Dictionary(
      uniqueKeysWithValues: findings.compactMap { finding in
        (finding["topic"] as? String).map { ($0, finding["state"] as? String ?? "") }
      })
    return (json, topics)
  }

  @Test(.enabled(if: PrivatePulse.isInstalled))
  func `the round trip through a server is measured, and settings are given`() throws {
    let (json, topics) = try measure(PrivatePulse(), "--seconds", "5")
    #expect(topics["round trip"] == "ok" && topics["resampling"] == "ok")
    #expect(topics["drift"] != nil && topics["jitter"] != nil)
    let measured = try #require(json["measured"] as? [String: Any])
    let trip = try #require(measured["roundTrip"] as? Double)
    let latency = try #require(measured["outputLatency"] as? Double)
    #expect(trip > 0.001 && trip < 0.68 && latency > 0)
    #expect(measured["sampleRate"] as? Double == 48_000)
    let session = try #require(json["session"] as? [String: Double])
    #expect(session["preferredSampleRate"] == 48_000)
    // What is recommended gets the slices that were measured.
    let duration = try #require(session["preferredIOBufferDuration"])
    let slice = try #require(measured["sliceFrames"] as? Int)
    #expect(HardwareGrant.ioBufferFrames(forDuration: duration, sampleRate: 48_000) == slice)
    #expect(abs(duration * 48_000 - Double(slice)) < 1)
    #expect(topics["playback buffer"] == "note" && topics["capture buffer"] == "note")
    let kept = try #require(measured["playbackBufferFrames"] as? Int)
    let asked = try #require(measured["playbackRequestFrames"] as? Int)
    let device = try #require(measured["sinkLatency"] as? Double)
    #expect(asked > 0 && asked <= kept)
    #expect(abs(Double(kept) / 48_000 + device - latency) < 1e-9)
    #expect(try #require(measured["captureFragmentFrames"] as? Int) > 0)
  }

  @Test(.enabled(if: PrivatePulse.isInstalled))
  func `a source that hears nothing, and one at another rate, are warnings`() throws {
    let pulse = try PrivatePulse([.init("out"), .init("other", sampleRate: 44_100)])
    let (json, topics) = try measure(pulse, "--source", "other.monitor", "--seconds", "3")
    #expect(topics["round trip"] == "warning" && topics["resampling"] == "warning")
    #expect((json["measured"] as? [String: Any])?["roundTrip"] == nil)
  }

  @Test(.enabled(if: PrivatePulse.isInstalled))
  func `nothing is played where nothing may be heard`() throws {
    let (json, topics) = try measure(PrivatePulse(), "--no-sound")
    #expect(topics["sink"] == "ok" && topics["slices"] == nil && topics["round trip"] == nil)
    #expect(json["session"] is NSNull)
  }

  @Test(.enabled(if: PrivatePulse.isInstalled))
  func `a name that no device has is told with those that there are, without sound, too`() throws {
    let pulse = try PrivatePulse([.init("speakers")])
    // The server ends with its object.
    defer { withExtendedLifetime(pulse) {} }
    let place = try Workplace(on: pulse)
    let outcome = try place.run(
      "doctor", "--no-sound", "--sink", "speaker", "--source", "nosuch", "--deny-warnings")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("there is no sink 'speaker'"), "\(outcome.output)")
    #expect(outcome.output.contains("did you mean 'speakers'? "))
    #expect(outcome.output.contains("there is no source 'nosuch'"))
    #expect(outcome.output.contains("'speakers.monitor'"))
    let heard = try place.run("doctor", "--source", "nosuch").output
    #expect(heard.contains("there is no source 'nosuch'") && heard.contains("  slices  "))
    #expect(!heard.contains("  measurement  ") && !heard.contains("  round trip  "))
  }
}
