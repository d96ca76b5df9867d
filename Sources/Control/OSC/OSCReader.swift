/// Parses OSC 1.0 datagrams.
package struct OSCReader {
  /// Why a datagram is not valid.
  package enum Malformed: Error, Hashable {
    case truncated
    case notPacket
    case typeTag(UInt8)
    case unclosedArray
    case tooDeep
    case trailingBytes
  }

  /// The maximum nesting of bundles, and of arrays.
  static let maximumDepth = 16

  private var rest: ArraySlice<UInt8>

  private init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  package static func read(_ bytes: [UInt8]) throws(Malformed) -> OSCPacket {
    try packet(bytes[...], depth: 0)
  }

  private static func packet(
    _ bytes: ArraySlice<UInt8>, depth: Int
  ) throws(Malformed) -> OSCPacket {
    guard depth < maximumDepth else { throw .tooDeep }
    var reader = OSCReader(bytes)
    guard !bytes.isEmpty, bytes.count % 4 == 0 else { throw .truncated }
    if bytes.first == UInt8(ascii: "/") { return .message(try reader.message()) }
    guard try reader.string() == "#bundle" else { throw .notPacket }
    let time = OSCTimeTag(value: try reader.word64())
    var packets: [OSCPacket] = []
    while !reader.rest.isEmpty {
      let size = Int(try reader.word())
      guard size <= reader.rest.count else { throw .truncated }
      packets.append(try packet(reader.rest.prefix(size), depth: depth + 1))
      reader.rest = reader.rest.dropFirst(size)
    }
    return .bundle(time, packets)
  }

  private mutating func message() throws(Malformed) -> OSCMessage {
    let address = try string()
    // Old senders omit the type tags of messages without arguments.
    guard !rest.isEmpty else { return OSCMessage(address: address, arguments: []) }
    var tags = Array(try string().utf8)[...]
    guard tags.popFirst() == UInt8(ascii: ",") else { throw .notPacket }
    let arguments = try arguments(&tags, depth: 0)
    guard tags.isEmpty else { throw .unclosedArray }
    guard rest.isEmpty else { throw .trailingBytes }
    return OSCMessage(address: address, arguments: arguments)
  }

  /// Parses arguments up to the end of the tags or of the array.
  private mutating func arguments(
    _ tags: inout ArraySlice<UInt8>, depth: Int
  ) throws(Malformed) -> [OSCArgument] {
    guard depth < Self.maximumDepth else { throw .tooDeep }
    var arguments: [OSCArgument] = []
    while let tag = tags.popFirst() {
      switch tag {
      case UInt8(ascii: "["): arguments.append(.array(try self.arguments(&tags, depth: depth + 1)))
      case UInt8(ascii: "]"):
        guard depth > 0 else { throw .unclosedArray }
        return arguments
      default: arguments.append(try argument(tag))
      }
    }
    guard depth == 0 else { throw .unclosedArray }
    return arguments
  }

  private mutating func argument(_ tag: UInt8) throws(Malformed) -> OSCArgument {
    switch tag {
    case UInt8(ascii: "i"): .int32(Int32(bitPattern: try word()))
    case UInt8(ascii: "f"): .float32(Float(bitPattern: try word()))
    case UInt8(ascii: "s"): .string(try string())
    case UInt8(ascii: "b"): .blob(try blob())
    case UInt8(ascii: "h"): .int64(Int64(bitPattern: try word64()))
    case UInt8(ascii: "t"): .timeTag(OSCTimeTag(value: try word64()))
    case UInt8(ascii: "d"): .float64(Double(bitPattern: try word64()))
    case UInt8(ascii: "S"): .symbol(try string())
    case UInt8(ascii: "c"): .character(try word())
    case UInt8(ascii: "r"): .color(try word())
    case UInt8(ascii: "m"): .midi(try word())
    case UInt8(ascii: "T"): .boolean(true)
    case UInt8(ascii: "F"): .boolean(false)
    case UInt8(ascii: "N"): .null
    case UInt8(ascii: "I"): .infinitum
    default: throw .typeTag(tag)
    }
  }

  // MARK: Basic types

  private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw .truncated }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  private mutating func word() throws(Malformed) -> UInt32 {
    try take(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  private mutating func word64() throws(Malformed) -> UInt64 {
    try take(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A string up to its zero, padded to a multiple of four bytes.
  private mutating func string() throws(Malformed) -> String {
    guard let end = rest.firstIndex(of: 0) else { throw .truncated }
    let length = end - rest.startIndex
    let bytes = try take(length)
    _ = try take(4 - length % 4)
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func blob() throws(Malformed) -> [UInt8] {
    let length = Int(try word())
    let bytes = Array(try take(length))
    _ = try take((4 - length % 4) % 4)
    return bytes
  }
}
