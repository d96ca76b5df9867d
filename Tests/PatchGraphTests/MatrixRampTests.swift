import AudioTypes
import Diagnostics
import PatchSyntax
import RenderHost
import Testing

@testable import PatchGraph

/// Changes of matrix levels by the timeline and during playback.
struct MatrixRampTests {
  private static func patch(_ rows: String, _ path: String = "0/1", to: String = "0.5") -> String {
    """
    {
      "schemaVersion": 1,
      "session": { "category": "playback", "preferredSampleRate": 48000 },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
      "callbacks": { "tone": { "kind": "tone", "frequency": 437, "amplitude": 0.5 } },
      "nodes": {
        "matrix": {
          "component": "MatrixMixer", "inputCount": 1,
          "inputs": {
            "0": { "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 48000 } }
          },
          "properties": { "maximumFramesPerSlice": 4096, "matrixLevels": \(rows) }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [ { "from": "tone", "to": "matrix" }, { "from": "matrix", "to": "io" } ],
      "timeline": [
        {
          "at": 0.1,
          "ramp": { "path": "/nodes/matrix/properties/matrixLevels/\(path)", "to": \(to), "duration": 0.1 }
        }
      ]
    }
    """
  }

  /// The ratio of the right side to the left one; `nil` where the left one is too soft.
  private func share(_ player: LivePlayer, _ frame: Int) -> Float? {
    player.heard[0][frame].magnitude < 0.05
      ? nil : player.heard[1][frame] / player.heard[0][frame]
  }

  @Test(arguments: [64, 256, 1000])
  func `a ramp moves a crosspoint in a straight line, whatever the slices`(frames: Int) throws {
    let player = try LivePlayer(Self.patch("[[1, 0]]"), frames: frames)
    try player.pull(16_000)
    for frame in 0..<16_000 {
      let place = Float(min(4800, max(0, frame - 4799))) / 4800
      guard let share = share(player, frame) else { continue }
      #expect(abs(share - 0.5 * place) < 1e-4, "\(frame)")
    }
  }

  @Test(arguments: [("1/0", "0.25"), ("1/1", "\"-12.0412 dB\"")])
  func `a ramp moves a volume that the rows have`(path: String, to: String) throws {
    let rows = "[[1, 1, 1], [1, \"-6.0206 dB\", 1]]"
    let player = try LivePlayer(Self.patch(rows, path, to: to))
    try player.pull(16_000)
    #expect(abs((share(player, 2000) ?? share(player, 2010) ?? 0) - 0.5) < 1e-4)
    for frame in 10_000..<16_000 {
      guard let share = share(player, frame) else { continue }
      #expect(abs(share - (path == "1/0" ? 0.5 : 0.125) / (path == "1/0" ? 0.25 : 0.5)) < 1e-3)
    }
  }

  @Test func `what a ramp has left is in the rows of the document, which still reads`() throws {
    let player = try LivePlayer(Self.patch("[[1, 0]]", to: "\"-6 dB\""))
    try player.pull(16_000)
    let reading = player.live.reading
    #expect(!reading.hasErrors)
    let place = JSONPointer(["nodes", "matrix", "properties", "matrixLevels", "0", "1"])
    #expect(reading.document?.root[place]?.string == "-6 dB")
    #expect(reading.document?.timeline.isEmpty == true)
  }

  @Test func `a level that is changed while it plays goes there in 10 ms`() throws {
    let player = try LivePlayer(Self.patch("[[1, 0]]", to: "0"))
    try player.pull(16_000)
    let changes = try player.play(Self.patch("[[1, 0.75]]", to: "0.75"))
    #expect(changes.allSatisfy { $0.heard == .live || $0.heard == .nothing || $0.heard == .ramp })
    try player.pull(8000)
    #expect(player.heard[1][..<16_000].allSatisfy { $0 == 0 })
    for frame in 16_800..<24_000 {
      guard let share = share(player, frame) else { continue }
      #expect(abs(share - 0.75) < 1e-5)
    }
  }

  @Test(arguments: [
    ("[[1, 0]]", "0/2", "'matrixLevels' of 'matrix' has no number there"),
    ("[[1, 0]]", "1/0", "'matrixLevels' of 'matrix' has no number there"),
    ("[[1, 0]]", "0/01", "'matrixLevels' of 'matrix' has no number there"),
    ("[[1, 0]]", "0", "this is not the place of a parameter"),
  ])
  func `a path to no number of the rows is told of once`(
    rows: String, path: String, message: String
  ) {
    let reading = LivePlayer.read(Self.patch(rows, path))
    let patch = PatchBuilder.build(reading)
    let errors = (reading.diagnostics + patch.diagnostics).filter { $0.severity == .error }
    #expect(errors.map { "\($0.message)" } == [message])
  }

  @Test func `a ramp of a band is in the document once it is over`() throws {
    let text = Self.patch("[[1, 1]]").replacing(
      "matrix/properties/matrixLevels/0/1", with: "eq/bands/0/gain"
    )
    .replacing(
      "\"io\": {",
      with: """
        "eq": {
          "component": "NBandEQ", "properties": { "maximumFramesPerSlice": 4096 },
          "bands": [ { "type": "parametric", "frequency": 1000 } ]
        },
        "io": {
        """
    ).replacing(
      "{ \"from\": \"matrix\", \"to\": \"io\" }",
      with: "{ \"from\": \"matrix\", \"to\": \"eq\" }, { \"from\": \"eq\", \"to\": \"io\" }")
    let player = try LivePlayer(text)
    try player.pull(16_000)
    #expect(!player.live.reading.hasErrors)
    let place = JSONPointer(["nodes", "eq", "bands", "0", "gain"])
    #expect(player.live.reading.document?.root[place]?.number == 0.5)
  }
}
