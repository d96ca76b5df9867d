import Foundation
import TestSupport
import Testing

@testable import Pictures

struct WritingTests {
  private let folder = "/tmp/patchrun-pictures-\(UUID().uuidString.prefix(8))"

  private func figure(_ theme: Theme = .auto, title: String = "A < B & \"C\"\u{1}") -> Figure {
    Figure(
      title: title, caption: ["one", "two"], width: 400, height: 300, theme: theme,
      axis: .time(0...2, count: 4),
      panels: [
        Panel(
          "Left", .decibels("dBFS", -60...0, count: 4),
          marks: [
            .band([.init(0, -60, -3), .init(2, -60, -9)], .series(0), opacity: 0.4),
            .line(
              [Point(0, -12), Point(0.5, .nan), Point(1, -1e300), Point(2, .infinity)], .series(1)),
            .rule(-6, .text, text: "rule"), .flags([1], .warning),
          ]),
        Panel(
          "", .frequency(20...20_000, count: 4),
          marks: [
            .raster(Raster(width: 2, height: 2, pixels: [0xFF0000, 0xFF00, 0xFF, 0xFFFFFF]))
          ]),
      ], legend: [LegendEntry("x", .line(.series(1), isDashed: true))],
      colors: .decibels("dBFS", -120...0, count: 5))
  }

  private func shell(_ line: String) throws -> (status: Int32, output: String) {
    // `ChildProcess` appends to an existing file, so each call has its own.
    let output = "\(folder)/.output-\(UUID().uuidString)"
    let process = try ChildProcess(
      "/bin/sh", ["-c", line], environment: ProcessInfo.processInfo.environment, output: output,
      errors: "/dev/null")
    let status = process.wait()
    return (status, try String(contentsOfFile: output, encoding: .utf8))
  }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  @Test func `an SVG is XML, with its title, and no number that is none`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = try #require(PictureFile(path: "\(folder)/a.svg"))
    try file.write(figure().drawing())
    let text = try String(contentsOfFile: "\(folder)/a.svg", encoding: .utf8)
    #expect(try shell("xmllint --noout '\(folder)/a.svg'").status == 0)
    #expect(text.contains("<title id=\"picture-title\">A &lt; B &amp; \"C\"</title>"))
    #expect(text.contains("prefers-color-scheme:dark"))
    #expect(!text.contains("nan") && !text.contains("inf"))
    #expect(!figure(.light).drawing().svg().contains("prefers-color-scheme"))
  }

  /// Reads with zlib instead of our own code.
  @Test func `a PNG is read by another reader, pixel for pixel`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let raster = Raster(
      width: 3, height: 2, pixels: [0x102030, 0xFF0000, 0x00FF00, 0x0000FF, 0xFFFFFF, 0])
    try Data(raster.png()).write(to: URL(fileURLWithPath: "\(folder)/a.png"))
    let file = try #require(PictureFile(path: "\(folder)/b.PNG"))
    try file.write(figure(.dark).drawing())
    try Data(Self.reader.utf8).write(to: URL(fileURLWithPath: "\(folder)/read.py"))
    let small = try shell("python3 '\(folder)/read.py' '\(folder)/a.png' 6")
    #expect(small.status == 0)
    #expect(small.output == "3x2 102030 ff0000 00ff00 0000ff ffffff 000000\n")
    let large = try shell("python3 '\(folder)/read.py' '\(folder)/b.PNG' 1")
    #expect(large.output == "400x300 0d1117\n")
  }

  @Test func `the same drawing is the same bytes`() {
    for format in PictureFormat.allCases {
      #expect(format.bytes(of: figure().drawing()) == format.bytes(of: figure().drawing()))
    }
  }

  @Test func `a picture changes whole, keeps its permissions, and leaves nothing beside it`() throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/a.svg"
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/link.svg", withDestinationPath: path)
    try #require(PictureFile(path: "\(folder)/link.svg")).write(figure().drawing())
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("<svg"))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a.svg", "link.svg"])
  }

  @Test func `what cannot be written is said`() throws {
    let file = try #require(PictureFile(path: "\(folder)/gone/a.png"))
    #expect(throws: PictureFile.Failure.self) { try file.check() }
    #expect(throws: PictureFile.Failure.self) { try file.write(figure().drawing()) }
    #expect(PictureFile(path: "a.gif") == nil && PictureFile(path: ".svg") == nil)
    #expect(PictureFormat(path: "a.b/c.PnG") == .png && PictureFormat(path: "a.png/c") == nil)
  }

  @Test func `bytes as text are RFC 4648's`() {
    let pairs = [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]
    for (plain, text) in pairs { #expect(Base64.text(Array(plain.utf8)) == text) }
  }

  /// Reads a PNG with 8 bits per component and prints its first pixels.
  private static let reader = """
    import struct, sys, zlib
    data = open(sys.argv[1], "rb").read()
    assert data[:8] == b"\\x89PNG\\r\\n\\x1a\\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, depth, color, _, _, lace = struct.unpack(">IIBBBBB", body)
            assert depth == 8 and color in (2, 6) and lace == 0
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    step = 3 if color == 2 else 4
    raw = zlib.decompress(packed)
    rows, last = [], bytearray(width * step)
    for y in range(height):
        line = raw[y * (width * step + 1):(y + 1) * (width * step + 1)]
        row = bytearray(line[1:])
        for i in range(len(row)):
            a = row[i - step] if i >= step else 0
            b, c = last[i], last[i - step] if i >= step else 0
            p = a + b - c
            guess = [0, a, b, (a + b) // 2, min((abs(p - v), k, v) for k, v in enumerate((a, b, c)))[2]]
            row[i] = (row[i] + guess[line[0]]) & 255
        rows.append(row)
        last = row
    pixels = [bytes(r[x * step:x * step + 3]).hex() for r in rows for x in range(width)]
    print(f"{width}x{height}", *pixels[:int(sys.argv[2])])
    """
}
