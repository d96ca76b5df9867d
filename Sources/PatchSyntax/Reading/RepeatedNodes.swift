import Diagnostics

/// Large patches have many nodes in a row that are written with the same bytes. Such a node is not
/// read again.
extension PatchReader {
  /// Reads the nodes of a patch.
  mutating func nodes(_ json: JSONValue) -> [PatchDocument.Member<PatchDocument.Node>] {
    // The value of a key that is ignored, or of a constant, is not in the bytes alone.
    let isPlain = repeatedKeys.isEmpty && json.tree.constantRows.isEmpty
    var isClear = false
    return map(json, "'nodes'", .source) { reader, value, members in
      if isPlain, isClear, let last = members.indices.last,
        let node = members[last].value.again(at: value)
      {
        return node
      }
      let count = reader.diagnostics.count
      defer { isClear = reader.diagnostics.count == count }
      return reader.node(value)
    }
  }
}

extension PatchDocument.Node {
  /// The same node at another place of the text, where it is written with the same bytes; `nil`
  /// where it is not, and for a node with rare members.
  fileprivate borrowing func again(at place: JSONValue) -> Self? {
    guard place.isWritten(like: json), case .name? = component?.value, isPlain else { return nil }
    let rows = place.index - json.index
    func moved(_ value: JSONValue) -> JSONValue {
      JSONValue(tree: value.tree, index: value.index + rows)
    }
    func moved<Value>(_ value: Located<Value>) -> Located<Value> {
      Located(value.value, at: moved(value.json))
    }
    func moved(_ fields: [PatchDocument.Field]) -> [PatchDocument.Field] {
      fields.map { PatchDocument.Field(moved($0.key), moved($0.value)) }
    }
    func moved(_ elements: [PatchDocument.Element]) -> [PatchDocument.Element] {
      // By index, so that elements are not copied.
      elements.indices.map { index in
        var element = PatchDocument.Element(
          json: moved(elements[index].json), bus: moved(elements[index].bus))
        element.sampleRate = elements[index].sampleRate.map { moved($0) }
        element.properties = moved(elements[index].properties)
        element.parameters = moved(elements[index].parameters)
        return element
      }
    }
    guard inputs.allSatisfy({ $0.streamFormat == nil }),
      outputs.allSatisfy({ $0.streamFormat == nil })
    else { return nil }
    var node = Self(json: place)
    node.isAsBefore = true
    node.component = component.map { moved($0) }
    node.properties = moved(properties)
    node.parameters = moved(parameters)
    node.inputCount = inputCount.map { moved($0) }
    node.outputCount = outputCount.map { moved($0) }
    node.inputs = moved(inputs)
    node.outputs = moved(outputs)
    return node
  }
}

extension JSONValue {
  /// Whether two values of a tree are written with the same bytes.
  fileprivate func isWritten(like other: JSONValue) -> Bool {
    let (one, two) = (localRange, other.localRange)
    guard tree === other.tree, one.count == two.count else { return false }
    let all = tree.source.bytes
    let (first, second) = (all.span.extracting(one), all.span.extracting(two))
    // By stretches, whose bytes are compared at once.
    var start = 0
    while start < first.count {
      let end = min(start + 64, first.count)
      var difference: UInt8 = 0
      for index in start..<end { difference |= first[index] ^ second[index] }
      guard difference == 0 else { return false }
      start = end
    }
    return true
  }
}
