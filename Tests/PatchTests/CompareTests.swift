import AudioTypes
import Foundation
import SoundFiles
import TestSupport
import Testing

struct CompareTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  // MARK: Sounds

  /// Writes two channels of tones that swell and fade, by formulas and with an exact delay in
  /// frames.
  private func write(
    _ name: String, late: Double = 0, gain: Double = 1, rate: Double = 16_000,
    swapped: Bool = false,
    count: Int = 16_000, more: (Int) -> Double = { _ in 0 }
  ) throws {
    let format = StreamFormat(.float32, channels: 2, sampleRate: rate, interleaved: true)
    let writer = try SoundFileWriter(path: place.path(name), format: format)
    var samples: [Double] = []
    for frame in 0..<count {
      let time = (Double(frame) - late) / rate
      let swell = exp(-pow((time - 0.5) / 0.15, 2))
      let channels = [310.0, 470].map { pitch in
        gain * 0.4 * swell
          * (sin(2 * .pi * pitch * (time + 0.3 * time * time)) + 0.5
            * sin(2 * .pi * 2.7 * pitch * time))
      }
      samples += swapped ? [channels[1], channels[0]] : [channels[0], channels[1] + more(frame)]
    }
    try writer.write(samples, frameCount: count)
    try writer.close()
  }

  private func compare(
    _ arguments: String..., status: Int32 = 0
  ) throws -> [String: Any] {
    let outcome = try place.start(["compare"] + arguments + ["--json"]).wait()
    #expect(outcome.status == status, "\(outcome.errors)")
    return try #require(
      JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
  }

  private func level(_ json: [String: Any], _ key: String) -> Double {
    json[key] as? Double ?? -.infinity
  }

  // MARK: Files

  @Test func `a file that is late and softer is the same, by as much as is said`() throws {
    try write("b.wav")
    try write("a.wav", late: 321.25, gain: -0.25)
    let json = try compare("a.wav", "b.wav")
    #expect(json["same"] as? Bool == true && json["isInverted"] as? Bool == true)
    #expect((level(json, "offsetFrames") - 321.25).magnitude < 0.01)
    // 20 log10(0.25).
    #expect((level(json, "gainDB") + 12.0412).magnitude < 0.001)
    // The rounding of the file's floats, 24 bits.
    #expect(level(json, "differenceRMS") < -140)
    let text = try place.run("compare", "a.wav", "b.wav").output
    #expect(text.contains("  offset      321.25 frames late, 20.078 ms\n"))
    #expect(text.contains("  gain        -12.041 dB, upside down\n"))
    #expect(text.hasSuffix("same: the difference is below -90 dBFS in every 20 ms\n"))
    let early = try place.run("compare", "b.wav", "a.wav").output
    #expect(early.contains("321.25 frames early"))
  }

  @Test func `without aligning or matching the same sound is another one`() throws {
    try write("b.wav")
    try write("a.wav", late: 40)
    let late = try place.run("compare", "a.wav", "b.wav", "--no-align", "--no-gain")
    #expect(late.status == 1 && late.output.contains("different: above -90 dBFS in "))
    try write("c.wav", gain: 0.5)
    #expect(try place.run("compare", "c.wav", "b.wav", "-q").status == 0)
    let soft = try place.run("compare", "c.wav", "b.wav", "--no-gain", "-q")
    #expect(soft.status == 1 && soft.output == "" && soft.errors == "")
    #expect(try place.run("compare", "a.wav", "b.wav", "--max-offset", "0.001", "-q").status == 1)
  }

  @Test func `what was added is found where it is`() throws {
    try write("b.wav")
    try write("a.wav") { frame in
      (9600..<9920).contains(frame) ? 1e-3 * sin(2 * .pi * 2000 * Double(frame) / 16_000) : 0
    }
    let json = try compare("a.wav", "b.wav", status: 1)
    let worst = try #require(json["worst"] as? [String: Any])
    #expect(worst["time"] as? Double == 0.6 && worst["channel"] as? Int == 1)
    // The third-octave band 10^3.3.
    #expect(worst["frequency"] as? Double == 1995.26)
    // An amplitude of 1e-3 is -60 dBFS, and its RMS 3.01 dB less. The effect of the gain is
    // negligible.
    #expect((level(worst, "level") + 63.01).magnitude < 0.05)
    let text = try place.run("compare", "a.wav", "b.wav").output
    #expect(text.contains("-63.0 dBFS in 20 ms at 0:00.600, right, around 2 kHz"))
    #expect(text.contains("above -90 dBFS in 1 of 50 stretches of 20 ms"))
    #expect(try place.run("compare", "a.wav", "b.wav", "--null-below", "-62").status == 0)
    #expect(
      try place.run("compare", "a.wav", "b.wav", "--null-below", "-62", "--peak-below", "-61")
        .output.hasSuffix("different: its peak is above -61.0 dBFS\n"))
  }

  @Test func `channels that are changed round are said to be`() throws {
    try write("b.wav")
    try write("a.wav", swapped: true)
    let outcome = try place.run("compare", "a.wav", "b.wav")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("left and right are changed round: then nothing would be left"))
    #expect(try place.run("compare", "a.wav", "b.wav", "--channel", "0:1").status == 0)
  }

  @Test func `a file of another rate is converted`() throws {
    try write("b.wav")
    try write("a.wav", rate: 44_100, count: 44_100)
    let json = try compare("a.wav", "b.wav")
    #expect(json["convertedFrom"] as? Double == 44_100)
    // The very high quality of libsoxr, 28 bits.
    #expect(level(json, "differenceRMS") < -130)
  }

  @Test func `what only one of them has is said`() throws {
    try write("b.wav")
    try write("a.wav", count: 9000)
    let outcome = try place.run("compare", "a.wav", "b.wav")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("only B has 0.438 s at the end, peak "))
    #expect(outcome.output.hasSuffix("different: one of them goes on where the other has ended\n"))
  }

  // MARK: Patches

  @Test func `a patch is the file that was rendered of it, bit for bit`() throws {
    try place.write(TestPatch.noise(), to: "mix.json")
    #expect(try place.run("render", "mix.json", "--duration", "0.4", "-o", "b.wav").status == 0)
    // The patch has no end, so it is rendered for the duration of the file.
    let same = try place.run("compare", "mix.json", "b.wav", "--no-align", "--no-gain")
    #expect(same.status == 0 && same.output.hasSuffix("\nsame\n"), "\(same.errors)")
    #expect(same.output.contains("A mix.json, B b.wav: 0.400 s, 2 channels, 48000 Hz"))
    let piped = try place.shell(
      "$PATCHRUN compare b.wav - --null-below -140 < mix.json"
    ).wait()
    #expect(piped.status == 0 && piped.output.contains("B standard input"))
    let none = try place.run("compare", "mix.json", "mix.json")
    #expect(none.status == 2 && none.errors.contains("--duration SECONDS"))
  }

  @Test func `a patch that is wrong ends with 1, with what is wrong`() throws {
    try write("b.wav")
    try place.write("{ \"nodes\": 3 }", to: "mix.json")
    let outcome = try place.run("compare", "mix.json", "b.wav")
    #expect(outcome.status == 1 && outcome.output == "" && outcome.errors.contains("error["))
  }

  // MARK: Files

  @Test func `the difference is what has to be added to the second to get the first`() throws {
    try write("b.wav")
    try write("a.wav") { frame in frame == 8000 ? 0.25 : 0 }
    let outcome = try place.run(
      "compare", "a.wav", "b.wav", "--no-align", "--no-gain", "--difference", "left.wav",
      "--picture", "a.svg")
    #expect(outcome.status == 1 && outcome.errors == "")
    let samples = try place.samples("left.wav")
    #expect(samples.count == 32_000)
    // The 0.25 is added before rounding to floats: half a step of floats near 1.
    #expect((samples[16_001] - 0.25).magnitude < 1e-7)
    #expect(samples.enumerated().allSatisfy { $0.offset == 16_001 || $0.element == 0 })
    #expect(try place.shell("xmllint --noout a.svg").wait().status == 0)
    let picture = String(decoding: try place.bytes("a.svg"), as: UTF8.self)
    #expect(
      picture.contains("a.wav against b.wav: different") && picture.contains("Thirds of an octave"))
    #expect(try place.run("compare", "a.wav", "b.wav", "-q", "--picture", "a.png").status == 1)
    #expect(try place.bytes("a.png").prefix(8) == [137, 80, 78, 71, 13, 10, 26, 10])
  }

  @Test func `sounds of nothing, and silent ones, have a picture as well`() throws {
    try write("b.wav", count: 0)
    try write("a.wav", gain: 0, count: 1)
    for name in ["a.wav", "b.wav"] {
      let outcome = try place.run(
        "compare", name, "b.wav", "--picture", "a.svg", "--difference", "left.wav")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
  }

  // MARK: Errors

  @Test(arguments: [
    (["a.wav", "c.wav"], 3, "c.wav"), (["a.wav", "t.txt"], 3, "a patch is a file whose name"),
    (["a.wav", "c.json"], 3, "there is no file 'c.json'"),
    (["a.wav", "m.wav"], 2, "--channel 0"),
    (["a.wav", "b.wav", "--channel", "2"], 2, "no channel 2"),
    (["a.wav", "b.wav", "--channel", "x"], 2, "'0:1'"),
    (["a.wav", "b.wav", "--picture", "a.gif"], 2, ".svg or .png"),
    (["a.wav", "b.wav", "--picture", "nowhere/a.svg"], 3, "nowhere/a.svg"),
    (["a.wav", "b.wav", "--difference", "a.wav"], 2, "would be overwritten"),
    (["a.wav", "b.wav", "--difference", "a.xyz"], 2, "'.xyz'"),
    (["a.wav", "b.wav", "--null-below", "3"], 2, "from -400 to 0"),
    (["-", "-"], 2, "standard input"),
    (["a.wav", "b.wav", "--json", "-q"], 2, "exclude each other"),
  ])
  func `what cannot be compared is said, with the cure`(
    arguments: [String], status: Int, words: String
  ) throws {
    try write("a.wav", count: 100)
    try write("b.wav", count: 100)
    try place.write("text", to: "t.txt")
    let format = StreamFormat(.float32, channels: 1, sampleRate: 16_000, interleaved: true)
    let writer = try SoundFileWriter(path: place.path("m.wav"), format: format)
    try writer.write([0.5, 0.25], frameCount: 2)
    try writer.close()
    let before = try place.bytes("a.wav")
    let outcome = try place.start(["compare"] + arguments).wait()
    #expect(outcome.status == status && outcome.output == "")
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(try place.bytes("a.wav") == before)
  }
}
