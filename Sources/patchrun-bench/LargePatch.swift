/// Generates correct patches of any size.
enum LargePatch: String, CaseIterable {
  /// Equalizers in series.
  case chain
  /// Mixers in series, each with a callback of its own.
  case mixers

  func text(_ count: Int) -> String {
    var callbacks: [String] = []
    var nodes: [String] = [#""io": { "component": "remoteIO" }"#]
    var connections: [String] = []
    func connect(_ from: String, _ to: String) {
      connections.append(#"{ "from": "\#(from)", "to": "\#(to)" }"#)
    }
    for index in 0..<count {
      let name = "n\(index)"
      let next = index + 1 < count ? "n\(index + 1)" : "io"
      switch self {
      case .chain:
        nodes.append(
          #""\#(name)": { "component": "iPodEQ", "properties": { "maximumFramesPerSlice": 4096, "#
            + #""presentPreset": "Rock" } }"#)
        if index == 0 {
          callbacks.append(#""c0": { "kind": "tone" }"#)
          connect("c0", name)
        }
        connect(name, next)
      case .mixers:
        nodes.append(
          #""\#(name)": { "component": "MultichannelMixer", "inputCount": 2, "properties": "#
            + #"{ "maximumFramesPerSlice": 4096 } }"#)
        callbacks.append(
          #""c\#(index)": { "kind": "tone", "frequency": \#(100 + index % 1000) }"#)
        connect("c\(index)", "\(name):0")
        connect(name, index + 1 < count ? "\(next):1" : next)
      }
    }
    return """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": {
          \(callbacks.joined(separator: ",\n    "))
        },
        "nodes": {
          \(nodes.joined(separator: ",\n    "))
        },
        "connections": [
          \(connections.joined(separator: ",\n    "))
        ]
      }

      """
  }

  /// The patch with mistakes, half of which have a safe fix.
  func text(_ count: Int, mistakes: Int) -> String {
    var text = text(count)
    for mistake in 0..<mistakes {
      let name = "\"n\(mistake * (count / mistakes) + 1)\": {"
      guard let start = text.firstRange(of: name) else { continue }
      let rest = start.upperBound..<text.endIndex
      let (right, wrong) =
        mistake.isMultiple(of: 2)
        ? ("\"maximumFramesPerSlice\": 4096", "\"maximumFramesPerSlic\": 4096")
        : ("\"maximumFramesPerSlice\": 4096", "\"maximumFramesPerSlice\": -1")
      if let place = text[rest].firstRange(of: right) { text.replaceSubrange(place, with: wrong) }
    }
    return text
  }
}
