import AudioGraphs
import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import SoundFiles
import Testing

/// Checks the files in `patches` without running them.
struct PatchFolderTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "patches")

  private static func files(_ pathExtension: String, in folder: URL) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".\(pathExtension)") }.sorted()
  }

  private static let patches = files("json", in: folder).filter { !$0.hasSuffix(".test.json") }
  /// The sounds that patches loop.
  private static let loops = ["beats.wav", "guitar.wav"]

  private static func read(_ name: String) throws -> PatchReader.Result {
    let bytes = try Data(contentsOf: folder.appending(path: name))
    return PatchReader.read(bytes: Array(bytes), name: name)
  }

  // MARK: Patches

  @Test
  func `there is a patch for each design pattern`() {
    let patterns = [
      "convert-rate.json", "eq-mixer.json", "io-mixer.json", "mixer-host.json", "offline.json",
      "one-callback.json",
      "pass-through.json", "record-input.json",
    ]
    #expect(Set(Self.patches).isSuperset(of: patterns))
  }

  @Test(arguments: patches)
  func `a patch is read without a diagnostic`(name: String) throws {
    let result = try Self.read(name)
    let text = TextRenderer(source: result.source)
    for diagnostic in result.diagnostics {
      Issue.record("\(text.render(diagnostic))")
    }
    #expect(result.document != nil)
  }

  @Test(arguments: patches)
  func `a patch is formatted`(name: String) throws {
    let bytes = Array(try Data(contentsOf: Self.folder.appending(path: name)))
    #expect(PatchFormatter.format(SourceText(name: name, bytes: bytes)).text == bytes)
  }

  @Test(arguments: patches)
  func `a patch says what it shows, and points an editor to the schema`(name: String) throws {
    let document = try #require(try Self.read(name).document)
    #expect(document.title?.value.isEmpty == false)
    #expect(document.schemaVersion?.value == 1)
    #expect(document.root["$schema"]?.string == "../schema/patch.schema.json")
    #expect(document.root["comment"] != nil)
  }

  @Test(arguments: patches)
  func `the sounds that a patch plays are beside it`(name: String) throws {
    let document = try #require(try Self.read(name).document)
    for callback in document.callbacks {
      guard let path = callback.value.json["path"]?.string else { continue }
      #expect(!path.hasPrefix("/"))
      _ = try SoundFileReader(path: Self.folder.appending(path: path).path)
    }
  }

  @Test(arguments: patches, [44_100.0, 48_000])
  func `a patch validates without an error or a warning`(name: String, sampleRate: Double) throws {
    var assumption = HardwareAssumption()
    assumption.sampleRate = sampleRate
    let built = PatchBuilder.build(
      try Self.read(name), directory: Self.folder.path, device: .assumed(assumption))
    let text = TextRenderer(source: built.source)
    for diagnostic in built.diagnostics {
      Issue.record("\(text.render(diagnostic))")
    }
    #expect(built.graph?.violations().filter { $0.severity != .note }.isEmpty == true)
  }

  // MARK: Sounds

  /// All samples of a file, by channel.
  private static func channels(_ name: String) throws -> [[Float]] {
    let reader = try SoundFileReader(path: folder.appending(path: "audio/\(name)").path)
    var samples = [Float](repeating: 0, count: reader.frameCount * reader.channelCount)
    #expect(try reader.read(into: &samples) == reader.frameCount)
    return (0..<reader.channelCount).map { channel in
      stride(from: channel, to: samples.count, by: reader.channelCount).map { samples[$0] }
    }
  }

  @Test
  func `the guitar is stereo, the beats are mono, and both last five seconds`() throws {
    for (name, channelCount) in [("guitar.wav", 2), ("beats.wav", 1)] {
      let reader = try SoundFileReader(path: Self.folder.appending(path: "audio/\(name)").path)
      #expect(reader.channelCount == channelCount)
      #expect(reader.sampleRate == 44_100)
      #expect(reader.sampleType == .int16)
      #expect(reader.frameCount == 220_500)
    }
  }

  @Test
  func `the response of a room peaks at -3 dB of full scale and ends in silence`() throws {
    let channels = try Self.channels("responses/room.wav")
    #expect(channels.count == 2 && channels[0].count == 39_690)
    #expect(channels[0] != channels[1])
    let peak = channels.joined().reduce(0) { max($0, abs($1)) }
    #expect(abs(20 * log10(Double(peak)) + 3) < 0.001)
    for channel in channels {
      #expect(channel.prefix(290).allSatisfy { $0 == 0 })
      #expect(channel.suffix(100).allSatisfy { abs($0) < 0.001 })
    }
  }

  @Test(arguments: loops)
  func `a loop peaks at -3 dB of full scale and has no constant part`(name: String) throws {
    let channels = try Self.channels(name)
    let peak = channels.joined().reduce(0) { max($0, abs($1)) }
    // Half a step of 16 bits is 0.0002 dB at this level.
    #expect(abs(20 * log10(Double(peak)) + 3) < 0.001)
    for channel in channels {
      let mean = channel.reduce(0.0) { $0 + Double($1) } / Double(channel.count)
      // A step of 16 bits is -90 dB.
      #expect(20 * log10(abs(mean)) < -120)
    }
  }

  @Test(arguments: loops)
  func `a loop runs without a click`(name: String) throws {
    for channel in try Self.channels(name) {
      let first = try #require(channel.first)
      let last = try #require(channel.last)
      // The step at the seam is not larger than those on either side.
      let around = channel.suffix(100) + channel.prefix(100)
      let steps = zip(around, around.dropFirst()).map { abs($1 - $0) }
      let seam = abs(first - last)
      #expect(steps[99] == seam)
      let others = steps[..<99] + steps[100...]
      #expect(seam <= (others.max() ?? 0))
      // -40 dBFS.
      #expect(seam < 0.01)
    }
  }
}
