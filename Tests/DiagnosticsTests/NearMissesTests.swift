import Diagnostics
import Testing

struct NearMissesTests {
  private let keys = ["nodes", "connections", "session", "streamFormat", "streamFormats", "taps"]

  @Test func `a typing mistake is understood`() {
    #expect(nearMisses(to: "node", among: keys) == ["nodes"])
    #expect(nearMisses(to: "ndoes", among: keys) == ["nodes"])
    #expect(nearMisses(to: "conections", among: keys) == ["connections"])
    #expect(nearMisses(to: "steramFormats", among: keys) == ["streamFormats", "streamFormat"])
  }

  @Test func `case alone is the nearest miss`() {
    #expect(nearMisses(to: "streamformat", among: keys) == ["streamFormat", "streamFormats"])
    #expect(nearMisses(to: "eq", among: ["Eqx", "EQ"]) == ["EQ", "Eqx"])
  }

  @Test func `a name that is right, far off, empty or endless gets no guess`() {
    #expect(nearMisses(to: "nodes", among: ["nodes"]) == [])
    #expect(nearMisses(to: "timeline", among: keys) == [])
    #expect(nearMisses(to: "x", among: ["y", "z"]) == [])
    #expect(nearMisses(to: "", among: ["", "a"]) == [])
    let endless = String(repeating: "n", count: 1_000_000)
    #expect(nearMisses(to: endless, among: [endless + "n"]) == [])
  }

  @Test func `names equally near keep their order, and at most three are given`() {
    #expect(
      nearMisses(to: "buss", among: ["busx", "bus4", "bus3", "bus2"]) == ["busx", "bus4", "bus3"])
    #expect(nearMisses(to: "buss", among: ["bus1", "bus1"]) == ["bus1"])
  }

  @Test func `the question names what was meant`() {
    #expect(didYouMean("node", among: keys) == "did you mean 'nodes'?")
    #expect(
      didYouMean("streamformat", among: keys) == "did you mean 'streamFormat' or 'streamFormats'?")
    #expect(didYouMean("timeline", among: keys) == nil)
  }

  @Test func `a quoted name is short and safe to print`() {
    #expect(quoted("eq") == "'eq'")
    #expect(quoted("a\u{1B}b\n") == "'a\\u{1B}b\\n'")
    #expect(
      quoted(String(repeating: "a", count: 1_000)) == "'\(String(repeating: "a", count: 80))...'")
  }
}
