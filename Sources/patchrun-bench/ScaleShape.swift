/// Generates patches with many parts for rendering.
enum ScaleShape: String, CaseIterable {
  /// Mixers with one input in series.
  case series
  /// Gains in chains of a hundred, each chain at an input of a mixer.
  case chains
  /// Gains in one chain.
  case deep
  /// A hundred tones to a mixer, and all mixers to one.
  case wide
  /// Sub-graphs of a hundred mixers in series.
  case subgraphs

  /// The file of the sub-graph.
  static let part = "part.json"

  private static let format =
    #""streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 }"#
  private static let slices = #""properties": { "maximumFramesPerSlice": 4096 }"#

  private static func mixer(_ inputs: Int) -> String {
    #"{ "component": "MultichannelMixer", "inputCount": \#(inputs), \#(slices) }"#
  }

  /// A patch of `count` parts: a multiple of 100, at most 102,400.
  func text(_ count: Int) -> String {
    var patch = Parts()
    switch self {
    case .series:
      patch.callbacks.append(#""in": { "kind": "tone" }"#)
      var last = "in"
      for index in 0..<count {
        patch.nodes.append(#""m\#(index)": \#(Self.mixer(1))"#)
        patch.connect(last, "m\(index)")
        last = "m\(index)"
      }
      patch.connect(last, "out")
    case .chains:
      for chain in 0..<(count / 100) {
        patch.chain("c\(chain)g", 100)
        patch.connect("c\(chain)g99", "mix:\(chain)")
      }
      patch.nodes.append(#""mix": \#(Self.mixer(count / 100))"#)
      patch.connect("mix", "out")
    case .deep:
      patch.chain("g", count)
      patch.connect("g\(count - 1)", "out")
    case .wide:
      for mixer in 0..<(count / 100) {
        patch.nodes.append(#""m\#(mixer)": \#(Self.mixer(100))"#)
        for input in 0..<100 {
          let name = "t\(mixer * 100 + input)"
          patch.callbacks.append(#""\#(name)": { "kind": "tone", "frequency": \#(100 + input) }"#)
          patch.connect(name, "m\(mixer):\(input)")
        }
        patch.connect("m\(mixer)", "mix:\(mixer)")
      }
      patch.nodes.append(#""mix": \#(Self.mixer(count / 100))"#)
      patch.connect("mix", "out")
    case .subgraphs:
      patch.callbacks.append(#""in": { "kind": "tone" }"#)
      var last = "in"
      for index in 0..<(count / 100) {
        patch.nodes.append(#""s\#(index)": { "subgraph": "\#(Self.part)" }"#)
        patch.connect(last, "s\(index)")
        last = "s\(index)"
      }
      patch.connect(last, "out")
    }
    return patch.text(Self.format, Self.slices)
  }

  /// The patch of the sub-graph.
  static var partText: String {
    var patch = Parts()
    patch.callbacks.append(#""in": { "kind": "input", "bus": 0 }"#)
    var last = "in"
    for index in 0..<100 {
      patch.nodes.append(#""m\#(index)": \#(mixer(1))"#)
      patch.connect(last, "m\(index)")
      last = "m\(index)"
    }
    patch.connect(last, "out")
    return patch.text(format, slices)
  }

  /// The parts of a patch.
  private struct Parts {
    var callbacks: [String] = []
    var nodes: [String] = []
    var connections: [String] = []

    mutating func connect(_ from: String, _ to: String) {
      connections.append(#"{ "from": "\#(from)", "to": "\#(to)" }"#)
    }

    /// Adds a chain of gains, each of which pulls the one before; the first pulls a tone.
    mutating func chain(_ name: String, _ count: Int) {
      callbacks.append(#""\#(name)": { "kind": "tone" }"#)
      for index in 0..<count {
        let from = index == 0 ? name : "\(name)\(index - 1)"
        callbacks.append(
          #""\#(name)\#(index)": { "kind": "gain", "gain": 0.9999, "from": "\#(from)" }"#)
      }
    }

    func text(_ format: String, _ slices: String) -> String {
      """
      {
        "session": { "preferredSampleRate": 48000, "preferredIOBufferDuration": 0.0107 },
        \(format),
        "callbacks": {
          \(callbacks.joined(separator: ",\n    "))
        },
        "nodes": {
          \((nodes + [#""out": { "component": "GenericOutput", \#(slices) }"#]).joined(separator: ",\n    "))
        },
        "connections": [
          \(connections.joined(separator: ",\n    "))
        ]
      }

      """
    }
  }
}
