import AudioTypes

extension GraphDrawing {
  /// The drawing with each I/O unit in two halves, so that sound goes one way: it begins at the
  /// microphone side and ends at the loudspeaker side. A half without edges is left out, but one
  /// half stays.
  func splittingIOUnits() -> GraphDrawing {
    var result = self
    result.nodes = []
    /// The indices of the halves: first the loudspeaker side, which is fed at element 0, then the
    /// microphone side, whose output is element 1.
    var places: [(first: Int, second: Int)] = []
    let heard = Set(edges.filter { $0.output == 1 }.map(\.source))
    let fed = Set(edges.map(\.destination))
    for (index, node) in nodes.enumerated() {
      let place = result.nodes.count
      guard node.isDevice else {
        places.append((place, place))
        result.nodes.append(node)
        continue
      }
      let isHeard = heard.contains(index)
      let isFed = fed.contains(index) || !isHeard
      places.append((isFed ? place : 0, isFed ? place + 1 : place))
      if isFed { result.nodes.append(node.half(.loudspeaker)) }
      if isHeard { result.nodes.append(node.half(.microphone)) }
    }
    for index in result.edges.indices {
      let edge = edges[index]
      let isMicrophone = nodes[edge.source].isDevice && edge.output == 1
      result.edges[index].source =
        isMicrophone ? places[edge.source].second : places[edge.source].first
      result.edges[index].destination = places[edge.destination].first
    }
    return result
  }
}

extension GraphDrawing.Node {
  fileprivate func half(_ side: GraphDrawing.Side) -> GraphDrawing.Node {
    var half = self
    half.side = side
    let bus = side == .loudspeaker ? 0 : 1
    half.inputs = inputs.filter { $0.number == bus }
    half.outputs = outputs.filter { $0.number == bus }
    half.inputCount = half.inputs.count
    return half
  }

  /// The text under the name.
  var caption: String {
    switch kind {
    case .unit: side.map { "\(type), \($0.rawValue) side" } ?? type
    case .callback: "\(type) callback"
    case .tap: "\(type) tap"
    }
  }

  /// The settings of the node and of its outputs, each in a few words.
  var settingTexts: [String] {
    // A property of the whole unit belongs to both halves, and is written once.
    (side == .microphone ? [] : settings.shownTexts)
      + outputs.flatMap(\.settings).shownTexts.map { "output \($0)" }
  }

  /// Facts about the node: its file, its device, how many of its inputs are fed.
  var facts: [String] {
    func text(_ format: StreamFormat) -> String {
      "\(format.channelCount) ch, \(rateText(format.sampleRate)) Hz"
    }
    var facts = file.map { ["file: \(text($0))"] } ?? []
    let device = side == .microphone ? inputs.first : side == .loudspeaker ? outputs.first : nil
    if let format = device?.format { facts.append("device: \(text(format))") }
    let used = inputs.count { $0.isUsed }
    if kind == .unit, !isDevice, inputCount > 1, used < inputCount {
      facts.append("\(used) of \(inputCount) inputs fed")
    }
    return facts
  }

  /// The buses at which edges end.
  var fedInputs: [GraphDrawing.Element] { inputs.filter(\.isUsed) }

  /// The conversions at the outputs of the node.
  var outputConversions: [String] { outputs.flatMap(\.conversions).map(\.text) }
}

extension GraphDrawing.Element {
  /// `input 1 “Drums”`.
  var label: String { "input \(number)" + (name.map { " “\($0)”" } ?? "") }
}

extension [GraphDrawing.Setting] {
  /// The settings in a few words each, without those that have no audible effect.
  var shownTexts: [String] {
    filter { !["enableIO", "maximumFramesPerSlice", "meteringMode"].contains($0.name) }
      .map(\.text)
  }
}
