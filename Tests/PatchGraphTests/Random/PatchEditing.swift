import AudioTypes
import AudioUnits
import PatchGraph
import PatchSyntax

/// Editing of patches as values, by JSON Pointer.
extension JSONText {
  /// The value at a path. Setting it creates missing objects.
  subscript(path: [String]) -> JSONText? {
    get {
      guard let token = path.first else { return self }
      let rest = Array(path.dropFirst())
      switch self {
      case .object(let members): return members.first { $0.name == token }?.value[rest]
      case .array(let values):
        guard let index = Int(token), values.indices.contains(index) else { return nil }
        return values[index][rest]
      default: return nil
      }
    }
    set {
      guard let token = path.first else {
        if let newValue { self = newValue }
        return
      }
      let rest = Array(path.dropFirst())
      switch self {
      case .array(var values):
        guard let index = Int(token) else { return }
        if rest.isEmpty {
          if let newValue, index < values.count {
            values[index] = newValue
          } else if let newValue {
            values.append(newValue)
          } else if index < values.count {
            values.remove(at: index)
          }
        } else if index < values.count {
          values[index][rest] = newValue
        }
        self = .array(values)
      case .object(var members):
        let index = members.firstIndex { $0.name == token }
        if rest.isEmpty, newValue == nil {
          if let index { members.remove(at: index) }
        } else if let index {
          members[index].value[rest] = newValue
        } else if newValue != nil {
          var value = JSONText.object([])
          value[rest] = newValue
          members.append(Member(token, value))
        }
        self = .object(members)
      default:
        guard newValue != nil else { return }
        self = .object([])
        self[path] = newValue
      }
    }
  }

  subscript(path: String...) -> JSONText? {
    get { self[path] }
    set { self[path] = newValue }
  }

  /// Renames a member in its place.
  mutating func rename(_ path: [String], to name: String) {
    let parent = Array(path.dropLast())
    guard let key = path.last, case .object(var members)? = self[parent],
      let index = members.firstIndex(where: { $0.name == key })
    else { return }
    members[index].name = name
    self[parent] = .object(members)
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }

  var count: Int {
    switch self {
    case .object(let members): members.count
    case .array(let values): values.count
    default: 0
    }
  }

  var values: [JSONText] { if case .array(let values) = self { values } else { [] } }

  /// The paths of all inner values, parents before their children.
  var paths: [[String]] {
    var found: [[String]] = []
    func visit(_ value: JSONText, _ path: [String]) {
      switch value {
      case .object(let members):
        for member in members {
          found.append(path + [member.name])
          visit(member.value, path + [member.name])
        }
      case .array(let values):
        for (index, value) in values.enumerated() {
          found.append(path + ["\(index)"])
          visit(value, path + ["\(index)"])
        }
      default: break
      }
    }
    visit(self, [])
    return found
  }

  /// The smallest failing document that results from removing parts.
  ///
  /// Removes large parts before small ones, and keeps a removal if the document still fails.
  func shrunk(while fails: (JSONText) -> Bool) -> JSONText {
    var smallest = self
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      // From the end, so that the remaining indices stay valid.
      for path in smallest.paths.reversed().sorted(by: { $0.count < $1.count }) {
        var attempt = smallest
        attempt[path] = nil
        guard attempt != smallest, fails(attempt) else { continue }
        smallest = attempt
        isSmaller = true
      }
    }
    return smallest
  }
}

/// The elements of a patch by their purpose.
struct PatchView {
  struct Feed {
    /// The path of the connection or of the callback's member `from`.
    var path: [String]
    var from: (node: String, bus: Int)
    var to: (node: String, bus: Int)
  }

  let document: JSONText

  init(_ document: JSONText) { self.document = document }

  func names(of kind: String) -> [String] { document[kind]?.members.map(\.name) ?? [] }

  /// The nodes with their units, in the order of the text.
  var nodes: [(name: String, unit: any AudioUnit.Type)] {
    (document["nodes"]?.members ?? []).compactMap { member in
      let component = member.value["component"]
      guard let name = component?.text ?? component?["subtype"]?.text,
        let found = UnitCatalog.standard.component(named: name)
      else { return nil }
      return (member.name, found.unit)
    }
  }

  func nodes(_ units: String...) -> [String] {
    nodes.filter { units.contains($0.unit.description.name) }.map(\.name)
  }

  var head: (name: String, unit: any AudioUnit.Type)? {
    nodes.first { $0.unit.description.isOutput }
  }

  var isDevice: Bool { head.map { $0.unit.description.property(.enableIO) != nil } ?? false }

  /// - Parameter scope: The scope in which a name after the colon is looked up.
  func address(_ text: String, _ scope: String = "outputs") -> (node: String, bus: Int) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard let node = parts.first, parts.count > 1 else { return (parts.first ?? "", 0) }
    if let bus = Int(parts[1]) { return (node, bus) }
    let named = document["nodes", node, scope]?.members.first {
      $0.value["properties", "elementName"]?.text == parts[1]
    }
    return (node, named.flatMap { Int($0.name) } ?? 0)
  }

  var connections: [Feed] {
    (document["connections"]?.values ?? []).enumerated().compactMap { index, value in
      guard let from = value["from"]?.text, let to = value["to"]?.text else { return nil }
      return Feed(
        path: ["connections", "\(index)"], from: address(from), to: address(to, "inputs"))
    }
  }

  func isCallback(_ name: String) -> Bool { document["callbacks", name] != nil }

  /// The connections from a node.
  var links: [Feed] { connections.filter { !isCallback($0.from.node) } }

  /// The connections from a callback.
  var fed: [Feed] { connections.filter { isCallback($0.from.node) } }

  /// The nodes from which sound reaches the output unit, including itself.
  var pulled: Set<String> {
    guard let head else { return [] }
    var reached: Set<String> = [head.name]
    var queue = [head.name]
    while let name = queue.popLast() {
      for feed in connections where feed.to.node == name {
        var source = feed.from.node
        var seen: Set<String> = []
        while isCallback(source), seen.insert(source).inserted,
          let next = document["callbacks", source, "from"]?.text
        {
          source = address(next).node
        }
        if !isCallback(source), reached.insert(source).inserted { queue.append(source) }
      }
    }
    return reached
  }
}
