import Foundation
import NIOHTTP1
import PatchSyntax
import TestSupport
import Testing

@testable import Control

/// Checks `.github/manual/openapi.json` against the answers of the server.
@Suite struct OpenAPITests {
  typealias JSONObject = [String: Any]

  static func description() throws -> JSONObject {
    let file = House.root.appending(path: ".github/manual/openapi.json")
    let data = try Data(contentsOf: file)
    return try #require(try JSONSerialization.jsonObject(with: data) as? JSONObject)
  }

  /// The description of a path and a method in lower case.
  static func operation(_ path: String, _ method: String) throws -> JSONObject {
    let paths = try #require(try description()["paths"] as? [String: JSONObject])
    return try #require(paths[path]?[method] as? JSONObject, "\(method) \(path)")
  }

  @Test func `what is described is what there is`() throws {
    let description = try Self.description()
    #expect(description["openapi"] as? String == "3.1.0")
    let paths = try #require(description["paths"] as? [String: JSONObject])
    #expect(Set(paths.keys) == Set(Resource.allCases.map(\.rawValue)))
    for resource in Resource.allCases {
      let methods = resource.methods.map { $0.rawValue.lowercased() }
      #expect(Set(paths[resource.rawValue]?.keys ?? [:].keys) == Set(methods), "\(resource)")
      var names: Set<String> = []
      for method in methods {
        let parameters =
          try Self.operation(resource.rawValue, method)["parameters"] as? [JSONObject]
        let ofQuery = (parameters ?? []).filter { $0["in"] as? String == "query" }
        names.formUnion(ofQuery.compactMap { $0["name"] as? String })
      }
      #expect(names == resource.queryNames, "\(resource)")
    }
  }

  @Test(arguments: Resource.allCases)
  func `a path takes the methods that are described`(resource: Resource) throws {
    let allowed = try Room().ask("OPTIONS \(resource.rawValue)").fields["allow"] ?? ""
    let methods = allowed.split(separator: ", ").map { $0.lowercased() }
    let described = try #require(try Self.description()["paths"] as? [String: JSONObject])
    let keys = Set((described[resource.rawValue] ?? [:]).keys)
    #expect(Set(methods).subtracting(["options", "head"]) == keys)
  }

  /// A request, and the status of the fake patch's answer.
  struct Request: CustomTestStringConvertible {
    var method: String
    var path: String
    var query = ""
    var type = "application/json"
    var body = ""
    var status = 200
    var testDescription: String { "\(method) \(path)\(query)" }
  }

  static let requests: [Request] = [
    Request(method: "GET", path: "/"),
    Request(method: "GET", path: "/patch"),
    Request(method: "GET", path: "/patch", query: "?pointer=nodes", status: 400),
    Request(method: "GET", path: "/patch", query: "?pointer=/nowhere", status: 404),
    Request(
      method: "PUT", path: "/patch", query: "?pointer=/nodes/mixer/inputs/0/parameters/volume",
      body: "0.25"),
    Request(
      method: "PUT", path: "/patch", query: "?pointer=/nodes", type: "text/plain", body: "1",
      status: 415),
    Request(
      method: "PATCH", path: "/patch", type: "application/json-patch+json",
      body: #"[{ "op": "test", "path": "/nodes/mixer/component", "value": "MultichannelMixer" }]"#),
    Request(method: "DELETE", path: "/patch", status: 400),
    Request(method: "GET", path: "/status"), Request(method: "GET", path: "/meters"),
    Request(method: "GET", path: "/controls"), Request(method: "GET", path: "/graph.svg"),
    Request(method: "GET", path: "/response", status: 400),
    Request(method: "GET", path: "/response", query: "?node=nobody", status: 404),
    Request(method: "GET", path: "/controls", query: "?form=kinds"),
    Request(method: "GET", path: "/controls", query: "?form=values"),
    Request(method: "GET", path: "/controls", query: "?form=tree", status: 400),
    Request(method: "GET", path: "/metrics"), Request(method: "GET", path: "/units"),
    Request(method: "GET", path: "/shares"), Request(method: "GET", path: "/takes"),
    Request(method: "GET", path: "/takes", query: "?number=1"),
    Request(method: "GET", path: "/takes", query: "?number=2", status: 410),
    Request(method: "GET", path: "/takes", query: "?number=../a", status: 404),
    Request(
      method: "POST", path: "/language",
      body: #"""
        { "text": "{}", "requests": [{ "method": "textDocument/hover" }, { "method": "shutdown" }] }
        """#),
    Request(method: "POST", path: "/language", body: #"{ "text": "{}" }"#, status: 400),
    Request(method: "POST", path: "/language", type: "text/plain", body: "{}", status: 415),
    Request(method: "POST", path: "/validate", body: "{}"),
    Request(method: "POST", path: "/validate", type: "text/plain", body: "{}", status: 415),
    Request(method: "POST", path: "/trigger", status: 400),
    Request(method: "GET", path: "/history"), Request(method: "POST", path: "/undo"),
    Request(method: "POST", path: "/undo", query: "?to=1"),
    Request(method: "POST", path: "/undo", query: "?to=9", status: 409),
    Request(method: "POST", path: "/undo", query: "?to=first", status: 400),
    Request(method: "POST", path: "/redo"),
    Request(method: "POST", path: "/pause"), Request(method: "POST", path: "/start"),
    Request(method: "POST", path: "/stop", status: 202),
  ]

  @Test(arguments: requests)
  func `an answer has the status, the type and the members that are described`(
    request: Request
  ) throws {
    let room = try Room()
    if request.path == "/start" { _ = try room.ask("POST /pause") }
    let fields = request.body.isEmpty ? [] : ["Content-Type: \(request.type)"]
    let answer = try room.ask(
      "\(request.method) \(request.path)\(request.query)", fields, body: request.body)
    #expect(answer.status == request.status, "\(answer.body)")
    let operation = try Self.operation(request.path, request.method.lowercased())
    let responses = try #require(operation["responses"] as? JSONObject)
    var response = try #require(responses["\(answer.status)"] as? JSONObject)
    let description = try Self.description()
    let checker = SchemaChecker(root: description)
    response = checker.resolved(response)
    let contents = try #require(response["content"] as? [String: JSONObject])
    let type = answer.fields["content-type"].map { String($0.prefix { $0 != ";" }) } ?? ""
    let content = try #require(contents[type], "\(type) is not described")
    guard type.hasSuffix("json"), let schema = content["schema"] as? JSONObject else { return }
    let value = try JSONSerialization.jsonObject(
      with: Data(answer.body.utf8), options: .fragmentsAllowed)
    let mistakes = checker.mistakes(of: value, in: schema)
    #expect(mistakes.isEmpty, "\(mistakes.joined(separator: "\n"))")
  }

  @Test func `a member that is not described, or missing, is caught`() throws {
    let checker = SchemaChecker(root: [:])
    let schema: JSONObject = [
      "type": "object", "properties": ["a": ["type": "number"]], "required": ["a"],
      "additionalProperties": false,
    ]
    #expect(checker.mistakes(of: ["a": 1], in: schema).isEmpty)
    #expect(checker.mistakes(of: ["a": 1, "b": 2], in: schema).count == 1)
    #expect(checker.mistakes(of: ["a": "1"], in: schema).count == 1)
    #expect(checker.mistakes(of: [String: Any](), in: schema).count == 1)
  }

  @Test func `the version is that of the package`() throws {
    let info = try #require(try Self.description()["info"] as? JSONObject)
    let program = House.root.appending(path: "Sources/patchrun/Program.swift")
    let text = try String(contentsOf: program, encoding: .utf8)
    let version = try #require(info["version"] as? String)
    #expect(text.contains("static let version = \"\(version)\""))
  }
}

/// Checks values against schemas, with the keywords that `openapi.json` uses.
struct SchemaChecker {
  var root: [String: Any]

  /// Follows a reference.
  func resolved(_ schema: [String: Any]) -> [String: Any] {
    guard let reference = schema["$ref"] as? String else { return schema }
    var place: Any = root
    for part in reference.dropFirst(2).split(separator: "/") {
      place = (place as? [String: Any])?[String(part)] ?? [String: Any]()
    }
    return place as? [String: Any] ?? [:]
  }

  func mistakes(of value: Any, in schema: [String: Any], at place: String = "") -> [String] {
    let schema = resolved(schema)
    if let choices = schema["anyOf"] as? [[String: Any]] {
      let all = choices.map { mistakes(of: value, in: $0, at: place) }
      return all.contains { $0.isEmpty } ? [] : all.first ?? []
    }
    let types = (schema["type"] as? [String]) ?? (schema["type"] as? String).map { [$0] } ?? []
    guard types.isEmpty || types.contains(where: { Self.isOf($0, value) }) else {
      return ["\(place): \(value) is no \(types)"]
    }
    if let choices = schema["enum"] as? [String], let text = value as? String,
      !choices.contains(text)
    {
      return ["\(place): '\(text)' is none of \(choices)"]
    }
    if let list = value as? [Any], let items = schema["items"] as? [String: Any] {
      return list.enumerated().flatMap { mistakes(of: $1, in: items, at: "\(place)/\($0)") }
    }
    guard let members = value as? [String: Any],
      let known = schema["properties"] as? [String: [String: Any]]
    else { return [] }
    let missing = (schema["required"] as? [String] ?? []).filter { members[$0] == nil }
    var found = missing.map { "\(place): '\($0)' is missing" }
    for (key, member) in members {
      if let schema = known[key] {
        found += mistakes(of: member, in: schema, at: "\(place)/\(key)")
      } else if schema["additionalProperties"] as? Bool == false {
        found.append("\(place): '\(key)' is not described")
      }
    }
    return found
  }

  private static func isOf(_ type: String, _ value: Any) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "null": value is NSNull
    case "boolean": value is Bool
    case "integer": (value as? NSNumber).map { $0.doubleValue == $0.doubleValue.rounded() } ?? false
    case "number": value is NSNumber
    default: false
    }
  }
}
