import AudioTypes
public import Diagnostics

/// The names that a patch gives to the elements of one scope of a node. In an address they may
/// replace the numbers, as in `mixer:Voice`.
public struct ElementNames: Sendable {
  /// An element that has a name.
  public struct Named: Sendable {
    public var name: String
    /// The element's number.
    public var bus: Int
    /// Where its name is written.
    public var json: JSONValue

    public init(name: String, bus: Int, json: JSONValue) {
      self.name = name
      self.bus = bus
      self.json = json
    }
  }

  /// The scope whose elements have names.
  public enum Scope: String, Sendable { case input, output }

  /// Why a name does not identify one element.
  public struct Problem: Error {
    public var message: String
    /// The elements with that name, where there are several.
    public var named: [Named]
    public var help: [String]
    /// Names that may have been meant.
    public var candidates: [String]
  }

  /// The elements that have names, in the order of the text.
  public let all: [Named]
  private let scope: Scope
  private let places: [String: [Int]]

  public init(_ named: [Named], _ scope: Scope) {
    all = named.filter { !$0.name.isEmpty }
    self.scope = scope
    places = Dictionary(grouping: all.indices, by: { [all] in all[$0].name })
  }

  /// The names that a node gives.
  public init(_ scope: Scope, of node: PatchDocument.Node) {
    let named = (scope == .input ? node.inputs : node.outputs).compactMap { element -> Named? in
      let property = element.properties.last {
        $0.name == "elementName" || $0.name == "kAudioUnitProperty_ElementName"
      }
      guard let json = property?.value, let name = json.string else { return nil }
      return Named(name: name, bus: element.bus.value, json: json)
    }
    self.init(named, scope)
  }

  /// The number of the element with a name.
  ///
  /// - Parameters:
  ///   - node: The name of the node for messages.
  ///   - other: The names of the other scope, which may have been meant.
  ///   - Throws: ``Problem`` where no element, or more than one, has the name.
  public func bus(
    _ name: String, of node: String, besides other: ElementNames? = nil
  ) throws(Problem) -> Int {
    let found = (places[name] ?? []).map { all[$0] }
    if found.count == 1 { return found[0].bus }
    guard found.isEmpty else {
      let addresses = found.prefix(20).map { "\"\(node):\($0.bus)\"" }
      throw Problem(
        message: "\(quoted(name)) is the name of \(found.count) \(scope)s of \(quoted(node))",
        named: found,
        help: ["write the number of the one that is meant: " + addresses.joined(separator: " or ")],
        candidates: [])
    }
    var help = [didYouMean(name, among: all.map(\.name))].compactMap(\.self)
    if let elsewhere = other?.all.first(where: { $0.name == name }), let other {
      help.append("\(other.scope) \(elsewhere.bus) has that name, and an \(scope) is meant here")
    }
    if all.isEmpty {
      let text = JSONText.string(name).compact
      help.append(
        "none of its \(scope)s has a name: write the number, as \"\(node):0\", or name one with "
          + "\"\(scope)s\": { \"0\": { \"properties\": { \"elementName\": \(text) } } }")
    } else {
      help.append("these have a name: " + list())
    }
    throw Problem(
      message: "\(quoted(node)) has no \(scope) of the name \(quoted(name))", named: [], help: help,
      candidates: all.map(\.name))
  }

  private func list() -> String {
    all.prefix(20).map { "\($0.name) (\(scope) \($0.bus))" }.joined(separator: ", ")
      + (all.count > 20 ? ", …" : "")
  }
}

extension ElementNames.Problem {
  /// The diagnostic for an address whose element name is the problem.
  public func diagnostic(_ address: Located<PatchDocument.Address>) -> Diagnostic {
    let node = address.value.node
    let fixes = address.value.element.map { element -> [Diagnostic.Fix] in
      let start = node.utf8.count + 1
      return address.json.correction(
        of: element, among: candidates, part: start..<(start + element.utf8.count))
    }
    return PatchRules.elementName.diagnostic(
      .init(message), at: address.range, pointer: address.pointer,
      notes: named.prefix(20).map {
        .init(.init("\($0.bus) is called so here"), at: $0.json.range)
      }, help: help, fixes: fixes ?? [])
  }
}

// MARK: In a patch

extension PatchReader {
  /// Replaces the names of elements by their numbers. Names from presets and sub-graphs are looked
  /// up once those files have been read.
  mutating func resolveElementNames(in document: inout PatchDocument) {
    guard ElementNameResolver.hasNames(document) else { return }
    let nodes = Dictionary(
      document.nodes.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    // The name may be in a part of the node that could not be read.
    let errors = diagnostics.all.filter { $0.severity == .error }.map(\.range.lowerBound)
    var resolver = ElementNameResolver { name, scope in
      guard let node = nodes[name], node.subgraph == nil, node.preset == nil else { return nil }
      return ElementNames(scope, of: node)
    }
    resolver.resolve(&document)
    for (address, problem) in resolver.problems {
      if let node = nodes[address.value.node],
        node.misspellsElementName || errors.contains(where: node.json.range.contains)
      {
        continue
      }
      diagnostics.append(PatchRules.elementName, at: address.range) { problem.diagnostic(address) }
    }
  }
}

extension PatchDocument.Node {
  /// Whether an element has a property that was probably meant to be its name. The unit reports it.
  fileprivate var misspellsElementName: Bool {
    (inputs + outputs).contains { element in
      element.properties.contains { !nearMisses(to: $0.name, among: ["elementName"]).isEmpty }
    }
  }
}

/// Replaces the names of elements by their numbers, in the addresses of a patch.
package struct ElementNameResolver {
  package typealias Address = PatchDocument.Address

  private struct Place: Hashable {
    var node: String
    var scope: ElementNames.Scope
  }

  /// Addresses whose names do not identify an element. They are removed from the patch, and
  /// callbacks that pull one become `unresolved`.
  package private(set) var problems: [(Located<Address>, ElementNames.Problem)] = []
  private let find: (String, ElementNames.Scope) -> ElementNames?
  private var known: [Place: ElementNames?] = [:]

  /// - Parameter find: Returns the names of a node's scope; `nil` to keep the addresses of a node
  ///   as they are.
  package init(_ find: @escaping (String, ElementNames.Scope) -> ElementNames?) { self.find = find }

  /// Whether any address has a name.
  package static func hasNames(_ document: PatchDocument) -> Bool {
    func isNamed(_ address: Located<Address>?) -> Bool { address?.value.element != nil }
    return document.connections.contains { isNamed($0.from) || isNamed($0.to) }
      || document.taps.contains { isNamed($0.value.at) }
      || document.callbacks.contains { from($0.value) != nil }
  }

  /// The address that a callback pulls, if it has an element name; `nil` otherwise.
  private static func from(_ callback: PatchDocument.Callback) -> Located<Address>? {
    guard callback.pulled == nil,
      let json = callback.fields.first(where: { $0.name == "from" })?.value,
      json.kind == .string, json.string?.utf8.contains(UInt8(ascii: ":")) == true
    else { return nil }
    let address = PatchReader.address(json, "'from'").address
    return address?.value.element == nil ? nil : address
  }

  /// Replaces the names in all addresses of a patch, and adds to `problems`.
  package mutating func resolve(_ document: inout PatchDocument) {
    for index in document.connections.indices {
      document.connections[index].from = resolved(document.connections[index].from, .output)
      document.connections[index].to = resolved(document.connections[index].to, .input)
    }
    for index in document.taps.indices {
      document.taps[index].value.at = resolved(document.taps[index].value.at, .output)
    }
    for index in document.callbacks.indices {
      guard let from = Self.from(document.callbacks[index].value) else { continue }
      guard let source = resolved(from, .output) else {
        document.unresolved.insert(document.callbacks[index].name)
        continue
      }
      if source.value.element == nil { document.callbacks[index].value.pulled = source }
    }
  }

  /// The address with a number in place of a name; `nil`, and a problem, where the name does not
  /// identify an element.
  private mutating func resolved(
    _ address: Located<Address>?, _ scope: ElementNames.Scope
  ) -> Located<Address>? {
    guard let address, let element = address.value.element,
      let names = names(scope, address.value.node)
    else { return address }
    do throws(ElementNames.Problem) {
      let other = self.names(scope == .input ? .output : .input, address.value.node)
      let bus = try names.bus(element, of: address.value.node, besides: other)
      return Located(Address(node: address.value.node, bus: bus), at: address.json)
    } catch {
      problems.append((address, error))
      return nil
    }
  }

  private mutating func names(_ scope: ElementNames.Scope, _ node: String) -> ElementNames? {
    let place = Place(node: node, scope: scope)
    if let names = known[place] { return names }
    let names = find(node, scope)
    known[place] = .some(names)
    return names
  }
}

extension PatchDocument {
  /// The address with a number in place of a name; unchanged where it has no name, or where its
  /// node is missing or a sub-graph. For addresses from outside the patch.
  public func resolved(
    _ address: Address, _ scope: ElementNames.Scope
  ) throws(ElementNames.Problem) -> Address {
    guard let element = address.element,
      let node = nodes.first(where: { $0.name == address.node })?.value, node.subgraph == nil
    else { return address }
    let bus = try ElementNames(scope, of: node).bus(
      element, of: address.node,
      besides: ElementNames(scope == .input ? .output : .input, of: node))
    return Address(node: address.node, bus: bus)
  }

  /// Reads an address from outside the patch, with a number in place of a name; `nil` for a text
  /// that is no address.
  public func address(
    _ text: String, _ scope: ElementNames.Scope
  ) throws(ElementNames.Problem) -> Address? {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let node = parts.first.map(String.init), !node.isEmpty else { return nil }
    guard parts.count == 2 else { return Address(node: node) }
    if let bus = PatchReader.bus(String(parts[1])) { return Address(node: node, bus: bus) }
    guard PatchReader.mayBeName(parts[1]) else { return nil }
    return try resolved(Address(node: node, element: String(parts[1])), scope)
  }
}
