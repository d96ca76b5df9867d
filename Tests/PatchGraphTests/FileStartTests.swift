import AudioTypes
import Foundation
import RenderCore
import RenderHost
import SoundFiles
import TestSupport
import Testing

@testable import PatchGraph

/// The start time of a file callback, which must be exact to the frame through changes of the
/// patch.
struct FileStartTests {
  private static func patch(
    at: String, more: String = "", from: String = "music", format: String = "float32"
  ) -> String {
    """
    {
      "session": { "category": "playback", "preferredSampleRate": 48000 },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
      "callbacks": { "music": { "kind": "file", "path": "music.wav", "at": \(at) }\(more) },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": { "0": { "streamFormat": { "sample": "\(format)", "channels": 2, "sampleRate": "session" } } }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [ { "from": "\(from)", "to": "mixer" }, { "from": "mixer", "to": "io" } ]
    }
    """
  }

  /// The left channel of a patch that is replaced by another at a frame.
  private static func heard(
    _ old: String, _ new: String, at frame: Int, frames: Int
  ) throws -> [Float] {
    let folder = try TemporaryFolder()
    try folder.write((0..<96_000).map { Double($0 + 1) / 192_000 }, to: "music.wav")
    let player = try LivePlayer(old, frames: frames, directory: folder.path, keeping: folder)
    try player.pull(frame)
    _ = try player.play(new)
    try player.pull(50_000 - frame)
    return player.left
  }

  private static func expected(_ frame: Int, from start: Int) -> Double {
    frame < start ? 0 : Double(frame - start + 1) / 192_000
  }

  @Test(arguments: [64, 256, 1000])
  func `a change of what is around it does not move the beginning`(frames: Int) throws {
    // 30,001 frames: in the middle of a slice.
    let start = "0.6250208333"
    let plain = Self.patch(at: start)
    let soft = Self.patch(
      at: start, more: #", "same": { "kind": "gain", "gain": 1, "from": "music" }"#, from: "same")
    let words = Self.patch(at: start, format: "int16")
    for (old, new, tolerance) in [(plain, soft, 1e-6), (soft, plain, 1e-6), (plain, words, 4e-5)] {
      // While it waits, just before it begins, and while it plays.
      for moment in [9000, 29_000, 30_000, 33_000] {
        let found = try Self.heard(old, new, at: moment, frames: frames)
        #expect(found.count == 50_000)
        for frame in 0..<50_000
        where abs(Double(found[frame]) - Self.expected(frame, from: 30_001)) > tolerance {
          Issue.record("frame \(frame) is \(found[frame]), after a change at \(moment)")
          return
        }
      }
    }
  }

  @Test func `another time begins again, and waits for that`() throws {
    let found = try Self.heard(
      Self.patch(at: "0"), Self.patch(at: #""500 ms""#), at: 10_240, frames: 256)
    let first = try #require(found.indices.last { $0 > 20_000 && found[$0] == 0 })
    // It waits from the frame where it enters, in the next slice or the one after.
    #expect((10_240 + 24_000..<10_240 + 24_000 + 1024).contains(first + 1))
    #expect(abs(Double(found[49_999]) - Self.expected(49_999, from: first + 1)) < 1e-6)
  }
}
