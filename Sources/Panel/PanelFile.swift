internal import CPanel
private import Diagnostics
private import Synchronization

/// A file of the control panel's page, embedded in the program.
public struct PanelFile: Hashable, Sendable {
  /// The name, such as `panel.js`.
  public let name: String
  /// The contents; all files are UTF-8 text.
  public let text: String
  /// The value of `Content-Type`.
  public let mediaType: String
  /// The entity tag without quotes: a hash of the contents.
  public let tag: String

  /// The source files of the page.
  public static let sources: [PanelFile] = {
    var files: [PanelFile] = []
    while let file = unsafe cpanel_file(files.count) {
      let bytes = unsafe UnsafeBufferPointer(start: file.pointee.bytes, count: file.pointee.count)
      files.append(
        PanelFile(path: unsafe String(cString: file.pointee.path), bytes: unsafe Array(bytes)))
    }
    return files
  }()

  /// The files that are served: the modules are bundled into one file, and the style sheets into
  /// another.
  public static let all: [PanelFile] = {
    let (modules, others) = sources.partitioned {
      $0.name.hasSuffix(".js") && !standsAlone($0.name)
    }
    let (styles, rest) = others.partitioned { $0.name.hasSuffix(".css") }
    let texts = Dictionary(
      modules.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
    let bundle = PanelBundle(of: texts, main: "main.js")
    return rest.map(\.served) + [
      PanelFile(path: "panel.js", bytes: Array(bundle.text.utf8)),
      PanelFile(path: "panel.css", bytes: styles.flatMap { Array($0.text.utf8) }),
    ]
  }()

  /// Whether a module is a file of its own: the editor, which is loaded on demand.
  private static func standsAlone(_ name: String) -> Bool { name == "codemirror.js" }

  /// The page with the served files in place of the source files, which are between `<!-- files
  /// -->` and `<!-- /files -->`.
  private var served: PanelFile {
    guard let begin = text.firstRange(of: "<!-- files -->"),
      let end = text.firstRange(of: "<!-- /files -->"), begin.upperBound < end.lowerBound
    else { return self }
    let files = """
      <link rel="stylesheet" href="/panel/panel.css">
          <script type="module" src="/panel/panel.js"></script>
      """
    return PanelFile(
      path: name, bytes: Array((text[..<begin.lowerBound] + files + text[end.upperBound...]).utf8))
  }

  /// The HTML page.
  public static let index = named("index.html")

  /// The file with a name; `nil` if there is none.
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

  // MARK: Compressed

  private static let kept = Mutex<[String: [UInt8]]>([:])

  /// The contents compressed by gzip, computed on first use; `nil` if libz is missing. Any thread.
  public var compressed: [UInt8]? {
    Self.kept.withLock { kept in
      let bytes = kept[name] ?? Self.compress(Array(text.utf8))
      kept[name] = bytes
      return bytes.isEmpty ? nil : bytes
    }
  }

  private static func compress(_ bytes: [UInt8]) -> [UInt8] {
    // gzip enlarges incompressible data by less than this.
    unsafe [UInt8](unsafeUninitializedCapacity: bytes.count + 128) { room, count in
      unsafe count = cpanel_compress(bytes, bytes.count, room.baseAddress, room.count)
    }
  }
}

extension Array {
  /// The elements that satisfy a condition, and the others.
  fileprivate func partitioned(_ condition: (Element) -> Bool) -> ([Element], [Element]) {
    (filter(condition), filter { !condition($0) })
  }
}
