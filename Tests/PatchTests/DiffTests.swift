import TestSupport
import Testing

@Suite struct DiffTests {
  @Test func `diff says what is different, and ends with 1 where there is something`() throws {
    let place = try Workplace()
    try place.write(TestPatch.noise(), to: "old.json")
    try place.write(TestPatch.noise().replacing("0.5", with: "0.25"), to: "new.json")
    let outcome = try place.run("diff", "old.json", "new.json")
    #expect(outcome.status == 1)
    #expect(
      outcome.output
        == "~ parameter 'volume' of 'mixer', input 0: 0.5 -> 0.25  "
        + "(/nodes/mixer/inputs/0/parameters/volume)\n\n"
        + "ramp: 'volume' of 'mixer' goes from 0.5 to 0.25  "
        + "(/nodes/mixer/inputs/0/parameters/volume)\n")
    let patch = try place.run("diff", "--json", "old.json", "new.json")
    #expect(patch.status == 1)
    #expect(
      patch.output == """
        [
          { "op": "replace", "path": "/nodes/mixer/inputs/0/parameters/volume", "value": 0.25 }
        ]

        """)
    #expect(
      try place.run("diff", "--format", "patch", "old.json", "new.json").output == patch.output)
    let all = try place.run("diff", "--format", "json", "old.json", "new.json")
    #expect(
      all.output == """
        {
          "heard": "ramp",
          "changes": [
            {
              "pointer": "/nodes/mixer/inputs/0/parameters/volume",
              "heard": "ramp",
              "text": "'volume' of 'mixer' goes from 0.5 to 0.25"
            }
          ],
          "operations": [
            { "op": "replace", "path": "/nodes/mixer/inputs/0/parameters/volume", "value": 0.25 }
          ]
        }

        """)
    let same = try place.shell("\"$PATCHRUN\" diff - old.json < old.json").wait()
    #expect(same.status == 0)
    #expect(same.output.isEmpty)
  }

  @Test func `how a change is heard is said where both patches are right`() throws {
    let place = try Workplace()
    try place.write(TestPatch.noise(), to: "old.json")
    try place.write(TestPatch.noise().replacing("0.5", with: "0.50"), to: "same.json")
    try place.write(
      TestPatch.noise().replacing("\"nodes\"", with: "\"title\": \"x\", \"nodes\""),
      to: "title.json")
    try place.write(TestPatch.noise().replacing("0.5", with: "\"half\""), to: "wrong.json")
    let same = try place.run("diff", "old.json", "same.json")
    #expect(same.status == 0 && same.output.isEmpty)
    #expect(
      try place.run("diff", "old.json", "title.json").output
        .hasSuffix("\n\nnothing is heard: the title becomes 'x'  (/title)\n"))
    let wrong = try place.run("diff", "old.json", "wrong.json")
    #expect(wrong.status == 1)
    #expect(wrong.output.hasPrefix("~ parameter 'volume'"))
    #expect(wrong.errors.contains("cannot be said: 'wrong.json' is wrong"))
    #expect(
      try place.run("diff", "--format", "json", "old.json", "wrong.json").output.contains(
        "\"heard\": null"))
  }

  @Test func `what cannot be compared is neither the same nor different`() throws {
    let place = try Workplace()
    try place.write("{}", to: "old.json")
    try place.write("{ \"a\" 1 }", to: "wrong.json")
    let outcome = try place.run("diff", "old.json", "wrong.json")
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("PR0008"))
    #expect(outcome.output.isEmpty)
    #expect(try place.run("diff", "old.json", "missing.json").status == 3)
    #expect(try place.run("diff", "-", "-").status == 2)
  }
}
