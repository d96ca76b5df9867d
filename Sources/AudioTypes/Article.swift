/// A noun with its indefinite article, as spoken: `a Delay`, `an iPodEQ`, `an NBandEQ`.
public func withArticle(_ noun: String) -> String {
  noun.isEmpty ? noun : "\(article(for: noun)) \(noun)"
}

/// The indefinite article of a noun, as spoken.
///
/// A capital before another capital is spoken as a letter.
public func article(for noun: String) -> String {
  let letters = Array(noun.prefix(2))
  guard let first = letters.first else { return "a" }
  let isSpelled =
    letters.count > 1 && first.isUppercase && letters[1].isUppercase
    && first.isASCII && letters[1].isASCII
  let vowels = isSpelled ? "AEFHILMNORSX" : "AEIOUaeiou"
  return vowels.contains(first) ? "an" : "a"
}
