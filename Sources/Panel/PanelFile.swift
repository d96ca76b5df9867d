internal import CPanel
private import Diagnostics

/// A file of the control panel's page. All of them are in the program.
public struct PanelFile: Hashable, Sendable {
  /// `panel.js`.
  public let name: String
  /// UTF-8, as all of them are text.
  public let text: String
  /// As `Content-Type` has it.
  public let mediaType: String
  /// The entity tag, without quotes: other contents have another.
  public let tag: String

  /// All files of the page.
  public static let all: [PanelFile] = {
    var files: [PanelFile] = []
    while let file = unsafe cpanel_file(files.count) {
      let bytes = unsafe UnsafeBufferPointer(start: file.pointee.bytes, count: file.pointee.count)
      files.append(
        PanelFile(path: unsafe String(cString: file.pointee.path), bytes: unsafe Array(bytes)))
    }
    return files
  }()

  /// The page itself.
  public static let index = named("index.html")

  /// The file of a name; `nil` for none.
  public static func named(_ name: String) -> PanelFile? { all.first { $0.name == name } }

  private init(path: String, bytes: [UInt8]) {
    name = path.split(separator: "/").last.map(String.init) ?? path
    text = String(decoding: bytes, as: UTF8.self)
    tag = ContentHash.digits(bytes)
    mediaType =
      switch name.split(separator: ".").last {
      case "html": "text/html; charset=utf-8"
      case "css": "text/css; charset=utf-8"
      case "js": "text/javascript; charset=utf-8"
      case "svg": "image/svg+xml"
      case "json", "webmanifest": "application/json"
      default: "text/plain; charset=utf-8"
      }
  }
}
