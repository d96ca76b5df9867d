/// The texts that were read last, so that equal texts share memory: the nodes of a patch repeat the
/// same few keys and names.
struct RecentTexts: Sendable {
  /// The number of texts that are kept.
  private static let capacity = 16
  /// Up to this many bytes, a string needs no memory of its own.
  private static let shortLength = 15

  private var texts: [String] = []
  /// The index of the next one to replace.
  private var oldest = 0

  /// The text of a string, with escapes resolved; `nil` for other values.
  mutating func text(of json: JSONValue) -> String? {
    guard json.kind == .string else { return nil }
    let content = json.contentRange
    guard json.isPlain, content.count > Self.shortLength else { return json.string }
    let bytes = json.bytes(in: content)
    for index in texts.indices
    where texts[index].utf8.count == bytes.count && texts[index].utf8.elementsEqual(bytes) {
      return texts[index]
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if texts.count < Self.capacity {
      texts.append(text)
    } else {
      texts[oldest] = text
      oldest = (oldest + 1) % Self.capacity
    }
    return text
  }
}
