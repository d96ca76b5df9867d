import Foundation
import TestSupport
import Testing

@testable import patchrun

/// The tables that the program keeps from one run to the next.
@Suite struct TableCacheTests {
  /// Noise that moves around a head, at a rate other than that of the head's measurement.
  private static let patch = """
    {
      "streamFormats": {
        "source": { "sample": "int16", "channels": 1, "sampleRate": 44100 }
      },
      "callbacks": { "noise": { "kind": "noise", "amplitude": 0.2, "seed": 3 } },
      "nodes": {
        "room": {
          "component": "3DMixer", "inputCount": 1,
          "inputs": {
            "0": {
              "streamFormat": "source", "properties": { "spatializationAlgorithm": "HRTF" },
              "parameters": { "azimuth": 10, "distance": 1 }
            }
          },
          "outputs": { "0": { "sampleRate": 48000 } }
        },
        "out": { "component": "GenericOutput" }
      },
      "connections": [{ "from": "noise", "to": "room" }, { "from": "room", "to": "out" }],
      "timeline": [
        { "at": 0, "ramp": { "path": "/nodes/room/inputs/0/parameters/azimuth", "to": 90, "duration": 0.2 } }
      ]
    }
    """

  private static func render(_ place: Workplace, _ name: String) throws -> [UInt8] {
    let outcome = try place.run("render", "head.json", "--duration", "0.2", "-o", name)
    #expect(outcome.status == 0 && !outcome.errors.contains("error"), "\(outcome.errors)")
    return try place.bytes(name)
  }

  @Test func `a head sounds the same prepared, kept, damaged and prepared again`() throws {
    let place = try Workplace()
    try place.write(Self.patch, to: "head.json")
    let plain = try Self.render(place, "plain.wav")
    #expect(!place.exists("cache"))
    place.environment["PATCHRUN_CACHE"] = nil
    place.environment["XDG_CACHE_HOME"] = place.path("cache")
    #expect(try Self.render(place, "first.wav") == plain)
    let folder = place.path("cache/patchrun")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(names.count == 2 && names[0].hasPrefix("head-"), "\(names)")
    let file = URL(fileURLWithPath: folder + "/" + names[0])
    let table = try Data(contentsOf: file)
    #expect(try Self.render(place, "second.wav") == plain)
    #expect(try place.run("validate", "head.json").status == 0)

    var damaged = table
    damaged[table.count / 2] ^= 1
    for data in [damaged, table.prefix(table.count / 2), Data()] {
      try data.write(to: file)
      #expect(try Self.render(place, "again.wav") == plain)
      #expect(try Data(contentsOf: file) == table)
    }
    // With two processes at the same time, and one that may not write.
    try FileManager.default.removeItem(atPath: folder)
    let render = ["render", "head.json", "--duration", "0.2", "-o"]
    let both = try ["a.wav", "b.wav"].map { try place.start(render + [$0]) }
    for process in both { #expect(try process.wait().status == 0) }
    #expect(try place.bytes("a.wav") == plain && place.bytes("b.wav") == plain)
    #expect(try Data(contentsOf: file) == table)
    // A disk without room for the table: no part of it remains.
    try FileManager.default.removeItem(at: file)
    let full = try place.shell(
      "ulimit -f 2000; exec \"$PATCHRUN\" \"$@\"", render + ["full.wav"]
    ).wait()
    #expect(full.status == 0 && !full.errors.contains("error"), "\(full.errors)")
    #expect(try place.bytes("full.wav") == plain)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [names[1]])
    try Data().write(to: URL(fileURLWithPath: place.path("no-folder")))
    place.environment["XDG_CACHE_HOME"] = place.path("no-folder")
    #expect(try Self.render(place, "nowhere.wav") == plain)
  }

  @Test func `each kernel class and rate has tables of its own`() throws {
    let place = try Workplace()
    try place.write(Self.patch, to: "head.json")
    place.environment["PATCHRUN_CACHE"] = place.path("kept")
    _ = try Self.render(place, "own.wav")
    for kernel in ["baseline", "baseline"] {
      #expect(
        try place.run(
          "render", "head.json", "--duration", "0.2", "--kernel", kernel, "-o", "kept.wav"
        ).status == 0)
    }
    place.environment["PATCHRUN_CACHE"] = "off"
    _ = try place.run(
      "render", "head.json", "--duration", "0.2", "--kernel", "baseline", "-o", "plain.wav")
    #expect(try place.bytes("kept.wav") == place.bytes("plain.wav"))
  }

  @Test func `the folder is the one that the environment names`() {
    func folder(_ variables: [String: String]) -> String? { TableCache.folder { variables[$0] } }
    #expect(folder(["HOME": "/home/a"]) == "/home/a/.cache/patchrun")
    #expect(folder(["HOME": "/home/a", "XDG_CACHE_HOME": "/c"]) == "/c/patchrun")
    #expect(folder(["HOME": "/home/a", "XDG_CACHE_HOME": ""]) == "/home/a/.cache/patchrun")
    #expect(folder(["HOME": "/home/a", "XDG_CACHE_HOME": "c"]) == "/home/a/.cache/patchrun")
    #expect(folder(["XDG_CACHE_HOME": "/c", "PATCHRUN_CACHE": "/d"]) == "/d")
    #expect(folder(["XDG_CACHE_HOME": "/c", "PATCHRUN_CACHE": "off"]) == nil)
    #expect(folder(["XDG_CACHE_HOME": "/c", "PATCHRUN_CACHE": ""]) == "/c/patchrun")
    #expect(folder(["XDG_CACHE_HOME": "/c", "PATCHRUN_CACHE": "d"]) == nil)
    #expect(folder(["HOME": ""]) == nil)
    #expect(folder([:]) == nil)
  }
}
