import AudioTypes
import AudioUnits

/// A bus whose stream format does not follow from anything else has an explicit one.
package enum FormatsGiven {
  static let rule = UnitRules.formatGiven

  /// Common formats, to be tried in this order on a unit.
  static func formats(at sampleRate: Double) -> [StreamFormat] {
    [
      StreamFormat(.float32, channels: 2, sampleRate: sampleRate),
      StreamFormat(.float32, channels: 1, sampleRate: sampleRate),
      StreamFormat(.int16, channels: 1, sampleRate: sampleRate),
    ]
  }

  /// Reports all buses of one scope without a format as one violation.
  ///
  /// - Parameters:
  ///   - elements: At least one, ascending.
  ///   - other: A format to propose first; `nil` for none.
  ///   - sampleRate: The rate of the device, in Hz, for the format that the help proposes.
  static func violation(
    _ node: GraphModel.Node, _ scope: Scope, _ elements: [Int], like other: StreamFormat?,
    sampleRate: Double
  ) -> Violation {
    let first = elements[0]
    let scopeKey = scope == .input ? "inputs" : "outputs"
    let numbers = "\(elements.count == 1 ? "\(scope)" : scopeKey) \(elements.listed)"
    let example = ([other].compactMap(\.self) + formats(at: sampleRate)).first {
      node.unit.violation(of: $0, scope: scope, element: first) == nil
    }
    let written = example.map {
      "{ \"sample\": \"\($0.sampleType?.rawValue ?? "float32")\", \"channels\": \($0.channelCount), "
        + "\"sampleRate\": \(rateText($0.sampleRate)) }"
    }
    return Violation(
      rule, status: .formatNotSupported,
      "\(numbers) of '\(node.name)' \(elements.count == 1 ? "has" : "have") no stream format: "
        + reason(node, scope, isOne: elements.count == 1),
      at: .init(node: node.id, .streamFormat(scope, first)),
      notes: elements.dropFirst().map {
        .init("and here", at: .init(node: node.id, .streamFormat(scope, $0)))
      },
      help: [
        "give \(elements.count == 1 ? "it one" : "each one"): "
          + "\"\(scopeKey)\": { \"\(first)\": { \"streamFormat\": \(written ?? "…") } }"
          + (example?.sampleType == .float32
            ? ", or give the patch a \"streamFormat\" for every such bus" : "")
      ],
      remedies: example.map { format in
        [
          Remedy(
            "give \(elements.count == 1 ? "it" : "each") \(format.summary)",
            elements.map { .setFormat(scope, $0, format) })
        ]
      } ?? [])
  }

  private static func reason(_ node: GraphModel.Node, _ scope: Scope, isOne: Bool) -> String {
    if scope == .input {
      return isOne
        ? "a callback feeds it, and a callback has no format of its own"
        : "callbacks feed them, and a callback has no format of its own"
    }
    if node.isOutput { return "it is what the graph hears, and the device does not decide that" }
    return node.component.type == .formatConverterType
      ? "it is what a FormatConverter converts to"
      : "an effect does not take it from its input"
  }

  /// The violation of an initialized unit whose format differs from the one of the next
  /// initialization.
  static func violation(
    fixed node: GraphModel.Node, _ element: Int, _ present: StreamFormat, _ wanted: StreamFormat
  ) -> Violation {
    Violation(
      UnitRules.formatWritable, status: .propertyNotWritable,
      "input \(element) of '\(node.name)' was initialized with \(present.summary) and cannot change "
        + "to \(wanted.summary)",
      at: .init(node: node.id, .feed(element)))
  }

  /// A format without a rate.
  static func violation(
    rateless node: GraphModel.Node, _ scope: Scope, _ element: Int, sampleRate: Double
  ) -> Violation {
    let scopeKey = scope == .input ? "inputs" : "outputs"
    return Violation(
      rule, status: .formatNotSupported,
      "\(scope) \(element) of '\(node.name)' has a stream format without a rate",
      at: .init(node: node.id, .streamFormat(scope, element)),
      help: ["give it a rate: \"\(scopeKey)\": { \"\(element)\": { \"sampleRate\": … } }"],
      remedies: [
        Remedy(
          "give it \(rateText(sampleRate)) Hz", [.setSampleRate(scope, element, sampleRate)])
      ])
  }
}
