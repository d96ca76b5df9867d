/// An OSC 1.0 packet.
package enum OSCPacket: Hashable, Sendable {
  case message(OSCMessage)
  /// Packets that take effect together at a time.
  indirect case bundle(OSCTimeTag, [OSCPacket])
}

package struct OSCMessage: Hashable, Sendable {
  /// An address or an address pattern. It begins with a slash.
  var address: String
  var arguments: [OSCArgument]
}

/// The argument types of the specification, with the non-standard types in its table.
package enum OSCArgument: Hashable, Sendable {
  case int32(Int32)
  case float32(Float)
  case string(String)
  case blob([UInt8])
  case int64(Int64)
  case timeTag(OSCTimeTag)
  case float64(Double)
  case symbol(String)
  case character(UInt32)
  case color(UInt32)
  case midi(UInt32)
  case boolean(Bool)
  case null
  case infinitum
  case array([OSCArgument])
}

/// A time: seconds since the beginning of 1900, and a 32-bit fraction of a second.
package struct OSCTimeTag: Hashable, Sendable {
  var value: UInt64

  /// The special value for "at once".
  static var immediately: OSCTimeTag { OSCTimeTag(value: 1) }

  /// Seconds from the beginning of 1900 to that of 1970.
  private static let epoch = 2_208_988_800.0

  init(value: UInt64) { self.value = value }

  /// - Parameter unixTime: Seconds since the beginning of 1970.
  init(unixTime: Double) {
    let seconds = max(0, unixTime + Self.epoch)
    let whole = seconds.rounded(.down)
    let fraction = ((seconds - whole) * 0x1p32).rounded(.down)
    value = UInt64(truncatingIfNeeded: Int64(min(whole, 0x1p32 - 1))) << 32 | UInt64(fraction)
  }

  /// Seconds since the beginning of 1970.
  var unixTime: Double {
    Double(value >> 32) + Double(value & 0xFFFF_FFFF) * 0x1p-32 - Self.epoch
  }
}
