/// Recognizes texts that are not JSON by their beginning, so that they are reported as one error.
enum TextSignature {
  /// The kind of a text, and its first line; `nil` for a text that may be JSON.
  static func other(in bytes: [UInt8], from start: Int) -> (kind: String, range: Range<Int>)? {
    let rest = bytes[start...]
    let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
    let line = bytes[start..<min(end, start + 200)]
    func found(_ kind: String) -> (String, Range<Int>) { (kind, start..<line.endIndex) }
    if line.first == UInt8(ascii: "<") { return found("HTML or XML") }
    if line.elementsEqual("---".utf8) || line.starts(with: "%YAML".utf8) { return found("YAML") }
    // `session:` alone, or with a space and a value behind it. With brackets or quotes it may be
    // JSON.
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > start,
      line[..<colon].allSatisfy(isWord),
      line[(colon + 1)...].first.map({ $0 == UInt8(ascii: " ") }) ?? true,
      !line.contains(where: { [0x22, 0x5B, 0x5D, 0x7B, 0x7D].contains($0) })
    else { return nil }
    return found("YAML")
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }
}
