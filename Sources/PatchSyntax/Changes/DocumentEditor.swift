public import Diagnostics

/// The result of changing a document by a JSON Patch or a merge patch.
public enum DocumentChange: Sendable {
  /// The changed text of the document. Everything else in it, blanks included, is unchanged.
  /// `SourceText.origin(of:)` gives where a range is written: in the document, or in the text of
  /// the change.
  case changed(SourceText)
  /// Nothing was changed. The diagnostics are about the text of the change.
  case refused([Diagnostic])

  /// The changed text; `nil` where nothing was changed.
  public var text: SourceText? {
    if case .changed(let text) = self { text } else { nil }
  }
}

/// Applies the operations of a JSON Patch to a document, one after the other.
final class DocumentEditor {
  /// Why an operation cannot be made.
  enum Failure: Error {
    /// An object has no such member: the index of the token in the pointer, and the names of the
    /// members that the object has.
    case noMember(token: Int, names: [String])
    /// An array has no such element: its length, and whether the token is an index at all.
    case noElement(token: Int, count: Int, isIndex: Bool)
    /// The value that should contain the token is not an object or an array.
    case noContainer(token: Int)
    /// The document itself cannot be removed.
    case root
    case tooDeep
    case tooLong
  }

  /// Whether a `noMember` failure lists the names of the members.
  var listsMemberNames = true

  /// How many bytes the operations of one patch may copy: without a limit, a few copies of copies
  /// would use up the memory.
  static let maximumCopied = 64 << 20

  private let name: String
  /// The text before and after the document's value.
  private let around: (before: SourceRange, after: SourceRange, source: SourceText)
  var root: ChangedValue
  private var copied = 0

  init(_ tree: JSONTree) {
    let source = tree.source
    name = source.name
    let range = tree.root.range
    around = (0..<range.lowerBound, range.upperBound..<source.bytes.count, source)
    root = ChangedValue(tree.root)
  }

  /// The text of the document as it is now.
  func text(base: SourceText?) -> SourceText {
    var parts = [SourceText.Part.written(around.before, in: around.source)]
    root.write(to: &parts)
    parts.append(.written(around.after, in: around.source))
    return SourceText(name: name, parts: parts, base: base)
  }

  // MARK: Places

  /// The value at a place.
  func value(at pointer: JSONPointer) throws(Failure) -> ChangedValue {
    var value = root
    for (number, token) in pointer.tokens.enumerated() {
      value = try child(of: value, token, number)
    }
    return value
  }

  private func child(
    of value: ChangedValue, _ token: String, _ number: Int
  ) throws(Failure) -> ChangedValue {
    guard let container = value.open() else { throw .noContainer(token: number) }
    if container.isObject {
      guard let inside = container[Array(token.utf8)] else {
        throw .noMember(token: number, names: listsMemberNames ? container.names : [])
      }
      return inside
    }
    let index = JSONPointer.arrayIndex(token)
    guard let index, let inside = container[index] else {
      throw .noElement(token: number, count: container.count, isIndex: index != nil)
    }
    return inside
  }

  /// The object or array that contains a place, and the last token of the pointer.
  private func container(
    of pointer: JSONPointer
  ) throws(Failure) -> (container: ChangedContainer, token: String, number: Int)? {
    guard let token = pointer.tokens.last else { return nil }
    let number = pointer.tokens.count - 1
    let value = try value(at: JSONPointer(Array(pointer.tokens.dropLast())))
    guard let container = value.open() else { throw .noContainer(token: number) }
    return (container, token, number)
  }

  // MARK: Operations

  /// Adds a value at a place. In an array, it is inserted before the element that is there.
  ///
  /// - Parameter key: The name of a new member.
  func add(
    _ value: ChangedValue, at pointer: JSONPointer, key: ChangedContainer.Key
  ) throws(Failure) {
    guard pointer.tokens.count + value.measure().depth < JSONReader.maximumDepth else {
      throw .tooDeep
    }
    guard let (container, token, number) = try container(of: pointer) else {
      root = value
      return
    }
    if container.isObject {
      container.set(key, to: value)
      return
    }
    let index = token == "-" ? container.count : JSONPointer.arrayIndex(token)
    guard let index, index <= container.count else {
      throw .noElement(token: number, count: container.count, isIndex: index != nil)
    }
    container.insert(value, at: index, madeFor: key)
  }

  func replace(_ pointer: JSONPointer, with value: ChangedValue) throws(Failure) {
    _ = try self.value(at: pointer)
    guard let (container, token, _) = try container(of: pointer) else {
      root = value
      return
    }
    if container.isObject {
      container.set(.init(naming: pointer, in: around.source), to: value)
    } else if let index = JSONPointer.arrayIndex(token) {
      container.replace(index, with: value)
    }
  }

  func remove(_ pointer: JSONPointer) throws(Failure) -> ChangedValue {
    let value = try self.value(at: pointer)
    guard let (container, token, _) = try container(of: pointer) else { throw .root }
    if container.isObject {
      _ = container.remove(Array(token.utf8))
    } else if let index = JSONPointer.arrayIndex(token) {
      _ = container.remove(at: index)
    }
    return value
  }

  /// A copy of the value at a place.
  func copy(_ pointer: JSONPointer) throws(Failure) -> ChangedValue {
    let value = try value(at: pointer)
    let bytes = value.measure().bytes
    guard copied + bytes <= Self.maximumCopied else { throw .tooLong }
    copied += bytes
    return value.copy()
  }
}
