extension PeerCatalog {
  /// A patch of mixers with one input in series.
  static func chainPatch(_ count: Int, file: String, frames: Int) -> String {
    var nodes: [String] = []
    var connections: [String] = []
    var last = "in"
    let format = #"{ "sample": "float32", "channels": 2, "sampleRate": 48000 }"#
    for index in 0..<count {
      let given = index == 0 ? #""streamFormat": \#(format), "# : ""
      nodes.append(
        #""m\#(index)": { "component": "MultichannelMixer", "inputCount": 1, "#
          + #""properties": { "maximumFramesPerSlice": 4096 }, "#
          + #""inputs": { "0": { \#(given)"parameters": { "volume": 0.9999 } } }, "#
          + #""outputs": { "0": { "sampleRate": 48000 } } }"#)
      connections.append(#"{ "from": "\#(last)", "to": "m\#(index)" }"#)
      last = "m\(index)"
    }
    nodes.append(
      #""out": { "component": "GenericOutput", "properties": { "maximumFramesPerSlice": 4096 }, "#
        + #""outputs": { "0": { "streamFormat": \#(format) } } }"#)
    connections.append(#"{ "from": "\#(last)", "to": "out" }"#)
    let duration = Double(frames) / 48_000
    return """
      {
        "session": { "preferredSampleRate": 48000, "preferredIOBufferDuration": \(duration) },
        "streamFormat": \(format),
        "callbacks": { "in": { "kind": "file", "path": "data/\(file).wav" } },
        "nodes": { \(nodes.joined(separator: ",\n")) },
        "connections": [ \(connections.joined(separator: ",\n")) ]
      }

      """
  }
}
