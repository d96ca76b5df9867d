import NIOHTTP1
import Panel
import PatchSyntax

/// The page of the control panel, and what it draws.
extension Routes {
  /// A page of its own: nothing but its own files, no script or style in the text, in no frame.
  private static let pagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    + "img-src 'self' data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

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
    let varies = file == .index ? "Accept, Accept-Encoding" : "Accept-Encoding"
    var headers = [("ETag", EntityTags.quoted(file.tag)), ("Vary", varies)]
    if EntityTags("If-None-Match", in: request.headers)?.matchesWeakly(file.tag) == true {
      return ControlResponse(status: .notModified, headers: headers)
    }
    headers += [
      ("Content-Type", file.mediaType), ("Content-Security-Policy", Self.pagePolicy),
      ("Referrer-Policy", "no-referrer"),
    ]
    // Weak, as `W/` says: other bytes of the same text.
    if takesGzip(request), let bytes = file.compressed {
      headers[0].1 = "W/" + headers[0].1
      return ControlResponse(headers: headers + [("Content-Encoding", "gzip")], .bytes(bytes))
    }
    return ControlResponse(headers: headers, body: file.text)
  }

  /// Whether a client says that it takes gzip. One that says nothing may be a program that does not.
  private func takesGzip(_ request: ControlRequest) -> Bool {
    request.headers["Accept-Encoding"].flatMap { $0.lowercased().split(separator: ",") }.contains {
      let parts = $0.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      return parts.first == "gzip" && !["q=0", "q=0.0", "q=0.00", "q=0.000"].contains(parts.last)
    }
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
