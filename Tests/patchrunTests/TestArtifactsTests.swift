import Foundation
import SoundFiles
import SoundMeasures
import TestSupport
import Testing

@testable import patchrun

struct TestArtifactsTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  private func tone(_ gain: Double = 1, more: (Int) -> Double = { _ in 0 }) -> Sound {
    let samples = (0..<9600).map { Float(gain * 0.5 * sin(Double($0) * 0.06) + more($0)) }
    return Sound(sampleRate: 48_000, channels: [samples, samples])
  }

  private func page() throws -> String {
    String(decoding: try place.bytes("found/index.html"), as: UTF8.self)
  }

  @Test func `a test that failed leaves its sounds, pictures and a page`() throws {
    var artifacts = TestArtifacts(folder: place.path("found"))
    artifacts.testCount = 3
    try artifacts.add(
      ArtifactTest(
        title: "The <echo> & \"its\" tail", file: "echo.test.json",
        expectations: [
          .init(
            text: "level < -20", passed: false, measured: "-9.0 dBFS", time: 0.1, place: "left"),
          .init(text: "no clicks", passed: true),
        ],
        heard: tone { $0 == 4800 ? 0.25 : 0 }, golden: tone()))
    try artifacts.finish()
    for name in [
      "the-echo-its-tail.heard.wav", "the-echo-its-tail.golden.wav",
      "the-echo-its-tail.difference.wav", "the-echo-its-tail.difference.png",
    ] {
      #expect(place.exists("found/\(name)"), "\(name)")
    }
    let difference = try place.samples("found/the-echo-its-tail.difference.wav")
    // Half a step of floats near 1.
    #expect((difference[9600] - 0.25).magnitude < 1e-7 && difference[9602] == 0)
    let page = try page()
    #expect(page.contains("<h1>1 of 3 tests failed</h1>"))
    #expect(page.contains("The &lt;echo&gt; &amp; &quot;its&quot; tail</h2>"))
    #expect(page.contains("<time data-seconds=\"0.1000\">0:00.100</time>, left"))
    #expect(page.components(separatedBy: "<audio ").count == 4)
    // The largest sample of the difference is a quarter. In the page it is raised to -12 dBFS.
    #expect(page.contains("peak \u{2212}12.0 dBFS"))
    #expect(!page.contains("<echo>"))
  }

  @Test func `the page needs nothing but itself`() throws {
    var artifacts = TestArtifacts(folder: place.path("found"))
    try artifacts.add(ArtifactTest(title: "one", heard: tone(), golden: tone(0.5)))
    try artifacts.finish()
    let page = try page()
    #expect(!page.contains("http:") && !page.contains("https:") && !page.contains("src=\"/"))
    for match in page.matches(of: try Regex("(?:src|href)=\"([^\"]{1,5})")) {
      let start = String(match.output[1].substring ?? "")
      #expect(start == "data:" || start.hasPrefix("#") || start.hasPrefix("one"), "\(start)")
    }
    // The page states the difference to the golden sound: 20 log10(2).
    #expect(page.contains("6.021 dB too loud"))
  }

  @Test func `a sound in the page is the one in its file, in 16 bits`() throws {
    let sound = Sound(sampleRate: 8000, channels: [[0, 0.5, -2, .nan], [1, -0.25, 0, 0]])
    let bytes = ListeningWave.bytes(of: sound, gain: 0.5)
    try Data(bytes).write(to: place.url.appending(path: "a.wav"))
    let reader = try SoundFileReader(path: place.path("a.wav"))
    #expect(reader.sampleRate == 8000 && reader.channelCount == 2 && reader.frameCount == 4)
    var samples = [Int32](repeating: 0, count: 8)
    _ = try reader.read(into: &samples)
    // 0.5 times 32767, rounded away from 0; -1 becomes -32767.
    #expect(samples.map { $0 >> 16 } == [0, 16_384, 8192, -4096, -32_767, 0, 0, 0])
  }

  @Test func `tests of one title, and of none, have names of their own`() throws {
    var artifacts = TestArtifacts(folder: place.path("found"))
    for title in ["Tönë", "T?n?", "", "../x/y"] { try artifacts.add(ArtifactTest(title: title)) }
    #expect(artifacts.page.sections.map(\.id) == ["t-n", "t-n-2", "test", "x-y"])
    try artifacts.finish()
    #expect(try page().contains("<h1>4 tests failed</h1>"))
  }

  @Test func `a long sound is beside the page, not in it`() throws {
    var artifacts = TestArtifacts(folder: place.path("found"))
    artifacts.mostEmbedded = 30_000
    try artifacts.add(ArtifactTest(title: "long", heard: tone()))
    try artifacts.finish()
    #expect(try page().contains("Too long for this page"))
    #expect(try !page().contains("<audio "))
    #expect(try place.samples("found/long.heard.wav").count == 19_200)
  }

  @Test func `sounds that cannot be compared are there all the same, and why`() throws {
    var artifacts = TestArtifacts(folder: place.path("found"))
    let other = Sound(sampleRate: 44_100, channels: [[0.5, 0.25]])
    try artifacts.add(ArtifactTest(title: "rate", heard: tone(), golden: other))
    let silence = Sound(sampleRate: 48_000, channels: [[], []])
    try artifacts.add(ArtifactTest(title: "nothing", heard: silence, golden: tone()))
    try artifacts.finish()
    #expect(try page().contains("48000 Hz were heard, the golden sound has 44100 Hz"))
    #expect(try page().contains("What was heard is silent."))
  }

  @Test func `a folder that cannot be made is said`() throws {
    try place.write("", to: "file")
    var artifacts = TestArtifacts(folder: place.path("file/found"))
    #expect {
      try artifacts.add(ArtifactTest(title: "a"))
    } throws: { error in
      let failure = error as? CommandFailure
      return failure?.status == ExitStatus.unavailable
        && failure?.message.contains("cannot be written") == true
    }
  }
}
