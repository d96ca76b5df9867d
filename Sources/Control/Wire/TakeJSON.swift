import PatchSyntax

extension ControlTake {
  /// The last component of the path.
  var name: String { file.split(separator: "/").last.map(String.init) ?? file }

  var mediaType: String {
    switch name.lowercased().split(separator: ".").last {
    case "wav", "wave", "rf64", "w64": "audio/wav"
    case "flac": "audio/flac"
    case "ogg", "oga", "opus": "audio/ogg"
    case "mp3": "audio/mpeg"
    case "aif", "aiff", "aifc": "audio/aiff"
    case "caf": "audio/x-caf"
    case "au": "audio/basic"
    default: "application/octet-stream"
    }
  }

  var json: JSONText {
    [
      "number": .number(number), "file": .string(file), "name": .string(name),
      "duration": .number(duration.rounded(digits: 3)), "frames": .number(frames),
    ]
  }
}

extension ControlShares {
  /// The answer of `GET /shares`.
  var json: JSONText {
    [
      "seconds": .number(seconds.rounded(digits: 3)),
      "shares": .array(
        shares.map { share in
          let part: JSONText =
            switch share.part {
            case .node(let name): ["node": .string(name)]
            case .callback(let name): ["callback": .string(name)]
            case .tap(let name): ["tap": .string(name)]
            case .conversion: ["conversion": true]
            }
          return part.adding([
            "share": .number(share.share.rounded(digits: 5)),
            "load": .number(share.load.rounded(digits: 7)),
          ])
        }),
    ]
  }
}
