import NIOHTTP1
import Panel
import PatchSyntax

/// The page of the control panel, and what it draws.
extension Routes {
  /// A page of its own: nothing but its own files, no script or style in the text, in no frame.
  private static let pagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// Whether a browser asks for a page, and there is one.
  func wantsPage(_ request: ControlRequest) -> Bool {
    guard hasPanel else { return false }
    return request.headers["Accept"].flatMap { $0.split(separator: ",") }.contains { range in
      range.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased() == "text/html"
    }
  }

  /// The file of the page that a path names; `nil` where none is.
  func panelFile(_ path: String) -> PanelFile? {
    let folder = "/panel/"
    guard hasPanel, path.hasPrefix(folder) else { return nil }
    return PanelFile.named(String(path.dropFirst(folder.count)))
  }

  /// A file of the page.
  func answer(_ file: PanelFile, _ request: ControlRequest) -> ControlResponse {
    if let refusal = methodRefusal(of: request, [.HEAD, .GET, .OPTIONS], "a file of the panel") {
      return refusal
    }
    var headers = [("ETag", EntityTags.quoted(file.tag))]
    if file == .index { headers.append(("Vary", "Accept")) }
    if EntityTags("If-None-Match", in: request.headers)?.matchesWeakly(file.tag) == true {
      return ControlResponse(status: .notModified, headers: headers)
    }
    headers += [
      ("Content-Type", file.mediaType), ("Content-Security-Policy", Self.pagePolicy),
      ("Referrer-Policy", "no-referrer"),
    ]
    return ControlResponse(headers: headers, body: file.text)
  }

  /// The drawing of the graph.
  func drawing(_ request: ControlRequest) async -> ControlResponse {
    let known = EntityTags("If-None-Match", in: request.headers)
    if let known {
      let tag = await patch.document().tag
      if known.matchesWeakly(tag) {
        return ControlResponse(
          status: .notModified, headers: [("ETag", EntityTags.quoted(tag))])
      }
    }
    let drawing = await patch.drawing()
    return ControlResponse(
      headers: [
        ("ETag", EntityTags.quoted(drawing.tag)), ("Content-Type", "image/svg+xml"),
        // Opened by itself it is a picture, and no page that could do anything.
        ("Content-Security-Policy", "default-src 'none'"),
      ], body: drawing.text)
  }
}
