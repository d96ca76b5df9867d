import AudioTypes

extension GraphDrawing {
  /// The stream format of most connections, which a picture shows once, under its title.
  struct CommonFormat: Hashable, Sendable {
    var format: StreamFormat
    /// Where the format was decided; `nil` unless most of the connections share the place.
    var origin: Origin?
    /// Whether all connections have the format.
    var isEverywhere: Bool

    /// A line under the title: `All connections: float32, 2 ch, 48000 Hz (the patch's
    /// streamFormat)`.
    var text: String {
      (isEverywhere ? "All connections: " : "Where no format stands: ") + format.summary
        + (origin.map { " (\($0.text))" } ?? "")
    }
  }

  /// The drawing with one note for the format that at least half of its connections carry, in place
  /// of a label at each of them. A bus whose format was set by hand keeps its note.
  func withCommonFormatNote() -> GraphDrawing {
    let flows = edges.filter { !$0.isTap }
    let formats = flows.compactMap(\.format)
    guard let format = Self.mostFrequent(formats) else { return self }
    let count = formats.count { $0 == format }
    guard count >= 2, count * 2 >= flows.count else { return self }
    let texts = flows.filter { $0.format == format }.compactMap(\.origin?.text)
    // The origin is shown only where more than half of the connections have it.
    let text = Self.mostFrequent(texts).flatMap { text in
      texts.count { $0 == text } * 2 > count ? text : nil
    }
    let origin = text.flatMap { text in
      flows.first { $0.format == format && $0.origin?.text == text }?.origin
    }
    var result = self
    result.commonFormat = CommonFormat(
      format: format, origin: origin, isEverywhere: edges.allSatisfy { $0.format == format })
    for index in edges.indices where edges[index].format == format {
      let isByHand = [.set, .rateSet].contains(edges[index].origin?.kind)
      result.edges[index].isCommon = true
      result.edges[index].showsOrigin = isByHand && edges[index].origin?.text != text
    }
    return result
  }

  /// The most frequent value; of equally frequent ones, the first.
  private static func mostFrequent<Value: Hashable>(_ values: [Value]) -> Value? {
    var counts: [Value: Int] = [:]
    for value in values { counts[value, default: 0] += 1 }
    let most = counts.values.max()
    return values.first { counts[$0] == most }
  }
}

extension GraphDrawing.Edge {
  /// The label in a picture: the format, and where it was decided.
  var label: (format: String, origin: String) {
    let origin = showsOrigin ? origin?.text ?? "" : ""
    return ((isCommon ? latencyText : formatText) ?? "", origin)
  }
}
