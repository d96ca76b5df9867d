import AudioTypes
import TestSupport
import Testing

@testable import GraphDrawings
@testable import PatchGraph

/// Frames around sub-graphs, for graphs of every shape.
@Suite struct FramedLayoutTests {
  /// Numbers that are the same on every run.
  private struct Numbers {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
  }

  /// A tree of nodes in sub-graphs that lie in one another, with taps.
  private static func graph(_ seed: Int) -> GraphDrawing {
    var numbers = Numbers(state: UInt64(seed) &+ 77)
    var drawing = GraphDrawing(title: "graph \(seed)", nodes: [], edges: [])
    let format = StreamFormat(.float32, channels: 2, sampleRate: 44_100)
    for index in 0..<(3 + seed) {
      var node = GraphDrawing.Node(.unit, "", type: "MultichannelMixer")
      if index > 0 {
        // What comes later feeds what came before: beside it, out of a sub-graph of its own, or from
        // around the one that it is in.
        let taker = numbers.below(index)
        let outer = drawing.nodes[taker].subgraph
        switch numbers.below(4) {
        case 0: node.subgraph = (outer.map { $0 + "/" } ?? "") + "s\(index)"
        case 1: node.subgraph = outer.flatMap(Self.around)
        default: node.subgraph = outer
        }
        let input = drawing.nodes[taker].inputs.count
        drawing.nodes[taker].inputs.append(.init(number: input, isUsed: true))
        drawing.edges.append(
          .init(source: index, output: 0, destination: taker, input: input, format: format))
      }
      node.name = (node.subgraph.map { $0 + "/" } ?? "") + "unit \(index)"
      drawing.nodes.append(node)
    }
    for index in 0..<drawing.nodes.count where numbers.below(6) == 0 {
      var tap = GraphDrawing.Node(.tap, "tap \(index)", type: "record")
      tap.inputs = [.init(number: 0, isUsed: true)]
      drawing.edges.append(
        .init(
          source: index, output: 0, destination: drawing.nodes.count, input: 0, format: format,
          isTap: true))
      drawing.nodes.append(tap)
    }
    for node in drawing.nodes {
      if let name = node.subgraph, !drawing.subgraphs.contains(name) {
        drawing.subgraphs.append(name)
      }
    }
    return drawing
  }

  /// The sub-graph that another is in.
  private static func around(_ name: String) -> String? {
    name.lastIndex(of: "/").map { String(name[..<$0]) }
  }

  @Test(arguments: 0..<60)
  func `a frame holds what is in its sub-graph, and nothing else`(seed: Int) {
    let drawing = Self.graph(seed)
    let layout = FramedLayout(drawing)
    #expect(Set(layout.frames.map(\.name)) == Set(drawing.subgraphs))
    func isIn(_ subgraph: String?, _ name: String) -> Bool {
      subgraph == name || subgraph?.hasPrefix(name + "/") == true
    }
    for frame in layout.frames {
      #expect(frame.x >= 0 && frame.x + frame.width <= layout.width)
      #expect(frame.y >= 0 && frame.y + frame.height <= layout.height)
      for (index, node) in drawing.nodes.enumerated() {
        let (corner, box) = (layout.corners[index], layout.boxes[index])
        if isIn(node.subgraph, frame.name) {
          #expect(corner.x > frame.x && corner.x + box.width < frame.x + frame.width)
          #expect(corner.y > frame.y + 20 && corner.y + box.height < frame.y + frame.height)
        } else {
          let isApart =
            corner.x >= frame.x + frame.width || corner.x + box.width <= frame.x
            || corner.y >= frame.y + frame.height || corner.y + box.height <= frame.y
          #expect(isApart, "\(node.name) is in \(frame.name)")
        }
      }
      for other in layout.frames where other.name != frame.name {
        guard !isIn(other.name, frame.name), !isIn(frame.name, other.name) else { continue }
        let isApart =
          other.x >= frame.x + frame.width || other.x + other.width <= frame.x
          || other.y >= frame.y + frame.height || other.y + other.height <= frame.y
        #expect(isApart, "\(other.name) and \(frame.name)")
      }
    }
  }

  @Test(arguments: 0..<60)
  func `a wire goes from its source to its destination without a gap`(seed: Int) {
    let drawing = Self.graph(seed)
    let layout = FramedLayout(drawing)
    for (wire, edge) in zip(layout.wires, drawing.edges) {
      guard let first = wire.stretches.first, let last = wire.stretches.last else {
        Issue.record("an edge is not drawn")
        continue
      }
      let source = layout.corners[edge.source]
      #expect(first.x == source.x + layout.boxes[edge.source].width)
      #expect(first.y >= source.y && first.y <= source.y + layout.boxes[edge.source].height)
      let box = layout.boxes[edge.destination]
      let corner = layout.corners[edge.destination]
      #expect(last.endX <= corner.x + 0.5)
      let port = box.inputs.first { $0.number == edge.input }?.y ?? -99
      #expect((last.endY - corner.y - port).magnitude <= 2.5)
      for (left, right) in zip(wire.stretches, wire.stretches.dropFirst()) {
        #expect(left.endY == right.y && left.endX <= right.x + 0.5 && right.x <= right.bend)
      }
    }
    // Each format is said once, where it leaves.
    #expect(layout.wires.contains { $0.isLabelled })
    let svg = drawing.svg()
    #expect(svg.split(separator: "class=\"frame\"").count == drawing.subgraphs.count + 1)
  }

  @Test
  func `sub-graphs that feed each other in a circle are drawn without frames`() {
    var drawing = GraphDrawing(title: "", nodes: [], edges: [])
    for index in 0..<3 {
      var node = GraphDrawing.Node(.unit, "\(index)", type: "iPodEQ")
      if index > 0 {
        node.inputs = [.init(number: 0, isUsed: true)]
        drawing.edges.append(.init(source: index - 1, output: 0, destination: index, input: 0))
      }
      node.subgraph = index == 1 ? nil : "a"
      drawing.nodes.append(node)
    }
    drawing.subgraphs = ["a"]
    let layout = FramedLayout(drawing)
    #expect(layout.frames.isEmpty)
    #expect(layout.corners.map(\.x) == layout.corners.map(\.x).sorted())
  }
}
