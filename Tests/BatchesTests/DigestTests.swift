import Testing

@testable import Batches

struct DigestTests {
  /// The examples of FIPS 180-2.
  @Test func `a digest is that of the standard`() throws {
    #expect(Hashing.refusal == nil)
    #expect(
      Hashing.digest(Array("abc".utf8)).description
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      Hashing.digest([]).description
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func `a digest is read as it is written`() throws {
    let digest = Hashing.digest([1, 2, 3])
    #expect(Digest(digest.description.utf8) == digest)
    #expect(Digest("12".utf8) == nil)
    #expect(Digest((digest.description + "0").utf8) == nil)
  }

  @Test func `two lists of texts are never hashed alike`() {
    var one = Hashing()
    one.add("a")
    one.add("bc")
    var other = Hashing()
    other.add("ab")
    other.add("c")
    let (first, second) = (one.finish(), other.finish())
    #expect(first != second)
  }
}
