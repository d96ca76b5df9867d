import Foundation
import Panel
import PatchSyntax
import Testing

@testable import Control

@Suite struct PanelTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/Panel/Page").standardized

  @Test func `every file of the page is in the program, as it lies there`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.page.path)
      .filter { !$0.hasPrefix(".") }.sorted()
    #expect(PanelFile.sources.map(\.name).sorted() == names)
    for file in PanelFile.sources {
      let bytes = try Data(contentsOf: Self.page.appending(path: file.name))
      #expect(file.bytes == Array(bytes), "\(file.name)")
      #expect(file.mediaType != "text/plain; charset=utf-8", "\(file.name)")
    }
  }

  @Test func `the page weighs what a page may, its editor included, as it is sent`() throws {
    let room = try Room(hasPanel: true)
    var sum = 0
    for file in PanelFile.all {
      let answer = try room.ask("HEAD /panel/\(file.name)", ["Accept-Encoding: gzip, deflate, br"])
      // Letters are compressed by themselves.
      let isPacked = file.name.hasSuffix(".woff2")
      #expect(answer.fields["content-encoding"] == (isPacked ? nil : "gzip"), "\(file.name)")
      sum += try #require(answer.fields["content-length"].flatMap { Int($0) })
    }
    #expect(sum < 400_000)
  }

  @Test func `gzip is for those who say that they take it`() throws {
    let room = try Room(hasPanel: true)
    for field in ["Accept-Encoding: identity", "Accept-Encoding: br, gzip;q=0", "Accept: */*"] {
      let answer = try room.ask("GET /panel/panel.js", [field])
      #expect(answer.fields["content-encoding"] == nil, "\(field)")
      #expect(answer.body == PanelFile.named("panel.js")?.text)
      #expect(answer.fields["vary"] == "Accept-Encoding")
    }
    let answer = try room.ask("HEAD /panel/panel.js", ["Accept-Encoding: x;q=1, GZIP;q=0.5"])
    #expect(answer.fields["content-encoding"] == "gzip")
    let tag = try #require(answer.fields["etag"])
    #expect(tag.hasPrefix("W/"))
    #expect(try room.ask("GET /panel/panel.js", ["If-None-Match: \(tag)"]).status == 304)
  }

  @Test func `what is compressed is what lies there`() throws {
    for file in PanelFile.all where !file.name.hasSuffix(".woff2") {
      let pipe = Process()
      pipe.executableURL = URL(filePath: "/bin/sh")
      let place = FileManager.default.temporaryDirectory.appending(
        path: "patchrun-gzip-\(UUID().uuidString.prefix(8))")
      defer { try? FileManager.default.removeItem(at: place) }
      try Data(try #require(file.compressed)).write(to: place)
      pipe.arguments = ["-c", "gzip -dc < \(place.path)"]
      let output = Pipe()
      pipe.standardOutput = output
      try pipe.run()
      let bytes = output.fileHandleForReading.readDataToEndOfFile()
      pipe.waitUntilExit()
      #expect(bytes == Data(file.bytes), "\(file.name)")
    }
  }

  @Test func `a browser gets the page, and who asks for JSON the list`() throws {
    let room = try Room(hasPanel: true)
    let accept = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    let page = try room.ask("GET /", [accept])
    #expect(page.status == 200 && page.body == PanelFile.index?.text)
    #expect(page.fields["content-type"] == "text/html; charset=utf-8")
    #expect(page.fields["vary"] == "Accept, Accept-Encoding")
    #expect(try room.ask("GET /", ["Accept: */*"]).json?["patchrun"]?.string == "0.0.1")
    #expect(try room.ask("GET /").json?["patchrun"]?.string == "0.0.1")
    #expect(try room.ask("HEAD /", [accept]).body.isEmpty)
  }

  @Test func `the page's files may do nothing but what the page does`() throws {
    let room = try Room(hasPanel: true)
    for file in PanelFile.all {
      let answer = try room.ask("GET /panel/\(file.name)")
      #expect(answer.status == 200)
      #expect(answer.fields["content-length"] == "\(file.bytes.count)")
      // An answer is text here.
      if !file.name.hasSuffix(".woff2") { #expect(answer.body == file.text) }
      #expect(answer.fields["content-type"] == file.mediaType)
      #expect(answer.fields["cache-control"] == "no-cache")
      #expect(answer.fields["x-content-type-options"] == "nosniff")
      #expect(answer.fields["access-control-allow-origin"] == nil)
      let policy = try #require(answer.fields["content-security-policy"])
      #expect(
        policy == "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
          + "img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      )
      let tag = try #require(answer.fields["etag"])
      let again = try room.ask("GET /panel/\(file.name)", ["If-None-Match: \(tag)"])
      #expect(again.status == 304 && again.body.isEmpty)
    }
    #expect(try room.ask("POST /panel/index.html").status == 405)
    for path in ["/panel/", "/panel/nothing.js", "/panel/../index.html", "/panel/%2e%2e/status"] {
      #expect(try room.ask("GET \(path)").status == 404, "\(path)")
    }
  }

  @Test func `without the panel there is no page`() throws {
    let room = try Room()
    #expect(try room.ask("GET /", ["Accept: text/html"]).json?["patchrun"]?.string == "0.0.1")
    #expect(try room.ask("GET /panel/index.html").status == 404)
  }

  @Test func `pages of other sites get nothing of the panel`() throws {
    let room = try Room(port: 0, hasPanel: true)
    let port = try #require(room.server.port)
    for field in [
      "Origin: http://evil.example", "Sec-Fetch-Site: cross-site", "Origin: null",
    ] {
      for path in ["/", "/panel/index.html", "/controls", "/graph.svg"] {
        #expect(try room.ask("GET \(path)", [field]).status == 403, "\(path) \(field)")
      }
    }
    let connection = try RawConnection(port: port)
    try connection.send(
      "GET / HTTP/1.1\r\nHost: panel.example:\(port)\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
    )
    #expect(RawAnswer(connection.readAll())?.status == 403)
  }

  @Test func `files of the page are sent while the patch is busy`() throws {
    let room = try Room(hasPanel: true)
    room.patch.holdsDrawings = true
    // As many as the server has threads for calls of the patch, and one that waits for them.
    let busy = try (0..<3).map { _ in try room.connect() }
    for connection in busy {
      try connection.send("GET /graph.svg HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    }
    while room.patch.drawingsBegun < 2 { usleep(1000) }
    #expect(try room.ask("GET /panel/panel.js").status == 200)
    #expect(room.patch.drawingsBegun == 2)
    room.patch.holdsDrawings = false
    for connection in busy { #expect(RawAnswer(connection.readAll())?.status == 200) }
  }

  @Test func `requests for files that are sent one behind the other are all answered`() throws {
    let room = try Room(hasPanel: true)
    let connection = try room.connect()
    let request = "HEAD /panel/icon.svg HTTP/1.1\r\nHost: localhost\r\n"
    let requests = String(repeating: request + "\r\n", count: 999)
    try connection.send(requests + request + "Connection: close\r\n\r\n")
    #expect(connection.readAll().components(separatedBy: "HTTP/1.1 200 OK").count == 1001)
  }

  @Test func `the drawing is not sent again where the document is the same`() throws {
    let room = try Room()
    let answer = try room.ask("GET /graph.svg")
    #expect(answer.fields["content-type"] == "image/svg+xml" && answer.body.hasPrefix("<svg"))
    #expect(answer.fields["etag"] == "\"v1\"")
    #expect(try room.ask("GET /graph.svg", ["If-None-Match: \"v1\""]).status == 304)
    #expect(try room.ask("GET /graph.svg", ["If-None-Match: \"v2\""]).status == 200)
  }

  @Test func `what can be turned says where it is, what it may be and what it is`() throws {
    let room = try Room()
    let answer = try room.ask("GET /controls")
    #expect(answer.json?["tag"]?.string == "v1")
    let control = try #require(answer.json?["controls"]?.elements.first { _ in true })
    #expect(control["pointer"]?.string == "/nodes/mixer/inputs/0/parameters/volume")
    #expect(control["kind"]?.string == "gain" && control["elementName"]?.string == "drums")
    #expect(control["minimum"]?.number == 0 && control["maximum"]?.number == 1)
    #expect(control["default"]?.number == 1 && control["value"]?.number == 0.5)
    #expect(control["isInDocument"]?.bool == true && control["isScheduled"]?.bool == false)
  }

  @Test func `what many controls have in common stands once`() throws {
    let room = try Room()
    let answer = try #require(room.ask("GET /controls?form=kinds").json)
    let control = try #require(answer["controls"]?.elements.first { _ in true })
    let kind = try #require(answer["kinds"]?.elements.first { _ in true })
    #expect(control["of"]?.integer == 0 && control["elementName"]?.string == "drums")
    #expect(control["value"]?.number == 0.5 && control["isInDocument"]?.bool == true)
    // Members that are 0 or false are left out.
    #expect(control["element"] == nil && control["isScheduled"] == nil)
    #expect(kind["name"]?.string == "volume" && kind["default"]?.number == 1)
    let values = try #require(room.ask("GET /controls?form=values").json)
    #expect(values["list"]?.string == answer["list"]?.string)
    let value = try #require(values["values"]?.elements.first { _ in true })
    #expect(value["pointer"]?.string == "/nodes/mixer/inputs/0/parameters/volume")
    #expect(value["value"]?.number == 0.5)
  }
}
