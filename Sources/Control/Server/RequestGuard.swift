import NIOHTTP1

/// Refuses requests that a page of another site causes.
///
/// Such a page can make a browser send requests to this machine, and with a host name that resolves
/// to 127.0.0.1 even read the answers (DNS rebinding). But it cannot choose `Host` and `Origin`.
struct RequestGuard: Sendable {
  /// The port of the server; `nil` for the UNIX socket.
  var port: Int?

  static let names: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

  /// Why a request is refused; `nil` if it is accepted.
  func refusal(_ head: HTTPRequestHead) -> ControlResponse? {
    let hosts = head.headers["Host"]
    guard hosts.count == 1 else {
      return .problem(.badRequest, "a request has one Host, not \(hosts.count)")
    }
    guard isOurs(hosts[0]) else {
      return .problem(
        .forbidden, "'\(hosts[0])' is not the Host that is served here", help: [expected])
    }
    for origin in head.headers["Origin"] where !isOurs(origin: origin) {
      return .problem(.forbidden, "requests of pages from '\(origin)' are not answered")
    }
    for site in head.headers["Sec-Fetch-Site"]
    where site.lowercased() != "same-origin" && site.lowercased() != "none" {
      return .problem(.forbidden, "requests of pages of other sites are not answered")
    }
    return nil
  }

  private var expected: String {
    guard let port else { return "ask for http://localhost/" }
    return "ask for http://localhost:\(port)/, or 127.0.0.1, or [::1]"
  }

  /// Whether an authority (a name with an optional port) is this server's.
  private func isOurs(_ authority: String) -> Bool {
    let text = authority.lowercased()
    let search = text.hasPrefix("[") ? text.firstIndex(of: "]") ?? text.startIndex : text.startIndex
    guard let colon = text[search...].firstIndex(of: ":") else {
      return Self.names.contains(text) && (port == nil || port == 80)
    }
    guard let number = Int(text[text.index(after: colon)...]) else { return false }
    return Self.names.contains(String(text[..<colon])) && (port == nil || port == number)
  }

  private func isOurs(origin: String) -> Bool {
    let scheme = "http://"
    return origin.hasPrefix(scheme) && isOurs(String(origin.dropFirst(scheme.count)))
  }
}
