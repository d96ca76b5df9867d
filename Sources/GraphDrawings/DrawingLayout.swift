/// The places of all parts of a drawing: boxes in columns by their distance from the outputs, and
/// edges from left to right between them. Lengths are in SVG user units.
struct DrawingLayout: Sendable {
  /// A part of an edge, from one column to the next.
  struct Stretch: Sendable {
    var x: Double
    var y: Double
    /// The x up to which the stretch is straight, so that a label has room.
    var bend: Double
    var endX: Double
    var endY: Double
    /// The path to the row below; `nil` for a stretch that stays in its row.
    var turn: Turn?
  }

  /// The path to the next row: down at the bend, left in a lane between the rows, and down again.
  struct Turn: Sendable {
    /// The y of the lane.
    var lane: Double
    /// The x at which the path goes down at the left.
    var x: Double
  }

  typealias Column = WrappedRows.Column

  /// An edge of the drawing, with the stretches that it is made of.
  struct Wire: Sendable {
    var edge: Int
    var stretches: [Stretch] = []
    /// Whether the wire shows its label: only one of the wires from the same place does.
    var isLabelled = true
  }

  private struct Item {
    var box: Int?
    var layer: Int
    var height: Double
    var y = 0.0
  }

  private static let gap = 22.0
  /// The height that an edge takes in a column that it passes.
  private static let passingEdgeHeight = 26.0
  let drawing: GraphDrawing
  private(set) var boxes: [DrawingBox] = []
  /// The upper left corner of each box.
  private(set) var corners: [(x: Double, y: Double)] = []
  private(set) var wires: [Wire] = []
  private(set) var width = 0.0
  private(set) var height = 0.0
  private(set) var crossings = 0
  private(set) var layerOf: [Int] = []
  private(set) var columns: [Column] = []
  /// For each edge, the index of the output of its source box at which it leaves.
  private var outlets: [Int] = []
  private var items: [Item] = []
  private var segments: [LayeredOrder.Segment] = []
  /// The edge that each segment belongs to.
  private var owners: [Int] = []

  /// The input of a layout that is part of another.
  struct Shape: Sendable {
    /// The boxes, by node, of frames and of ports at a border.
    var boxes: [Int: DrawingBox] = [:]
    /// The nodes at the left border; those at the right are `outlets`.
    var inlets: Set<Int> = []
    var outlets: Set<Int> = []
    /// For each edge that leaves a frame, the index of the frame's output.
    var exits: [Int: Int] = [:]
    /// The edges whose label is elsewhere.
    var unlabelled: Set<Int> = []
    /// The minimum widths of the columns.
    var columns: [Column] = []
    /// The width above which a layout continues in a row below, where it can be cut.
    var maximumWidth = Double.infinity
  }

  private let shape: Shape

  /// - Parameter drawing: A drawing whose I/O units are in halves.
  init(_ drawing: GraphDrawing, _ shape: Shape = Shape()) {
    self.drawing = drawing
    self.shape = shape
    findLayers()
    makeBoxes()
    makeSegments()
    var order = LayeredOrder(layerOf: items.map(\.layer), segments: segments)
    sortOutlets(order.layers)
    order = LayeredOrder(layerOf: items.map(\.layer), segments: segments)
    crossings = order.crossings()
    placeRows(order.layers)
    placeColumns(order.layers)
  }

  // MARK: Columns

  /// Sets the column of each box by its longest path to an output.
  private mutating func findLayers() {
    let flows = drawing.edges.filter { !$0.isTap }
    let sources = Dictionary(grouping: flows, by: \.destination)
    var waiting = [Int](repeating: 0, count: drawing.nodes.count)
    for edge in flows { waiting[edge.source] += 1 }
    var distance = waiting.map { _ in 0 }
    var ready = waiting.indices.filter { waiting[$0] == 0 }
    while let node = ready.popLast() {
      for edge in sources[node] ?? [] {
        distance[edge.source] = max(distance[edge.source], distance[node] + 1)
        waiting[edge.source] -= 1
        if waiting[edge.source] == 0 { ready.append(edge.source) }
      }
    }
    let farthest = distance.max() ?? 0
    layerOf = distance.map { farthest - $0 }
    let feeding = Set(flows.map(\.source))
    for edge in drawing.edges where edge.isTap {
      // A source that only taps watch is beside the nodes that feed an output.
      if !feeding.contains(edge.source), sources[edge.source] == nil {
        layerOf[edge.source] = farthest - 1
      }
      layerOf[edge.destination] = layerOf[edge.source] + 1
    }
    // Where only taps watch, the first columns may be empty.
    let first = layerOf.min() ?? 0
    for index in layerOf.indices { layerOf[index] -= first }
    if !shape.inlets.isEmpty {
      for index in layerOf.indices {
        layerOf[index] = shape.inlets.contains(index) ? 0 : layerOf[index] + 1
      }
    }
    let last = layerOf.indices.filter { !shape.outlets.contains($0) }.map { layerOf[$0] }.max() ?? 0
    for index in shape.outlets { layerOf[index] = last + 1 }
  }

  private mutating func makeBoxes() {
    outlets = [Int](repeating: 0, count: drawing.edges.count)
    var counts = [Int](repeating: 0, count: drawing.nodes.count)
    var feeders: [Int: [Int: Int]] = [:]
    for (index, edge) in drawing.edges.enumerated() {
      feeders[edge.destination, default: [:]][edge.input] = edge.source
      if let exit = shape.exits[index] { outlets[index] = exit }
      guard drawing.nodes[edge.source].kind == .callback else { continue }
      // Each input that a callback feeds has a format of its own.
      outlets[index] = counts[edge.source]
      counts[edge.source] += 1
    }
    var made = [DrawingBox?](repeating: nil, count: drawing.nodes.count)
    for index in drawing.nodes.indices.sorted(by: { layerOf[$0] < layerOf[$1] }) {
      let node = drawing.nodes[index]
      if let box = shape.boxes[index] {
        made[index] = box
        continue
      }
      var pitches: [Double] = []
      let fed = node.fedInputs
      if fed.count > 6 {
        // Wires to so many inputs are clearest when they are straight.
        let heights = fed.map { element -> Double in
          guard let feeder = feeders[index]?[element.number],
            layerOf[feeder] == layerOf[index] - 1
          else { return Self.passingEdgeHeight }
          return made[feeder]?.height ?? Self.passingEdgeHeight
        }
        pitches = zip(heights, heights.dropFirst()).map { ($0 + $1) / 2 + Self.gap }
      }
      made[index] = DrawingBox(node, outputCount: max(1, counts[index]), pitches: pitches)
    }
    boxes = made.compactMap(\.self)
    items = boxes.indices.map {
      Item(box: $0, layer: layerOf[$0], height: boxes[$0].height)
    }
  }

  /// Cuts the edges at every column that they pass.
  private mutating func makeSegments() {
    for (index, edge) in drawing.edges.enumerated() {
      let box = boxes[edge.source]
      var from = edge.source
      var fromPlace = box.outputs[min(outlets[index], box.outputs.count - 1)] / box.height
      let target = boxes[edge.destination]
      let end = target.inputs.first { $0.number == edge.input }?.y ?? target.height / 2
      for layer
        in (layerOf[edge.source] + 1)..<max(
          layerOf[edge.source] + 1, layerOf[edge.destination])
      {
        segments.append(
          .init(from: from, to: items.count, fromPlace: fromPlace, toPlace: 0.5))
        owners.append(index)
        from = items.count
        fromPlace = 0.5
        items.append(Item(box: nil, layer: layer, height: Self.passingEdgeHeight))
      }
      segments.append(
        .init(
          from: from, to: edge.destination, fromPlace: fromPlace, toPlace: end / target.height))
      owners.append(index)
    }
  }

  /// Sorts the outputs of a callback by the order of what they feed in the next column.
  private mutating func sortOutlets(_ layers: [[Int]]) {
    var position = [Int](repeating: 0, count: items.count)
    for layer in layers {
      for (index, item) in layer.enumerated() { position[item] = index }
    }
    let bySource = Dictionary(grouping: segments.indices, by: { segments[$0].from })
    for box in boxes.indices where boxes[box].outputs.count > 1 && shape.boxes[box] == nil {
      let leaving = (bySource[box] ?? []).sorted {
        let (left, right) = (segments[$0], segments[$1])
        return (position[left.to], left.toPlace) < (position[right.to], right.toPlace)
      }
      for (outlet, index) in leaving.enumerated() {
        outlets[owners[index]] = outlet
        segments[index].fromPlace = boxes[box].outputs[outlet] / boxes[box].height
      }
    }
  }

  // MARK: Rows

  /// Places every item level with its neighbours as far as the heights permit, by least squares.
  private mutating func placeRows(_ layers: [[Int]]) {
    let incoming = Dictionary(grouping: segments, by: \.to)
    let outgoing = Dictionary(grouping: segments, by: \.from)
    for layer in layers {
      var y = 0.0
      for item in layer {
        items[item].y = y
        y += items[item].height + Self.gap
      }
    }
    for round in 0..<7 {
      let isForward = round % 2 == 0
      for layer in isForward ? layers : layers.reversed() {
        let wishes = layer.map { item -> (y: Double, weight: Double) in
          let places = (isForward ? incoming[item] : outgoing[item] ?? nil)?.map { segment in
            isForward
              ? exit(segment) - segment.toPlace * items[item].height
              : arrival(segment) - segment.fromPlace * items[item].height
          }
          guard let places, !places.isEmpty else { return (items[item].y, 0.05) }
          return (places.reduce(0, +) / Double(places.count), Double(places.count))
        }
        resolveOverlaps(layer, wishes)
      }
    }
    let top = items.map(\.y).min() ?? 0
    for index in items.indices { items[index].y = (items[index].y - top).rounded() }
    height = items.map { $0.y + $0.height }.max() ?? 0
  }

  private func exit(_ segment: LayeredOrder.Segment) -> Double {
    items[segment.from].y + segment.fromPlace * items[segment.from].height
  }

  private func arrival(_ segment: LayeredOrder.Segment) -> Double {
    items[segment.to].y + segment.toPlace * items[segment.to].height
  }

  /// Places the items of a layer as near to their wishes as they fit without overlap: items that
  /// would overlap form a block at the weighted mean of their wishes.
  private mutating func resolveOverlaps(_ layer: [Int], _ wishes: [(y: Double, weight: Double)]) {
    var blocks: [(sum: Double, weight: Double, count: Int)] = []
    var offsets: [Double] = []
    var offset = 0.0
    for (index, item) in layer.enumerated() {
      offsets.append(offset)
      let wish = wishes[index]
      blocks.append(((wish.y - offset) * wish.weight, wish.weight, 1))
      offset += items[item].height + Self.gap
      while blocks.count > 1 {
        let (upper, lower) = (blocks[blocks.count - 2], blocks[blocks.count - 1])
        guard upper.sum / upper.weight > lower.sum / lower.weight else { break }
        blocks.removeLast()
        blocks[blocks.count - 1] = (
          upper.sum + lower.sum, upper.weight + lower.weight, upper.count + lower.count
        )
      }
    }
    var index = 0
    for block in blocks {
      for _ in 0..<block.count {
        items[layer[index]].y = block.sum / block.weight + offsets[index]
        index += 1
      }
    }
  }

  // MARK: Wires

  private mutating func placeColumns(_ layers: [[Int]]) {
    wires = drawing.edges.indices.map { Wire(edge: $0) }
    corners = boxes.map { _ in (0, 0) }
    let bySource = Dictionary(grouping: segments.indices, by: { items[segments[$0].from].layer })
    // Of several wires from the same place only the first has a label, taps last.
    var labelled: Set<[Int]> = []
    for index in drawing.edges.indices.sorted(by: { isTap($0) ? false : isTap($1) }) {
      let edge = drawing.edges[index]
      wires[index].isLabelled =
        !shape.unlabelled.contains(index)
        && labelled.insert([edge.source, outlets[index]]).inserted
    }
    var labels = [Double](repeating: 0, count: layers.count)
    columns = layers.indices.map { number in
      let some = bySource[number] ?? []
      labels[number] =
        some.map { items[segments[$0].from].box == nil ? 0 : labelWidth(owners[$0]) }.max() ?? 0
      let travel = some.map { (exit(segments[$0]) - arrival(segments[$0])).magnitude }.max() ?? 0
      var column = Column(
        width: layers[number].compactMap { items[$0].box.map { boxes[$0].width } }.max() ?? 0,
        gap: (labels[number] + min(160, 30 + travel * 0.25)).rounded())
      if shape.columns.indices.contains(number) {
        column.width = max(column.width, shape.columns[number].width)
        column.gap = max(column.gap, shape.columns[number].gap)
      }
      return column
    }
    let rows = WrappedRows(
      places: items.map { .init(layer: $0.layer, y: $0.y, height: $0.height) }, segments: segments,
      columns: columns, maximumWidth: shape.maximumWidth)
    if rows.count > 1 {
      for (index, y) in rows.places.enumerated() { items[index].y = y }
      height = rows.height
    }
    var x = rows.indent
    for (number, layer) in layers.enumerated() {
      let column = columns[number].width
      for item in layer {
        guard let box = items[item].box else { continue }
        boxes[box].width = column
        corners[box] = (x, items[item].y)
      }
      let bend = (x + column + labels[number]).rounded()
      let isLast = rows.isLast(number)
      let end = isLast ? rows.indent : x + column + columns[number].gap
      for index in bySource[number] ?? [] {
        let segment = segments[index]
        let from = items[segment.from].box == nil ? x : x + column
        let y = exit(segment)
        // A small step would look like a mistake, so the wire becomes straight.
        let isLevel = (y - arrival(segment)).magnitude <= 2
        var stretch = Stretch(
          x: from, y: y, bend: bend, endX: end, endY: isLevel ? y : arrival(segment))
        if let turn = rows.turns[index] {
          stretch.bend += turn.outward
          stretch.turn = Turn(lane: turn.lane, x: turn.x)
          width = max(width, stretch.bend)
        }
        wires[owners[index]].stretches.append(stretch)
      }
      width = max(width, x + column)
      x = end
    }
  }

  private func isTap(_ edge: Int) -> Bool { drawing.edges[edge].isTap }

  /// The width of an edge's label.
  private func labelWidth(_ index: Int) -> Double {
    guard wires[index].isLabelled else { return 0 }
    let label = drawing.edges[index].label
    guard !label.format.isEmpty || !label.origin.isEmpty else { return 8 }
    return max(
      TextWidth.of(label.format, size: 12),
      TextWidth.of(DrawingText.short(label.origin, Self.originLength), size: 11)) + 16
  }

  /// The maximum number of characters in the text below an edge.
  static let originLength = 34
}
