import AudioTypes
public import Diagnostics

/// Reads a patch: JSON to `PatchDocument`, with all mistakes in one run.
///
/// Reading never fails. What is wrong is reported, left out of the document, and does not keep the
/// rest from being read.
public struct PatchReader {
  /// What came of reading.
  public struct Result: Sendable {
    /// What could be read; `nil` when there is no object to read from, or when mistakes in the JSON
    /// leave open what was meant to stand where.
    public var document: PatchDocument?
    /// The text that all ranges point into: the one given, with what overrides put into it.
    public var source: SourceText
    /// By place; of each kind no more than `limits.findings`, and a line that sums up the rest.
    public var diagnostics: [Diagnostic]
    /// How large the patch may be, and what comes of it.
    public var limits = PatchLimits.standard

    /// Whether the patch is wrong.
    public var hasErrors: Bool { diagnostics.hasErrors }
  }

  var diagnostics: Findings
  let limits: PatchLimits
  /// How many nodes, callbacks and taps have been read.
  var itemCount = 0
  /// How many steps the repetitions of the timeline have added.
  var repetitionCount = 0
  /// Members that are passed over, because an earlier one has the same key.
  var repeatedKeys: Set<Int> = []
  /// The texts that stand in every node.
  var names = RecentTexts()

  init(_ limits: PatchLimits = .standard) {
    self.limits = limits
    diagnostics = Findings(limit: limits.findings)
  }

  /// Reads an address where a field has turned out to be one, as the `from` of a callback.
  ///
  /// - Parameter name: The field's name for messages, in quotes.
  /// - Returns: The address, or what is wrong with it.
  public static func address(
    _ json: JSONValue, _ name: String
  ) -> (address: Located<PatchDocument.Address>?, diagnostics: [Diagnostic]) {
    var reader = PatchReader()
    let address = reader.address(json, name)
    return (address, reader.diagnostics.all)
  }

  /// Reads a patch's bytes.
  ///
  /// - Parameters:
  ///   - bytes: the text, which should be UTF-8.
  ///   - name: the file's name for messages. One that ends in `.jsonc` allows comments and trailing
  ///     commas.
  ///   - overrides: the texts of `--set` options, `POINTER=VALUE`, made in this order.
  ///   - limits: how large it may be.
  public static func read(
    bytes: [UInt8], name: String, overrides: [String] = [], limits: PatchLimits = .standard
  ) -> Result {
    read(SourceText(name: name, bytes: bytes), overrides: overrides, limits: limits)
  }

  /// What there is to say of a document that was not read, because it has more bytes than it may have.
  public static func tooLarge(name: String, limits: PatchLimits) -> Result {
    Result(
      document: nil, source: SourceText(name: name, bytes: []),
      diagnostics: [.tooManyBytes(nil, limits)], limits: limits)
  }

  /// Reads the text of a sub-graph, which stands behind others.
  ///
  /// - Parameters:
  ///   - settings: what takes the place of values in it: each by its JSON Pointer.
  ///   - base: where the text begins in the one that all ranges point into.
  /// - Returns: The patch; `source` is its own text, with the settings in it.
  public static func read(
    _ source: SourceText, settings: [PatchDocument.Field], at base: Int,
    limits: PatchLimits = .standard
  ) -> Result {
    var dialect = JSONReader.Dialect(fileName: source.name)
    var json = JSONReader.read(source, dialect: dialect)
    var diagnostics: [Diagnostic] = []
    if !json.hasErrors {
      for setting in settings {
        guard let tree = json.tree else { break }
        let value = setting.value
        guard let pointer = JSONPointer(parsing: setting.name), !pointer.tokens.isEmpty else {
          diagnostics.append(.settingPointer(setting.key))
          continue
        }
        let target = tree.holding(pointer, limits)
        // Comments may come with a value.
        if JSONReader.Dialect(fileName: value.tree.source.name) == .jsonc { dialect = .jsonc }
        switch DocumentOverride.place(
          value.meaning.localRange, of: value.tree.source, at: pointer, in: target,
          makesObjects: true
        )
        {
        case .changed(let changed): json = JSONReader.read(changed, dialect: dialect)
        case .missing(let token, let container, let way):
          diagnostics.append(
            .settingNowhere(setting.key, pointer.tokens[token], in: container, way, source.name))
        }
      }
    }
    diagnostics += json.diagnostics.map { $0.moved(by: base) }
    guard let read = json.tree else {
      return Result(
        document: nil, source: source, diagnostics: diagnostics.limited(to: limits.findings),
        limits: limits)
    }
    var reader = PatchReader(limits)
    reader.diagnostics += diagnostics
    let (document, text) = reader.readPatch(read, isIntact: json.isStructureIntact, at: base)
    return Result(
      document: document, source: text, diagnostics: reader.diagnostics.all, limits: limits)
  }

  /// Reads a tree: its patch, where the structure is as it was meant, and the text that all ranges point
  /// into, in which repetitions have been written out.
  ///
  /// - Parameter base: Where the text begins in the one that ranges point into.
  private mutating func readPatch(
    _ tree: JSONTree, isIntact: Bool, at base: Int = 0
  ) -> (document: PatchDocument?, text: SourceText) {
    guard isIntact else { return (nil, tree.source) }
    var tree = tree
    var copies = Copies()
    if let written = RepetitionWriter.write(tree, limits: limits) {
      if !written.diagnostics.isEmpty {
        diagnostics += written.diagnostics.map { $0.moved(by: base) }
      }
      // What the copies are is not known: nothing else can be said.
      guard written.isClear else { return (nil, tree.source) }
      tree = written.tree
      copies = written.copies.moved(by: base)
    }
    tree = base == 0 ? tree : tree.based(at: base)
    repeatedKeys = tree.reportDuplicateKeys(to: &diagnostics)
    var document = readDocument(tree.resolvingConstants(to: &diagnostics).root)
    document?.copies = copies
    return (document, tree.source)
  }

  /// Reads a patch's text. Its name says whether it may have comments.
  public static func read(
    _ source: SourceText, overrides: [String] = [], limits: PatchLimits = .standard
  ) -> Result {
    if source.bytes.count > limits.bytes {
      return Result(
        document: nil, source: source,
        diagnostics: [.tooManyBytes(source.bytes.count, limits)], limits: limits)
    }
    let dialect = JSONReader.Dialect(fileName: source.name)
    var json = JSONReader.read(source, dialect: dialect)
    var diagnostics: [Diagnostic] = []
    var refused: [(option: SourceText, diagnostic: Diagnostic)] = []
    if !json.hasErrors {
      for text in overrides {
        guard let tree = json.tree else { break }
        switch DocumentOverride.apply(text, to: tree.holding(textOf: text, limits)) {
        case .changed(let changed): json = JSONReader.read(changed, dialect: dialect)
        case .refused(let option, let diagnostic): refused.append((option, diagnostic))
        }
      }
    }
    // An option that was refused is put behind the document, for its diagnostic to point at.
    var whole = json.tree?.source ?? source
    for (option, diagnostic) in refused {
      let end = whole.bytes.count
      whole = whole.replacing(end..<end, with: 0..<option.bytes.count, of: option)
      diagnostics.append(diagnostic.moved(by: end))
    }
    if !refused.isEmpty { json.tree = json.tree?.moved(to: whole) }
    diagnostics += json.diagnostics
    guard let tree = json.tree else {
      return Result(
        document: nil, source: whole,
        diagnostics: diagnostics.inDocumentOrder().limited(to: limits.findings), limits: limits)
    }
    var reader = PatchReader(limits)
    reader.diagnostics += diagnostics
    let (document, text) = reader.readPatch(tree, isIntact: json.isStructureIntact)
    return Result(
      document: document, source: text,
      diagnostics: reader.diagnostics.all.inDocumentOrder(), limits: limits)
  }
}

extension JSONTree {
  /// The document that a place is to be looked up in: this one, or where it leads to a copy of something
  /// that is repeated, this one with its copies written out.
  fileprivate func holding(_ pointer: JSONPointer, _ limits: PatchLimits) -> JSONTree {
    guard root[pointer] == nil, let last = pointer.tokens.indices.last,
      let written = RepetitionWriter.write(self, limits: limits), written.isClear,
      written.diagnostics.isEmpty
    else { return self }
    let container = JSONPointer(Array(pointer.tokens[..<last]))
    let isOfCopy = root[container] == nil || written.tree.root[pointer] != nil
    return isOfCopy ? written.tree : self
  }

  /// The same for the text of an option, `POINTER=VALUE`.
  fileprivate func holding(textOf option: String, _ limits: PatchLimits) -> JSONTree {
    let text = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)[0]
    return JSONPointer(parsing: String(text)).map { holding($0, limits) } ?? self
  }
}
