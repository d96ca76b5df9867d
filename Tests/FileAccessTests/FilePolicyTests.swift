import Foundation
import Glibc
import Testing

@testable import FileAccess

/// A temporary folder.
private final class Scratch {
  let path: String

  init() throws {
    path = "/tmp/patchrun-files-\(UUID().uuidString.prefix(8))"
    for folder in ["patch/in", "outside"] {
      try FileManager.default.createDirectory(
        atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
    }
    for file in ["patch/own", "patch/in/deep", "outside/other"] {
      try Data(file.utf8).write(to: URL(filePath: "\(path)/\(file)"))
    }
    try link("patch/out", to: "../outside")
    try link("patch/other", to: "../outside/other")
    try link("patch/inner", to: "in/deep")
    try link("patch/dangling", to: "../outside/new")
    try link("patch/loop", to: "loop")
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/\(name)", withDestinationPath: target)
  }

  var patch: String { path + "/patch" }
  var policy: FilePolicy { FilePolicy(patchIn: patch) }
  var confined: FilePolicy { FilePolicy(patchIn: patch, isConfined: true) }
}

private func text(_ policy: FilePolicy, _ path: String) throws(FileRefusal) -> String {
  String(decoding: try policy.read(path, limit: 1 << 20).bytes, as: UTF8.self)
}

/// Why writing to a place is refused; `nil` if it is allowed.
private func refusal(_ policy: FilePolicy, writing path: String) -> FileRefusal? {
  do throws(FileRefusal) {
    _ = try policy.writePlace(path)
    return nil
  } catch {
    return error
  }
}

@Suite struct FileReadingTests {
  @Test func `links are followed to regular files`() throws {
    let scratch = try Scratch()
    for (name, contents) in [
      ("own", "patch/own"), ("other", "outside/other"), ("out/other", "outside/other"),
      ("inner", "patch/in/deep"), ("in/../own", "patch/own"),
    ] {
      #expect(try text(scratch.policy, "\(scratch.patch)/\(name)") == contents)
      #expect(try text(.user, "\(scratch.patch)/\(name)") == contents)
    }
  }

  @Test func `devices, pipes, sockets and folders are not opened`() throws {
    let scratch = try Scratch()
    let fifo = scratch.patch + "/fifo"
    #expect(unsafe mkfifo(fifo, 0o600) == 0)
    for policy in [scratch.policy, .user] {
      #expect(throws: FileRefusal.notRegular(.device)) { try text(policy, "/dev/zero") }
      #expect(throws: FileRefusal.notRegular(.pipe)) { try text(policy, fifo) }
      #expect(throws: FileRefusal.isFolder) { try text(policy, scratch.patch) }
      #expect(throws: FileRefusal.notFound) { try text(policy, scratch.patch + "/none") }
      #expect(throws: FileRefusal.notFound) { try text(policy, scratch.patch + "/own\0") }
      #expect(throws: FileRefusal.notFound) { try text(policy, scratch.patch + "/own/x") }
    }
  }

  @Test(arguments: [
    "/proc/self/environ", "/proc/self/status", "/proc/version", "/proc/self/root/proc/cpuinfo",
    "/sys/kernel/notes",
  ]) func `what the kernel makes up is for the user alone`(path: String) throws {
    let scratch = try Scratch()
    guard FileManager.default.isReadableFile(atPath: path) else { return }
    #expect(throws: FileRefusal.ofSystem) { try text(scratch.policy, path) }
    try scratch.link("patch/system", to: path)
    #expect(throws: FileRefusal.ofSystem) { try text(scratch.policy, scratch.patch + "/system") }
    _ = try text(.user, path)
  }

  @Test func `a confined patch reads in its folder, links resolved`() throws {
    let scratch = try Scratch()
    #expect(try text(scratch.confined, scratch.patch + "/own") == "patch/own")
    #expect(try text(scratch.confined, scratch.patch + "/inner") == "patch/in/deep")
    #expect(try text(scratch.confined, scratch.patch + "/in/../own") == "patch/own")
    for name in ["other", "out/other", "../outside/other", "in/../../outside/other"] {
      #expect(throws: FileRefusal.outsideReadable(folder: scratch.path + "/outside")) {
        try text(scratch.confined, "\(scratch.patch)/\(name)")
      }
    }
    #expect(throws: FileRefusal.notFound) { try text(scratch.confined, scratch.patch + "/none") }
  }

  @Test func `a confined patch does not learn whether there is a file outside`() throws {
    let scratch = try Scratch()
    func refused(_ name: String) -> FileRefusal? {
      do throws(FileRefusal) {
        _ = try text(scratch.confined, "\(scratch.patch)/\(name)")
        return nil
      } catch {
        return error
      }
    }
    #expect(refused("../outside/other") == refused("../outside/none"))
    try scratch.link("patch/none", to: "../outside/none")
    #expect(refused("other")?.isOfPolicy == true && refused("none")?.isOfPolicy == true)
  }

  @Test func `a confined patch reads in folders that are allowed, and what is excepted`() throws {
    let scratch = try Scratch()
    let other = scratch.path + "/outside/other"
    let allowed = FilePolicy(
      patchIn: scratch.patch, allowed: [scratch.path + "/outside"], isConfined: true)
    #expect(try text(allowed, other) == "outside/other")
    #expect(try text(allowed, scratch.patch + "/other") == "outside/other")
    let excepted = scratch.policy.confined(to: scratch.patch, except: [other])
    #expect(try text(excepted, other) == "outside/other")
    #expect(throws: FileRefusal.self) { try text(excepted, scratch.patch + "/other") }
  }

  @Test func `a folder that is itself a link is the folder that it leads to`() throws {
    let scratch = try Scratch()
    try scratch.link("alias", to: "patch")
    let policy = FilePolicy(patchIn: scratch.path + "/alias", isConfined: true)
    #expect(try text(policy, scratch.path + "/alias/own") == "patch/own")
    #expect(try text(policy, scratch.path + "/patch/own") == "patch/own")
    #expect(throws: FileRefusal.self) { try text(policy, scratch.path + "/alias/other") }
    #expect(
      refusal(FilePolicy(patchIn: scratch.path + "/alias"), writing: scratch.path + "/alias/new")
        == nil)
  }

  @Test func `a slash under an accent is a slash`() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(
      atPath: scratch.patch + "/\u{301}", withIntermediateDirectories: true)
    #expect(throws: FileRefusal.self) {
      try text(scratch.confined, scratch.patch + "/\u{301}/../../outside/other")
    }
    #expect(
      refusal(scratch.policy, writing: scratch.patch + "/\u{301}/../../outside/new")?.isOfPolicy
        == true)
  }

  @Test func `a file that is too large is not read`() throws {
    let scratch = try Scratch()
    #expect(throws: FileRefusal.tooLarge(limit: 4)) {
      try scratch.policy.read(scratch.patch + "/own", limit: 4)
    }
  }
}

@Suite struct FileWritingTests {
  @Test func `a patch writes in its folder and in those that are allowed`() throws {
    let scratch = try Scratch()
    for name in ["new.wav", "own", "in/new.wav", "in/../new.wav", "./in//deep"] {
      #expect(refusal(scratch.policy, writing: "\(scratch.patch)/\(name)") == nil)
    }
    let outside = scratch.path + "/outside"
    for path in [outside + "/new", scratch.patch + "/../outside/new"] {
      #expect(
        refusal(scratch.policy, writing: path) == FileRefusal.outsideWritable(folder: outside))
      let allowed = FilePolicy(patchIn: scratch.patch, allowed: [outside])
      #expect(refusal(allowed, writing: path) == nil)
    }
    #expect(refusal(scratch.policy, writing: "/etc/new.wav")?.isOfPolicy == true)
    #expect(refusal(scratch.policy, writing: scratch.path + "/patchwork")?.isOfPolicy == true)
  }

  @Test func `a patch writes to the working folder unless it is confined`() throws {
    let scratch = try Scratch()
    #expect(refusal(scratch.policy, writing: "new.wav") == nil)
    #expect(refusal(scratch.confined, writing: "new.wav")?.isOfPolicy == true)
    #expect(refusal(scratch.confined, writing: scratch.patch + "/new.wav") == nil)
  }

  @Test func `a patch writes through no link, and over regular files only`() throws {
    let scratch = try Scratch()
    #expect(unsafe mkfifo(scratch.patch + "/fifo", 0o600) == 0)
    for name in ["other", "out/new", "dangling", "inner", "loop"] {
      guard case .link = refusal(scratch.policy, writing: "\(scratch.patch)/\(name)") else {
        Issue.record("\(name)")
        continue
      }
    }
    #expect(refusal(scratch.policy, writing: scratch.patch + "/fifo") == .notRegular(.pipe))
    #expect(refusal(scratch.policy, writing: scratch.patch + "/in") == .isFolder)
    #expect(refusal(scratch.policy, writing: scratch.patch) == .isFolder)
    #expect(
      refusal(scratch.policy, writing: scratch.patch + "/none/new")
        == .noFolder(scratch.patch + "/none"))
  }

  @Test func `what is exchanged after the place was found leads nowhere else`() throws {
    let scratch = try Scratch()
    let place = try scratch.policy.writePlace(scratch.patch + "/in/deep")
    try FileManager.default.moveItem(atPath: scratch.patch + "/in", toPath: scratch.patch + "/was")
    try scratch.link("patch/in", to: "../outside")
    #expect(place.replace(with: Array("new".utf8)) == 0)
    #expect(try text(.user, scratch.patch + "/was/deep") == "new")
    #expect(!FileManager.default.fileExists(atPath: scratch.path + "/outside/deep"))
  }

  @Test func `the user writes through links, and to devices`() throws {
    let scratch = try Scratch()
    #expect(try FilePolicy.user.writePlace("/dev/null").content == .stream)
    let place = try FilePolicy.user.writePlace(scratch.patch + "/dangling")
    #expect(place.content == .nothing && place.name == "new")
    #expect(
      place.isSame(as: try FilePolicy.user.writePlace(scratch.path + "/outside/new")))
  }

  @Test func `two spellings of a file are one place`() throws {
    let scratch = try Scratch()
    let policy = scratch.policy
    let one = try policy.writePlace(scratch.patch + "/new.wav")
    for name in ["./new.wav", "in/../new.wav", ".//new.wav"] {
      #expect(one.isSame(as: try policy.writePlace("\(scratch.patch)/\(name)")))
    }
    #expect(!one.isSame(as: try policy.writePlace(scratch.patch + "/in/new.wav")))
    let (first, second) = (scratch.patch + "/own", scratch.patch + "/hard")
    #expect(unsafe Glibc.link(first, second) == 0)
    #expect(try policy.writePlace(first).isSame(as: try policy.writePlace(second)))
  }

  @Test func `a file is replaced whole, keeps its permissions, and leaves nothing beside it`()
    throws
  {
    let scratch = try Scratch()
    let path = scratch.patch + "/own"
    #expect(unsafe chmod(path, 0o640) == 0)
    let before = try FileManager.default.contentsOfDirectory(atPath: scratch.patch).sorted()
    #expect(try FilePolicy.tree(scratch.patch).place(ofFile: path).replace(with: [65]) == 0)
    var status = stat()
    #expect(unsafe stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o640)
    #expect(try text(.user, path) == "A")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch.patch).sorted() == before)
    // Through a link that stays in the tree, but not through one that leaves it.
    let tree = FilePolicy.tree(scratch.patch)
    #expect(try tree.place(ofFile: scratch.patch + "/inner").replace(with: [66]) == 0)
    #expect(try text(.user, scratch.patch + "/in/deep") == "B")
    #expect(FolderListing.isLink(scratch.patch + "/inner"))
    #expect(throws: FileRefusal.self) { try tree.place(ofFile: scratch.patch + "/other") }
  }
}

@Suite struct SystemPathTests {
  @Test func `each path has one text, and each text one path`() {
    for bytes: [UInt8] in [
      Array("a/b.wav".utf8), [0x63, 0xE9], [0xC3, 0xA9], [0xC3], [0xF4, 0x8F, 0xBE, 0x80],
      [0xED, 0xA0, 0x80], [0xFF, 0x2F, 0xF4, 0x8F, 0xBF],
    ] {
      #expect(SystemPath(SystemPath(bytes: bytes).text).bytes == bytes)
    }
  }

  @Test func `a file whose name is not UTF-8 is found by its text`() throws {
    let scratch = try Scratch()
    let name = SystemPath(bytes: Array("\(scratch.patch)/caf".utf8) + [0xE9])
    let file = unsafe open(name.c, O_WRONLY | O_CREAT, 0o600)
    #expect(file >= 0)
    close(file)
    #expect(try FolderListing.names(in: scratch.patch).contains(name.name.text))
    #expect(try FilePolicy.user.read(name.text, limit: 10).bytes.isEmpty)
  }
}
