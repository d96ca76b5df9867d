import Foundation
import PatchGraph
import PatchSyntax
import TestSupport
import Testing

@testable import patchrun

struct PictureCommandTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  @Test
  func `render draws what it renders, without a sound file if there is to be none`() throws {
    try place.write(TestPatch.noise(), to: "noise.json")
    let outcome = try place.run(
      "render", "noise.json", "--duration", "0.5", "--picture", "waveform=w.svg", "--picture",
      "spectrogram=s.png,frequencies=linear,width=640,size=1024", "--picture", "levels=l.svg")
    #expect(outcome.status == 0 && outcome.errors.hasPrefix("pictures: 24000 frames"))
    #expect(try place.shell("xmllint --noout w.svg l.svg").wait().status == 0)
    let png = try place.bytes("s.png")
    #expect(png[16..<20] == [0, 0, 2, 128])
    let both = try place.run(
      "render", "noise.json", "--duration", "0.5", "--picture", "waveform=again.svg", "-o", "a.wav",
      "--json", "-q")
    #expect(both.status == 0 && place.exists("a.wav") && both.output.contains("\"again.svg\""))
    let text = String(decoding: try place.bytes("w.svg"), as: UTF8.self)
    #expect(text.contains(">w: waveform<") && text.contains("0:00.500"))
  }

  @Test
  func `a tap draws what render draws`() throws {
    let tap = """
      { "mix": { "kind": "picture", "of": "waveform", "at": "mixer", "path": "tap.svg",
                 "title": "one" } }
      """
    try place.write(TestPatch.noise(taps: tap), to: "noise.json")
    let outcome = try place.run(
      "render", "noise.json", "--duration", "0.5", "--picture", "waveform=own.svg,title=one")
    #expect(outcome.status == 0)
    #expect(try place.bytes("tap.svg") == place.bytes("own.svg"))
    let alone = try place.run("render", "noise.json", "--duration", "0.1")
    #expect(alone.status == 0 && alone.errors.hasPrefix("pictures: 4800 frames"))
    #expect(String(decoding: try place.bytes("tap.svg"), as: UTF8.self).contains("0:00.100"))
  }

  @Test(arguments: [
    ("waveform", "say what it shows"), ("wavform=a.svg", "did you mean 'waveform'?"),
    ("levels=", "which file"), ("levels=a.gif", "has to end in .svg or .png"),
    ("levels=a.svg,widht=900", "did you mean 'width'?"),
    ("levels=a.svg,width=x", "'width' is a whole number from 320 to 4096"),
    ("levels=a.svg,width", "has to end in .svg or .png"),
    ("levels=a.svg,size=1024", "'size' says nothing of levels"),
    ("waveform=noise.json.svg,channel=2", "the bus has no channel 2"),
  ])
  func `a picture that cannot be is wrong usage`(picture: String, message: String) throws {
    try place.write(TestPatch.noise(), to: "noise.json")
    let outcome = try place.run(
      "render", "noise.json", "--duration", "0.1", "--picture", picture)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test
  func `a picture takes no other file's place, and a folder has to be there`() throws {
    try place.write(TestPatch.noise(taps: TestPatch.recording), to: "noise.svg")
    func status(_ pictures: String...) throws -> Int32 {
      try place.start(
        ["render", "noise.svg", "--duration", "0.1", "-o", "out.wav"]
          + pictures.flatMap { ["--picture", $0] }
      ).wait().status
    }
    #expect(try status("waveform=noise.svg") == 2)
    #expect(try status("waveform=a.svg", "levels=a.svg") == 2)
    #expect(try status("waveform=gone/a.svg") == 3)
    #expect(!place.exists("out.wav"))
    #expect(try status("waveform=a,b.svg,title=one, two") == 0)
    #expect(String(decoding: try place.bytes("a,b.svg"), as: UTF8.self).contains(">one, two<"))
  }

  /// A run with an update that removes the tap, and one that adds another: each picture is
  /// complete.
  @Test
  func `a tap that goes writes its picture, and a live run does at its end`() throws {
    let tap = #"{ "kind": "picture", "of": "levels", "at": "mixer", "path": "PATH" }"#
    let patch = TestPatch.noise(
      taps: "{ \"a\": \(tap.replacingOccurrences(of: "PATH", with: "a.svg")) }")
    let update = """
      , "timeline": [ { "at": 0.5, "update": [
        { "op": "remove", "path": "/taps/a" },
        { "op": "add", "path": "/taps/b",
          "value": \(tap.replacingOccurrences(of: "PATH", with: "b.svg")) } ] } ]
      }
      """
    let open = try #require(patch.lastIndex(of: "}"))
    try place.write(String(patch[..<open]) + update, to: "noise.json")
    let outcome = try place.run("render", "noise.json", "--duration", "1.5")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let first = String(decoding: try place.bytes("a.svg"), as: UTF8.self)
    let second = String(decoding: try place.bytes("b.svg"), as: UTF8.self)
    #expect(first.contains("0:00.5") && second.contains("0:01.0"), "\(first.prefix(900))")
  }

  @Test(.enabled(if: PrivatePulse.isInstalled))
  func `a live run draws its bus, from the first frame to the last`() throws {
    let pulse = try PrivatePulse()
    place.environment.merge(pulse.environment) { _, new in new }
    try place.write(
      TestPatch.noise(
        taps: """
          {
            "w": { "kind": "picture", "of": "waveform", "at": "mixer", "path": "w.svg" },
            "s": { "kind": "picture", "of": "spectrogram", "at": "mixer", "path": "s.png" },
            "l": { "kind": "picture", "of": "levels", "at": "mixer", "path": "l.svg" }
          }
          """), to: "noise.json")
    let live = try place.run("run", "noise.json", "--duration", "1.25", "-q")
    #expect(live.status == 0, "\(live.errors)")
    #expect(try place.bytes("s.png").prefix(4) == [137, 80, 78, 71])
    let text = String(decoding: try place.bytes("l.svg"), as: UTF8.self)
    #expect(text.contains("2 channels") && text.contains("48 kHz") && text.contains("LUFS"))
    #expect(try place.shell("xmllint --noout w.svg l.svg").wait().status == 0)
  }
}
