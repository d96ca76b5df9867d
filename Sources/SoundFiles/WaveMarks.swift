/// The cue points of a WAV file: the chunk `cue ` and, for their labels, a list of the type `adtl`
/// (Multimedia Programming Interface and Data Specifications 1.0, of 1991). They stand behind the samples.
struct WaveMarks {
  /// More say nothing that anybody looks at.
  private static let most = 10_000
  /// What the first of the chunks is called.
  static let name = "cue "

  private var points: [(frame: UInt32, label: [UInt8])] = []

  /// - Parameter frame: A cue point counts frames in 32 bits; one further behind is left out.
  mutating func add(_ text: String, at frame: Int) {
    guard points.count < Self.most, let frame = UInt32(exactly: frame) else { return }
    points.append((frame, Array(text.utf8.prefix(200)) + [0]))
  }

  /// Both chunks; empty where there are no points.
  var chunks: [UInt8] {
    guard !points.isEmpty else { return [] }
    var cues = Self.bytes(UInt32(points.count))
    var labels = Array("adtl".utf8)
    for (index, point) in points.enumerated() {
      let number = Self.bytes(UInt32(index + 1))
      // Its number and its place, then the chunk that the place is in, and where in it.
      cues += number + Self.bytes(point.frame) + Array("data".utf8)
      cues += Self.bytes(0) + Self.bytes(0) + Self.bytes(point.frame)
      labels += Self.chunk("labl", number + point.label)
    }
    return Self.chunk(Self.name, cues) + Self.chunk("LIST", labels)
  }

  private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + bytes(UInt32(body.count)) + body + (body.count % 2 == 1 ? [0] : [])
  }

  private static func bytes(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
