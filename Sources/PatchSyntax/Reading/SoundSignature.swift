import Diagnostics

/// Recognizes sound files by their first bytes, to report one that is given for a patch.
enum SoundSignature {
  /// The name of a sound file's format; `nil` for no sound file.
  static func name(of bytes: [UInt8]) -> String? {
    func has(_ text: StaticString, at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: text.description.utf8)
    }
    if has("RIFF") || has("RF64") || has("RIFX") { return has("WAVE", at: 8) ? "WAV" : nil }
    if has("FORM") { return has("AIFF", at: 8) || has("AIFC", at: 8) ? "AIFF" : nil }
    if has("fLaC") { return "FLAC" }
    if has("OggS") { return "Ogg" }
    if has("caff") { return "CAF" }
    if has(".snd") { return "AU" }
    if has("ID3") { return "MP3" }
    if has("ftypM4A", at: 4) || has("ftypmp4", at: 4) { return "M4A" }
    if has("wvpk") { return "WavPack" }
    // A frame of MPEG audio, layer III: eleven bits that are set, version and layer.
    if bytes.count > 3, bytes[0] == 0xFF, [0xFA, 0xFB, 0xF2, 0xF3].contains(bytes[1]) {
      return "MP3"
    }
    return nil
  }
}

extension Diagnostic {
  static func soundFile(_ kind: String, named name: String) -> Diagnostic {
    let file = name.contains("'") || name == "<stdin>" ? "FILE" : name
    return SyntaxRules.soundFile.diagnostic(
      "this is a sound file (\(Message(kind))), and no patch", at: 0..<0,
      label: "a patch is a text in JSON",
      help: [
        "to hear it: patchrun new one-callback | patchrun - --set "
          + "'/callbacks/sound={ \"kind\": \"file\", \"path\": \"\(file)\" }'",
        "in a patch it is a callback: { \"kind\": \"file\", \"path\": \"\(file)\" }",
      ])
  }
}
