import AudioTypes
import PatchGraph
import PatchSyntax

extension Schema {
  /// What a patch asks of the audio session, and decides.
  static let session: JSONText = [
    "description": """
    What the patch asks of the audio session. It is a request: patchrun says what was granted.
    """,
    "type": "object",
    "properties": [
      "category": [
        "description": "The session's category: what it uses of input and output.",
        "enum": .strings(SessionCategory.allCases.map(\.rawValue)),
        "enumDescriptions": .strings(
          SessionCategory.allCases.map {
            $0.permitsInput && $0.permitsOutput
              ? "Hears and plays."
              : $0.permitsInput
                ? "Hears." : $0.permitsOutput ? "Plays." : "Neither hears nor plays."
          }),
      ],
      "preferredSampleRate": [
        "description": "The rate to ask of the hardware, in frames per second.",
        "type": "number", "minimum": 1000, "maximum": 768_000,
      ],
      "preferredIOBufferDuration": [
        "description":
          "The length of a slice to ask for, in seconds or as \"5 ms\": 0.005 is 256 frames or so.",
        "type": ["number", "string"], "exclusiveMinimum": 0, "maximum": 10,
        "pattern": Schema.timePattern,
      ],
      "onInterruption": [
        "description": """
        What to do when the sound server suspends the device, or asks for silence because somebody has \
        a call.
        """,
        "default": "continue",
        "enum": .strings(SessionPolicy.Interruption.allCases.map(\.rawValue)),
        "enumDescriptions": .strings(SessionPolicy.Interruption.allCases.map(\.summary)),
      ],
      "onRouteChange": [
        "description": "What to do when the sound server moves the sound to another device.",
        "default": "follow",
        "enum": .strings(SessionPolicy.RouteChange.allCases.map(\.rawValue)),
        "enumDescriptions": .strings(SessionPolicy.RouteChange.allCases.map(\.summary)),
      ],
      "onDeviceLoss": [
        "description": """
        What to do when the device or the sound server goes, stays suspended or hangs, or is not there at \
        the start.
        """,
        "default": "wait",
        "enum": .strings(SessionPolicy.DeviceLoss.allCases.map(\.rawValue)),
        "enumDescriptions": .strings(SessionPolicy.DeviceLoss.allCases.map(\.summary)),
      ],
      "deviceWait": [
        "description": """
        How long a device that is gone is waited for, in seconds. Without it: as long as it takes.
        """,
        "type": ["number", "string"], "exclusiveMinimum": 0, "pattern": Schema.timePattern,
      ],
      "withoutDevice": [
        "description": "What files, timeline and recordings do while there is no device.",
        "default": "continue",
        "enum": .strings(SessionPolicy.TimeWithoutDevice.allCases.map(\.rawValue)),
        "enumDescriptions": .strings(SessionPolicy.TimeWithoutDevice.allCases.map(\.summary)),
      ],
      "comment": reference("comment"),
    ],
    "additionalProperties": false,
  ]

  static let deviceSummary = """
    Of an I/O unit: `sink` and `source`, the devices that it plays on and hears from. Each is a name, a \
    pattern of it with `*` and `?`, or an object with patterns of the `name`, `description`, `driver`, \
    `bus`, or of what the server tells besides.
    """

  static let device: JSONText = [
    "description": """
    What the I/O unit plays on and hears from: as `patchrun devices` shows them. --sink and --source win; a \
    patch that is rendered needs neither.
    """,
    "type": "object",
    "properties": [
      "sink": described("What it plays on.", reference("deviceChoice")),
      "source": described("What it hears from.", reference("deviceChoice")),
      "comment": reference("comment"),
    ],
    "additionalProperties": false,
  ]

  static let deviceChoice: JSONText = [
    "description": """
    A name, or a pattern of it, in which '*' stands for any characters and '?' for one; or patterns of \
    several properties, all of which have to hold.
    """,
    "anyOf": [
      ["type": "string", "minLength": 1],
      [
        "type": "object",
        "minProperties": 1,
        "properties": [
          "name": pattern("What --sink and --source take."),
          "description": pattern("What a person calls it."),
          "driver": pattern("What drives it, in the server's words."),
          "bus": pattern("What it hangs on: \"usb\", \"pci\", \"bluetooth\"."),
          "comment": reference("comment"),
        ],
        "patternProperties": [
          "^[^.]*[.]": pattern("A property of the server's: \"device.bus_path\".")
        ],
        "additionalProperties": false,
      ],
    ],
  ]

  private static func pattern(_ summary: String) -> JSONText {
    ["description": .string(summary), "type": "string", "minLength": 1]
  }
}
