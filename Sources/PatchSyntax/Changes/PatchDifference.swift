public import Diagnostics

/// The differences between two documents, as changes for people and as the operations of a JSON
/// Patch (RFC 6902) that turn the old document into the new one.
///
/// Values are compared, not texts: the order of keys, blanks and comments do not count, and `2` and
/// `2.0` are equal. A connection is changed as a whole.
public struct PatchDifference: Sendable {
  /// One difference.
  public struct Change: Sendable {
    /// The place: in the old document for a removal, otherwise in the new one.
    public var pointer: JSONPointer
    /// The old value; `nil` for an addition.
    public var old: JSONValue?
    /// The new value; `nil` for a removal.
    public var new: JSONValue?
  }

  /// An operation of a JSON Patch.
  public struct Operation: Sendable {
    public enum Kind: String, Sendable { case add, remove, replace }

    public var kind: Kind
    /// The place, in the document that the earlier operations have made.
    public var path: JSONPointer
    /// The value to set; `nil` for a removal.
    public var value: JSONValue?
  }

  /// The changes in the order of the documents; in an object, removals come first.
  public private(set) var changes: [Change] = []
  /// The operations, to be applied in this order.
  public private(set) var operations: [Operation] = []

  /// Whether the documents are equal.
  public var isEmpty: Bool { operations.isEmpty }

  /// Compares two documents.
  public init(from old: JSONTree, to new: JSONTree) {
    let comparison = ValueComparison(old, new)
    compare(old.root, new.root, at: JSONPointer(), path: JSONPointer(), comparison)
  }

  /// Makes the same changes in another document; `nil` where one of them has no place in it.
  public func apply(to tree: JSONTree) -> SourceText? {
    let editor = DocumentEditor(tree)
    do throws(DocumentEditor.Failure) {
      for operation in operations {
        switch (operation.kind, operation.value.map({ ChangedValue($0) })) {
        case (.add, let value?):
          try editor.add(
            value, at: operation.path, key: .init(naming: operation.path, in: tree.source))
        case (.replace, let value?): try editor.replace(operation.path, with: value)
        default: _ = try editor.remove(operation.path)
        }
      }
    } catch {
      return nil
    }
    return editor.text(base: nil)
  }

  /// Arrays with more pairs of elements than this are compared index by index.
  private static let maximumPairs = 1_000_000
}

// MARK: Comparing

extension PatchDifference {
  private mutating func compare(
    _ old: JSONValue, _ new: JSONValue, at pointer: JSONPointer, path: JSONPointer,
    _ comparison: ValueComparison
  ) {
    if comparison.areEqual(old, new) { return }
    let isConnection = pointer.tokens.count == 2 && pointer.tokens[0] == "connections"
    switch (old.kind, new.kind) {
    case (.object, .object) where !isConnection:
      compareObjects(old, new, at: pointer, path: path, comparison)
    case (.array, .array):
      compareArrays(old, new, at: pointer, path: path, comparison)
    default:
      changes.append(Change(pointer: pointer, old: old, new: new))
      operations.append(Operation(kind: .replace, path: path, value: new))
    }
  }

  private mutating func compareObjects(
    _ old: JSONValue, _ new: JSONValue, at pointer: JSONPointer, path: JSONPointer,
    _ comparison: ValueComparison
  ) {
    var before: [[UInt8]: JSONValue] = [:]
    for (key, value) in old.members { before[Array((key.string ?? "").utf8)] = value }
    let names = Set(new.members.map { Array(($0.key.string ?? "").utf8) })
    for (key, value) in old.members {
      let name = key.string ?? ""
      guard !names.contains(Array(name.utf8)) else { continue }
      recordChange(value, isNew: false, at: pointer.appending(name))
      operations.append(Operation(kind: .remove, path: path.appending(name), value: nil))
    }
    for (key, value) in new.members {
      let name = key.string ?? ""
      if let earlier = before[Array(name.utf8)] {
        compare(
          earlier, value, at: pointer.appending(name), path: path.appending(name), comparison)
      } else {
        recordChange(value, isNew: true, at: pointer.appending(name))
        operations.append(Operation(kind: .add, path: path.appending(name), value: value))
      }
    }
  }

  private mutating func compareArrays(
    _ old: JSONValue, _ new: JSONValue, at pointer: JSONPointer, path: JSONPointer,
    _ comparison: ValueComparison
  ) {
    let old = Array(old.elements)
    let new = Array(new.elements)
    let kept = Self.keptPairs(old, new, comparison)
    var before = 0
    var after = 0
    // Between two kept elements, pairs are compared, and the rest is removed or added. The elements
    // before `after` are already those of the new array, so its indices are right.
    for pair in kept + [(old.count, new.count)] {
      while before < pair.0 && after < pair.1 {
        let index = String(after)
        compare(
          old[before], new[after], at: pointer.appending(index), path: path.appending(index),
          comparison)
        before += 1
        after += 1
      }
      while before < pair.0 {
        recordChange(old[before], isNew: false, at: pointer.appending(String(before)))
        operations.append(
          Operation(kind: .remove, path: path.appending(String(after)), value: nil))
        before += 1
      }
      while after < pair.1 {
        let index = String(after)
        recordChange(new[after], isNew: true, at: pointer.appending(index))
        operations.append(
          Operation(kind: .add, path: path.appending(index), value: new[after]))
        after += 1
      }
      before += 1
      after += 1
    }
  }

  /// Elements that both arrays have in the same order, as many as possible.
  private static func keptPairs(
    _ old: [JSONValue], _ new: [JSONValue], _ comparison: ValueComparison
  ) -> [(Int, Int)] {
    var start = 0
    let shorter = min(old.count, new.count)
    while start < shorter, comparison.areEqual(old[start], new[start]) { start += 1 }
    var end = 0
    while end < shorter - start,
      comparison.areEqual(old[old.count - 1 - end], new[new.count - 1 - end])
    {
      end += 1
    }
    let rows = old.count - start - end
    let columns = new.count - start - end
    var middle: [(Int, Int)] = []
    if rows > 0, columns > 0, rows <= maximumPairs / columns {
      // The length of the longest common subsequence from each pair on.
      let width = columns + 1
      var lengths = [Int32](repeating: 0, count: (rows + 1) * width)
      for row in (0..<rows).reversed() {
        for column in (0..<columns).reversed() {
          lengths[row * width + column] =
            comparison.areEqual(old[start + row], new[start + column])
            ? lengths[(row + 1) * width + column + 1] + 1
            : max(lengths[(row + 1) * width + column], lengths[row * width + column + 1])
        }
      }
      var (row, column) = (0, 0)
      while row < rows, column < columns {
        if comparison.areEqual(old[start + row], new[start + column]) {
          middle.append((start + row, start + column))
          row += 1
          column += 1
        } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
          row += 1
        } else {
          column += 1
        }
      }
    }
    return (0..<start).map { ($0, $0) } + middle
      + (0..<end).reversed().map { (old.count - 1 - $0, new.count - 1 - $0) }
  }

  /// Records an addition or a removal. A table of the patch or a scope of a node is recorded entry
  /// by entry.
  private mutating func recordChange(_ value: JSONValue, isNew: Bool, at pointer: JSONPointer) {
    let tokens = pointer.tokens
    let tables = [
      "session", "streamFormats", "callbacks", "nodes", "connections", "taps", "timeline",
    ]
    let isTable = tokens.count == 1 && tables.contains(tokens[0])
    let isScope =
      tokens.count > 2 && tokens[0] == "nodes"
      && ["properties", "parameters", "bands", "inputs", "outputs"].contains(tokens[2])
      && (tokens.count == 3
        || (tokens[2].hasSuffix("puts") || tokens[2] == "bands") && tokens.count == 4
        || tokens.count == 5 && ["properties", "parameters"].contains(tokens[4]))
    let members = Array(value.members)
    let elements = Array(value.elements)
    guard isTable || isScope, !members.isEmpty || !elements.isEmpty else {
      changes.append(
        Change(pointer: pointer, old: isNew ? nil : value, new: isNew ? value : nil))
      return
    }
    for (key, inside) in members {
      recordChange(inside, isNew: isNew, at: pointer.appending(key.string ?? ""))
    }
    for (index, inside) in elements.enumerated() {
      recordChange(inside, isNew: isNew, at: pointer.appending(String(index)))
    }
  }
}

/// Compares values of two documents. The digest of each value makes most comparisons quick.
struct ValueComparison {
  private let old: [Int]
  private let new: [Int]

  init(_ old: JSONTree, _ new: JSONTree) {
    self.old = Self.digests(of: old)
    self.new = Self.digests(of: new)
  }

  func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
    old[left.index] == new[right.index] && haveSameValue(left, right)
  }

  /// The digest of each row. Equal values have equal digests.
  private static func digests(of tree: JSONTree) -> [Int] {
    var digests = [Int](repeating: 0, count: tree.nodes.count)
    for index in tree.nodes.indices.reversed() {
      let node = tree.nodes[index]
      let value = JSONValue(tree: tree, index: index)
      var hasher = Hasher()
      hasher.combine(node.kind)
      switch node.kind {
      case .number: hasher.combine(value.number == 0 ? 0 : value.number)
      case .string: hasher.combine(Array((value.string ?? "").utf8))
      case .array:
        for element in value.elements { hasher.combine(digests[element.index]) }
      case .object:
        // In any order.
        var sum = 0
        for (key, value) in value.members {
          var member = Hasher()
          member.combine(digests[key.index])
          member.combine(digests[value.index])
          sum &+= member.finalize()
        }
        hasher.combine(sum)
      default: break
      }
      digests[index] = hasher.finalize()
    }
    return digests
  }

  private func haveSameValue(_ left: JSONValue, _ right: JSONValue) -> Bool {
    guard left.kind == right.kind else { return false }
    switch left.kind {
    case .null, .invalid: return true
    case .bool: return left.bool == right.bool
    case .number:
      guard let number = left.number, number.isFinite else {
        return left.numberText == right.numberText
      }
      return number == right.number
    case .string:
      return (left.string ?? "").utf8.elementsEqual((right.string ?? "").utf8)
    case .array:
      let (left, right) = (Array(left.elements), Array(right.elements))
      return left.count == right.count && zip(left, right).allSatisfy { haveSameValue($0, $1) }
    case .object:
      let members = Array(left.members)
      var others: [[UInt8]: JSONValue] = [:]
      for (key, value) in right.members { others[Array((key.string ?? "").utf8)] = value }
      return members.count == others.count
        && members.allSatisfy { key, value in
          others[Array((key.string ?? "").utf8)].map { haveSameValue(value, $0) } ?? false
        }
    }
  }
}
