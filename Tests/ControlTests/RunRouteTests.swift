import PatchSyntax
import Testing

@testable import Control

@Suite struct RunRouteTests {
  private static let json = "Content-Type: application/json"

  @Test func `a run pauses and goes on, and says so in its status`() throws {
    let room = try Room()
    let pause = try room.ask("POST /pause")
    #expect(pause.status == 200 && pause.json?["state"]?.string == "paused")
    #expect(try room.ask("GET /status").json?["state"]?.string == "paused")
    #expect(try room.ask("GET /metrics").body.contains("patchrun_state{state=\"paused\"} 1"))
    #expect(try room.ask("POST /start", [Self.json], body: "{}").status == 200)
    #expect(try room.ask("GET /status").json?["state"]?.string == "playing")
    room.patch.endSoon()
    for path in ["/pause", "/start"] {
      let late = try room.ask("POST \(path)")
      #expect(late.status == 409 && late.json?["state"]?.string == "stopping")
      #expect(late.json?["detail"]?.string == "the patch is not playing")
      #expect(try room.ask("GET \(path)").status == 405)
      #expect(try room.ask("POST \(path)", ["Content-Type: text/plain"], body: "x").status == 415)
    }
  }

  @Test func `a pause is an event, and a save another`() throws {
    let room = try Room()
    let connection = try room.connect()
    try connection.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    _ = connection.read(until: "event: status")
    room.patch.feed.yield(.state(.paused))
    #expect(connection.read(until: "paused\"}").contains("event: state"))
    room.patch.feed.yield(.saved(file: "a.json", tag: "v1"))
    let saved = connection.read(until: "v1\"}")
    #expect(saved.contains("event: saved") && saved.contains("\"file\":\"a.json\""))
  }

  @Test func `a patch is saved where it is the one that is meant`() throws {
    let room = try Room()
    #expect(try room.ask("GET /status").json?["saved"]?.bool == true)
    #expect(try room.ask("GET /status").json?["canSave"]?.bool == true)
    let stale = try room.ask("POST /save", ["If-Match: \"v0\""])
    #expect(stale.status == 412 && stale.fields["etag"] == "\"v1\"")
    let saved = try room.ask("POST /save", ["If-Match: \"v1\""])
    #expect(saved.status == 200 && saved.fields["etag"] == "\"v1\"")
    #expect(saved.json?["file"]?.string == "patches/fake.json")
    #expect(saved.json?["tag"]?.string == "v1")
    #expect(try room.ask("POST /save", ["If-Match: *"]).status == 200)
    #expect(room.patch.saved == ["v1", nil])
    let refused = try room.ask("POST /save")
    #expect(refused.status == 409)
    #expect(refused.json?["detail"]?.string == "somebody else has changed it")
    #expect(refused.json?["help"]?.elements.compactMap(\.string) == ["read it again"])
  }

  @Test func `changes are listed and taken back, of the document that is meant`() throws {
    let room = try Room()
    let history = try room.ask("GET /history").json
    let steps = history?["steps"]?.elements.map(\.self) ?? []
    #expect(history?["present"]?.integer == 1 && steps.count == 2)
    #expect(steps[0]["by"]?.string == "http" && steps[0]["age"]?.number == 61.5)
    #expect(steps[1]["isUndone"]?.bool == true)
    let undone = try room.ask("POST /undo")
    #expect(undone.status == 200 && undone.fields["etag"] == "\"v2\"")
    #expect(undone.json?["changes"]?.elements.first { _ in true } != nil)
    #expect(try room.ask("POST /undo", ["If-Match: \"v1\""]).status == 412)
    #expect(try room.ask("POST /redo", ["If-Match: \"v2\""]).status == 200)
    #expect(try room.ask("POST /undo?to=0").status == 200)
    let missing = try room.ask("POST /undo?to=3")
    #expect(missing.status == 409)
    #expect(missing.json?["detail"]?.string == "there is no step 3")
    #expect(room.patch.rewinds == [.undo, .redo, .to(0)])
  }

  @Test func `a sound begins again, or it is said why not`() throws {
    let room = try Room()
    let begun = try room.ask("POST /trigger?callback=song")
    #expect(begun.status == 200 && begun.json?["callback"]?.string == "song")
    #expect(try room.ask("POST /trigger?callback=a%20b%26c").status == 200)
    #expect(room.patch.triggered == ["song", "a b&c"])
    let refused = try room.ask("POST /trigger?callback=sung")
    #expect(refused.status == 422)
    #expect(refused.json?["detail"]?.string == "the patch has no callback 'sung'")
    #expect(refused.json?["help"]?.elements.compactMap(\.string) == ["there is: song"])
    #expect(try room.ask("POST /trigger").status == 400)
    #expect(try room.ask("POST /trigger?node=song").status == 400)
    #expect(try room.ask("GET /trigger?callback=song").status == 405)
    room.patch.endSoon()
    #expect(try room.ask("POST /trigger?callback=song").status == 409)
  }

  @Test func `a document is validated, and nothing changes`() throws {
    let room = try Room()
    let wrong = try room.ask("POST /validate", [Self.json], body: "wrong")
    #expect(wrong.status == 200)
    let diagnostic = wrong.json?["diagnostics"]?.elements.first { _ in true }
    #expect(diagnostic?["code"]?.string == "PR0551")
    #expect(wrong.json?["text"]?.string == FakePatch.refusal.text)
    let right = try room.ask("POST /validate", ["Content-Type: application/jsonc"], body: "{}")
    #expect(right.status == 200 && right.json?["text"]?.string == "")
    #expect(right.json?["diagnostics"]?.elements.first { _ in true } == nil)
    #expect(try room.ask("POST /validate", body: "{}").status == 415)
    #expect(room.patch.asked.isEmpty && room.patch.tag == "v1")
  }

  @Test func `a response is of an equalizer, or it is said which there are`() throws {
    let room = try Room()
    let curve = try room.ask("GET /response?node=eq").json
    #expect(curve?["node"]?.string == "eq")
    #expect(curve?["frequencies"]?.elements.compactMap(\.number) == [20, 20_000])
    #expect(curve?["decibels"]?.elements.compactMap(\.number) == [5.5, 0])
    let missing = try room.ask("GET /response?node=mixer")
    #expect(missing.status == 404)
    #expect(missing.json?["help"]?.elements.compactMap(\.string) == ["there is: eq"])
    #expect(try room.ask("GET /response").status == 400)
    #expect(try room.ask("GET /response?nod=eq").status == 400)
  }

  @Test func `no page of another site pauses, saves or stops`() throws {
    let room = try Room()
    for path in ["/undo", "/trigger", "/pause", "/start", "/save", "/stop", "/validate"] {
      for field in ["Origin: http://evil.example", "Sec-Fetch-Site: cross-site"] {
        #expect(try room.ask("POST \(path)", [field]).status == 403, "\(path) \(field)")
      }
      #expect(try room.ask("POST \(path)", ["Host: evil.example"]).status == 403, "\(path)")
    }
    #expect(room.patch.saved.isEmpty && !room.patch.isStopped)
  }
}
