import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import Foundation
import PatchGraph
import RenderCallbacks
import RenderCore
import RenderHost
import Testing

/// The Swift of the pages of `patchrun explain`, run. What stands between the marks is what the
/// pages show.
@Suite struct ExplanationSnippetTests {
  private static let stereo = StreamFormat(.float32, channels: 2, sampleRate: 44_100)

  /// A graph with a mixer that feeds its I/O unit.
  private struct Scene {
    let graph = AudioGraph(
      assuming: HardwareGrant(
        outputFormat: StreamFormat(
          .float32, channels: 2, sampleRate: 44_100, interleaved: true),
        inputFormat: nil, ioBufferFrames: 512))
    let mixer: NodeID
    let io: NodeID
    let callback = ClosureCallback(bus: 0, duration: nil) { _, _, _, _, _ in .ok }

    init(isOpen: Bool = true, isConnected: Bool = true) throws {
      graph.defaultStreamFormat = ExplanationSnippetTests.stereo
      mixer = try graph.addNode(MultichannelMixer.description.component)
      io = try graph.addNode(RemoteIO.description.component)
      if isConnected {
        try graph.connect(mixer, to: io)
        try graph.setInputCallback(callback, of: mixer)
      }
      if isOpen { try graph.open() }
    }
  }

  private typealias Snippet = @Sendable () throws -> Void

  private static let snippets: [(code: Diagnostic.Code, wrong: Snippet, right: Snippet)] = [
    (
      "PR0301",
      {
        let graph = try Scene(isConnected: false).graph
        // PR0301 wrong
        let mixer = try graph.addNode(MultichannelMixer.description.component)
        try graph.removeNode(mixer)
        _ = try graph.unit(mixer)
        // end
      },
      {
        let graph = try Scene(isConnected: false).graph
        // PR0301 right
        let mixer = try graph.addNode(MultichannelMixer.description.component)
        _ = try graph.unit(mixer)
        try graph.removeNode(mixer)
        // end
      }
    ),
    (
      "PR0309",
      {
        let graph = try Scene(isOpen: false).graph
        // PR0309 wrong
        try graph.open()
        try graph.start()
        // end
      },
      {
        let graph = try Scene(isOpen: false).graph
        // PR0309 right
        try graph.open()
        try graph.initialize()
        try graph.start()
        // end
        graph.stop()
      }
    ),
    (
      "PR0312",
      {
        let scene = try Scene(isConnected: false)
        let (graph, mixer, io) = (scene.graph, scene.mixer, scene.io)
        // PR0312 wrong
        try graph.connect(mixer, to: io)
        try graph.disconnect(mixer)
        // end
      },
      {
        let scene = try Scene(isConnected: false)
        let (graph, mixer, io) = (scene.graph, scene.mixer, scene.io)
        // PR0312 right
        try graph.connect(mixer, to: io)
        try graph.disconnect(io)
        // end
      }
    ),
    (
      "PR0505",
      {
        let scene = try Scene()
        let (graph, mixer) = (scene.graph, scene.mixer)
        // PR0505 wrong
        let unit = try graph.unit(mixer)
        try unit.setProperty(.latency, to: .float64(0.01))
        // end
      },
      {
        let scene = try Scene()
        let (graph, mixer) = (scene.graph, scene.mixer)
        // PR0505 right
        let unit = try graph.unit(mixer)
        _ = try unit.property(.latency)
        // end
      }
    ),
    (
      "PR0506",
      {
        let scene = try Scene()
        let (graph, mixer) = (scene.graph, scene.mixer)
        // PR0506 wrong
        try graph.initialize()
        try graph.unit(mixer).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
        // end
      },
      {
        let scene = try Scene()
        let (graph, mixer) = (scene.graph, scene.mixer)
        // PR0506 right
        try graph.unit(mixer).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
        try graph.initialize()
        // end
      }
    ),
    (
      "PR0507",
      {
        let scene = try Scene()
        let (graph, mixer) = (scene.graph, scene.mixer)
        // PR0507 wrong
        let unit = try graph.unit(mixer)
        _ = try unit.property(.elementName, .input, 0)
        // end
      },
      {
        let scene = try Scene()
        let (graph, mixer) = (scene.graph, scene.mixer)
        // PR0507 right
        let unit = try graph.unit(mixer)
        try unit.setProperty(.elementName, .input, 0, to: .string("Drums"))
        _ = try unit.property(.elementName, .input, 0)
        // end
      }
    ),
    (
      "PR0510",
      {
        let scene = try Scene()
        let (graph, mixer) = (scene.graph, scene.mixer)
        // PR0510 wrong
        let unit = try graph.unit(mixer)
        _ = try unit.property(.setRenderCallback, .input, 0)
        // end
      },
      {
        let scene = try Scene()
        let (graph, mixer) = (scene.graph, scene.mixer)
        // PR0510 right
        _ = try graph.interactions(of: mixer)
        // end
      }
    ),
    (
      "PR0511",
      {
        let callback = try Scene().callback
        // PR0511 wrong
        let unit = UnitInstance(MultichannelMixer.self)
        try unit.setProperty(.setRenderCallback, .input, 0, to: .renderCallback(callback))
        // end
      },
      {
        let scene = try Scene(isConnected: false)
        let (graph, mixer, callback) = (scene.graph, scene.mixer, scene.callback)
        // PR0511 right
        let unit = try graph.unit(mixer)
        try unit.setProperty(.setRenderCallback, .input, 0, to: .renderCallback(callback))
        // end
      }
    ),
  ]

  /// The violation that a snippet ends with.
  private static func violation(_ body: Snippet) throws -> Violation? {
    do { try body() } catch let violation as Violation {
      return violation
    } catch GraphStartError.refused(let violation) {
      return violation
    }
    return nil
  }

  @Test(arguments: snippets.map(\.code))
  func `the wrong lines of a page are refused with its code, and the right ones are not`(
    code: Diagnostic.Code
  ) throws {
    let snippet = try #require(Self.snippets.first { $0.code == code })
    let page = try #require(Explanation.page(code))
    let violation = try #require(try Self.violation(snippet.wrong))
    #expect(violation.rule.code == code.rawValue)
    #expect(page.statuses.first?.number == violation.status.rawValue)
    #expect(try Self.violation(snippet.right) == nil)
  }

  @Test func `the lines on a page are those that are run here`() throws {
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    for page in Explanation.all {
      guard case .swift(let wrong, let right) = page.example else { continue }
      for (kind, shown) in [("wrong", wrong), ("right", right)] {
        let mark = "        // \(page.code) \(kind)\n"
        let start = try #require(source.range(of: mark), "\(page.code) is not run").upperBound
        let end = try #require(
          source.range(of: "        // end\n", range: start..<source.endIndex)
        ).lowerBound
        let lines = source[start..<end].split(separator: "\n").map { $0.dropFirst(8) }
        #expect(lines.joined(separator: "\n") == shown)
      }
    }
  }
}
