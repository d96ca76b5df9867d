import Glibc

/// Finds the user of a loopback TCP connection, by a netlink query or else in `/proc/net`.
///
/// A UNIX socket has a file mode that keeps other users out; a TCP port has none.
enum PeerOwner {
  /// One end of a connection.
  struct Endpoint: Hashable, Sendable {
    /// `127.0.0.1` or `::1`.
    var address: String
    var port: Int
  }

  /// The user of the process at the other end; `nil` if unknown.
  static func user(of peer: Endpoint, to local: Endpoint) -> UInt32? {
    switch SocketDiagnosis.user(of: peer, to: local) {
    case .user(let user): return user
    case .nobody: return nil
    case .unknown: return userInTables(of: peer, to: local)
    }
  }

  /// The user, found by reading all connections of the machine.
  static func userInTables(of peer: Endpoint, to local: Endpoint) -> UInt32? {
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
      if let user = user(of: peer, to: local, in: contents(of: table)) { return user }
    }
    return nil
  }

  /// The user, found in the text of a table. Rows of sockets without a process have user 0 and are
  /// skipped.
  static func user(of peer: Endpoint, to local: Endpoint, in table: String) -> UInt32? {
    let peers = hexadecimal(peer)
    let locals = hexadecimal(local)
    for row in table.utf8.split(separator: UInt8(ascii: "\n")).dropFirst() {
      let columns = row.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
      guard columns.count > 9, peers.contains(columns[1]), locals.contains(columns[2]),
        columns[9] != "0"
      else { continue }
      return UInt32(columns[7])
    }
    return nil
  }

  /// An end as the tables write it: an IPv4 address also in its IPv6 form.
  private static func hexadecimal(_ end: Endpoint) -> [String] {
    let port = ":" + padded(UInt32(end.port), 4)
    let words: [[UInt8]]
    if end.address == "::1" {
      words = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    } else {
      let bytes = end.address.split(separator: ".").compactMap { UInt8($0) }
      guard bytes.count == 4 else { return [] }
      words = [bytes]
    }
    // In the byte order of the machine.
    func written(_ bytes: [UInt8]) -> String {
      let word = bytes.reduce(0) { $0 << 8 | UInt32($1) }
      return padded(word.bigEndian, 8)
    }
    let text = words.map(written).joined()
    guard words.count == 1 else { return [text + port] }
    let mapped = written([0, 0, 0, 0]) + written([0, 0, 0, 0]) + written([0, 0, 0xFF, 0xFF])
    return [text + port, mapped + text + port]
  }

  private static func padded(_ value: UInt32, _ digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  private static func contents(of path: String) -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &block, block.count)
      guard count > 0 else { break }
      bytes += block[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
