import AudioTypes
import Diagnostics
import FileAccess
import Foundation
import PatchImport
import TestSupport
import Testing

/// A file of a dialect, and the expected filters, which another program derived from the sources
/// and documents of the original programs.
struct DialectExample: CustomTestStringConvertible, Sendable {
  let dialect: ImportDialect
  let path: String
  let expected: Expected

  var testDescription: String { path.split(separator: "/").suffix(2).joined(separator: "/") }

  static let all: [DialectExample] = ImportDialect.allCases.flatMap { dialect in
    let folder = CommandLineTool.dialects + "/" + dialect.rawValue
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".expected.json") }.sorted().compactMap {
      name -> DialectExample? in
      guard let data = FileManager.default.contents(atPath: folder + "/" + name),
        let expected = try? JSONDecoder().decode(Expected.self, from: data)
      else { return nil }
      return DialectExample(
        dialect: dialect, path: folder + "/" + expected.input, expected: expected)
    }
  }

  func imported(detecting: Bool = false) throws -> FilterImport.Result {
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    var options = ImportOptions(folder: folder.joined(separator: "/"))
    options.sampleRate = expected.sampleRate
    return try #require(
      FilterImport.read(
        SourceText(name: path, bytes: bytes), from: detecting ? nil : dialect, options))
  }

  struct Expected: Decodable, Sendable {
    var input: String
    var sampleRate: Double
    var channels: [Name]
    var stages: [[String: Field]]
    var diagnostics: [[String: Field]]
    var refused: String?
    var graph: Field?
    var response: [Response]?
  }

  struct Response: Decodable, Sendable {
    var channel: Name
    var decibels: [[Double?]]
  }

  /// A channel, by name or by number.
  enum Name: Decodable, Hashable, Sendable {
    case text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int.self) {
        self = .text(String(number))
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    var text: String { if case .text(let text) = self { text } else { "" } }
  }

  indirect enum Field: Decodable, Sendable {
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([Field])
    case map([String: Field])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Double.self) {
        self = .number(value)
      } else if let value = try? container.decode(String.self) {
        self = .text(value)
      } else if let value = try? container.decode([Field].self) {
        self = .list(value)
      } else {
        self = .map(try container.decode([String: Field].self))
      }
    }

    var number: Double? { if case .number(let value) = self { value } else { nil } }
    var text: String? { if case .text(let value) = self { value } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var list: [Field]? { if case .list(let value) = self { value } else { nil } }
    var map: [String: Field]? { if case .map(let value) = self { value } else { nil } }
    var name: String { text ?? number.map { String(Int($0)) } ?? "" }
  }
}

@Suite struct DialectTests {
  @Test func `there are 25 examples of each dialect`() {
    for dialect in ImportDialect.allCases {
      #expect(DialectExample.all.count { $0.dialect == dialect } == 25, "\(dialect)")
    }
  }

  @Test(arguments: DialectExample.all)
  func `a file is imported as the filters that it means`(example: DialectExample) throws {
    let result = try example.imported()
    if example.expected.refused != nil {
      #expect(result.chain == nil)
      #expect(result.diagnostics.contains { $0.code == "PR1005" })
      return
    }
    let chain = try #require(result.chain, "\(result.diagnostics.map(\.message))")
    #expect(chain.channels == example.expected.channels.map(\.text))
    // A graph that branches is written as mixes; another test compares its sound.
    if example.expected.graph == nil {
      #expect(chain.stages.count == example.expected.stages.count, "\(chain.stages.map(\.kind))")
      for (stage, expected) in zip(chain.stages, example.expected.stages) {
        check(stage, expected, chain)
      }
    }
  }

  @Test(arguments: DialectExample.all)
  func `what is not imported is named at its place`(example: DialectExample) throws {
    let result = try example.imported()
    let kinds: [String: Rule.Code] = [
      "ignored": "PR1001", "disabled": "PR1002", "unsupported": "PR1003",
    ]
    var found = result.diagnostics.filter { kinds.values.contains($0.code) }
    for expected in example.expected.diagnostics {
      let code = try #require(kinds[expected["kind"]?.text ?? ""])
      let index = found.firstIndex { diagnostic in
        guard diagnostic.code == code else { return false }
        if let line = expected["line"]?.number {
          return result.source.line(of: diagnostic.range.lowerBound) == Int(line)
        }
        let place = expected["at"]?.text ?? "?"
        return diagnostic.pointer?.hasSuffix(place) == true
          || diagnostic.message.text.contains("'\(place)'")
      }
      let message = "\(expected) of \(result.diagnostics.map(\.message.text))"
      if let index { found.remove(at: index) } else { Issue.record(Comment(rawValue: message)) }
    }
    // Lines of included files have their own numbers, and the examples do not list them.
    let own = found.filter { result.source.origin(of: $0.range).text.name == example.path }
    #expect(own.map(\.message.text) == [])
  }

  @Test(arguments: DialectExample.all)
  func `the response of the filters is the one that was worked out`(
    example: DialectExample
  ) throws {
    guard let responses = example.expected.response, example.expected.refused == nil else { return }
    let chain = try #require(try example.imported().chain)
    for response in responses {
      let channels =
        response.channel.text == "all"
        ? Array(chain.channels.indices)
        : [try #require(chain.channels.firstIndex(of: response.channel.text))]
      for channel in channels {
        for point in response.decibels {
          let frequency = try #require(point[0])
          let decibels = try #require(chain.decibels(ofChannel: channel, at: frequency))
          if let expected = point[1] {
            #expect(abs(decibels - expected) < 0.001, "\(frequency) Hz")
          } else {
            #expect(decibels < -100)
          }
        }
      }
    }
  }

  @Test(arguments: DialectExample.all)
  func `what a file was written for is seen in it, or makes no difference`(
    example: DialectExample
  ) throws {
    let detected = try example.imported(detecting: true)
    if detected.dialect == example.dialect { return }
    #expect(Set([example.dialect, detected.dialect]) == [.autoEQ, .equalizerAPO])
    let chain = try #require(example.imported().chain)
    let other = try #require(detected.chain)
    let isSame = chain.stages.map(\.kind) == other.stages.map(\.kind)
    // Shelves with names that Equalizer APO interprets differently.
    #expect(isSame || detected.diagnostics.contains { $0.code == "PR1006" })
  }

  private func check(
    _ stage: FilterChain.Stage, _ expected: [String: DialectExample.Field], _ chain: FilterChain
  ) {
    func number(_ key: String) -> Double { expected[key]?.number ?? .nan }
    func near(_ found: Double, _ wanted: Double, _ what: String) {
      #expect(abs(found - wanted) <= 1e-6 * max(abs(wanted), 1e-3), "\(what) of \(expected)")
    }
    func near(_ found: [Double], _ key: String) {
      let wanted = (expected[key]?.list ?? []).map { $0.number ?? .nan }
      #expect(found.count == wanted.count)
      for (one, other) in zip(found, wanted) { near(one, other, key) }
    }
    let type = expected["type"]?.text ?? ""
    if let names = expected["channels"]?.list?.map(\.name) {
      let channels = stage.channels?.map {
        $0 < chain.channels.count ? chain.channels[$0] : "\($0)"
      }
      #expect(channels == names)
    } else {
      #expect(stage.channels == nil)
    }
    switch stage.kind {
    case .section(let section):
      #expect(section.shape.rawValue == type)
      near(section.frequency, number("frequency"), "frequency")
      if section.shape.hasGain { near(section.gain, number("gain"), "gain") }
      if section.shape.hasQ { near(section.q, number("q"), "q") }
      if let target = section.target {
        near(target.frequency, number("targetFrequency"), "target")
        near(target.q, number("targetQ"), "target")
      }
    case .gain(let gain, let isInverted):
      #expect(type == "gain" && isInverted == (expected["inverted"]?.bool ?? false))
      near(gain, number("gain"), "gain")
    case .mute: #expect(type == "mute")
    case .delay(let seconds):
      #expect(type == "delay")
      near(seconds, number("seconds"), "seconds")
    case .recursive(let b, let a):
      #expect(type == "biquad" || type == "iir")
      near(b, "b")
      near(a, "a")
    case .taps(let taps):
      #expect(type == "fir")
      near(taps, "taps")
    case .curve(let points):
      #expect(type == "graphic")
      let wanted = expected["points"]?.list ?? []
      #expect(points.count == wanted.count)
      for (point, other) in zip(points, wanted) {
        near(point.frequency, other.list?[0].number ?? .nan, "point")
        near(point.gain, other.list?[1].number ?? .nan, "point")
      }
    case .convolution(let file):
      #expect(type == "convolution" && file.path == expected["file"]?.text)
      #expect(file.channel.map(Double.init) == expected["fileChannel"]?.number)
      #expect(file.format == expected["format"]?.text)
      near(file.gain, expected["gain"]?.number ?? 0, "gain")
    case .mix(let rows):
      #expect(type == "mix")
      for (target, sources) in expected["assignments"]?.map ?? [:] {
        guard let row = chain.channels.firstIndex(of: target) ?? Int(target) else {
          Issue.record("no channel \(target)")
          continue
        }
        var wanted = [Double](repeating: 0, count: rows[row].count)
        for source in sources.list ?? [] {
          let name = source.map?["from"]?.name ?? ""
          guard let column = chain.channels.firstIndex(of: name) ?? Int(name) else { continue }
          wanted[column] = source.map?["factor"]?.number ?? .nan
        }
        for (one, other) in zip(rows[row], wanted) { near(one, other, "factor") }
      }
    case .clip(let limit, let isSoft):
      #expect(type == "clip" && isSoft == (expected["soft"]?.bool ?? false))
      near(limit, number("limit"), "limit")
    case .clamp(let low, let high):
      #expect(type == "clamp")
      near(low, number("low"), "low")
      near(high, number("high"), "high")
    case .processor(let name, let parameters):
      #expect(name.lowercased() == type.lowercased())
      for (key, value) in parameters {
        near(value, expected["parameters"]?.map?[key]?.number ?? .nan, key)
      }
    case .spatializer(let file, let azimuth, let elevation, let radius):
      #expect(type == "spatializer" && file == expected["file"]?.text)
      near(azimuth, number("azimuth"), "azimuth")
      near(elevation, number("elevation"), "elevation")
      near(radius, number("radius"), "radius")
    }
  }
}
