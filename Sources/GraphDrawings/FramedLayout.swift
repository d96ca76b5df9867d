/// The places of all parts of a drawing, with a frame around each sub-graph.
///
/// Each sub-graph has a layout of its own. In the layout around it the sub-graph is one box, and
/// edges enter and leave it through its border.
struct FramedLayout: Sendable {
  /// The border of a sub-graph.
  struct Frame: Sendable {
    var name: String
    var x: Double
    var y: Double
    var width: Double
    var height: Double
  }

  let drawing: GraphDrawing
  /// The box of each node of the drawing; `corners` has their upper left corners.
  private(set) var boxes: [DrawingBox]
  private(set) var corners: [(x: Double, y: Double)]
  /// The wire of each edge of the drawing.
  private(set) var wires: [DrawingLayout.Wire]
  /// The frames of all sub-graphs, each before those inside it.
  private(set) var frames: [Frame] = []
  let width: Double
  let height: Double

  private static let padding = 14.0
  /// The height of the line with the frame's name.
  private static let header = 30.0
  /// A wider drawing continues in a row below, so that a page of documentation shows it at full
  /// size.
  private static let maximumWidth = 1000.0
  private static let maximumFrameWidth = 700.0
  /// The stretches of each edge in each level, with the depth of the level: below 0 on the way out
  /// of sub-graphs, above 0 on the way into them.
  private var pieces: [[(depth: Int, stretches: [DrawingLayout.Stretch])]] = []

  /// - Parameter drawing: A drawing whose I/O units are in halves.
  init(_ drawing: GraphDrawing) {
    self.drawing = drawing
    let level =
      drawing.subgraphs.isEmpty
      ? nil : Level(of: drawing, drawing.parts(), drawing.edges.indices, inside: nil)
    // Sub-graphs that feed each other have no order from left to right.
    guard let level, !level.hasCycle else {
      let layout = DrawingLayout(drawing, .init(maximumWidth: Self.maximumWidth))
      (boxes, corners, wires) = (layout.boxes, layout.corners, layout.wires)
      (width, height) = (layout.width, layout.height)
      return
    }
    boxes = Array(repeating: DrawingBox.port, count: drawing.nodes.count)
    corners = Array(repeating: (0, 0), count: drawing.nodes.count)
    wires = drawing.edges.indices.map { DrawingLayout.Wire(edge: $0, isLabelled: false) }
    (width, height) = (level.layout.width, level.layout.height)
    pieces = drawing.edges.map { _ in [] }
    place(level, depth: 0, x: 0, y: 0, left: 0, right: width)
    join()
  }

  /// Places a level in the whole drawing.
  ///
  /// - Parameters:
  ///   - depth: The number of sub-graphs around it.
  ///   - left: The x at which edges enter.
  ///   - right: The x at which edges leave.
  private mutating func place(
    _ level: Level, depth: Int, x: Double, y: Double, left: Double, right: Double
  ) {
    let layout = level.layout
    for (index, member) in level.members.enumerated() {
      let corner = (x: layout.corners[index].x + x, y: layout.corners[index].y + y)
      let box = layout.boxes[index]
      switch member {
      case .node(let node): (boxes[node], corners[node]) = (box, corner)
      case .inlet, .outlet: break
      case .frame(let name, let inner):
        frames.append(
          Frame(name: name, x: corner.x, y: corner.y, width: box.width, height: box.height))
        place(
          inner, depth: depth + 1, x: corner.x + Self.padding, y: corner.y + Self.header,
          left: corner.x, right: corner.x + box.width)
      }
    }
    for wire in layout.wires {
      let edge = level.edges[wire.edge]
      var piece = wire.stretches
      for index in piece.indices {
        piece[index].x += x
        piece[index].bend += x
        piece[index].endX += x
        piece[index].y += y
        piece[index].endY += y
        piece[index].turn?.x += x
        piece[index].turn?.lane += y
      }
      let ends = layout.drawing.edges[wire.edge]
      var place = 0
      if case .inlet = level.members[ends.source] { (piece[0].x, place) = (left, depth) }
      if case .outlet = level.members[ends.destination] {
        (piece[piece.count - 1].endX, place) = (right, -depth)
      }
      pieces[edge].append((place, piece))
      if wire.isLabelled { wires[edge].isLabelled = true }
    }
  }

  /// Joins the pieces that an edge has in several levels to one wire.
  private mutating func join() {
    for edge in wires.indices {
      var stretches = pieces[edge].sorted { $0.depth < $1.depth }.flatMap(\.stretches)
      for index in stretches.indices.dropFirst() {
        let y = stretches[index - 1].endY
        // A small step would look like a mistake, so the wire becomes straight.
        if (stretches[index].endY - y).magnitude <= 2 { stretches[index].endY = y }
        stretches[index].y = y
      }
      wires[edge].stretches = stretches
    }
  }
}

extension FramedLayout {
  /// The contents of a sub-graph or of the patch: nodes and frames side by side.
  private struct Level {
    indirect enum Member {
      /// A node of the drawing.
      case node(Int)
      case frame(String, Level)
      /// Where an edge enters the sub-graph, or leaves it.
      case inlet(edge: Int)
      case outlet(edge: Int)
    }

    var members: [Member] = []
    /// The edge of the whole drawing that each edge of the layout belongs to.
    var edges: [Int] = []
    var layout: DrawingLayout
    private var shape = DrawingLayout.Shape()

    /// - Parameter touching: The edges that have an end in it, by their index in the drawing, in order.
    init(
      of drawing: GraphDrawing, _ parts: [GraphDrawing.Part], _ touching: some Sequence<Int>,
      inside name: String?
    ) {
      var level = GraphDrawing(title: "", nodes: [], edges: [])
      var members: [Member] = []
      var owners: [Int] = []
      /// For each node of the drawing, the member that it is or is inside.
      var memberOf: [Int: Int] = [:]
      var shape = DrawingLayout.Shape()
      shape.maximumWidth = name == nil ? FramedLayout.maximumWidth : FramedLayout.maximumFrameWidth
      for (number, part) in parts.enumerated() {
        part.forEachNode { memberOf[$0] = number }
      }
      /// The edges that have an end in each frame, by the frame's member.
      var edgesOf: [Int: [Int]] = [:]
      for index in touching {
        let (source, destination) = (
          memberOf[drawing.edges[index].source], memberOf[drawing.edges[index].destination]
        )
        if let source { edgesOf[source, default: []].append(index) }
        if let destination, destination != source {
          edgesOf[destination, default: []].append(index)
        }
      }
      let contents = Self.aligned(
        parts.enumerated().map { number, part in
          guard case .subgraph(let inner, let innerParts) = part else { return nil }
          return Level(of: drawing, innerParts, edgesOf[number] ?? [], inside: inner)
        })
      /// The ports where edges enter and leave frames, by the frame's member and the edge.
      var inputs: [Int: [Int: Int]] = [:]
      var outputs: [Int: [Int: Int]] = [:]
      for (part, content) in zip(parts, contents) {
        let number = members.count
        switch part {
        case .node(let index):
          members.append(.node(index))
          var node = drawing.nodes[index]
          // The frame shows the rest of the name.
          if let name, node.name.hasPrefix(name + "/") {
            node.name = String(node.name.dropFirst(name.count + 1))
          }
          level.nodes.append(node)
        case .subgraph(let inner, _):
          guard let content else { continue }
          let (box, inlets, outlets) = content.box()
          shape.boxes[number] = box
          (inputs[number], outputs[number]) = (inlets, outlets)
          var node = GraphDrawing.Node(.unit, inner, type: "")
          node.inputs = box.inputs.map { .init(number: $0.number, isUsed: true) }
          level.nodes.append(node)
          members.append(.frame(inner, content))
        }
      }
      let frames = Set(shape.boxes.keys)
      for index in touching {
        let edge = drawing.edges[index]
        var copy = edge
        switch (memberOf[edge.source], memberOf[edge.destination]) {
        case (nil, nil): continue
        case (let source?, let destination?):
          guard source != destination || !frames.contains(source) else { continue }
          (copy.source, copy.destination) = (source, destination)
        case (nil, let destination?):
          copy.source = members.count
          copy.destination = destination
          members.append(.inlet(edge: index))
          shape.inlets.insert(copy.source)
        case (let source?, nil):
          copy.source = source
          copy.destination = members.count
          copy.input = 0
          members.append(.outlet(edge: index))
          shape.outlets.insert(copy.destination)
        }
        while level.nodes.count < members.count {
          shape.boxes[level.nodes.count] = .port
          var node = GraphDrawing.Node(.unit, "", type: "")
          node.inputs = [.init(number: 0, isUsed: true)]
          level.nodes.append(node)
        }
        if let port = inputs[copy.destination]?[index] { copy.input = port }
        if let port = outputs[copy.source]?[index] { shape.exits[level.edges.count] = port }
        if shape.boxes[copy.source] != nil { shape.unlabelled.insert(level.edges.count) }
        owners.append(index)
        level.edges.append(copy)
      }
      self.members = members
      edges = owners
      layout = DrawingLayout(level, shape)
      self.shape = shape
    }

    /// The types of the nodes in each column. Sub-graphs with equal outlines can line up.
    private var outline: [[String]] {
      let nodes = layout.drawing.nodes
      var outline = layout.columns.map { _ in [String]() }
      for (index, layer) in layout.layerOf.enumerated() { outline[layer].append(nodes[index].type) }
      return outline.map { $0.sorted() }
    }

    /// Gives sub-graphs with equal outlines columns of equal width, so that the strips of a mixer
    /// line up.
    private static func aligned(_ levels: [Level?]) -> [Level?] {
      var result = levels
      let outlines = levels.map { $0?.outline }
      for indices in Dictionary(grouping: levels.indices, by: { outlines[$0] }).values {
        let some = indices.compactMap { levels[$0]?.layout.columns }
        guard some.count > 1, let first = some.first else { continue }
        let columns = first.indices.map { number in
          DrawingLayout.Column(
            width: some.map { $0[number].width }.max() ?? 0,
            gap: some.map { $0[number].gap }.max() ?? 0)
        }
        for index in indices {
          result[index]?.shape.columns = columns
          if let level = result[index] {
            result[index]?.layout = DrawingLayout(level.layout.drawing, level.shape)
          }
        }
      }
      return result
    }

    /// Whether frames feed each other in a circle, at this level or deeper.
    var hasCycle: Bool {
      var waiting = members.map { _ in 0 }
      var fed = members.map { _ in [Int]() }
      for edge in layout.drawing.edges {
        waiting[edge.destination] += 1
        fed[edge.source].append(edge.destination)
      }
      var ready = waiting.indices.filter { waiting[$0] == 0 }
      var count = 0
      while let member = ready.popLast() {
        count += 1
        for next in fed[member] {
          waiting[next] -= 1
          if waiting[next] == 0 { ready.append(next) }
        }
      }
      return count < members.count
        || members.contains { if case .frame(_, let inner) = $0 { inner.hasCycle } else { false } }
    }

    /// The level's box in the layout around it, and the port at which each edge enters or leaves.
    func box() -> (DrawingBox, inlets: [Int: Int], outlets: [Int: Int]) {
      var box = DrawingBox.port
      box.width = layout.width + 2 * FramedLayout.padding
      box.height = layout.height + FramedLayout.header + FramedLayout.padding
      box.inputs = []
      box.outputs = []
      var inlets: [Int: Int] = [:]
      var outlets: [Int: Int] = [:]
      for (index, member) in members.enumerated() {
        let y = layout.corners[index].y + layout.boxes[index].height / 2 + FramedLayout.header
        switch member {
        case .node, .frame: continue
        case .inlet(let edge):
          inlets[edge] = box.inputs.count
          box.inputs.append(.init(number: box.inputs.count, y: y))
        case .outlet(let edge):
          outlets[edge] = box.outputs.count
          box.outputs.append(y)
        }
      }
      if box.outputs.isEmpty { box.outputs = [box.height / 2] }
      return (box, inlets, outlets)
    }
  }
}

extension GraphDrawing.Part {
  /// Calls `body` with each node of the part, by its index in the drawing.
  fileprivate func forEachNode(_ body: (Int) -> Void) {
    switch self {
    case .node(let index): body(index)
    case .subgraph(_, let parts): for part in parts { part.forEachNode(body) }
    }
  }
}

extension DrawingBox {
  /// Where an edge crosses the border of a sub-graph.
  static let port: DrawingBox = {
    var box = DrawingBox()
    box.height = 26
    box.inputs = [Port(number: 0, y: 13)]
    box.outputs = [13]
    return box
  }()
}
