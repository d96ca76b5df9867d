import AudioTypes
import PatchSyntax
import TestSupport
import Testing

@testable import GraphDrawings
@testable import PatchGraph
@testable import PatchReference

/// The layout of drawings, for graphs of every shape.
@Suite struct DrawingLayoutTests {
  private struct Rectangle {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    func overlaps(_ other: Rectangle) -> Bool {
      x < other.x + other.width && other.x < x + width && y < other.y + other.height
        && other.y < y + height
    }
  }

  /// The same numbers in every run.
  struct Numbers {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
  }

  private static func element(_ number: Int) -> GraphDrawing.Element {
    GraphDrawing.Element(number: number, isUsed: true)
  }

  /// A graph like those of patches: each output feeds one input, callbacks feed several, taps
  /// watch.
  private static func graph(_ seed: Int, nodes count: Int) -> GraphDrawing {
    var numbers = Numbers(state: UInt64(seed))
    var drawing = GraphDrawing(title: "graph \(seed)", nodes: [], edges: [])
    let format = StreamFormat(.float32, channels: 2, sampleRate: 44_100)
    let origin = GraphDrawing.Origin(kind: .set, node: "unit", scope: .input, element: 0)
    for index in 0..<count {
      var node = GraphDrawing.Node(.unit, "unit \(index)", type: "MultichannelMixer")
      node.settings = (0..<numbers.below(3)).map { .init(name: "setting \($0)", value: 1) }
      if numbers.below(3) == 0 && index > 0 {
        node.kind = .callback
        node.type = "tone"
      }
      drawing.nodes.append(node)
    }
    // Node 0 is the output unit. Later nodes feed earlier ones.
    for index in 1..<max(1, count) {
      let times = drawing.nodes[index].kind == .callback ? 1 + numbers.below(3) : 1
      for _ in 0..<times {
        let takers = (0..<index).filter { drawing.nodes[$0].kind == .unit }
        let taker = takers[numbers.below(takers.count)]
        let input = drawing.nodes[taker].inputs.count
        var element = element(input)
        if numbers.below(4) == 0 {
          element.conversions = [.init(kind: .rate, from: "22050", to: "44100")]
        }
        drawing.nodes[taker].inputs.append(element)
        drawing.edges.append(
          GraphDrawing.Edge(
            source: index, output: 0, destination: taker, input: input, format: format,
            origin: origin))
      }
    }
    for index in 1..<max(1, count) where numbers.below(8) == 0 {
      guard drawing.nodes[index].kind == .unit else { continue }
      var tap = GraphDrawing.Node(.tap, "tap \(index)", type: "record")
      tap.inputs = [element(0)]
      drawing.edges.append(
        GraphDrawing.Edge(
          source: index, output: 0, destination: drawing.nodes.count, input: 0, format: format,
          origin: origin, isTap: true))
      drawing.nodes.append(tap)
    }
    return drawing
  }

  @Test(arguments: 0..<60)
  func `boxes, labels and wires keep clear of one another`(seed: Int) {
    let drawing = Self.graph(seed, nodes: 1 + seed * 2 / 3)
    let layout = DrawingLayout(drawing)
    let boxes = drawing.nodes.indices.map { index in
      Rectangle(
        x: layout.corners[index].x, y: layout.corners[index].y, width: layout.boxes[index].width,
        height: layout.boxes[index].height)
    }
    for (index, box) in boxes.enumerated() {
      #expect(box.x >= 0 && box.x + box.width <= layout.width)
      #expect(box.y >= 0 && box.y + box.height <= layout.height)
      #expect(!boxes[(index + 1)...].contains { $0.overlaps(box) })
      for line in layout.boxes[index].lines {
        #expect(line.width + DrawingBox.padding <= box.width)
        #expect(line.y > 8 && line.y < box.height)
      }
    }
    var labels: [Rectangle] = []
    for wire in layout.wires {
      guard let first = wire.stretches.first, wire.isLabelled else { continue }
      let label = Rectangle(
        x: first.x + 1, y: first.y - 16, width: first.bend - first.x, height: 34)
      #expect(!labels.contains { $0.overlaps(label) })
      #expect(!boxes.contains { $0.overlaps(label) })
      labels.append(label)
      let text = drawing.edges[wire.edge].label
      #expect(first.x + 8 + TextWidth.of(text.format, size: 12) <= first.bend)
    }
    for wire in layout.wires {
      let edge = drawing.edges[wire.edge]
      for (index, stretch) in wire.stretches.enumerated() where index > 0 {
        let pass = Rectangle(
          x: stretch.x, y: stretch.y - 1, width: stretch.bend - stretch.x, height: 2)
        #expect(!boxes.contains { $0.overlaps(pass) }, "a wire runs through a box")
        #expect(!labels.contains { $0.overlaps(pass) }, "a wire runs through a label")
      }
      guard let first = wire.stretches.first, let last = wire.stretches.last else {
        Issue.record("an edge is not drawn")
        continue
      }
      let (source, destination) = (boxes[edge.source], boxes[edge.destination])
      #expect(first.x == source.x + source.width)
      #expect(first.y > source.y && first.y < source.y + source.height)
      #expect(last.endX == destination.x)
      let port = layout.boxes[edge.destination].inputs.first { $0.number == edge.input }?.y ?? -1
      #expect((last.endY - destination.y - port).magnitude <= 2)
    }
  }

  @Test
  func `sound goes from left to right, and inputs stand in their order`() {
    for seed in 0..<30 {
      let drawing = Self.graph(seed, nodes: 20)
      let layout = DrawingLayout(drawing)
      for edge in drawing.edges {
        #expect(layout.corners[edge.source].x < layout.corners[edge.destination].x)
      }
      for box in layout.boxes {
        #expect(zip(box.inputs, box.inputs.dropFirst()).allSatisfy { $0.y < $1.y })
      }
    }
  }

  @Test
  func `a tree has no crossings`() {
    for seed in 0..<30 {
      var drawing = Self.graph(seed, nodes: 40)
      var seen: Set<Int> = []
      drawing.edges = drawing.edges.filter { !$0.isTap && seen.insert($0.source).inserted }
      #expect(DrawingLayout(drawing).crossings == 0)
    }
  }

  @Test
  func `crossings are counted, and those that need not be are undone`() {
    // Two by two edges that cross as written.
    let order = LayeredOrder(
      layerOf: [0, 0, 1, 1],
      segments: [
        .init(from: 0, to: 3, fromPlace: 0.5, toPlace: 0.5),
        .init(from: 1, to: 2, fromPlace: 0.5, toPlace: 0.5),
      ])
    #expect(order.crossings() == 0)
    // Each of three with each of three: nine edges with at least nine crossings in any order.
    let all = (0..<3).flatMap { from in
      (3..<6).map { LayeredOrder.Segment(from: from, to: $0, fromPlace: 0.5, toPlace: 0.5) }
    }
    #expect(LayeredOrder(layerOf: [0, 0, 0, 1, 1, 1], segments: all).crossings() == 9)
  }

  @Test
  func `nothing, one node, and thousands can be drawn`() {
    let empty = GraphDrawing(title: "", nodes: [], edges: [])
    #expect(empty.svg().hasPrefix("<svg "))
    #expect(empty.dot().hasSuffix("}\n") && empty.mermaid() == "flowchart LR\n")
    #expect(Self.graph(1, nodes: 1).svg().contains("unit 0"))
    #expect(Self.graph(2, nodes: 3000).svg().contains("unit 2999"))
    // The longest chain.
    var chain = GraphDrawing(title: "chain", nodes: [], edges: [])
    for index in 0..<3000 {
      var node = GraphDrawing.Node(.unit, "\(index)", type: "iPodEQ")
      if index > 0 {
        node.inputs = [Self.element(0)]
        chain.edges.append(.init(source: index - 1, output: 0, destination: index, input: 0))
      }
      chain.nodes.append(node)
    }
    let layout = DrawingLayout(chain)
    #expect(Set(layout.corners.map(\.y)).count == 1)
  }
}
