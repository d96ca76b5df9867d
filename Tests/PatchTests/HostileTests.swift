import Foundation
import Glibc
import TestSupport
import Testing

/// The malicious patches in `Hostile`. Checks the answers of `validate` and `render`, and that
/// neither writes to a forbidden place, prints contents of other files, or hangs.
///
/// `PATCHRUN_REPRINT=1 swift test --filter HostileTests` rewrites the answers. Read the differences
/// before you commit them.
@Suite struct HostileTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Hostile")
  static let answers = folder.appending(path: "answers.txt")

  static let names =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }) ?? []

  /// The lines of `answers.txt`, by the name of the patch.
  static let expected: [String: String] = {
    let text = (try? String(contentsOf: answers, encoding: .utf8)) ?? ""
    return Dictionary(
      text.split(separator: "\n").compactMap { line in
        line.firstIndex(of: ":").map { (String(line[..<$0]), String(line)) }
      }, uniquingKeysWith: { first, _ in first })
  }()

  private static let isReprinting =
    ProcessInfo.processInfo.environment["PATCHRUN_REPRINT"] != nil

  @Test func `there are enough of them`() {
    #expect(Self.names.count >= 60)
    #expect(Self.isReprinting || Set(Self.expected.keys) == Set(Self.names))
  }

  @Test(.enabled(if: !isReprinting), arguments: names)
  func `a patch that means harm does none`(name: String) throws {
    let stage = try HostileStage(name)
    #expect(try stage.answer(name) == Self.expected[name])
  }

  @Test(.enabled(if: isReprinting)) func `the answers are written anew`() throws {
    let lines = try Self.names.map { try HostileStage($0).answer($0) }
    try (lines.joined(separator: "\n") + "\n").write(
      to: Self.answers, atomically: true, encoding: .utf8)
  }

  @Test(arguments: names) func `kept in its folder it opens nothing outside`(name: String) throws {
    guard HostileStage.canTrace else { return }
    let stage = try HostileStage(name)
    _ = try stage.run(
      name, "validate --confined --output-format sarif '../patch/\(name).json'", isConfined: true)
  }
}

/// A folder with an untrusted patch and its files, and a folder outside with other files.
private final class HostileStage {
  private let place: Workplace
  private let secret = "hunter2-\(UUID().uuidString.prefix(8))"
  private let name: String

  init(_ name: String) throws {
    self.name = name
    place = try Workplace()
    place.environment["PATCHRUN_SECRET"] = secret
    let patch = place.url.appending(path: "patch")
    try FileManager.default.createDirectory(
      at: place.url.appending(path: "work"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(at: patch, withIntermediateDirectories: true)
    for item in ["\(name).json", "parts"] {
      try FileManager.default.copyItem(
        at: HostileTests.folder.appending(path: item), to: patch.appending(path: item))
    }
    try fillOutside()
    try fillPatch(patch)
  }

  /// Files of another user.
  private func fillOutside() throws {
    for (name, text) in [
      "victim.txt": "precious \(secret)\n", "secret.env": "PASSWORD=\(secret)\n",
      "secret.json": #"{ "database": { "password": "\#(secret)" }, "token": "\#(secret)" }"#,
      "secret.jsonc": "// \(secret)\n{ \"token\": \"\(secret)\", }\n",
      "secret-nodes.json":
        #"{ "nodes": { "\#(secret)": 1 }, "clusterToken": "\#(secret)", "ca": "\#(secret)" }"#,
      "secret.toml": "[database]\npassword = \"\(secret)\"\n", "victim.svg": "<svg/>",
    ] {
      try place.write(text, to: "outside/\(name)")
    }
  }

  /// The files beside the patch. Git can store links; a local user could make the rest.
  private func fillPatch(_ patch: URL) throws {
    for (name, target) in [
      "env-link.json": "../outside/secret.json", "proc-link.json": "/proc/self/environ",
      "secret-link.wav": "../outside/secret.env", "secret-link.vox": "../outside/secret.env",
      "secret-link.gsm": "../outside/secret.env", "victim-link.wav": "../outside/victim.txt",
      "victim-link.svg": "../outside/victim.svg", "dangling.wav": "../outside/new.wav",
      "dangling.svg": "../outside/new.svg", "out-folder": "../outside", "zero.wav": "/dev/zero",
      "null-link.wav": "/dev/null", "loop.wav": "loop.wav", "parts.wav": "parts",
      "../work/out-link": "../outside",
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: patch.appending(path: name).path, withDestinationPath: target)
    }
    for name in ["fifo.wav", "fifo.json"] {
      #expect(unsafe mkfifo(patch.appending(path: name).path, 0o600) == 0)
    }
    try makeSocket(patch.appending(path: "socket.wav").path)
    // Sparse files without blocks on the disk.
    for (name, size) in [("big.wav", off_t(5_000_000_000)), ("big.json", 200_000_000)] {
      let path = patch.appending(path: name).path
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
      #expect(unsafe truncate(path, size) == 0)
    }
    try place.write("text", to: "patch/notes.txt")
    let tone = patch.appending(path: "tone.wav")
    try FileManager.default.copyItem(
      at: URL(filePath: CommandLineTool.patches).appending(path: "audio/caller.wav"), to: tone)
    try FileManager.default.copyItem(at: tone, to: patch.appending(path: "hard-one.wav"))
    try FileManager.default.linkItem(
      at: patch.appending(path: "hard-one.wav"), to: patch.appending(path: "hard-two.wav"))
  }

  private func makeSocket(_ path: String) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      unsafe bytes.copyBytes(from: Array(path.utf8.prefix(100)) + [0])
    }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    _ = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, size)
      }
    }
  }

  /// The program's answer as a line: the status and the codes of `validate`, and the status of
  /// `render`.
  func answer(_ name: String) throws -> String {
    let outside = try contents("outside")
    let own = try contents("patch")
    let checked = try run(name, "validate --output-format concise '../patch/\(name).json'")
    let words = checked.output.split { " :[]".contains($0) }
    let codes = Set(words.filter { $0.wholeMatch(of: /PR\d{4}/) != nil }).sorted()
    #expect(try contents("outside") == outside)
    #expect(try contents("patch") == own)
    _ = try run(name, "validate --output-format sarif '../patch/\(name).json'")
    let rendered = try run(
      name, "render '../patch/\(name).json' -o out.wav --duration 0.1 --allow-silence")
    #expect(try contents("outside") == outside)
    // Existing files are unchanged.
    let after = try contents("patch")
    for (file, text) in own where after[file] != nil { #expect(after[file] == text, "\(file)") }
    return "\(name): validate \(checked.status) \(codes.joined(separator: " ")), "
      + "render \(rendered.status)"
  }

  /// The files with their contents; links are not followed.
  private func contents(_ folder: String) throws -> [String: String] {
    let root = place.url.appending(path: folder)
    var found: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
      let path = root.appending(path: name).path
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { continue }
      let isSmall = status.st_mode & S_IFMT == S_IFREG && status.st_size < 1_000_000
      let bytes = isSmall ? try Data(contentsOf: URL(filePath: path)) : Data()
      found[name] = "\(status.st_mode) \(status.st_size) \(bytes.hashValue)"
    }
    return found
  }

  static let canTrace: Bool = {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"),
      let place = try? Workplace(), let outcome = try? place.shell("strace -o log true").wait()
    else { return false }
    return outcome.status == 0
  }()

  /// Runs the program in the folder `work`. Checks that it ends within a minute of processor time,
  /// prints no secret, and opens files for writing only where it may.
  func run(
    _ name: String, _ arguments: String, isConfined: Bool = false
  ) throws -> Workplace.Outcome {
    let trace =
      Self.canTrace
      ? "strace -f -qq -y -s 4096 -e trace=open,openat,openat2,creat,truncate,rename,renameat,"
        + "renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,mkdir,mkdirat,mknod,mknodat "
        + "-o ../trace " : ""
    let outcome = try place.shell(
      "cd work && ulimit -t 60 && exec \(trace)\"$PATCHRUN\" \(arguments)"
    ).wait()
    #expect([0, 1, 2, 3, 4].contains(outcome.status), "\(outcome.errors.prefix(2000))")
    let said = outcome.output + outcome.errors
    #expect(!said.contains(secret), "\(said.prefix(4000))")
    #expect(!said.contains("root:x:0"))
    // The output contains no byte that a terminal would interpret.
    #expect(!said.contains("\u{1B}") && !said.contains("\u{202E}"))
    if Self.canTrace { try checkTrace(isConfined: isConfined) }
    return outcome
  }

  private func checkTrace(isConfined: Bool) throws {
    let data = try Data(contentsOf: place.url.appending(path: "trace"))
    let allowed = ["patch", "work"].map { place.url.appending(path: $0).path + "/" }
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      guard let equals = line.range(of: " = ", options: .backwards),
        !line[equals.upperBound...].hasPrefix("-1")
      else { continue }
      let result = line[equals.upperBound...]
      let opened =
        result.contains("<") ? result.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" } : ""
      let isOpening = line.contains(" open") || line.contains("creat(")
      let isInside = allowed.contains { opened.hasPrefix($0) }
      if isOpening {
        let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].contains { line.contains($0) }
        let isStream = opened.hasPrefix("/dev/null") || opened.hasPrefix("/dev/tty")
        #expect(!writes || isInside || isStream, "\(line)")
        if isConfined {
          let isForeign = opened.contains("/outside/") || opened == "/etc/passwd"
          // The identity of a file is not secret, only its contents.
          #expect(!isForeign || line.contains("O_PATH"), "\(line)")
        }
      } else {
        // A rename names two folders.
        let places = line.split(separator: "<").dropFirst().map { $0.prefix { $0 != ">" } }
        #expect(
          places.allSatisfy { place in allowed.contains { (place + "/").hasPrefix($0) } },
          "\(line)")
      }
    }
  }
}
