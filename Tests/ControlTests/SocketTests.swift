import Foundation
import Testing

@testable import Control

@Suite struct SocketTests {
  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  private func start(
    _ name: String, isExact: Bool, in folder: ControlFolder
  ) throws(ControlError) -> ControlServer {
    let patch = FakePatch()
    patch.feed.finish()
    return try ControlServer.start(
      ControlServer.Options(name: name, isNameExact: isExact, folder: folder, version: "0"),
      for: patch)
  }

  @Test func `nobody else gets at the socket, whatever the mask`() throws {
    let room = try Room()
    #expect(mode(room.folder.path) == 0o700)
    #expect(mode(room.server.socketPath) == 0o600)
    #expect(room.server.socketPath == room.folder.path + "/fake.sock")
  }

  @Test func `a folder that others may read is closed to them`() throws {
    let folder = Room.newFolder()
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    _ = unsafe mkdir(folder.path, 0o777)
    _ = unsafe chmod(folder.path, 0o777)
    let server = try start("a", isExact: true, in: folder)
    #expect(mode(folder.path) == 0o700)
    server.stop()
  }

  @Test func `the socket is gone when the server is`() throws {
    let room = try Room()
    #expect(room.folder.liveNames() == ["fake"])
    room.close()
    #expect(mode(room.server.socketPath) == nil)
    #expect(room.folder.liveNames().isEmpty)
    #expect(throws: ControlError.self) {
      try room.client.send(ControlClient.Request(.get, "/status"))
    }
  }

  @Test func `a name that is taken is refused, or gets a number`() throws {
    let room = try Room()
    let error = #expect(throws: ControlError.self) {
      try start("fake", isExact: true, in: room.folder)
    }
    #expect(error?.message.hasPrefix("another patch is running under the name 'fake'") == true)
    #expect(error?.help == ["give this one another name: --name NAME"])
    let second = try start("fake", isExact: false, in: room.folder)
    #expect(second.name == "fake-2")
    #expect(room.folder.liveNames() == ["fake", "fake-2"])
    second.stop()
    #expect(try room.ask("GET /status").status == 200)
  }

  @Test func `what a dead process has left behind is replaced`() throws {
    let folder = Room.newFolder()
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let dead = try ControlSocket.listen("a", isExact: true, in: folder)
    // The descriptor is closed with the process, but the file remains.
    close(dead.descriptor)
    #expect(folder.liveNames().isEmpty && mode(dead.path) != nil)
    let server = try start("a", isExact: true, in: folder)
    #expect(folder.liveNames() == ["a"])
    // A socket file of another server is not removed.
    _ = unsafe unlink(dead.path)
    let second = try start("a", isExact: true, in: folder)
    server.stop()
    #expect(folder.liveNames() == ["a"])
    second.stop()
    #expect(folder.liveNames().isEmpty && mode(dead.path) == nil)
  }

  @Test func `what is no socket is left alone`() throws {
    let folder = Room.newFolder()
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    _ = unsafe mkdir(folder.path, 0o700)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.socketPath("a")))
    let error = #expect(throws: ControlError.self) { try start("a", isExact: true, in: folder) }
    #expect(error?.message.contains("is not a socket") == true)
    #expect(FileManager.default.contents(atPath: folder.socketPath("a")) == Data("mine".utf8))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
  func `a folder of somebody else is neither used nor looked into`() throws {
    let room = try Room()
    #expect(unsafe chown(room.folder.path, 65_534, 65_534) == 0)
    #expect(room.folder.liveNames().isEmpty)
    let error = #expect(throws: ControlError.self) {
      try start("a", isExact: true, in: room.folder)
    }
    #expect(error?.message.hasSuffix("belongs to somebody else") == true)
    #expect(unsafe chown(room.folder.path, 0, 0) == 0)
  }

  @Test func `names that cannot be a socket's are refused`() {
    for name in ["", ".", "..", ".a", "a/b", "../a", "a\nb", String(repeating: "a", count: 65)] {
      #expect(!ControlSocket.isName(name), "\(name)")
    }
    for name in ["a", "mixer-host", "ein Stück", "a.b"] { #expect(ControlSocket.isName(name)) }
    let folder = ControlFolder(path: "/tmp/" + String(repeating: "x", count: 100))
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let error = #expect(throws: ControlError.self) { try start("a", isExact: true, in: folder) }
    #expect(error?.message.hasPrefix("the path of the control socket is too long") == true)
  }

  @Test func `a port that is taken is refused, and the socket taken away again`() throws {
    let room = try Room(port: 0)
    let port = try #require(room.server.port)
    let folder = Room.newFolder()
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let error = #expect(throws: ControlError.self) {
      try ControlServer.start(
        ControlServer.Options(
          name: "a", isNameExact: true, folder: folder, port: port, version: "0"),
        for: FakePatch())
    }
    #expect(
      error?.message == "port \(port) of 127.0.0.1 cannot be listened to: address already in use")
    #expect(mode(folder.socketPath("a")) == nil)
  }
}
