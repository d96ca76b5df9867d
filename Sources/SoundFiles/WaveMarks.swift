/// The cue points of a WAV file: a `cue ` chunk and, for their labels, a LIST of type `adtl`
/// (Multimedia Programming Interface and Data Specifications 1.0, 1991). They come behind the
/// samples.
struct WaveMarks {
  /// The most cue points; nobody looks at more.
  private static let most = 10_000
  /// The name of the first chunk.
  static let name = "cue "

  private var points: [(frame: UInt32, label: [UInt8])] = []

  /// - Parameter frame: A cue point has 32 bits for the frame; one beyond that is left out.
  mutating func add(_ text: String, at frame: Int) {
    guard points.count < Self.most, let frame = UInt32(exactly: frame) else { return }
    points.append((frame, Array(text.utf8.prefix(200)) + [0]))
  }

  /// Both chunks; empty without cue points.
  var chunks: [UInt8] {
    guard !points.isEmpty else { return [] }
    var cues = Self.bytes(UInt32(points.count))
    var labels = Array("adtl".utf8)
    for (index, point) in points.enumerated() {
      let number = Self.bytes(UInt32(index + 1))
      // Number and position, then the chunk of the position, and the position in it.
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
