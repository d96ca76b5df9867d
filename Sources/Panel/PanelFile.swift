internal import CPanel
private import Diagnostics
private import Synchronization

/// A file of the control panel's page, embedded in the program.
public struct PanelFile: Hashable, Sendable {
  /// The name, such as `panel.js`.
  public let name: String
  /// The contents.
  public let bytes: [UInt8]
  /// The value of `Content-Type`.
  public let mediaType: String
  /// The entity tag without quotes: a hash of the contents.
  public let tag: String

  /// The contents as UTF-8 text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

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

  /// The files that are served: the modules are bundled into two files, and the style sheets into
  /// another.
  public static let all: [PanelFile] = {
    let (modules, others) = sources.partitioned {
      $0.name.hasSuffix(".js") && !standsAlone($0.name)
    }
    let (styles, rest) = others.partitioned { $0.name.hasSuffix(".css") }
    let texts = Dictionary(
      modules.map { ($0.name, $0.bytes) }, uniquingKeysWith: { first, _ in first })
    let bundle = PanelBundle(of: texts, main: "main.js")
    return rest.map(\.served) + [
      PanelFile(path: "panel.css", bytes: styles.flatMap(\.bytes)),
      PanelFile(path: "panel.js", bytes: bundle.text),
      PanelFile(path: PanelBundle.laterName, bytes: bundle.laterText),
    ]
  }()

  /// Whether a module is a file of its own: the editor, which is loaded on demand.
  private static func standsAlone(_ name: String) -> Bool { name == "codemirror.js" }

  /// The page with the served files in place of the source files, which are between `<!-- files
  /// -->` and `<!-- /files -->`.
  private var served: PanelFile {
    let text = text
    guard let begin = text.firstRange(of: "<!-- files -->"),
      let end = text.firstRange(of: "<!-- /files -->"), begin.upperBound < end.lowerBound
    else { return self }
    // Without `blocking`, a browser lays out and draws the empty page first.
    let files = """
      <link rel="stylesheet" href="/panel/panel.css">
          <script type="module" src="/panel/panel.js" blocking="render"></script>
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
    self.bytes = bytes
    tag = ContentHash.digits(bytes)
    mediaType =
      switch name.split(separator: ".").last {
      case "html": "text/html; charset=utf-8"
      case "css": "text/css; charset=utf-8"
      case "js": "text/javascript; charset=utf-8"
      case "svg": "image/svg+xml"
      case "woff2": "font/woff2"
      case "json", "webmanifest": "application/json"
      default: "text/plain; charset=utf-8"
      }
  }

  // MARK: Compressed

  /// The compressed contents by name.
  private static let compressedFiles = Mutex<[String: [UInt8]]>([:])

  /// The contents compressed by gzip, computed on first use; `nil` for fonts, which are compressed
  /// already, and if libz is missing. Any thread.
  public var compressed: [UInt8]? {
    guard mediaType != "font/woff2" else { return nil }
    // The lock is not held while a file is compressed: two threads may compress the same file.
    let known = Self.compressedFiles.withLock { $0[name] }
    let bytes = known ?? Self.compress(bytes)
    if known == nil { Self.compressedFiles.withLock { $0[name] = bytes } }
    return bytes.isEmpty ? nil : bytes
  }

  /// Bundles and compresses all files that are served, so that the first browser does not wait for
  /// it. Takes about 0.1 s. Any thread but the render thread.
  public static func prepare() {
    let last = "codemirror.js"
    for file in all where file.name != last { _ = file.compressed }
    _ = named(last)?.compressed
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
