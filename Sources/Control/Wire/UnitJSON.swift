import PatchSyntax

extension ControlUnit {
  /// The answer of `GET /units`.
  static func json(_ units: [ControlUnit]) -> JSONText {
    ["units": .array(units.map(\.json))]
  }

  private var json: JSONText {
    [
      "name": .string(name), "summary": .string(summary), "inputs": inputs.json,
      "outputs": outputs.json, "isOutputUnit": .boolean(isOutputUnit),
    ]
  }
}

extension ControlUnit.Buses {
  fileprivate var json: JSONText { ["count": .number(count), "most": .number(most)] }
}
