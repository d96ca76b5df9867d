import PatchGraph
import PatchSyntax
import Testing

@Suite struct ConversationTests {
  private func isConversation(_ node: String) throws -> Bool {
    let text = #"{ "nodes": { "io": { \#(node) } } }"#
    let document = try #require(
      PatchReader.read(bytes: Array(text.utf8), name: "test.json").document)
    return PatchBuilder.request(of: document).isConversation
  }

  @Test func `a voice unit asks others to be quieter, unless told otherwise`() throws {
    #expect(try isConversation(#""component": "voiceProcessingIO""#))
    #expect(
      try isConversation(
        #""component": "vpio", "properties": { "duckNonVoiceAudio": true }"#))
    #expect(
      try !isConversation(
        #""component": "vpio", "properties": { "duckNonVoiceAudio": false }"#))
    #expect(
      try !isConversation(
        """
        "component": "vpio", "properties": { "kAUVoiceIOProperty_DuckNonVoiceAudio": 0 }
        """))
    #expect(try !isConversation(#""component": "remoteIO""#))
  }
}
