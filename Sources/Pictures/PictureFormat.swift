import FileAccess

/// The formats in which pictures are written.
public enum PictureFormat: String, CaseIterable, Sendable {
  case svg
  case png

  /// The format of a file's ending; `nil` for another ending.
  public init?(path: String) {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    self.init(rawValue: name[name.index(after: dot)...].lowercased())
  }

  /// The bytes of a file with a drawing. They end with the mark of patchrun (`PictureMark`).
  public func bytes(of drawing: Drawing) -> [UInt8] {
    switch self {
    case .svg: return Array(drawing.svg().utf8) + PictureMark.svg
    case .png:
      let bytes = drawing.png()
      let end = PictureMark.pngEnd
      return bytes.suffix(end.count) == end[...]
        ? bytes.dropLast(end.count) + PictureMark.png : bytes
    }
  }
}
