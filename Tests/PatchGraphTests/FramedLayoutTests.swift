import AudioTypes
import PatchSyntax
import TestSupport
import Testing

@testable import GraphDrawings
@testable import PatchGraph

/// Frames around sub-graphs, for graphs of every shape.
@Suite struct FramedLayoutTests {
  /// A tree of nodes in nested sub-graphs, with taps.
  private static func graph(_ seed: Int) -> GraphDrawing {
    var numbers = DrawingLayoutTests.Numbers(state: UInt64(seed) &+ 77)
    var drawing = GraphDrawing(title: "graph \(seed)", nodes: [], edges: [])
    let format = StreamFormat(.float32, channels: 2, sampleRate: 44_100)
    for index in 0..<(3 + seed) {
      var node = GraphDrawing.Node(.unit, "", type: "MultichannelMixer")
      if index > 0 {
        // Each node feeds an earlier one: beside it, from a new sub-graph inside, or from a
        // sub-graph around it.
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

  /// The sub-graph that contains another.
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
    // Each format is labelled once, at its source.
    #expect(layout.wires.contains { $0.isLabelled })
    let svg = drawing.svg()
    #expect(svg.split(separator: "class=\"frame\"").count == drawing.subgraphs.count + 1)
  }

  /// Chains of equalizers, each in a frame, that feed a mixer.
  private static func strips(_ count: Int, of length: Int) -> GraphDrawing {
    var drawing = GraphDrawing(title: "", nodes: [], edges: [])
    let format = StreamFormat(.float32, channels: 2, sampleRate: 44_100)
    var mixer = GraphDrawing.Node(.unit, "mixer", type: "MultichannelMixer")
    mixer.inputs = (0..<count).map { .init(number: $0, isUsed: true) }
    drawing.nodes.append(mixer)
    for strip in 0..<count {
      drawing.subgraphs.append("strip \(strip)")
      for place in 0..<length {
        var node = GraphDrawing.Node(.unit, "strip \(strip)/eq \(place)", type: "iPodEQ")
        node.subgraph = "strip \(strip)"
        // Boxes of different widths.
        let width = String(repeating: "x", count: (strip * 7 + place * 5) % 24)
        node.settings = [.init(name: "a\(width)", value: 1)]
        node.inputs = [.init(number: 0, isUsed: place > 0)]
        let isLast = place == length - 1
        drawing.edges.append(
          .init(
            source: drawing.nodes.count, output: 0,
            destination: isLast ? 0 : drawing.nodes.count + 1, input: isLast ? strip : 0,
            format: format))
        drawing.nodes.append(node)
      }
    }
    return drawing
  }

  @Test
  func `the columns of strips of one kind line up`() {
    let drawing = Self.strips(3, of: 3)
    let layout = FramedLayout(drawing)
    for place in 0..<3 {
      let some = (0..<3).map { 1 + $0 * 3 + place }
      #expect(Set(some.map { layout.corners[$0].x }).count == 1)
      #expect(Set(some.map { layout.boxes[$0].width }).count == 1)
    }
  }

  @Test(arguments: [8, 11, 14, 20])
  func `a wide sub-graph goes on in rows, and its wires with it`(length: Int) {
    let drawing = Self.strips(1, of: length)
    let layout = FramedLayout(drawing)
    #expect(layout.width < 1200)
    #expect(Set(layout.corners.map(\.y)).count > 1)
    #expect(layout.wires.contains { $0.stretches.contains { $0.turn != nil } })
    for (wire, edge) in zip(layout.wires, drawing.edges) {
      // It avoids every box except those that it connects.
      for stretch in wire.stretches {
        guard let turn = stretch.turn else {
          #expect(stretch.x <= stretch.bend && stretch.bend <= stretch.endX + 0.5)
          continue
        }
        #expect(turn.x < stretch.endX && turn.lane > stretch.y && turn.lane < stretch.endY)
        for (index, box) in layout.boxes.enumerated() {
          let corner = layout.corners[index]
          #expect(turn.lane < corner.y || turn.lane > corner.y + box.height)
          #expect(turn.x < corner.x || turn.x > corner.x + box.width)
          let isRight = stretch.bend < corner.x || stretch.bend > corner.x + box.width
          let spansIt = corner.y + box.height > stretch.y && corner.y < turn.lane
          #expect(isRight || !spansIt)
        }
      }
      let (first, last) = (wire.stretches.first, wire.stretches.last)
      let box = layout.corners[edge.source]
      #expect(first?.x == box.x + layout.boxes[edge.source].width)
      #expect((last?.endX ?? -1) <= layout.corners[edge.destination].x + 0.5)
    }
    for frame in layout.frames {
      #expect(frame.x + frame.width <= layout.width)
      for index in 1..<drawing.nodes.count {
        let (corner, box) = (layout.corners[index], layout.boxes[index])
        #expect(corner.x > frame.x && corner.x + box.width < frame.x + frame.width)
        #expect(corner.y > frame.y && corner.y + box.height < frame.y + frame.height)
      }
    }
    for (index, box) in layout.boxes.enumerated() {
      for other in layout.boxes.indices where other > index {
        let (one, two) = (layout.corners[index], layout.corners[other])
        let isApart =
          one.x + box.width <= two.x || two.x + layout.boxes[other].width <= one.x
          || one.y + box.height <= two.y || two.y + layout.boxes[other].height <= one.y
        #expect(isApart)
      }
    }
  }

  @Test
  func `a format is said once where it is the same everywhere, and at an edge where it is another`()
  {
    var drawing = Self.strips(2, of: 2)
    let format = drawing.edges[0].format
    let origin = GraphDrawing.Origin(kind: .streamFormat, node: "", scope: .global, element: 0)
    for index in drawing.edges.indices { drawing.edges[index].origin = origin }
    let summary = format?.summary ?? "?"
    let line = "All connections: \(summary) (the patch&#39;s streamFormat)"
    // Once in the visible text; the description for screen readers is before it.
    #expect(
      drawing.svg().split(separator: "<text").dropFirst().count { $0.contains(summary) } == 1)
    #expect(drawing.svg().contains(">\(line)</text>"))
    #expect(drawing.dot().split(separator: summary, omittingEmptySubsequences: false).count == 2)
    #expect(
      drawing.mermaid().hasPrefix("---\ntitle: \"All connections: \(summary) (the patch's"))
    #expect(drawing.mermaid().split(separator: summary).count == 2)

    let other = StreamFormat(.int16, channels: 1, sampleRate: 22_050)
    drawing.edges[1].format = other
    drawing.edges[2].origin = .init(kind: .set, node: "mixer", scope: .input, element: 1)
    let svg = drawing.svg()
    #expect(svg.contains("Where no format stands: \(summary)"))
    #expect(svg.split(separator: "class=\"format\"").count == 2)
    #expect(svg.contains(">\(other.summary)</text>"))
    #expect(svg.contains(">set on mixer input 1</text>"))
    // A single edge has its label at the edge.
    let one = Self.strips(1, of: 1)
    #expect(one.svg().contains("class=\"format\"") && !one.svg().contains("All connections"))
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

  @Test func `twice as many sub-graphs cost little more than twice as much to draw`() {
    let format = StreamFormat(.float32, channels: 2, sampleRate: 44_100)
    /// Heap calls for sub-graphs in series, each with two units. The names are long: to compare them takes memory.
    func cost(_ count: Int) -> Int {
      var drawing = GraphDrawing(title: "", nodes: [], edges: [])
      for index in 0..<2 * count {
        let name = "a channel strip, number \(index / 2)"
        if index.isMultiple(of: 2) { drawing.subgraphs.append(name) }
        var node = GraphDrawing.Node(.unit, "\(name)/unit \(index % 2)", type: "iPodEQ")
        node.subgraph = name
        node.inputs = [.init(number: 0, isUsed: index > 0)]
        drawing.nodes.append(node)
        guard index > 0 else { continue }
        drawing.edges.append(
          .init(source: index - 1, output: 0, destination: index, input: 0, format: format))
      }
      return heapCost { _ = FramedLayout(drawing) }.calls
    }
    let (small, large) = (cost(40), cost(80))
    #expect(Double(large) < 2.2 * Double(small), "\(small) \(large)")
  }
}
