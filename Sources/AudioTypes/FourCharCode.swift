/// Four ASCII characters in one number, most significant first, as Core Audio names formats and
/// components.
public struct FourCharCode: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  public var rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The code of exactly four printable ASCII characters; `nil` for any other text.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 4, bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
    rawValue = bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The four characters, or `nil` where one of them does not print.
  public var text: String? {
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> UInt32($0)) }
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension FourCharCode: ExpressibleByStringLiteral {
  /// - Precondition: Four printable ASCII characters.
  public init(stringLiteral text: StaticString) {
    guard let code = FourCharCode(text.description) else {
      preconditionFailure("a four-char code is four printable ASCII characters")
    }
    self = code
  }
}

extension FourCharCode: CustomStringConvertible {
  /// `'lpcm'`, or `0x` and eight digits where a character does not print.
  public var description: String {
    if let text { return "'\(text)'" }
    return "0x" + hexadecimal(rawValue)
  }
}

/// Eight upper-case hexadecimal digits.
func hexadecimal(_ value: UInt32) -> String {
  let digits = String(value, radix: 16, uppercase: true)
  return String(repeating: "0", count: 8 - digits.count) + digits
}
