import TestSupport
import Testing

@Suite struct NewTests {
  @Test func `new lists the patterns, and writes one that validates`() throws {
    let place = try Workplace()
    let list = try place.run("new")
    #expect(list.status == 0)
    #expect(list.output.split(separator: "\n").count == 10)
    #expect(list.output.contains("\nmixer-host    two sounds"))
    #expect(try place.run("new", "mixer-host", "-o", "mix.json").status == 0)
    #expect(try place.run("validate", "--deny-warnings", "mix.json").status == 0)
    #expect(Array(try place.run("new", "mixer-host").output.utf8) == (try place.bytes("mix.json")))
  }

  @Test func `a new patch takes no other's place`() throws {
    let place = try Workplace()
    try place.write("mine", to: "mix.json")
    let outcome = try place.run("new", "eq", "-o", "mix.json")
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("'mix.json' is there already"))
    #expect(try place.bytes("mix.json") == Array("mine".utf8))
  }

  @Test func `a pattern that there is not is answered with those that there are`() throws {
    let place = try Workplace()
    let outcome = try place.run("new", "mixerhost")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("did you mean 'mixer-host'?"))
    #expect(try place.run("new", "-o", "x.json").status == 2)
  }

  @Test func `an offline one is rendered as it is`() throws {
    let place = try Workplace()
    try place.run("new", "offline", "-o", "offline.json")
    let outcome = try place.run("render", "offline.json", "-o", "out.wav")
    #expect(outcome.status == 0)
    #expect(try place.samples("out.wav").count == 2 * 5 * 44100)
  }
}
