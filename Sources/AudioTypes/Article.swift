/// A noun with the indefinite article that it is spoken with: `a Delay`, `an iPodEQ`, `an NBandEQ`.
public func withArticle(_ noun: String) -> String {
  noun.isEmpty ? noun : "\(article(for: noun)) \(noun)"
}

/// The indefinite article that a noun is spoken with.
///
/// Capitals that are followed by another one are spoken as letters.
public func article(for noun: String) -> String {
  let letters = Array(noun.prefix(2))
  guard let first = letters.first else { return "a" }
  let isSpelled =
    letters.count > 1 && first.isUppercase && letters[1].isUppercase
    && first.isASCII && letters[1].isASCII
  let vowels = isSpelled ? "AEFHILMNORSX" : "AEIOUaeiou"
  return vowels.contains(first) ? "an" : "a"
}
