public import Diagnostics

/// Reads a patch: JSON to `PatchDocument`, with all mistakes in one run.
///
/// Reading never fails: what is wrong is reported and left out of the document, and the rest is
/// read.
public struct PatchReader {
  /// The result of reading.
  public struct Result: Sendable {
    /// The document; `nil` where there is no object to read from, or where errors in the JSON leave
    /// its structure unclear.
    public var document: PatchDocument?
    /// The text that all ranges refer to: the given one, with overrides made in it.
    public var source: SourceText
    /// The findings by place: of each kind at most `limits.findings`, followed by a sum of the
    /// others.
    public var diagnostics: [Diagnostic]
    /// The limits that the patch was read with.
    public var limits = PatchLimits.standard

    /// Whether the patch has errors.
    public var hasErrors: Bool { diagnostics.hasErrors }
  }

  var diagnostics: Findings
  let limits: PatchLimits
  /// How many nodes, callbacks and taps have been read.
  var itemCount = 0
  /// How many steps the repetitions of the timeline have added.
  var repetitionCount = 0
  /// The rows of keys that are ignored, because an earlier member has the same key.
  var repeatedKeys: Set<Int> = []
  /// Shares the memory of texts that many nodes repeat.
  var names = RecentTexts()

  init(_ limits: PatchLimits = .standard) {
    self.limits = limits
    diagnostics = Findings(limit: limits.findings)
  }

  /// Reads an address from a field of the document, such as the `from` of a callback.
  ///
  /// - Parameter name: The field's name for messages, in quotes.
  /// - Returns: The address; `nil`, with diagnostics, where it is wrong.
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
  ///   - bytes: The text, which should be UTF-8.
  ///   - name: The file's name for messages. One that ends in `.jsonc` allows comments and trailing
  ///     commas.
  ///   - overrides: The texts of `--set` options, `POINTER=VALUE`, made in this order.
  ///   - limits: The limits of the patch.
  public static func read(
    bytes: [UInt8], name: String, overrides: [String] = [], limits: PatchLimits = .standard
  ) -> Result {
    read(SourceText(name: name, bytes: bytes), overrides: overrides, limits: limits)
  }

  /// The result for a document that was not read, because it has more bytes than the limit.
  public static func tooLarge(name: String, limits: PatchLimits) -> Result {
    Result(
      document: nil, source: SourceText(name: name, bytes: []),
      diagnostics: [.tooManyBytes(nil, limits)], limits: limits)
  }

  /// Reads the text of a sub-graph, which follows other texts.
  ///
  /// - Parameters:
  ///   - settings: Values to set in it, each by its JSON Pointer.
  ///   - base: The offset of the text in the one that all ranges refer to.
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
        let target = tree.expandingCopies(for: pointer, limits)
        // The value may have comments, which JSON would not allow.
        if JSONReader.Dialect(fileName: value.tree.source.name) == .jsonc { dialect = .jsonc }
        switch DocumentOverride.place(
          value.resolved.localRange, of: value.tree.source, at: pointer, in: target,
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

  /// Reads the patch of a tree, and writes its repetitions out. Returns the patch, `nil` where its
  /// structure is unclear, and the text that all ranges refer to.
  ///
  /// - Parameter base: The offset of the text in the one that ranges refer to.
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
      // The copies are unknown, so nothing else can be reported.
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
        switch DocumentOverride.apply(text, to: tree.expandingCopies(forOption: text, limits)) {
        case .changed(let changed): json = JSONReader.read(changed, dialect: dialect)
        case .refused(let option, let diagnostic): refused.append((option, diagnostic))
        }
      }
    }
    // A refused option follows the document, so that its diagnostic has a text to refer to.
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
  /// This tree, or the one with its repetitions written out if a place is in a copy.
  fileprivate func expandingCopies(for pointer: JSONPointer, _ limits: PatchLimits) -> JSONTree {
    guard root[pointer] == nil, let last = pointer.tokens.indices.last,
      let written = RepetitionWriter.write(self, limits: limits), written.isClear,
      written.diagnostics.isEmpty
    else { return self }
    let container = JSONPointer(Array(pointer.tokens[..<last]))
    let isOfCopy = root[container] == nil || written.tree.root[pointer] != nil
    return isOfCopy ? written.tree : self
  }

  /// The same for the place of an option, `POINTER=VALUE`.
  fileprivate func expandingCopies(forOption option: String, _ limits: PatchLimits) -> JSONTree {
    let text = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)[0]
    return JSONPointer(parsing: String(text)).map { expandingCopies(for: $0, limits) } ?? self
  }
}
