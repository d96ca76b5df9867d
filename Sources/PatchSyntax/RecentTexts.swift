/// The texts that have been read last, each in memory once however often it is read: the same few keys
/// and names stand in every node of a patch.
struct RecentTexts: Sendable {
  /// As many as are kept.
  private static let capacity = 16
  /// Up to so many bytes a string has room for in itself.
  private static let shortLength = 15

  private var texts: [String] = []
  /// Which of them is given up next.
  private var oldest = 0

  /// A string's characters, with escapes resolved; `nil` of what is no string.
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
