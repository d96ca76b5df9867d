import Glibc

/// Asks the kernel for the user of one local TCP connection, by sock_diag(7). It finds one
/// connection without listing all.
enum SocketDiagnosis {
  /// The answer.
  enum Answer: Hashable {
    case user(UInt32)
    /// There is no such connection, or no process owns it any more.
    case nobody
    /// The kernel does not support such queries.
    case unknown
  }

  /// - Parameters:
  ///   - peer: The end whose user to find.
  ///   - local: The other end.
  static func user(of peer: PeerOwner.Endpoint, to local: PeerOwner.Endpoint) -> Answer {
    guard let source = address(peer.address), let destination = address(local.address),
      source.count == destination.count
    else { return .unknown }
    let descriptor = socket(
      AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), sockDiag)
    guard descriptor >= 0 else { return .unknown }
    defer { close(descriptor) }
    // The kernel answers during the request, so this timeout is only a safeguard.
    var time = timeval(tv_sec: 1, tv_usec: 0)
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    let request = request(
      family: UInt8(source.count == 4 ? AF_INET : AF_INET6), source, peer.port, destination,
      local.port)
    guard unsafe send(descriptor, request, request.count, 0) == request.count else {
      return .unknown
    }
    var answer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(descriptor, &answer, answer.count, 0)
    guard count > 0 else { return .unknown }
    return read(answer[..<count])
  }

  // MARK: The messages, as <linux/netlink.h> and <linux/inet_diag.h> lay them out

  private static let sockDiag: Int32 = 4
  private static let byFamily: UInt16 = 20
  private static let errorType: UInt16 = 2
  private static let headerSize = 16

  static func request(
    family: UInt8, _ source: [UInt8], _ sourcePort: Int, _ destination: [UInt8],
    _ destinationPort: Int
  ) -> [UInt8] {
    var body: [UInt8] = [family, UInt8(IPPROTO_TCP), 0, 0]
    // All states of a connection.
    body += native(UInt32.max)
    for port in [sourcePort, destinationPort] {
      body += [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
    }
    for address in [source, destination] {
      body += address + [UInt8](repeating: 0, count: 16 - address.count)
    }
    // Any interface; no cookie.
    body += native(UInt32(0)) + native(UInt32.max) + native(UInt32.max)
    let isRequest: UInt16 = 1
    return native(UInt32(headerSize + body.count)) + native(byFamily) + native(isRequest)
      + native(UInt32(1)) + native(UInt32(0)) + body
  }

  static func read(_ message: ArraySlice<UInt8>) -> Answer {
    func word(_ offset: Int) -> UInt32? {
      let start = message.startIndex + offset
      guard start + 4 <= message.endIndex else { return nil }
      return unsafe message[start..<(start + 4)].withUnsafeBytes {
        unsafe $0.loadUnaligned(as: UInt32.self)
      }
    }
    guard let kind = word(4).map({ UInt16(truncatingIfNeeded: $0) }) else { return .unknown }
    if kind == errorType {
      // A negative error number: ENOENT if there is no such connection.
      return word(headerSize) == UInt32(bitPattern: -ENOENT) ? .nobody : .unknown
    }
    // After the state, both ends and three counters.
    let place = headerSize + 4 + 48 + 12
    guard kind == byFamily, let user = word(place), let inode = word(place + 4) else {
      return .unknown
    }
    return inode == 0 ? .nobody : .user(user)
  }

  private static func native(_ value: some FixedWidthInteger) -> [UInt8] {
    var value = value
    return unsafe withUnsafeBytes(of: &value) { unsafe Array($0) }
  }

  /// The bytes of an address in network order.
  private static func address(_ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16)
    if unsafe inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
    return unsafe inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
  }
}
