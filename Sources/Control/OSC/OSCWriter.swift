extension OSCPacket {
  /// The datagram.
  var bytes: [UInt8] {
    switch self {
    case .message(let message): return message.bytes
    case .bundle(let time, let packets):
      return packets.reduce(oscString("#bundle") + bigEndian(time.value)) { bytes, packet in
        let part = packet.bytes
        return bytes + bigEndian(UInt32(part.count)) + part
      }
    }
  }
}

extension OSCMessage {
  fileprivate var bytes: [UInt8] {
    oscString(address) + oscString("," + arguments.map(\.tag).joined())
      + arguments.flatMap(\.bytes)
  }
}

extension OSCArgument {
  fileprivate var tag: String {
    switch self {
    case .int32: "i"
    case .float32: "f"
    case .string: "s"
    case .blob: "b"
    case .int64: "h"
    case .timeTag: "t"
    case .float64: "d"
    case .symbol: "S"
    case .character: "c"
    case .color: "r"
    case .midi: "m"
    case .boolean(let value): value ? "T" : "F"
    case .null: "N"
    case .infinitum: "I"
    case .array(let values): "[" + values.map(\.tag).joined() + "]"
    }
  }

  fileprivate var bytes: [UInt8] {
    switch self {
    case .int32(let value): bigEndian(UInt32(bitPattern: value))
    case .float32(let value): bigEndian(value.bitPattern)
    case .string(let text), .symbol(let text): oscString(text)
    case .blob(let bytes):
      bigEndian(UInt32(bytes.count)) + bytes
        + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    case .int64(let value): bigEndian(UInt64(bitPattern: value))
    case .timeTag(let time): bigEndian(time.value)
    case .float64(let value): bigEndian(value.bitPattern)
    case .character(let value), .color(let value), .midi(let value): bigEndian(value)
    case .boolean, .null, .infinitum: []
    case .array(let values): values.flatMap(\.bytes)
    }
  }
}

private func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
  (0..<Value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

/// Terminated by at least one zero, padded to a multiple of four bytes.
private func oscString(_ text: String) -> [UInt8] {
  let bytes = Array(text.utf8)
  return bytes + [UInt8](repeating: 0, count: 4 - bytes.count % 4)
}
