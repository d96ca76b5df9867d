import Diagnostics
import PatchSyntax

/// The graph of a filter-chain: mixers, and nodes with a separate path for each of their channels.
struct FilterGraph {
  /// The path of one channel through a node.
  private struct ChannelPath: Hashable {
    var node: Int
    /// The channel of the node, from 0.
    var lane: Int
  }

  private struct Node {
    var name: String
    var value: ConfigValue
    /// The filters of each lane. The last entry applies to all further lanes.
    var lanes: [[FilterChain.Kind]]
    /// The factors of a mixer's inputs; `nil` for other nodes.
    var factors: [Double]?
    /// The names of the ports without a number, in the order of their lanes.
    var inputs: [String] = []
    var outputs: [String] = []
  }

  private var nodes: [Node] = []
  /// What feeds each path: other paths and inputs of the graph, each with a factor.
  private var sources: [ChannelPath: [(source: Signal, factor: Double)]] = [:]
  private var outputs: [ChannelPath] = []
  private var inputCount = 0
  private let channelCount: Int

  /// A signal: an input of the graph, or the output of a path.
  private enum Signal: Hashable {
    case input(Int)
    case path(ChannelPath)
  }

  // MARK: Reading

  init(
    _ graph: ConfigValue, channelCount: Int, _ sampleRate: Double, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    self.channelCount = channelCount
    guard let values = graph["nodes"]?.list, !values.isEmpty, values.count <= 1024 else {
      throw reading.refuse(
        "'filter.graph' has no nodes, or more than 1,024", at: graph.range, pointer: graph.pointer)
    }
    for value in values {
      let name = value["name"]?.text ?? ""
      let content = try PipeWireNode.content(of: value, sampleRate: sampleRate, &reading)
      nodes.append(
        Node(name: name, value: value, lanes: content.lanes, factors: content.factors))
    }
    try readLinks(graph, &reading)
    try readInputsAndOutputs(graph, &reading)
  }

  /// The node and the port of a text such as `a:Out`.
  ///
  /// - Parameter isOutput: Whether the port is an output. A port without a node is an output of the
  ///   last node, or an input of the first.
  private func place(
    _ value: ConfigValue, isOutput: Bool, _ reading: inout ImportReading
  ) throws(ImportRefused) -> (node: Int, port: String) {
    let text = value.text ?? value.number.map { Decimals.text($0, digits: 0) } ?? ""
    guard let colon = text.firstIndex(of: ":") else {
      return (isOutput ? nodes.count - 1 : 0, text)
    }
    let name = text[..<colon]
    guard let node = nodes.firstIndex(where: { $0.name == name }) else {
      throw reading.refuse(
        "there is no node '\(String(name))'", at: value.range, pointer: value.pointer,
        help: didYouMean(String(name), among: nodes.map(\.name)))
    }
    return (node, String(text[text.index(after: colon)...]))
  }

  /// The lane of a port: the number in its name, or else the position of the name among the names
  /// of that side.
  private mutating func lane(_ node: Int, _ port: String, isOutput: Bool) -> Int {
    // `In 3`, `Out 3`, `Gain 3`.
    if let digits = port.split(separator: " ").last, let number = Int(digits),
      (1...64).contains(number), port.contains(" ")
    {
      return number - 1
    }
    let names = isOutput ? nodes[node].outputs : nodes[node].inputs
    if let index = names.firstIndex(of: port) { return index }
    if isOutput {
      nodes[node].outputs.append(port)
    } else {
      nodes[node].inputs.append(port)
    }
    return names.count
  }

  private mutating func path(
    toOutput port: String, of node: Int
  ) -> ChannelPath {
    nodes[node].factors != nil
      ? ChannelPath(node: node, lane: 0)
      : ChannelPath(node: node, lane: lane(node, port, isOutput: true))
  }

  /// Connects a signal to an input of a node.
  ///
  /// - Returns: `false` where the input is connected already.
  private mutating func connect(_ signal: Signal, to node: Int, _ port: String) -> Bool {
    let lane = lane(node, port, isOutput: false)
    guard let factors = nodes[node].factors else {
      let path = ChannelPath(node: node, lane: lane)
      guard sources[path] == nil else { return false }
      sources[path] = [(signal, 1)]
      return true
    }
    let factor = lane < factors.count ? factors[lane] : 1
    sources[ChannelPath(node: node, lane: 0), default: []].append((signal, factor))
    return true
  }

  private mutating func readLinks(
    _ graph: ConfigValue, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    let links = graph["links"]?.list ?? []
    guard links.count <= 4096 else {
      throw reading.refuse("the graph has more than 4,096 links", at: graph.range)
    }
    for link in links {
      guard let output = link["output"], let input = link["input"] else {
        throw reading.refuse(
          "a link has an 'output' and an 'input'", at: link.range, pointer: link.pointer)
      }
      let from = try place(output, isOutput: true, &reading)
      let to = try place(input, isOutput: false, &reading)
      if from.port == "Notify" || to.port == "Control" || from.port == "Current" {
        reading.report(
          ImportRules.unsupported, "a link of controls has no equivalent here", at: link.range,
          pointer: link.pointer)
        continue
      }
      guard connect(.path(path(toOutput: from.port, of: from.node)), to: to.node, to.port) else {
        throw reading.refuse(
          "two links lead to one input", at: input.range, pointer: input.pointer,
          help: "a node of the label 'mixer' adds signals")
      }
    }
  }

  private mutating func readInputsAndOutputs(
    _ graph: ConfigValue, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    if let inputs = graph["inputs"]?.list {
      for value in inputs {
        if !value.isNull {
          let place = try place(value, isOutput: false, &reading)
          guard connect(.input(inputCount), to: place.node, place.port) else {
            throw reading.refuse(
              "this input has a link, too", at: value.range, pointer: value.pointer)
          }
        }
        inputCount += 1
      }
    } else {
      // All inputs of the first node: one, or one for each channel of an equalizer.
      let lanes = laneCount(ofNode: 0)
      for lane in 0..<lanes {
        _ = connect(.input(lane), to: 0, lanes == 1 ? firstInputName : "In \(lane + 1)")
      }
      inputCount = lanes
    }
    if let list = graph["outputs"]?.list {
      for value in list where !value.isNull {
        let place = try place(value, isOutput: true, &reading)
        outputs.append(path(toOutput: place.port, of: place.node))
      }
    } else {
      let last = nodes.count - 1
      outputs = (0..<laneCount(ofNode: last)).map { ChannelPath(node: last, lane: $0) }
    }
    guard inputCount > 0, inputCount <= channelCount, channelCount % inputCount == 0,
      outputs.count == inputCount
    else {
      throw reading.refuse(
        """
        the graph has \(inputCount) inputs and \(outputs.count) outputs for \(channelCount) channels
        """,
        at: graph.range, pointer: graph.pointer)
    }
  }

  private var firstInputName: String { nodes[0].inputs.first ?? "In" }

  /// The default number of lanes of a node.
  private func laneCount(ofNode node: Int) -> Int {
    nodes[node].value["label"]?.text == "param_eq" ? channelCount : 1
  }

  // MARK: Stages

  /// Adds the filters to the chain, one rank of nodes after the other. A mix between two ranks
  /// moves and adds signals where needed.
  mutating func addStages(
    to chain: inout FilterChain, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    let ranks = try ranks(&reading)
    var live: [Signal] = (0..<inputCount).map { .input($0) }
    for (index, rank) in ranks.enumerated() {
      // The signals that later ranks and the outputs still need.
      var needed: Set<Signal> = Set(outputs.map { .path($0) })
      for later in ranks[(index + 1)...] {
        for path in later { needed.formUnion((sources[path] ?? []).map(\.source)) }
      }
      let kept = live.filter { needed.contains($0) }
      // A path takes the channel of its source where nothing else needs that channel.
      var rows: [(signal: Signal, row: [(Signal, Double)])] = kept.map { ($0, [($0, 1)]) }
      rows += rank.map { path in
        (Signal.path(path), (sources[path] ?? []).map { ($0.source, $0.factor) })
      }
      rows = Self.ordered(rows, like: live)
      try addMix(rows.map(\.row), from: live, to: &chain, &reading)
      live = rows.map(\.signal)
      try addFilters(of: rank, live, to: &chain, &reading)
    }
    try addMix(outputs.map { [(.path($0), 1)] }, from: live, to: &chain, &reading)
  }

  /// Sorts the rows so that a row of a single unchanged signal keeps that signal's channel.
  private static func ordered(
    _ rows: [(signal: Signal, row: [(Signal, Double)])], like live: [Signal]
  ) -> [(signal: Signal, row: [(Signal, Double)])] {
    var rest = rows
    var result: [(signal: Signal, row: [(Signal, Double)])] = []
    for signal in live {
      guard
        let index = rest.firstIndex(where: {
          $0.row.count == 1 && $0.row[0].0 == signal && $0.row[0].1 == 1
        })
      else { continue }
      result.append(rest.remove(at: index))
    }
    return result + rest
  }

  /// Adds a mix that does the same for each copy of the graph, unless it is the identity.
  private func addMix(
    _ rows: [[(Signal, Double)]], from live: [Signal], to chain: inout FilterChain,
    _ reading: inout ImportReading
  ) throws(ImportRefused) {
    let matrix = rows.map { row in
      live.map { signal in row.reduce(0) { $0 + ($1.0 == signal ? $1.1 : 0) } }
    }
    let isIdentity =
      matrix.count == live.count
      && matrix.enumerated().allSatisfy { row, values in
        values.enumerated().allSatisfy { $0.element == ($0.offset == row ? 1 : 0) }
      }
    guard !isIdentity else { return }
    let copies = channelCount / inputCount
    let width = live.count
    guard matrix.count * copies <= 256 else {
      throw reading.refuse("the graph has more than 256 signals at once", at: 0..<0)
    }
    var whole: [[Double]] = []
    for copy in 0..<copies {
      for row in matrix {
        var values = [Double](repeating: 0, count: width * copies)
        for (index, value) in row.enumerated() { values[copy * width + index] = value }
        whole.append(values)
      }
    }
    try reading.add(.init(.mix(whole), at: nodes[0].value.range), to: &chain)
  }

  private func kinds(of path: ChannelPath) -> [FilterChain.Kind] {
    let lanes = nodes[path.node].lanes
    return lanes.isEmpty ? [] : lanes[min(path.lane, lanes.count - 1)]
  }

  private func addFilters(
    of rank: [ChannelPath], _ live: [Signal], to chain: inout FilterChain,
    _ reading: inout ImportReading
  ) throws(ImportRefused) {
    let copies = channelCount / inputCount
    let total = live.count * copies
    // Paths with the same filters share one stage.
    var groups: [(kinds: [FilterChain.Kind], channels: [Int], node: Int)] = []
    for path in rank {
      let kinds = kinds(of: path)
      guard !kinds.isEmpty, let place = live.firstIndex(of: .path(path)) else { continue }
      let channels = (0..<copies).map { $0 * live.count + place }
      if let index = groups.firstIndex(where: { $0.kinds == kinds }) {
        groups[index].channels += channels
      } else {
        groups.append((kinds, channels, path.node))
      }
    }
    for group in groups {
      for kind in group.kinds {
        try reading.add(
          .init(
            kind, channels: group.channels.count == total ? nil : group.channels.sorted(),
            at: nodes[group.node].value.range), to: &chain)
      }
    }
  }

  /// The paths that lead to the outputs, grouped by the greatest number of paths before them.
  private func ranks(_ reading: inout ImportReading) throws(ImportRefused) -> [[ChannelPath]] {
    var rank: [ChannelPath: Int] = [:]
    var open: Set<ChannelPath> = []
    var order: [ChannelPath] = []
    // A chain may be too long for recursion.
    for output in outputs {
      var stack: [(path: ChannelPath, next: Int)] = [(output, 0)]
      while let (path, next) = stack.last {
        if next == 0 {
          if rank[path] != nil {
            stack.removeLast()
            continue
          }
          guard open.insert(path).inserted else {
            throw reading.refuse(
              "the graph has a circle, through the node '\(nodes[path.node].name)'",
              at: nodes[path.node].value.range, pointer: nodes[path.node].value.pointer)
          }
        }
        let before = sources[path] ?? []
        if next < before.count {
          stack[stack.count - 1].next += 1
          if case .path(let other) = before[next].source {
            if rank[other] == nil {
              guard !open.contains(other) else {
                throw reading.refuse(
                  "the graph has a circle, through the node '\(nodes[path.node].name)'",
                  at: nodes[path.node].value.range, pointer: nodes[path.node].value.pointer)
              }
              stack.append((other, 0))
            }
          }
          continue
        }
        if before.isEmpty {
          throw reading.refuse(
            "nothing comes to the node '\(nodes[path.node].name)'",
            at: nodes[path.node].value.range, pointer: nodes[path.node].value.pointer)
        }
        rank[path] =
          before.map { source in
            if case .path(let other) = source.source { (rank[other] ?? 0) + 1 } else { 0 }
          }.max() ?? 0
        open.remove(path)
        order.append(path)
        stack.removeLast()
      }
    }
    for (index, node) in nodes.enumerated() where !order.contains(where: { $0.node == index }) {
      reading.report(
        ImportRules.ignored, "the node '\(Diagnostic.Message(node.name))' leads to no output",
        at: node.value.range, pointer: node.value.pointer)
    }
    var ranks = [[ChannelPath]](repeating: [], count: (rank.values.max() ?? -1) + 1)
    for path in order.sorted(by: { ($0.node, $0.lane) < ($1.node, $1.lane) }) {
      ranks[rank[path] ?? 0].append(path)
    }
    return ranks
  }
}
