import AudioTypes
import AudioUnits
import Foundation
import PatchGraph
import PatchSyntax
import TestSupport

// MARK: The patch as a whole

extension PatchMutation {
  static let patchMutations: [PatchMutation] = [
    PatchMutation("a key of the patch is unknown") { document, _ in
      document["mixers"] = [:]
      return [["mixers"]]
    },
    PatchMutation("a key of an object is misspelt") { document, random in
      let keys = [
        "sample", "channels", "sampleRate", "component", "from", "to", "category",
        "preferredSampleRate", "at", "ramp", "duration", "interleaved", "title",
      ]
      let places = document.paths.filter { path in
        guard let key = path.last, keys.contains(key) else { return false }
        // Settings of callbacks have their own mutations.
        return path.first != "callbacks" && path.count != 2 || path.first == "session"
      }
      guard let place = places.any(&random), let key = place.last else { return nil }
      let wrong = key == "at" ? "att" : misspelt(key, &random)
      document.rename(place, to: wrong)
      return [Array(place.dropLast()) + [wrong]]
    },
    PatchMutation("a schema that there is not") { document, _ in
      document["schemaVersion"] = 2
      return [["schemaVersion"]]
    },
    PatchMutation("a value is of another type") { document, random in
      let wrong: [(String, JSONText)] = [
        ("title", 7), ("session", "48000"), ("streamFormats", []), ("callbacks", [1]),
        ("nodes", []),
        ("connections", [:]), ("taps", false), ("timeline", .null),
      ]
      guard
        let (key, value) = wrong.filter({ document[$0.0] != nil }).any(&random)
      else { return nil }
      document[key] = value
      return [[key]]
    },
    PatchMutation("an object inside is of another type") { document, random in
      let places = document.places(of: "inputs", "outputs", "properties", "parameters", "constants")
        .filter { $0.first == "nodes" }
      guard let place = places.any(&random) else { return nil }
      document[place] = ["[]", 3, [1, 2]].any(&random)
      // Its lost settings cause no further errors.
      return [place]
    },
    PatchMutation("a comment is no text") { document, _ in
      document["comment"] = 3
      return [["comment"]]
    },
    PatchMutation("a category that there is not") { document, random in
      // A misspelling of the right one: another category might not permit what the patch does.
      var category = "loud"
      if case .string(let text) = document["session", "category"] { category = text }
      document["session", "category"] = [
        .string(String(category.dropLast())), .string(category.uppercased()), "loud",
      ].any(&random)
      return [["session", "category"]]
    },
    PatchMutation("a rate that is none is preferred") { document, random in
      document["session", "preferredSampleRate"] = [-1, 0, "fast", .null, 48, 1e9].any(&random)
      return [["session", "preferredSampleRate"]]
    },
    PatchMutation("a duration that is none is preferred") { document, random in
      document["session", "preferredIOBufferDuration"] = [-0.005, 0, [], true].any(&random)
      return [["session", "preferredIOBufferDuration"]]
    },
    PatchMutation("the category forbids to play") { document, _ in
      let view = PatchView(document)
      guard view.isDevice, let head = view.head?.name,
        view.connections.contains(where: { $0.to.node == head })
      else { return nil }
      document["session", "category"] = "record"
      return [["session", "category"]]
    },
    PatchMutation("the category forbids to hear") { document, _ in
      let view = PatchView(document)
      guard let head = view.head?.name,
        document["nodes", head, "inputs", "1", "properties", "enableIO"] == true,
        document["nodes", head, "outputs", "0", "properties", "enableIO"] == nil
      else { return nil }
      document["session", "category"] = "playback"
      return [["session", "category"]]
    },
  ]
}

// MARK: Names

extension PatchMutation {
  static let nameMutations: [PatchMutation] = [
    PatchMutation("a component is misspelt") { document, random in
      let places = document.places(of: "component").filter { (document[$0]?.text?.count ?? 0) > 4 }
      guard let place = places.any(&random), let text = document[place]?.text else { return nil }
      document[place] = .string(misspelt(text, &random))
      return [place]
    },
    PatchMutation("a component's codes find several, or none") { document, random in
      guard let place = document.places(of: "component").any(&random) else { return nil }
      document[place] =
        [
          ["type": "aumx"], ["type": "auou"], ["subtype": "abcd"],
          ["type": "aumx", "subtype": "ipeq"],
          ["manufacturer": "appl"],
        ].any(&random)
      return [place]
    },
    PatchMutation("a component has codes that are none") { document, random in
      guard let place = document.places(of: "component").any(&random) else { return nil }
      document[place] = [["type": "mixer"], ["subtype": "mcmxx"], ["subtype": -5]].any(&random)
      return [place]
    },
    PatchMutation("a second output unit") { document, random in
      document["nodes", "second"] = ["component": ["rioc", "genr", "vpio"].any(&random) ?? "rioc"]
      return [["nodes", "second"]]
    },
    // Without it nothing is pulled, and callbacks that fed only it feed nothing.
    PatchMutation("no output unit", also: ["PR0205"]) { document, _ in
      guard let head = PatchView(document).head?.name, document["nodes"]?.count != 1 else {
        return nil
      }
      document["nodes", head] = nil
      document["taps"] = nil
      document["timeline"] = nil
      document["callbacks"] = document["callbacks"].map { callbacks in
        .object(
          callbacks.members.filter { member in
            var from = member.value["from"]?.text
            while let name = from.map({ PatchView(document).address($0).node }) {
              if name == head { return false }
              from = callbacks[name, "from"]?.text
            }
            return true
          })
      }
      let view = PatchView(document)
      document["connections"] = .array(
        zip(document["connections"]?.values ?? [], view.connections)
          .filter { _, feed in
            feed.from.node != head && feed.to.node != head
              && (document["nodes", feed.from.node] != nil || view.isCallback(feed.from.node))
          }.map(\.0))
      return [["nodes"]]
    },
    PatchMutation("a node and a callback of one name") { document, random in
      guard let node = (document["nodes"]?.members.map(\.name) ?? []).any(&random) else {
        return nil
      }
      document["callbacks", node] = ["kind": "silence"]
      return [["nodes", node], ["callbacks", node]]
    },
    PatchMutation("a name with a colon") { document, _ in
      document["nodes", "a:b"] = ["component": "mcmx"]
      return [["nodes", "a:b"]]
    },
    PatchMutation("a name that is empty") { document, random in
      document[["nodes", "callbacks"].any(&random) ?? "nodes", ""] = [
        "component": "mcmx", "kind": "silence",
      ]
      document["nodes", "", "kind"] = nil
      document["callbacks", "", "component"] = nil
      return [["nodes", ""], ["callbacks", ""]]
    },
    PatchMutation("a source is misspelt") { document, random in
      guard let feed = PatchView(document).connections.any(&random) else { return nil }
      document[feed.path + ["from"]] = .string(
        "nosuch\(feed.from.bus == 0 ? "" : ":\(feed.from.bus)")")
      return [feed.path + ["from"]]
    },
    PatchMutation("a destination is misspelt") { document, random in
      guard let feed = PatchView(document).connections.any(&random) else { return nil }
      document[feed.path + ["to"]] = .string("nosuch:\(feed.to.bus)")
      return [feed.path + ["to"]]
    },
    PatchMutation("an element is called what none is called") { document, random in
      guard let feed = PatchView(document).connections.any(&random) else { return nil }
      document[feed.path + ["to"]] = .string("\(feed.to.node):nosuch element")
      return [feed.path + ["to"]]
    },
    PatchMutation("two elements have the name that is meant") { document, random in
      guard let feed = PatchView(document).connections.any(&random),
        let unit = PatchView(document).nodes.first(where: { $0.name == feed.to.node })?.unit,
        case let given = document["nodes", feed.to.node, "inputCount"].flatMap({ Int($0.compact) }),
        given ?? unit.description.inputs.count > feed.to.bus + 1
      else { return nil }
      func name(_ bus: Int) -> [String] {
        ["nodes", feed.to.node, "inputs", "\(bus)", "properties", "elementName"]
      }
      // What connects to it by a name that it has would be wrong, too.
      guard document[name(feed.to.bus + 1)] == nil else { return nil }
      for bus in [feed.to.bus, feed.to.bus + 1] { document[name(bus)] = "twice" }
      document[feed.path + ["to"]] = .string("\(feed.to.node):twice")
      return [feed.path + ["to"]]
    },
    PatchMutation("an address is none") { document, random in
      guard let feed = PatchView(document).connections.any(&random),
        let end = ["from", "to"].any(&random)
      else { return nil }
      let node = end == "from" ? feed.from.node : feed.to.node
      let texts = ["\(node):x", ":1", "", "\(node):01", "\(node):"].map(JSONText.string)
      document[feed.path + [end]] = (texts + [3]).any(&random)
      return [feed.path + [end]]
    },
  ]
}

// MARK: Settings

extension PatchMutation {
  /// Paths for a parameter: the scope of a bus or of a node, with its unit.
  private static func parameterPlaces(
    _ document: JSONText, where isFit: (ParameterInfo) -> Bool
  ) -> [(path: [String], info: ParameterInfo)] {
    PatchView(document).nodes.flatMap { node, unit in
      unit.description.parameters.filter(isFit).map { info in
        let place =
          switch info.scope {
          case .input: ["inputs", "0"]
          case .output: ["outputs", "0"]
          default: [String]()
          }
        return (["nodes", node] + place + ["parameters", info.key], info)
      }
    }
  }

  private static func misspelling(_ setting: String, in object: String) -> PatchMutation {
    PatchMutation("\(setting) is misspelt") { document, random in
      let places = document.paths.filter {
        $0.dropLast().last == object && $0.count > 3 && $0.last != "comment"
      }
      guard let place = places.any(&random), let key = place.last else { return nil }
      let wrong = misspelt(key, &random)
      document.rename(place, to: wrong)
      return [Array(place.dropLast()) + [wrong]]
    }
  }

  static let settingMutations: [PatchMutation] = [
    misspelling("a property", in: "properties"), misspelling("a parameter", in: "parameters"),
    PatchMutation("a parameter is out of its range") { document, random in
      let places = parameterPlaces(document) { !$0.isReadOnly && $0.isRangeEnforced }
      guard let (path, info) = places.any(&random) else { return nil }
      document[path] = .number(Double(info.range.upperBound) * 2 + 1)
      return [path]
    },
    PatchMutation("a parameter is no number") { document, random in
      let places = parameterPlaces(document) { !$0.isReadOnly && $0.unit != .boolean }
      guard let (path, _) = places.any(&random) else { return nil }
      document[path] = ["loud", .null, [:], true, [1]].any(&random)
      return [path]
    },
    PatchMutation("a parameter is a meter") { document, random in
      guard let (path, _) = parameterPlaces(document, where: \.isReadOnly).any(&random) else {
        return nil
      }
      document[path] = -3
      return [path]
    },
    PatchMutation("a parameter is on a scope that has it not") { document, random in
      let wrong: [[String]] = PatchView(document).nodes("MultichannelMixer").flatMap { node in
        [
          ["nodes", node, "parameters", "volume"],
          ["nodes", node, "outputs", "0", "parameters", "pan"],
        ]
      }
      guard let path = wrong.any(&random) else { return nil }
      document[path] = 0.5
      return [path]
    },
    PatchMutation("a unit has no parameters") { document, random in
      guard
        let node = PatchView(document).nodes("iPodEQ", "remoteIO", "FormatConverter").any(&random)
      else { return nil }
      document["nodes", node, "parameters", "gain"] = 1
      return [["nodes", node, "parameters"]]
    },
    PatchMutation("a unit without hardware names a device") { document, random in
      guard
        let node = PatchView(document).nodes("iPodEQ", "MultichannelMixer", "GenericOutput")
          .any(&random)
      else { return nil }
      document["nodes", node, "device"] = ["sink": "usb"]
      return [["nodes", node, "device"]]
    },
    PatchMutation(
      "a device is named by nothing that could be looked for", also: ["PR0623"]
    ) { document, random in
      guard
        let node = PatchView(document).nodes("remoteIO", "voiceProcessingIO").any(&random),
        let value =
          ([
            "", 5, [:], true, ["descripton": "*USB*"], ["description": ""], ["bus": 1],
          ] as [JSONText]).any(&random)
      else { return nil }
      document["nodes", node, "device", "sink"] = value
      return [["nodes", node, "device"]]
    },
    PatchMutation("a property is of another type") { document, random in
      guard let (node, _) = PatchView(document).nodes.any(&random),
        let (key, values) = [
          ("maximumFramesPerSlice", ["big", 1.5, -4, [], true] as [JSONText]),
          ("offlineRender", [1, "yes", .null]), ("contextName", [5, [], [:]]),
          ("presentPreset", [2.5, true, []]),
        ].any(&random)
      else { return nil }
      document["nodes", node, "properties", key] = values.any(&random)
      return [["nodes", node, "properties", key]]
    },
    PatchMutation("a property is out of its range") { document, random in
      guard let (node, unit) = PatchView(document).nodes.any(&random) else { return nil }
      let isConverter = unit.description.name == "FormatConverter"
      let key = isConverter ? "renderQuality" : "maximumFramesPerSlice"
      document["nodes", node, "properties", key] = isConverter ? 128 : 0
      return [["nodes", node, "properties", key]]
    },
    PatchMutation("a property is on a scope that has it not") { document, random in
      guard let (node, unit) = PatchView(document).nodes.any(&random) else { return nil }
      let path =
        unit.description.name == "MultichannelMixer"
        ? ["nodes", node, "properties", "meteringMode"]
        : ["nodes", node, "outputs", "0", "properties", "maximumFramesPerSlice"]
      document[path] = path.last == "meteringMode" ? true : 4096
      return [path]
    },
    PatchMutation("a property is another unit's") { document, random in
      guard
        let node = PatchView(document).nodes("iPodEQ", "MultichannelMixer", "GenericOutput")
          .any(&random)
      else { return nil }
      document["nodes", node, "properties", "renderQuality"] = 64
      return [["nodes", node, "properties", "renderQuality"]]
    },
    PatchMutation("a property is read-only") { document, random in
      guard let (node, _) = PatchView(document).nodes.any(&random) else { return nil }
      document["nodes", node, "properties", "latency"] = 0.5
      return [["nodes", node, "properties", "latency"]]
    },
    PatchMutation("a preset that there is not") { document, random in
      guard let node = PatchView(document).nodes("iPodEQ").any(&random) else { return nil }
      document["nodes", node, "properties", "presentPreset"] =
        ["Rick", "rock", 23, ["number": 1, "name": "x"], ["number": -1]].any(&random)
      return [["nodes", node, "properties", "presentPreset"]]
    },
    PatchMutation("a bus that there is not is set") { document, random in
      guard let (node, _) = PatchView(document).nodes.any(&random) else { return nil }
      let scope = ["inputs", "outputs"].any(&random) ?? "inputs"
      document["nodes", node, scope, "2000"] = ["properties": ["elementName": "far"]]
      return [["nodes", node, scope, "2000"]]
    },
    PatchMutation("a bus number is none") { document, random in
      guard let (node, _) = PatchView(document).nodes.any(&random) else { return nil }
      let key = ["one", "00", "-1", "99999999999"].any(&random) ?? "one"
      document["nodes", node, "inputs", key] = [:]
      return [["nodes", node, "inputs", key]]
    },
    PatchMutation("a number of buses that the unit cannot have") { document, random in
      guard let (node, unit) = PatchView(document).nodes.any(&random) else { return nil }
      let isMixer = unit.description.inputs.settable != nil
      document["nodes", node, "inputCount"] =
        isMixer ? [0, 100_000].any(&random) : [3, 0].any(&random)
      return [["nodes", node, "inputCount"]]
    },
    PatchMutation("a slice is too large for a unit") { document, random in
      let view = PatchView(document)
      // Nodes without a rate conversion between them and the device.
      var inStep: Set<String> = []
      var queue = [view.head?.name].compactMap(\.self)
      while let name = queue.popLast() {
        for feed in view.links where feed.to.node == name && inStep.insert(feed.from.node).inserted
        {
          if view.nodes("MultichannelMixer", "iPodEQ").contains(feed.from.node) {
            queue.append(feed.from.node)
          }
        }
      }
      let nodes = inStep.intersection(view.nodes("MultichannelMixer", "iPodEQ")).sorted()
      guard let node = nodes.any(&random) else { return nil }
      let key = "maximumFramesPerSlice"
      document["nodes", node, "properties", "kAudioUnitProperty_MaximumFramesPerSlice"] = nil
      document["nodes", node, "properties", key] = 64
      return [["nodes", node, "properties", key]]
    },
    PatchMutation("matrix levels for another number of channels") { document, random in
      let view = PatchView(document)
      let feeds = view.connections.filter {
        view.nodes("MultichannelMixer").contains($0.to.node)
      }
      guard let feed = feeds.any(&random) else { return nil }
      let path = ["nodes", feed.to.node, "inputs", "\(feed.to.bus)", "properties", "matrixLevels"]
      document[Array(path.dropLast(2)) + ["parameters", "pan"]] = nil
      document[path] = [1, 1, 1]
      return [path]
    },
    PatchMutation("a channel map that does not fit") { document, random in
      let view = PatchView(document)
      guard let node = view.nodes("FormatConverter", "remoteIO").any(&random),
        view.pulled.contains(node), view.connections.contains(where: { $0.to.node == node })
      else { return nil }
      let isOff = document["nodes", node, "outputs", "0", "properties", "enableIO"] == false
      guard !isOff else { return nil }
      let path = ["nodes", node, "outputs", "0", "properties", "channelMap"]
      document[path] = [[0, 0, 0, 0, 0, 0, 0, 0, 0], [99], ["left"], [-2]].any(&random)
      return [path]
    },
  ]
}

// MARK: Stream formats

extension PatchMutation {
  /// Buses with a written format that callbacks feed.
  private static func givenInputs(_ document: JSONText, _ units: String...) -> [[String]] {
    let view = PatchView(document)
    let names = view.nodes.filter { units.contains($0.unit.description.name) }.map(\.name)
    return view.fed.filter { names.contains($0.to.node) && view.pulled.contains($0.to.node) }
      .map { ["nodes", $0.to.node, "inputs", "\($0.to.bus)", "streamFormat"] }
  }

  /// The same for callbacks without an input.
  private static func freeInputs(_ document: JSONText, _ units: String...) -> [[String]] {
    let view = PatchView(document)
    let names = view.nodes.filter { units.contains($0.unit.description.name) }.map(\.name)
    return view.fed
      .filter {
        names.contains($0.to.node) && document["callbacks", $0.from.node, "from"]?.text == nil
          && view.pulled.contains($0.to.node)
      }
      .map { ["nodes", $0.to.node, "inputs", "\($0.to.bus)", "streamFormat"] }
  }

  static let formatMutations: [PatchMutation] = [
    PatchMutation("a format's name is not defined") { document, random in
      let places = document.places(of: "streamFormat").filter {
        $0.count > 1 && document[$0]?.text != nil
      }
      guard let place = places.any(&random) else { return nil }
      document[place] = "nosuch"
      return [place]
    },
    PatchMutation("a sample type that there is not") { document, random in
      let places = document.formats.filter { document[$0 + ["sample"]] != nil }
      guard let place = places.any(&random) else { return nil }
      // The edit that is offered puts right what was another type as little as it can.
      let isFloat = document[place + ["sample"]]?.compact == "\"float32\""
      let near: [JSONText] = isFloat ? ["flaot32", "float64"] : []
      document[place + ["sample"]] = (near + ["pcm", 16]).any(&random)
      return [place + ["sample"]]
    },
    PatchMutation("a number of channels that there is not") { document, random in
      let places = document.formats.filter { document[$0 + ["channels"]] != nil }
      guard let place = places.any(&random) else { return nil }
      let quoted = document[place + ["channels"]].map { JSONText.string($0.compact) }
      document[place + ["channels"]] = ([0, -1, 2000, 1.5] + [quoted].compactMap(\.self))
        .any(&random)
      return [place + ["channels"]]
    },
    PatchMutation("a rate that there is not") { document, random in
      guard let place = document.formats.any(&random) else { return nil }
      let key = document[place + ["sample"]] == nil ? "mSampleRate" : "sampleRate"
      document[place + [key]] = [0, -44_100, "fast", 1e9, .null].any(&random)
      return [place + [key]]
    },
    PatchMutation("a format is both short and full") { document, random in
      guard let place = document.formats.any(&random) else { return nil }
      document[place + [document[place + ["sample"]] == nil ? "channels" : "mBitsPerChannel"]] = 2
      return [place]
    },
    PatchMutation("the fields of a format disagree") { document, random in
      let places = document.formats.filter { document[$0 + ["mFormatFlags"]] != nil }
      guard let place = places.any(&random) else { return nil }
      let wrong: [(String, JSONText)] = [
        ("mBytesPerFrame", 3), ("mFramesPerPacket", 2), ("mChannelsPerFrame", 0),
        ("mFormatID", "aac "), ("mBitsPerChannel", 0), ("mFormatFlags", 0x4C),
        ("mFormatFlags", "Float"),
        ("mBytesPerPacket", 99),
      ]
      guard let (key, value) = wrong.any(&random) else { return nil }
      document[place + [key]] = value
      return [place]
    },
    PatchMutation("a key of a format is missing") { document, random in
      let places = document.formats.filter { document[$0 + ["sample"]] != nil }
      guard let place = places.any(&random),
        let key = ["sample", "channels", "sampleRate"].any(&random)
      else { return nil }
      document[place + [key]] = nil
      return [place]
    },
    PatchMutation("a bus has no format") { document, random in
      guard document["streamFormat"] == nil else { return nil }
      let view = PatchView(document)
      let places =
        givenInputs(
          document, "iPodEQ", "MultichannelMixer", "3DMixer", "FormatConverter", "remoteIO",
          "voiceProcessingIO", "GenericOutput")
        + view.nodes("iPodEQ", "FormatConverter").filter(view.pulled.contains)
        .map { ["nodes", $0, "outputs", "0", "streamFormat"] }
      guard let place = places.filter({ document[$0] != nil }).any(&random) else { return nil }
      document[place] = nil
      return [Array(place.prefix(2))]
    },
    PatchMutation("the sides of an equalizer differ") { document, random in
      let view = PatchView(document)
      guard let node = view.nodes("iPodEQ").filter(view.pulled.contains).any(&random) else {
        return nil
      }
      // A format that no other rule refuses at either end.
      let place = ["nodes", node, "outputs", "0", "streamFormat"]
      document[place] = ["sample": "int24", "channels": 1, "sampleRate": 32_000]
      return [["nodes", node]]
    },
    PatchMutation("a connected input is given a format") { document, random in
      let view = PatchView(document)
      guard let feed = view.links.any(&random) else { return nil }
      let place = ["nodes", feed.to.node, "inputs", "\(feed.to.bus)"]
      document[place + ["streamFormat"]] = ["sample": "int16", "channels": 1, "sampleRate": 11_025]
      document[place + ["sampleRate"]] = nil
      return [place + ["streamFormat"]]
    },
    PatchMutation("the side of a device is given a format") { document, random in
      let view = PatchView(document)
      guard view.isDevice, let head = view.head?.name else { return nil }
      let place = [["outputs", "0"], ["inputs", "1"]].any(&random) ?? []
      document[["nodes", head] + place + ["streamFormat"]] = [
        "sample": "int24", "channels": 7, "sampleRate": 12_345,
      ]
      return [["nodes", head] + place]
    },
    // PR0425: a float format leaves nothing to round, if there was dither.
    PatchMutation("an input of a mixer runs at another rate", also: ["PR0425"]) {
      document, random in
      guard let place = freeInputs(document, "MultichannelMixer").any(&random) else { return nil }
      document[place] = ["sample": "float32", "channels": 2, "sampleRate": 32_000]
      return [place]
    },
    // PR0425: a float format leaves nothing to round, if there was dither.
    PatchMutation("the output of a mixer is not stereo", also: ["PR0425"]) {
      document, random in
      guard let node = PatchView(document).nodes("MultichannelMixer", "3DMixer").any(&random) else {
        return nil
      }
      let output = ["nodes", node, "outputs", "0"]
      let rate =
        document[output + ["sampleRate"]] ?? document[output + ["streamFormat", "sampleRate"]]
        ?? 44_100
      document[output + ["sampleRate"]] = nil
      document[output + ["streamFormat"]] = [
        "sample": "float32", "channels": 3, "sampleRate": rate,
      ]
      return [["nodes", node, "outputs", "0"]]
    },
    PatchMutation("an input of a 3D mixer is stereo") { document, random in
      guard let place = freeInputs(document, "3DMixer").any(&random) else { return nil }
      document[Array(place.dropLast()) + ["properties", "spatializationAlgorithm"]] =
        "equalPowerPanning"
      document[place] = ["sample": "int16", "channels": 2, "sampleRate": 44_100]
      return [place]
    },
    // PR0425: a float format leaves nothing to round, if there was dither.
    PatchMutation("an input of a 3D mixer is not of 16-bit integers", also: ["PR0425"]) {
      document, random in
      guard let place = freeInputs(document, "3DMixer").any(&random) else { return nil }
      document[place] = ["sample": "float32", "channels": 1, "sampleRate": 44_100]
      return [place]
    },
    // PR0425: a float format leaves nothing to round, if there was dither.
    PatchMutation("a converter puts out too many channels", also: ["PR0425"]) {
      document, random in
      let view = PatchView(document)
      guard let node = view.nodes("FormatConverter").any(&random) else { return nil }
      document["nodes", node, "outputs", "0", "properties", "channelMap"] = nil
      document["nodes", node, "outputs", "0", "streamFormat"] = [
        "sample": "float32", "channels": 9, "sampleRate": 44_100,
      ]
      return [["nodes", node, "outputs", "0"]]
    },
    // PR0425: a float format leaves nothing to round, if there was dither.
    PatchMutation("an equalizer is fed too many channels", also: ["PR0425"]) {
      document, random in
      guard let place = freeInputs(document, "iPodEQ").any(&random) else { return nil }
      document[place] = ["sample": "float32", "channels": 3, "sampleRate": 44_100]
      return [place]
    },
  ]
}

// MARK: Connections

extension PatchMutation {
  static let connectionMutations: [PatchMutation] = [
    PatchMutation("a connection ends at a bus that there is not") { document, random in
      guard let feed = PatchView(document).connections.any(&random) else { return nil }
      document[feed.path + ["to"]] = .string("\(feed.to.node):2000")
      return [feed.path + ["to"]]
    },
    PatchMutation("a connection begins at a bus that there is not") { document, random in
      // An I/O unit that feeds itself from another bus is told that it does.
      let links = PatchView(document).links.filter { $0.from.node != $0.to.node }
      guard let feed = links.any(&random) else { return nil }
      document[feed.path + ["from"]] = .string("\(feed.from.node):5")
      return [feed.path + ["from"]]
    },
    PatchMutation("a bus of a callback") { document, random in
      guard let feed = PatchView(document).fed.any(&random) else { return nil }
      document[feed.path + ["from"]] = .string("\(feed.from.node):1")
      return [feed.path + ["from"]]
    },
    PatchMutation("a connection ends at a callback") { document, random in
      guard let feed = PatchView(document).fed.any(&random), let head = PatchView(document).head
      else { return nil }
      return [document.connect(.string(head.name), to: .string(feed.from.node))]
    },
    PatchMutation("an input is fed twice") { document, random in
      guard let feed = PatchView(document).connections.any(&random) else { return nil }
      document["callbacks", "another"] = ["kind": "silence"]
      return [document.connect("another", to: .string("\(feed.to.node):\(feed.to.bus)"))]
    },
    PatchMutation("an output feeds two inputs") { document, random in
      guard let feed = PatchView(document).links.any(&random) else { return nil }
      // It accepts any format.
      document["nodes", "thief"] = [
        "component": "mspl", "properties": ["maximumFramesPerSlice": 4096],
      ]
      // The purpose of the splitter cannot be known, so only the connection is accepted.
      return [document.connect(.string("\(feed.from.node):\(feed.from.bus)"), to: "thief")]
    },
    PatchMutation("connections in a circle") { document, _ in
      return [("round", "about"), ("about", "round")].map { name, other in
        document["nodes", name] = [
          "component": "ipeq", "properties": ["maximumFramesPerSlice": 4096, "presentPreset": 1],
          "outputs": [
            "0": ["streamFormat": ["sample": "int16", "channels": 1, "sampleRate": 44_100]]
          ],
        ]
        return document.connect(.string(name), to: .string(other))
      }
    },
    PatchMutation("a node feeds itself") { document, _ in
      document["nodes", "narcissus"] = ["component": "mcmx"]
      return [document.connect("narcissus", to: "narcissus:1")]
    },
    PatchMutation("something feeds the microphone") { document, _ in
      let view = PatchView(document)
      guard view.isDevice, let head = view.head?.name else { return nil }
      document["callbacks", "voice"] = ["kind": "silence"]
      return [document.connect("voice", to: .string("\(head):1"))]
    },
    // A node fed by the output unit is not pulled.
    PatchMutation("something takes from the loudspeaker", also: ["PR0308"]) { document, _ in
      guard let head = PatchView(document).head?.name else { return nil }
      document["nodes", "ear"] = [
        "component": "mcmx", "properties": ["maximumFramesPerSlice": 4096],
      ]
      return [document.connect(.string(head), to: "ear")]
    },
    // Either end may be the wrong one: its earlier source feeds nothing now.
    PatchMutation("a unit that is pulled is fed by nothing", also: ["PR0205", "PR0308"]) {
      document, random in
      let view = PatchView(document)
      let needy = view.nodes("iPodEQ", "FormatConverter", "remoteIO", "GenericOutput")
      let feeds = view.connections.filter {
        needy.contains($0.to.node) && view.pulled.contains($0.to.node) && $0.to.bus == 0
      }
      guard let feed = feeds.any(&random) else { return nil }
      // A tap or a ramp at the source is still valid.
      document[feed.path] = nil
      return [["nodes", feed.to.node]]
    },
    PatchMutation("the microphone is off") { document, _ in
      let view = PatchView(document)
      guard let head = view.head?.name,
        document["nodes", head, "inputs", "1", "properties", "enableIO"] == true,
        document["nodes", head, "outputs", "0", "properties", "enableIO"] == nil
      else { return nil }
      document["nodes", head, "inputs", "1", "properties", "enableIO"] = nil
      // Where the output is used, or where it is set up.
      let feeds = view.connections.filter { $0.from.node == head }.map(\.path)
      let callbacks = view.names(of: "callbacks").map { ["callbacks", $0, "from"] }
      let taps = view.names(of: "taps").map { ["taps", $0, "at"] }
      return feeds
        + (callbacks + taps).filter {
          document[$0]?.text.map { PatchView(document).address($0).node } == head
        } + [["nodes", head, "outputs"]]
    },
    PatchMutation("the loudspeaker is off") { document, _ in
      let view = PatchView(document)
      guard view.isDevice, let head = view.head?.name,
        let feed = view.connections.first(where: { $0.to.node == head })
      else { return nil }
      document["session", "category"] = nil
      document["nodes", head, "outputs", "0", "properties", "enableIO"] = false
      return [["nodes", head, "outputs", "0", "properties", "enableIO"], feed.path]
    },
    PatchMutation("an end of a connection is missing") { document, random in
      guard let feed = PatchView(document).connections.any(&random),
        let end = ["from", "to"].any(&random)
      else { return nil }
      document[feed.path + [end]] = nil
      return [feed.path]
    },
  ]
}

// MARK: Callbacks and taps

extension PatchMutation {
  private static func callbacks(_ document: JSONText, _ kinds: String...) -> [String] {
    (document["callbacks"]?.members ?? [])
      .filter { kinds.isEmpty || kinds.contains($0.value["kind"]?.text ?? "") }.map(\.name)
      .filter { $0 != "comment" }
  }

  /// A callback of a kind that feeds one bus and no other callback.
  private static func heardOnce(
    _ document: JSONText, _ kind: JSONText, isPulled: Bool = true, _ random: inout SplitMix64
  ) -> String? {
    let view = PatchView(document)
    let heard = view.fed.filter {
      document["callbacks", $0.from.node, "kind"] == kind
        && (!isPulled || view.pulled.contains($0.to.node))
    }
    guard let name = heard.any(&random)?.from.node,
      view.fed.filter({ $0.from.node == name }).count == 1,
      !callbacks(document).contains(where: {
        document["callbacks", $0, "from"] == .string(name)
      })
    else { return nil }
    return name
  }

  static let callbackMutations: [PatchMutation] = [
    PatchMutation("a kind of callback is misspelt") { document, random in
      guard let name = callbacks(document).any(&random),
        let kind = document["callbacks", name, "kind"]?.text
      else { return nil }
      document["callbacks", name, "kind"] = .string(misspelt(kind, &random))
      return [["callbacks", name, "kind"]]
    },
    PatchMutation("a callback has no kind") { document, random in
      guard let name = callbacks(document).any(&random) else { return nil }
      document["callbacks", name, "kind"] = nil
      return [["callbacks", name]]
    },
    PatchMutation("a setting of a callback is unknown") { document, random in
      guard let name = callbacks(document).any(&random) else { return nil }
      document["callbacks", name, "loudness"] = 3
      return [["callbacks", name, "loudness"]]
    },
    PatchMutation("a setting of a callback is out of its range") { document, random in
      guard let name = callbacks(document, "tone", "noise", "sweep").any(&random) else {
        return nil
      }
      document["callbacks", name, "amplitude"] = [9, -1, "loud", [1], .null].any(&random)
      return [["callbacks", name, "amplitude"]]
    },
    PatchMutation("a tone that its bus cannot carry") { document, random in
      guard let name = heardOnce(document, "tone", &random) else { return nil }
      document["callbacks", name, "frequency"] = 900_000
      return [["callbacks", name, "frequency"]]
    },
    PatchMutation("a file that is not there") { document, random in
      guard let name = heardOnce(document, "file", isPulled: false, &random) else { return nil }
      document["callbacks", name, "path"] = "no/such/file.wav"
      return [["callbacks", name, "path"]]
    },
    PatchMutation("an expression that is none") { document, random in
      guard let name = callbacks(document, "expression").any(&random) else { return nil }
      document["callbacks", name, "value"] =
        ["sin(", "2 + ", "unknown * 2", "1 1", "", "sin()"].any(&random)
      return [["callbacks", name]]
    },
    PatchMutation("a processing callback pulls nothing") { document, random in
      guard
        let name = callbacks(document, "gain", "tremolo", "echo", "ringModulator").any(&random)
      else { return nil }
      document["callbacks", name, "from"] = nil
      return [["callbacks", name]]
    },
    PatchMutation("a processing callback pulls what is not there") { document, random in
      guard
        let name = callbacks(document, "gain", "tremolo", "echo", "ringModulator", "expression")
          .filter({ document["callbacks", $0, "from"] != nil }).any(&random)
      else { return nil }
      document["callbacks", name, "from"] = "nosuch"
      return [["callbacks", name, "from"]]
    },
    PatchMutation("a callback that makes its own sound pulls something") { document, random in
      guard let name = callbacks(document, "tone", "noise", "silence", "impulse").any(&random),
        let other = callbacks(document).filter({ $0 != name }).any(&random)
      else { return nil }
      document["callbacks", name, "from"] = .string(other)
      return [["callbacks", name, "from"]]
    },
    PatchMutation("callbacks in a circle") { document, random in
      guard
        let name = callbacks(document, "gain", "tremolo", "echo", "ringModulator").any(&random)
      else { return nil }
      document["callbacks", name, "from"] = .string(name)
      return [["callbacks", name, "from"]]
    },
    PatchMutation("a tap at a node that is not there") { document, _ in
      document["taps", "far"] = ["kind": "record", "at": "nosuch", "path": "far.wav"]
      return [["taps", "far", "at"]]
    },
    PatchMutation("a tap at a bus that is not there") { document, random in
      let view = PatchView(document)
      guard
        let node = view.nodes("MultichannelMixer", "iPodEQ").filter(view.pulled.contains)
          .any(&random)
      else { return nil }
      document["taps", "far"] = ["kind": "record", "at": .string("\(node):4"), "path": "far.wav"]
      return [["taps", "far", "at"]]
    },
    PatchMutation("a tap at the loudspeaker") { document, _ in
      guard let head = PatchView(document).head?.name else { return nil }
      document["taps", "far"] = ["kind": "record", "at": .string(head), "path": "far.wav"]
      return [["taps", "far"]]
    },
    PatchMutation("a tap at a callback") { document, random in
      guard let name = callbacks(document).any(&random) else { return nil }
      document["taps", "far"] = ["kind": "record", "at": .string(name), "path": "far.wav"]
      return [["taps", "far", "at"]]
    },
    PatchMutation("a tap that is wrong in itself") { document, random in
      let view = PatchView(document)
      guard
        let node = view.nodes("MultichannelMixer", "3DMixer", "iPodEQ", "FormatConverter")
          .filter(view.pulled.contains).any(&random)
      else { return nil }
      let at = JSONText.string(node)
      document["taps", "far"] =
        [
          ["kind": "recrod", "at": at, "path": "far.wav"], ["kind": "record", "at": at],
          ["at": at, "path": "far.wav"], ["kind": "record", "path": "far.wav"],
          ["kind": "record", "at": at, "path": "far.xyz"],
          ["kind": "record", "at": at, "path": "no/such/folder/far.wav"],
          ["kind": "record", "at": at, "path": "far.wav", "format": "flaot"],
          ["kind": "record", "at": at, "path": "far.wav", "loud": true],
          ["kind": "record", "at": at, "path": 7],
          ["kind": "record", "at": .array([.string(node), "x"]), "path": "far.wav"],
        ].any(&random)
      return [["taps", "far"]]
    },
    PatchMutation("two taps record to one file") { document, random in
      guard let tap = document["taps"]?.members.first(where: { $0.name != "comment" }) else {
        return nil
      }
      document["taps", "again"] = tap.value
      return [["taps", "again"]]
    },
  ]
}

// MARK: The timeline

extension PatchMutation {
  private static func ramps(_ document: JSONText) -> [[String]] {
    (document["timeline"]?.values ?? []).indices.map { ["timeline", "\($0)"] }
      .filter { document[$0 + ["ramp"]] != nil }
  }

  static let timeMutations: [PatchMutation] = [
    PatchMutation("a time that never comes") { document, random in
      guard let step = ramps(document).any(&random) else { return nil }
      document[step + ["at"]] = [-1, "soon", 1e300, .null].any(&random)
      return [step + ["at"]]
    },
    PatchMutation("a duration that never ends") { document, random in
      guard let step = ramps(document).any(&random) else { return nil }
      document[step + ["ramp", "duration"]] = [-1, "long", 1e300].any(&random)
      return [step + ["ramp", "duration"]]
    },
    PatchMutation("a step that does nothing") { document, _ in
      if document["timeline"] == nil { document["timeline"] = [] }
      document["timeline", "99999"] = ["at": 5]
      return [["timeline", "\((document["timeline"]?.count ?? 1) - 1)"]]
    },
    PatchMutation("a ramp of what is not there") { document, random in
      guard let step = ramps(document).any(&random) else { return nil }
      document[step + ["ramp", "path"]] =
        ["/nodes/nosuch/inputs/0/parameters/volume", "nodes/x", "/title", "", "/nodes/~2", 5]
        .any(&random)
      return [step + ["ramp", "path"]]
    },
    PatchMutation("a ramp of a parameter that is not there") { document, random in
      guard let step = ramps(document).any(&random),
        let path = document[step + ["ramp", "path"]]?.text
      else { return nil }
      document[step + ["ramp", "path"]] = .string(path + "qx")
      return [step + ["ramp", "path"]]
    },
    PatchMutation("a ramp of a bus that is not there") { document, random in
      guard let step = ramps(document).any(&random),
        let path = document[step + ["ramp", "path"]]?.text
      else { return nil }
      document[step + ["ramp", "path"]] = .string(
        path.replacing("/inputs/0/", with: "/inputs/2000/"))
      return [step + ["ramp", "path"]]
    },
    PatchMutation("a ramp of a parameter that is on or off") { document, random in
      guard let node = PatchView(document).nodes("MultichannelMixer").any(&random),
        let step = ramps(document).any(&random)
      else { return nil }
      let token = node.replacing("~", with: "~0").replacing("/", with: "~1")
      document[step + ["ramp"]] = [
        "path": .string("/nodes/\(token)/inputs/0/parameters/enable"), "to": 0,
      ]
      return [step + ["ramp"]]
    },
    PatchMutation("a ramp to where the parameter cannot go") { document, random in
      guard let step = ramps(document).any(&random) else { return nil }
      let isVolume = document[step + ["ramp", "path"]]?.text?.hasSuffix("volume") == true
      document[step + ["ramp", "to"]] = isVolume ? "loud" : [100_000, "far", .null].any(&random)
      return [step + ["ramp", "to"]]
    },
    PatchMutation("two ramps at once") { document, random in
      guard let step = ramps(document).any(&random), var copy = document[step] else { return nil }
      document[step + ["ramp", "duration"]] = 1
      copy["ramp", "duration"] = 1
      document["timeline", "99999"] = copy
      return [step, ["timeline", "\((document["timeline"]?.count ?? 1) - 1)"]]
    },
    PatchMutation("a repetition that cannot be") { document, random in
      guard let step = ramps(document).any(&random) else { return nil }
      let every: JSONText? = [0, -1, "soon", .null, nil].any(&random) ?? nil
      document[step + ["repeat"]] = ["every": 3, "count": 4]
      if random.next() % 2 == 0 {
        document[step + ["repeat", "every"]] = every
      } else {
        document[step + ["repeat", "count"]] =
          [0, 1.5, "often", 2_000_000, .null, nil].any(&random) ?? nil
      }
      return [step + ["repeat"]]
    },
    PatchMutation("a ramp that is repeated before it ends") { document, random in
      guard let step = ramps(document).any(&random) else { return nil }
      document[step + ["ramp", "duration"]] = 1
      document[step + ["repeat"]] = ["every": 0.5, "count": 4]
      return [step]
    },
    PatchMutation("a ramp lacks its end") { document, random in
      guard let step = ramps(document).any(&random), let key = ["path", "to"].any(&random) else {
        return nil
      }
      document[step + ["ramp", key]] = nil
      return [step + ["ramp"]]
    },
    PatchMutation("a step of two things") { document, random in
      guard let step = ramps(document).any(&random) else { return nil }
      document[step + ["stop"]] = true
      return [step]
    },
  ]
}
