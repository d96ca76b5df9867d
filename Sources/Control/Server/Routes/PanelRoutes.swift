import NIOHTTP1
import Panel

/// The page of the control panel and its drawing.
extension Routes {
  /// Only the page's own files; no inline scripts or styles; no frames.
  private static let pagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    + "img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// Whether the client is a browser that asks for the panel, and the panel is served.
  func wantsPage(_ request: ControlRequest) -> Bool {
    guard hasPanel else { return false }
    return request.headers["Accept"].flatMap { $0.split(separator: ",") }.contains { range in
      range.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased() == "text/html"
    }
  }

  /// The panel's file at a path; `nil` for none.
  func panelFile(_ path: String) -> PanelFile? {
    let folder = "/panel/"
    guard hasPanel, path.hasPrefix(folder) else { return nil }
    return PanelFile.named(String(path.dropFirst(folder.count)))
  }

  /// Answers with a file of the panel.
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
    // A weak tag: the bytes differ from those of the plain text.
    if takesGzip(request), let bytes = file.compressed {
      headers[0].1 = "W/" + headers[0].1
      return ControlResponse(headers: headers + [("Content-Encoding", "gzip")], .bytes(bytes))
    }
    return ControlResponse(headers: headers, .bytes(file.bytes))
  }

  /// Whether the client accepts gzip explicitly.
  private func takesGzip(_ request: ControlRequest) -> Bool {
    request.headers["Accept-Encoding"].flatMap { $0.lowercased().split(separator: ",") }.contains {
      let parts = $0.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      return parts.first == "gzip" && !["q=0", "q=0.0", "q=0.00", "q=0.000"].contains(parts.last)
    }
  }

  /// Answers with the drawing of the graph.
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
        // If the SVG is opened as a page, it may load and run nothing.
        ("Content-Security-Policy", "default-src 'none'"),
      ], body: drawing.text)
  }
}
