import CYAML

/// A document in YAML 1.1 or 1.2, as libyaml reads it: its values, each with its place. Scalars are
/// text; the caller decides which of them are numbers or booleans.
public struct YAMLDocument: Sendable {
  /// A place in the text; line and column count from 1, the column in code points.
  public struct Mark: Sendable {
    public var line: Int
    public var column: Int
  }

  public struct Node: Sendable {
    /// Values of sequences and mappings are indices of ``YAMLDocument/nodes``. An alias has the
    /// index of the value that it repeats, which may contain the alias.
    public enum Content: Sendable {
      case scalar(String, isPlain: Bool)
      case sequence([Int])
      case mapping([(key: Int, value: Int)])
    }

    public var content: Content
    public var mark: Mark
  }

  /// All values; the first is the document's. Never empty.
  public var nodes: [Node]

  /// Reads UTF-8 text with one document.
  ///
  /// - Parameter maximumDepth: How many values may be inside each other. libyaml's time for a value
  ///   grows with the number of open brackets.
  /// - Returns: `nil` where the text has no document.
  /// - Throws: ``YAMLError`` where libyaml cannot be loaded, or the text is not valid.
  public init?(_ bytes: [UInt8], maximumDepth: Int) throws(YAMLError) {
    if let failure = unsafe cyaml_load() {
      throw .noLibrary(unsafe String(cString: failure))
    }
    let nodes: Result<[Node], YAMLError> = unsafe bytes.withUnsafeBufferPointer { bytes in
      do throws(YAMLError) {
        try unsafe Self.checkDepth(of: bytes, upTo: maximumDepth)
        return .success(try unsafe Self.nodes(in: bytes))
      } catch { return .failure(error) }
    }
    self.nodes = try nodes.get()
    if self.nodes.isEmpty { return nil }
  }

  /// Prepares a parser for some bytes. It is the caller's to delete.
  private static func begin(
    _ parser: inout yaml_parser_t, _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(YAMLError) {
    guard unsafe yaml_parser_initialize(&parser) == 1 else { throw .noMemory }
    unsafe yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
    unsafe yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
  }

  /// Throws where a value is too deep, as soon as it begins.
  private static func checkDepth(
    of bytes: UnsafeBufferPointer<UInt8>, upTo limit: Int
  ) throws(YAMLError) {
    var parser = unsafe yaml_parser_t()
    try unsafe begin(&parser, bytes)
    defer { unsafe yaml_parser_delete(&parser) }
    var depth = 0
    while true {
      var event = unsafe yaml_event_t()
      guard unsafe yaml_parser_parse(&parser, &event) == 1 else { throw unsafe YAMLError(parser) }
      defer { unsafe yaml_event_delete(&event) }
      switch unsafe event.type {
      case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: depth += 1
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: depth -= 1
      case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return
      default: break
      }
      if depth > limit { throw unsafe .tooDeep(Mark(event.start_mark)) }
    }
  }

  private static func nodes(
    in bytes: UnsafeBufferPointer<UInt8>
  ) throws(YAMLError) -> [Node] {
    var parser = unsafe yaml_parser_t()
    try unsafe begin(&parser, bytes)
    defer { unsafe yaml_parser_delete(&parser) }
    var document = unsafe yaml_document_t()
    guard unsafe yaml_parser_load(&parser, &document) == 1 else {
      throw unsafe YAMLError(parser)
    }
    defer { unsafe yaml_document_delete(&document) }
    let nodes = unsafe Self.nodes(of: document)
    guard !nodes.isEmpty else { return [] }
    var next = unsafe yaml_document_t()
    guard unsafe yaml_parser_load(&parser, &next) == 1 else { throw unsafe YAMLError(parser) }
    defer { unsafe yaml_document_delete(&next) }
    guard unsafe next.nodes.start == next.nodes.top else {
      throw .wrong("a second document begins", unsafe Mark(next.start_mark))
    }
    return nodes
  }

  private static func nodes(of document: yaml_document_t) -> [Node] {
    let count = unsafe document.nodes.top - document.nodes.start
    return (0..<count).map { index in
      let node = unsafe document.nodes.start[index]
      let content: Node.Content
      switch unsafe node.type {
      case YAML_SCALAR_NODE:
        let scalar = unsafe node.data.scalar
        let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        content = unsafe .scalar(
          String(decoding: bytes, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
      case YAML_SEQUENCE_NODE:
        let items = unsafe node.data.sequence.items
        let list = unsafe UnsafeBufferPointer(start: items.start, count: items.top - items.start)
        // libyaml counts its values from 1.
        content = unsafe .sequence(list.map { Int($0) - 1 })
      case YAML_MAPPING_NODE:
        let pairs = unsafe node.data.mapping.pairs
        let list = unsafe UnsafeBufferPointer(start: pairs.start, count: pairs.top - pairs.start)
        content = unsafe .mapping(list.map { (Int($0.key) - 1, Int($0.value) - 1) })
      default: content = .scalar("", isPlain: true)
      }
      return unsafe Node(content: content, mark: Mark(node.start_mark))
    }
  }
}

extension YAMLDocument.Mark {
  init(_ mark: yaml_mark_t) { self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1) }
}

/// Why a document cannot be read.
public enum YAMLError: Error {
  /// libyaml cannot be loaded; a sentence in lower case says why.
  case noLibrary(String)
  case noMemory
  /// A value is deeper than permitted.
  case tooDeep(YAMLDocument.Mark)
  /// The text is not UTF-8, or has a character that YAML does not allow, at an offset in bytes.
  case unreadable(byte: Int)
  /// The problem in libyaml's words, and its place.
  case wrong(String, YAMLDocument.Mark)

  init(_ parser: yaml_parser_t) {
    switch unsafe parser.error {
    case YAML_MEMORY_ERROR: self = .noMemory
    case YAML_READER_ERROR: self = unsafe .unreadable(byte: Int(parser.problem_offset))
    default:
      let problem = unsafe parser.problem.map { unsafe String(cString: $0) }
      let mark = unsafe YAMLDocument.Mark(parser.problem_mark)
      self = .wrong(problem ?? "it cannot be read", mark)
    }
  }
}
