import Foundation
import PatchSyntax
import Testing
import ToolServer

@Suite struct ToolServerTests {
  private let server = ToolServer(version: "1.2.3")

  private func receive(_ text: String) -> ToolServer.Request { server.receive(Array(text.utf8)) }

  private func answer(_ text: String) throws -> String {
    guard case .answer(let answer) = receive(text) else {
      Issue.record("there is no answer to \(text)")
      return ""
    }
    return answer.compact
  }

  private func call(_ tool: String, _ arguments: String) -> ToolServer.Request {
    receive(
      """
      {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\(tool)","arguments":\(arguments)}}
      """)
  }

  @Test func `a revision that is spoken is kept, and of another the newest is offered`() throws {
    for (asked, spoken) in [("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")] {
      let text = try answer(
        """
        {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"\(asked)"}}
        """)
      #expect(text.contains("\"protocolVersion\":\"\(spoken)\""), "\(text)")
      #expect(text.contains("\"version\":\"1.2.3\""))
    }
  }

  @Test func `each tool is listed with a closed schema that requires only what it has`() throws {
    let text = try answer("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/list\"}")
    for tool in ToolCatalog.tools { #expect(text.contains("\"name\":\"\(tool.name)\"")) }
    #expect(
      text.components(separatedBy: "\"additionalProperties\":false").count
        == ToolCatalog.tools.count + 1)
    #expect(Set(ToolCatalog.tools.map(\.name)).count == ToolCatalog.tools.count)
  }

  @Test func `a call becomes a command that stays in the folder`() throws {
    guard
      case .call(let call) = call(
        "render",
        "{\"patch\": \"a/mix.json\", \"output\": \"out.wav\", \"duration\": 2, \"set\": {\"/nodes/eq/parameters/gain\": [1, \"b\"]}}"
      )
    else {
      Issue.record("it is no call")
      return
    }
    #expect(call.identifier == 7)
    #expect(
      call.command == [
        "render", "a/mix.json", "--json", "--output", "out.wav", "--duration", "2.0", "--set",
        "/nodes/eq/parameters/gain=[1,\"b\"]", "--confined", "--color", "never",
      ])
  }

  @Test(arguments: [
    ("validate", "{\"patch\": \"/etc/passwd\"}", "relative to the folder"),
    ("validate", "{\"patch\": \"a/../../b.json\"}", "no '..'"),
    ("validate", "{\"patch\": \"\"}", "is a path"),
    ("validate", "{}", "needs 'patch'"),
    ("validate", "[]", "an object"),
    ("validate", "{\"patch\": \"a.json\", \"pach\": 1}", "no argument 'pach'"),
    ("render", "{\"patch\": \"a.json\", \"output\": \"b.wav\", \"duration\": 0}", "a number from"),
    ("explain", "{\"topic\": \"--help\"}", "does not begin with '-'"),
    ("show", "{\"patch\": \"a.json\", \"format\": \"svg\"}", "is one of"),
  ])
  func `a call that is wrong is said to the assistant, and no command is run`(
    tool: String, arguments: String, words: String
  ) throws {
    guard case .answer(let answer) = call(tool, arguments) else {
      Issue.record("a command would be run")
      return
    }
    let text = answer.compact
    #expect(text.contains("\"isError\":true") && text.contains(words), "\(text)")
  }

  @Test func `a path that begins with a dash is no option`() {
    guard case .call(let call) = call("validate", "{\"patch\": \"-rf.json\"}") else {
      Issue.record("it is no call")
      return
    }
    #expect(call.command[1] == "./-rf.json")
  }

  @Test(arguments: [
    ("{", "-32700"), ("[]", "-32600"), ("{\"id\": 1}", "-32600"),
    ("{\"id\": [], \"method\": \"ping\"}", "-32600"),
    ("{\"id\": 1, \"method\": \"fly\"}", "-32601"),
    ("{\"id\": 1, \"method\": \"tools/call\", \"params\": {\"name\": \"rm\"}}", "-32602"),
  ])
  func `what is no request has the number of JSON-RPC`(text: String, code: String) throws {
    #expect(try answer(text).contains("\"code\":\(code)"))
  }

  @Test func `notifications and answers are not answered, and a cancellation names its call`() {
    #expect(receive("{\"method\": \"notifications/initialized\"}") == .nothing)
    #expect(receive("{\"id\": 3, \"result\": {}}") == .nothing)
    #expect(
      receive("{\"method\": \"notifications/cancelled\", \"params\": {\"requestId\": 7}}")
        == .cancel(7))
  }

  @Test func `findings are a result, and a failure is an error`() {
    guard case .call(let call) = call("validate", "{\"patch\": \"a.json\"}") else {
      Issue.record("it is no call")
      return
    }
    let wrong = server.answer(to: call, .init(status: 1, output: "error[PR0101]", messages: ""))
    #expect(wrong.compact.contains("\"isError\":false") && wrong.compact.contains("PR0101"))
    let absent = server.answer(to: call, .init(status: 3, output: "", messages: "no such file"))
    #expect(absent.compact.contains("\"isError\":true"))
    let long = server.answer(
      to: call, .init(status: 0, output: String(repeating: "x", count: 200_000), messages: ""))
    #expect(long.compact.utf8.count < 110_000 && long.compact.contains("bytes more"))
  }
}
