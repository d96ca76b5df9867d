/// The 64-bit FNV-1a hash. Different bytes rarely have the same hash; it is not cryptographic.
public enum ContentHash {
  /// The published basis of the hash.
  public static let basis: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The hash as 16 hexadecimal digits, in lower case.
  ///
  /// - Parameter basis: The initial value of the hash. A different basis gives different digits.
  public static func digits(
    _ bytes: some Sequence<UInt8>, basis: UInt64 = ContentHash.basis
  ) -> String {
    var hash = basis
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
