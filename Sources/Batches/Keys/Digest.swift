import CCrypto

/// A SHA-256 digest.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
  /// Big-endian words, the first eight bytes first.
  var words: (UInt64, UInt64, UInt64, UInt64)

  /// 64 hexadecimal digits.
  public var description: String {
    [words.0, words.1, words.2, words.3].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// The first half, for tables in memory.
  var short: ShortDigest { ShortDigest(high: words.0, low: words.1) }

  /// Parses 64 hexadecimal digits; `nil` for anything else.
  public init?(_ text: some Sequence<UInt8>) {
    var found: [UInt64] = [0, 0, 0, 0]
    var count = 0
    for byte in text {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      guard count < 64 else { return nil }
      found[count / 16] = found[count / 16] << 4 | UInt64(digit)
      count += 1
    }
    guard count == 64 else { return nil }
    words = (found[0], found[1], found[2], found[3])
  }

  init(bytes: [UInt8]) {
    precondition(bytes.count == 32, "a digest has 32 bytes")
    func word(_ start: Int) -> UInt64 {
      bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    words = (word(0), word(8), word(16), word(24))
  }

  public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// Half of a digest, for tables with millions of entries.
struct ShortDigest: Hashable, Comparable, Sendable {
  var high: UInt64
  var low: UInt64

  static func < (left: ShortDigest, right: ShortDigest) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

/// Computes a digest incrementally.
///
/// `@safe`: it owns its context, and passes only existing bytes to libcrypto.
@safe
public struct Hashing: ~Copyable {
  private let context: OpaquePointer?

  /// Why hashing is impossible; `nil` if it is possible.
  public static var refusal: String? {
    guard let reason = unsafe ccrypto_load() else { return nil }
    return unsafe "libcrypto, which makes keys, cannot be loaded (\(String(cString: reason)))"
  }

  /// May be called only if `refusal` is `nil`.
  public init() {
    unsafe context = EVP_MD_CTX_new()
    _ = unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  public mutating func add(_ bytes: ArraySlice<UInt8>) {
    unsafe bytes.withUnsafeBytes {
      _ = unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
    }
  }

  public mutating func add(_ bytes: [UInt8]) { add(bytes[...]) }

  /// Adds a text with its length in front, so that different lists of texts give different digests.
  public mutating func add(_ text: String) {
    add(Array("\(text.utf8.count):".utf8))
    add(Array(text.utf8))
  }

  mutating func add(_ digest: Digest) { add(digest.description) }

  /// The digest. May be called once.
  public mutating func finish() -> Digest {
    var bytes = [UInt8](repeating: 0, count: 64)
    var count: UInt32 = 0
    _ = unsafe EVP_DigestFinal_ex(context, &bytes, &count)
    return Digest(bytes: Array(bytes[..<32]))
  }

  public static func digest(_ bytes: [UInt8]) -> Digest {
    var hashing = Hashing()
    hashing.add(bytes)
    return hashing.finish()
  }
}
