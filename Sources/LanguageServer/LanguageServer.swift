import Diagnostics
public import PatchGraph
import PatchReference
public import PatchSyntax

/// A server of the Language Server Protocol for patches. It takes messages and returns messages:
/// the caller reads and writes them. Used by one thread at a time.
public struct LanguageServer {
  private enum State { case new, running, shutDown }

  /// Why a request fails, with an error code of JSON-RPC or of the protocol.
  struct Failure: Error {
    var code: Int
    var message: String

    static let parse = -32700
    static let invalidRequest = -32600
    static let unknownMethod = -32601
    static let invalidParameters = -32602
    static let notInitialized = -32002
    static let refused = -32803
    static let cancelled = -32800
  }

  private let version: String
  private let hardware: HardwareAssumption
  private let surroundings: (_ directory: String) -> PatchSurroundings
  private let vocabulary = Vocabulary()
  private let testVocabulary = Vocabulary(TestSchema.schema())
  private var state = State.new
  private var encoding = PositionEncoding.utf16
  private var wantsRelated = false
  private var wantsTree = false
  private var wantsMarkdown = false
  private var wantsSnippets = false
  private var patches: [String: OpenPatch] = [:]

  /// The process's exit status once the editor has sent `exit`: 0 after `shutdown`, otherwise 1.
  public private(set) var exitStatus: Int32?

  /// - Parameters:
  ///   - version: The version that the server tells the editor.
  ///   - hardware: The settings that the device is assumed to grant.
  ///   - surroundings: Makes the surroundings of a patch from its folder, which is empty for the
  ///     current one.
  public init(
    version: String, hardware: HardwareAssumption = HardwareAssumption(),
    surroundings: @escaping (_ directory: String) -> PatchSurroundings = {
      PatchSurroundings(directory: $0)
    }
  ) {
    self.surroundings = surroundings
    self.version = version
    self.hardware = hardware
  }

  /// Handles the messages that have arrived, in their order, and returns the messages to send. A
  /// request that a later message cancels is answered with an error.
  public mutating func receive(_ messages: [[UInt8]]) -> [JSONText] {
    let read = messages.map {
      JSONReader.read(SourceText(name: "message", bytes: $0), dialect: .json)
    }
    var cancelled: [JSONText: Int] = [:]
    for (index, json) in read.enumerated() {
      guard let root = json.tree?.root, root["method"]?.string == "$/cancelRequest",
        let identifier = Self.identifier(root["params"]?["id"])
      else { continue }
      cancelled[identifier] = index
    }
    return read.enumerated().flatMap { index, json in
      receive(json) { (cancelled[$0] ?? -1) > index }
    }
  }

  /// Handles one message and returns the messages to send.
  public mutating func receive(_ message: [UInt8]) -> [JSONText] { receive([message]) }

  private mutating func receive(
    _ json: JSONReader.Result, isCancelled: (JSONText) -> Bool
  ) -> [JSONText] {
    // The reader has replaced each half of a surrogate pair by U+FFFD.
    guard json.isStructureIntact, let root = json.tree?.root else {
      return [Self.failure(.null, Failure(code: Failure.parse, message: "this is no JSON"))]
    }
    guard root.kind == .object, let method = root["method"]?.string else {
      // A response is ignored, since the server sends no requests.
      if root.kind == .object, root["result"] != nil || root["error"] != nil { return [] }
      return [
        Self.failure(
          Self.identifier(root["id"]) ?? .null,
          Failure(code: Failure.invalidRequest, message: "this is no request"))
      ]
    }
    let parameters = root["params"]
    guard let written = root["id"] else {
      notify(method, parameters)
      return []
    }
    guard let identifier = Self.identifier(written) else {
      return [
        Self.failure(
          .null,
          Failure(code: Failure.invalidRequest, message: "an id is a string or a whole number"))
      ]
    }
    do throws(Failure) {
      if isCancelled(identifier) {
        throw Failure(code: Failure.cancelled, message: "the request was cancelled")
      }
      let result = try answer(method, parameters)
      return [["jsonrpc": "2.0", "id": identifier, "result": result]]
    } catch {
      return [Self.failure(identifier, error)]
    }
  }

  /// The message that reports a message that could not be read.
  public static func malformed(_ message: String) -> JSONText {
    failure(.null, Failure(code: Failure.parse, message: message))
  }

  /// The diagnostics of the patches that have changed. Call it when no message is waiting, so that
  /// fast typing does not wait for a check after each letter.
  public mutating func findings() -> [JSONText] {
    patches.keys.sorted().filter { patches[$0]?.isUnsent == true }.compactMap { uri in
      patches[uri]?.check(hardware)
      patches[uri]?.isUnsent = false
      return patches[uri].map { publish($0.findings(withRelated: wantsRelated)) }
    } + takeClosed()
  }

  private var closed: [JSONText] = []

  private mutating func takeClosed() -> [JSONText] {
    defer { closed = [] }
    return closed
  }

  private func publish(_ parameters: JSONText) -> JSONText {
    ["jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": parameters]
  }

  private static func identifier(_ json: JSONValue?) -> JSONText? {
    if let text = json?.string { return .string(text) }
    return json?.integer.map { .number($0) }
  }

  private static func failure(_ identifier: JSONText, _ failure: Failure) -> JSONText {
    [
      "jsonrpc": "2.0", "id": identifier,
      "error": ["code": .number(failure.code), "message": .string(failure.message)],
    ]
  }
}

// MARK: Notifications

extension LanguageServer {
  /// A malformed notification is ignored: it has no response that could report it.
  private mutating func notify(_ method: String, _ parameters: JSONValue?) {
    if method == "exit" { exitStatus = state == .shutDown ? 0 : 1 }
    guard state == .running else { return }
    let document = parameters?["textDocument"]
    guard let uri = document?["uri"]?.string else { return }
    switch method {
    case "textDocument/didOpen":
      guard let text = document?["text"]?.string else { return }
      patches[uri] = OpenPatch(
        uri: uri, version: document?["version"]?.integer, text: text, encoding: encoding,
        surroundings: surroundings(OpenPatch.directory(of: uri)))
    case "textDocument/didChange":
      guard var patch = patches[uri], let changes = parameters?["contentChanges"] else { return }
      patch.version = document?["version"]?.integer
      for change in changes.elements {
        guard let text = change["text"]?.string else { continue }
        if let range = change["range"], range.kind == .object {
          guard let offsets = patch.places.offsets(range) else { continue }
          patch.replace(offsets, with: text)
        } else {
          patch.replace(nil, with: text)
        }
      }
      patch.read()
      patches[uri] = patch
    case "textDocument/didSave":
      // The files that the patch names may have appeared or gone.
      patches[uri]?.markStale()
    case "textDocument/didClose":
      guard patches.removeValue(forKey: uri) != nil else { return }
      closed.append(publish(["uri": .string(uri), "diagnostics": []]))
    default: break
    }
  }
}

// MARK: Requests

extension LanguageServer {
  private mutating func answer(
    _ method: String, _ parameters: JSONValue?
  ) throws(Failure) -> JSONText {
    switch state {
    case .new where method != "initialize":
      throw Failure(code: Failure.notInitialized, message: "the server is not initialized")
    case .shutDown:
      throw Failure(code: Failure.invalidRequest, message: "the server is shut down")
    case .running where method == "initialize":
      throw Failure(code: Failure.invalidRequest, message: "the server is initialized already")
    default: break
    }
    switch method {
    case "initialize": return initialize(parameters)
    case "shutdown":
      state = .shutDown
      return .null
    case "textDocument/completion":
      let (patch, offset) = try place(parameters)
      return Completion(
        patch: patch, vocabulary: vocabulary(of: patch), wantsSnippets: wantsSnippets
      ).list(at: offset)
    case "textDocument/hover":
      patches[try uri(parameters)]?.draw(hardware)
      let (patch, offset) = try place(parameters)
      return Hover(
        patch: patch, vocabulary: vocabulary(of: patch), isMarkdown: wantsMarkdown
      ).answer(at: offset)
    case "textDocument/definition":
      let (patch, offset) = try place(parameters)
      return definitions(patch, offset)
    case "textDocument/prepareRename":
      let (patch, offset) = try place(parameters)
      return patch.mention(at: offset).map { mention in
        ["range": patch.places.range(mention.range), "placeholder": .string(mention.name)]
      } ?? .null
    case "textDocument/rename": return try rename(parameters)
    case "textDocument/references":
      let (patch, offset) = try place(parameters)
      let context = parameters?["context"]
      return references(
        patch, offset, withDefinition: context?["includeDeclaration"]?.bool ?? true)
    case "textDocument/documentHighlight":
      let (patch, offset) = try place(parameters)
      return highlights(patch, offset)
    case "textDocument/documentSymbol":
      return Outline(patch: try open(try uri(parameters))).symbols(asTree: wantsTree)
    case "textDocument/foldingRange":
      return Folding(patch: try open(try uri(parameters))).ranges()
    case "textDocument/documentLink":
      return FileLinks(patch: try open(try uri(parameters))).list()
    case "textDocument/inlayHint": return try hints(parameters)
    case "textDocument/formatting": return try open(try uri(parameters)).formatting() ?? .null
    case "textDocument/codeAction": return try actions(parameters)
    default:
      throw Failure(code: Failure.unknownMethod, message: "there is no method '\(method)'")
    }
  }

  private mutating func initialize(_ parameters: JSONValue?) -> JSONText {
    state = .running
    let capabilities = parameters?["capabilities"]
    let offered = capabilities?["general"]?["positionEncodings"]?.elements.map(\.string) ?? []
    if offered.contains(PositionEncoding.utf8.rawValue) { encoding = .utf8 }
    wantsRelated =
      capabilities?["textDocument"]?["publishDiagnostics"]?["relatedInformation"]?.bool ?? false
    wantsTree =
      capabilities?["textDocument"]?["documentSymbol"]?["hierarchicalDocumentSymbolSupport"]?.bool
      ?? false
    let document = capabilities?["textDocument"]
    wantsMarkdown =
      document?["hover"]?["contentFormat"]?.elements.contains { $0.string == "markdown" } ?? false
    wantsSnippets =
      document?["completion"]?["completionItem"]?["snippetSupport"]?.bool ?? false
    return [
      "capabilities": [
        "positionEncoding": .string(encoding.rawValue),
        "textDocumentSync": ["openClose": true, "change": 2, "save": true],
        "completionProvider": ["triggerCharacters": ["\"", ":", "/"]],
        "hoverProvider": true,
        "definitionProvider": true,
        "renameProvider": ["prepareProvider": true],
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "documentFormattingProvider": true,
        "foldingRangeProvider": true,
        "documentLinkProvider": [:],
        "inlayHintProvider": true,
        "codeActionProvider": ["codeActionKinds": ["quickfix", .string(OpenPatch.fixAllKind)]],
      ],
      "serverInfo": ["name": "patchrun", "version": .string(version)],
    ]
  }

  /// The patch that a request is about, checked.
  private mutating func patch(_ parameters: JSONValue?) throws(Failure) -> OpenPatch {
    let uri = try uri(parameters)
    // `check` does not publish: the diagnostics are still to be sent.
    patches[uri]?.check(hardware)
    return try open(uri)
  }

  /// The open patch of a URI, not checked.
  private func open(_ uri: String) throws(Failure) -> OpenPatch {
    guard let patch = patches[uri] else {
      throw Failure(code: Failure.invalidParameters, message: "no document is open by this URI")
    }
    return patch
  }

  private func uri(_ parameters: JSONValue?) throws(Failure) -> String {
    guard let uri = parameters?["textDocument"]?["uri"]?.string else {
      throw Failure(code: Failure.invalidParameters, message: "a document's URI is missing")
    }
    return uri
  }

  private func place(
    _ parameters: JSONValue?
  ) throws(Failure) -> (OpenPatch, Int) {
    let open = try open(try uri(parameters))
    guard let offset = open.places.offset(parameters?["position"]) else {
      throw Failure(code: Failure.invalidParameters, message: "a position is missing")
    }
    return (open, offset)
  }

  private func definitions(_ patch: OpenPatch, _ offset: Int) -> JSONText {
    if let cursor = Cursor.at(offset, in: patch.source), !isName(of: cursor, offset, patch),
      let range = patch.declaration(ofKnobAt: cursor)
    {
      return .array([patch.location(range)])
    }
    guard let mention = patch.mention(at: offset) else { return .null }
    return .array(
      patch.mentions(of: mention).filter(\.isDefinition).map { patch.location($0.range) })
  }

  /// Whether the position in a pointer is on the name of a node.
  private func isName(of cursor: Cursor, _ offset: Int, _ patch: OpenPatch) -> Bool {
    cursor.path.first == "timeline" && patch.mention(at: offset) != nil
  }

  private func references(_ patch: OpenPatch, _ offset: Int, withDefinition: Bool) -> JSONText {
    guard let mention = patch.mention(at: offset) else { return .null }
    return .array(
      patch.mentions(of: mention).filter { withDefinition || !$0.isDefinition }
        .map { patch.location($0.range) })
  }

  private func highlights(_ patch: OpenPatch, _ offset: Int) -> JSONText {
    guard let mention = patch.mention(at: offset) else { return .null }
    return .array(
      patch.mentions(of: mention).map { place in
        // DocumentHighlightKind: 3 (write) for definitions, 2 (read) for uses.
        ["range": patch.places.range(place.range), "kind": place.isDefinition ? 3 : 2]
      })
  }

  private mutating func hints(_ parameters: JSONValue?) throws(Failure) -> JSONText {
    let uri = try uri(parameters)
    patches[uri]?.draw(hardware)
    let patch = try open(uri)
    guard let range = patch.places.offsets(parameters?["range"]) else {
      throw Failure(code: Failure.invalidParameters, message: "a range is missing")
    }
    return InlayHints(patch: patch).list(in: range)
  }

  private mutating func actions(_ parameters: JSONValue?) throws(Failure) -> JSONText {
    let patch = try patch(parameters)
    guard let range = patch.places.offsets(parameters?["range"]) else {
      throw Failure(code: Failure.invalidParameters, message: "a range is missing")
    }
    let context = parameters?["context"]
    let only = context?["only"].map { $0.elements.compactMap(\.string) }
    func isWanted(_ kind: String) -> Bool {
      only?.contains { $0.isEmpty || kind == $0 || kind.hasPrefix($0 + ".") } ?? true
    }
    var actions = isWanted("quickfix") ? patch.quickFixes(in: range, withRelated: wantsRelated) : []
    // CodeActionTriggerKind 2 (automatic): the cursor has moved, and nobody asked for actions.
    let isAsked = only != nil || context?["triggerKind"]?.integer != 2
    if isAsked, isWanted(OpenPatch.fixAllKind), let all = patch.fixForAll(hardware) {
      actions.append(all)
    }
    return .array(actions)
  }

  private mutating func rename(_ parameters: JSONValue?) throws(Failure) -> JSONText {
    let (patch, offset) = try place(parameters)
    guard let name = parameters?["newName"]?.string else {
      throw Failure(code: Failure.invalidParameters, message: "a new name is missing")
    }
    guard let mention = patch.mention(at: offset) else {
      throw Failure(
        code: Failure.refused,
        message: "no node, callback, stream format or constant is named here")
    }
    if let reason = patch.refusal(of: name, for: mention) {
      throw Failure(code: Failure.refused, message: reason)
    }
    return patch.edit(patch.edits(renaming: mention, to: name))
  }
}

extension LanguageServer {
  /// The vocabulary of a patch, or of a test file.
  private func vocabulary(of document: OpenPatch) -> Vocabulary {
    document.isTests ? testVocabulary : vocabulary
  }
}
