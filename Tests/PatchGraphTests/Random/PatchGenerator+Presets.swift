import Foundation

extension PatchGenerator {
  /// The texts of user presets, by the name of their unit.
  private static let presetTexts = [
    "iPodEQ": [
      #"{ "component": "iPodEQ", "properties": { "presentPreset": "Rock" } }"#,
      #"{ "name": "By", "component": "AUiPodEQ", "properties": { "bypassEffect": true } }"#,
    ],
    "MultichannelMixer": [
      """
      {
        "name": "Quiet", "component": { "type": "aumx", "subtype": "mcmx" },
        "inputs": { "0": { "parameters": { "volume": "-12 dB", "pan": 0.5 } } },
        "outputs": { "0": { "parameters": { "volume": 0.5 } } }
      }
      """
    ],
    "MatrixMixer": [
      #"{ "component": "MatrixMixer", "inputs": { "0": { "properties": { "meteringMode": true } } } }"#,
      #"{ "component": "MatrixMixer", "properties": { "meteringMode": true } }"#,
    ],
    "PeakLimiter": [#"{ "component": "PeakLimiter", "parameters": { "preGain": 3 } }"#],
    "DynamicsProcessor": [
      #"{ "component": "DynamicsProcessor", "parameters": { "threshold": -30 } }"#
    ],
  ]

  /// The paths of preset files, by the name of their unit.
  static let presets: [String: [String]] = {
    let folder = PatchProperties.folder + "/presets"
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return presetTexts.reduce(into: [:]) { paths, entry in
      paths[entry.key] = entry.value.enumerated().map { index, text in
        let path = "\(folder)/\(entry.key)\(index).json"
        try? text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
      }
    }
  }()
}
