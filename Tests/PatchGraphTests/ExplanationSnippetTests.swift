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

/// Runs the Swift code on the pages of `patchrun explain`. The pages show the lines between the
/// marks.
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
    let callback = ClosureCallback { _, _, _, _, _ in .ok }

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

  private static let snippets: [(code: Rule.Code, wrong: Snippet, right: Snippet)] = [
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
        let scene = try Scene()
        let (graph, mixer) = (scene.graph, scene.mixer)
        // PR0511 wrong
        let unit = UnitInstance(MultichannelMixer.self)
        let source = try graph.unit(mixer)
        try unit.setProperty(
          .makeConnection, .input, 0, to: .connection(UnitConnection(from: source)))
        // end
      },
      {
        // PR0511 right
        let unit = UnitInstance(MultichannelMixer.self)
        let source = UnitInstance(IPodEQ.self)
        try unit.setProperty(
          .makeConnection, .input, 0, to: .connection(UnitConnection(from: source)))
        // end
      }
    ),
    (
      "PR0512",
      {
        // PR0512 wrong
        let unit = UnitInstance(IPodEQ.self)
        try unit.setProperty(
          .makeConnection, .input, 0, to: .connection(UnitConnection(from: unit)))
        // end
      },
      {
        // PR0512 right
        let unit = UnitInstance(IPodEQ.self)
        let source = UnitInstance(IPodEQ.self)
        try unit.setProperty(
          .makeConnection, .input, 0, to: .connection(UnitConnection(from: source)))
        // end
      }
    ),
    (
      "PR0513",
      {
        // PR0513 wrong
        let unit = UnitInstance(GenericOutput.self)
        try unit.start()
        // end
      },
      {
        // PR0513 right
        let unit = UnitInstance(GenericOutput.self)
        try unit.initialize()
        try unit.start()
        // end
      }
    ),
    (
      "PR0514",
      {
        // PR0514 wrong
        let unit = UnitInstance(IPodEQ.self)
        try unit.initialize()
        _ = try unit.render(512)
        // end
      },
      {
        let callback = try Scene().callback
        // PR0514 right
        let unit = UnitInstance(IPodEQ.self)
        try unit.setProperty(.setRenderCallback, .input, 0, to: .renderCallback(callback))
        try unit.initialize()
        _ = try unit.render(512)
        // end
      }
    ),
    (
      "PR0515",
      {
        // PR0515 wrong
        let unit = UnitInstance(RemoteIO.self)
        try unit.initialize()
        // end
      },
      {
        let device = PacedHost(try Scene().graph.grant)
        // PR0515 right
        let unit = UnitInstance(RemoteIO.self)
        try unit.useDevice(device)
        try unit.initialize()
        // end
      }
    ),
    (
      "PR0516",
      {
        let graph = try Scene().graph
        // PR0516 wrong
        graph.sessionCategory = .record
        try graph.initialize()
        // end
      },
      {
        let graph = try Scene().graph
        // PR0516 right
        graph.sessionCategory = .playback
        try graph.initialize()
        // end
      }
    ),
  ]

  /// The violation that a snippet throws.
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
    code: Rule.Code
  ) throws {
    let snippet = try #require(Self.snippets.first { $0.code == code })
    let rule = try #require(RuleCatalog.rule(code))
    let violation = try #require(try Self.violation(snippet.wrong))
    #expect(violation.rule.code == code)
    #expect(rule.statuses.first == violation.status)
    #expect(try Self.violation(snippet.right) == nil)
  }

  @Test func `the lines on a page are those that are run here`() throws {
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    for rule in RuleCatalog.all {
      guard case .swift(let wrong, let right) = rule.page.example else { continue }
      for (kind, shown) in [("wrong", wrong), ("right", right)] {
        let mark = "        // \(rule.code) \(kind)\n"
        let start = try #require(source.range(of: mark), "\(rule.code) is not run").upperBound
        let end = try #require(
          source.range(of: "        // end\n", range: start..<source.endIndex)
        ).lowerBound
        let lines = source[start..<end].split(separator: "\n").map { $0.dropFirst(8) }
        #expect(lines.joined(separator: "\n") == shown)
      }
    }
  }
}
