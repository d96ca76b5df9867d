/// The kinds of picture that are written.
public enum PictureFormat: String, CaseIterable, Sendable {
  case svg
  case png

  /// What a file's ending says; `nil` where it says something else.
  public init?(path: String) {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    self.init(rawValue: name[name.index(after: dot)...].lowercased())
  }

  /// The bytes of a drawing in this format.
  public func bytes(of drawing: Drawing) -> [UInt8] {
    switch self {
    case .svg: Array(drawing.svg().utf8)
    case .png: drawing.png()
    }
  }
}
