// swift-tools-version: 6.2
import Glibc
import PackageDescription

/// Has code ask for a generic type by its accessor, and not by its name: the runtime finds out by name whether each
/// key of a dictionary is hashable, and looks at all conformances in the program for that, which was half of the
/// program's start. Has rooms compiled with the code of those that they import at hand: a mixer of one input takes
/// a seventh less. And tells debuggers the lines, for the stacks of crashes, but no types. It tells the frontend so: the
/// driver takes the last flag of its kind, and the package manager's own `-g` comes after those that are here.
let withOptimizations = inRelease(
  [
    "-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors",
    "-cross-module-optimization", "-Xfrontend", "-gline-tables-only",
  ])

/// Lets tests look into a room: one build is the program that is shipped and what is tested. For that the compiler
/// leaves checks of exclusive access to internal variables in place.
let openToTests = inRelease(["-enable-testing"])

/// A package that takes this one from elsewhere may not have such flags, and does without.
func inRelease(_ flags: [String]) -> [SwiftSetting] {
  Context.packageDirectory.contains("/checkouts/")
    ? [] : [.unsafeFlags(flags, .when(configuration: .release))]
}

let strictly: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let settings = strictly + withOptimizations + openToTests

/// For a room with variables that every slice reads, whose tests use what is `public` or `package`: the checks were
/// two dozen per slice, a tenth of the instructions where a file is only copied.
let closedSettings = strictly + withOptimizations

/// Tests are compiled quickly and not optimized: nearly all of their time passes in what they test. Nothing imports
/// them, and their module need not be there before their code is: to make it first takes a fifth longer.
let testSettings =
  strictly
  + inRelease(
    ["-Onone", "-Xfrontend", "-gnone", "-num-threads", "2", "-no-emit-module-separately-wmo"])

/// Packages that only the program needs: a package that takes a library of this one with `traits: []`
/// has nothing to resolve.
let forProgram = TargetDependencyCondition.when(traits: ["CommandLine"])

/// The Swift runtime, linked in: to find and join its libraries takes as long as all else that the
/// program begins with. Its symbols are not exported: nothing asks for them, and the runtime looks through all of them
/// for the program's own path, which is a twelfth of the instructions of a start. No product that another package can
/// take has linker flags.
let withRuntime = LinkerSetting.unsafeFlags(
  [
    "-static-stdlib", "-l_FoundationCShims", "-l_FoundationCollections", "-Xlinker",
    "--no-export-dynamic",
  ] + withCxxRuntime,
  .when(configuration: .release))

/// Has the C++ library, which the Swift runtime needs, linked in too, where each compiler of the system has it as an
/// archive (Debian: libstdc++-dev): to join it takes a tenth of a start.
var withCxxRuntime: [String] {
  func count(_ file: String) -> Int {
    var found = glob_t()
    defer { globfree(&found) }
    return glob("/usr/lib/gcc/*/*/" + file, 0, nil, &found) == 0 ? Int(found.gl_pathc) : 0
  }
  let archives = count("libstdc++.a")
  guard archives > 0, archives == count("crtbegin.o") else { return [] }
  return ["-L", Context.packageDirectory + "/.packaging/linking"]
}

// Rooms, from the ground up. A room imports only rooms that stand above it in this list.
let package = Package(
  name: "patchrun",
  products: [
    .executable(name: "patchrun", targets: ["Main"]),
    // Graphs and units: `import AudioGraphs` has all of it.
    .library(
      name: "AudioGraphs",
      targets: [
        "AudioTypes", "RenderCore", "VoiceProcessing", "AudioUnits", "FileAccess", "SoundFiles",
        "RenderCallbacks", "RenderTaps", "RenderHost", "AudioGraphs",
      ]),
    // The devices of a PulseAudio server.
    .library(name: "PulseIO", targets: ["PulseIO"]),
    // Taps that draw, and what they draw with.
    .library(name: "Pictures", targets: ["Pictures", "PictureTaps"]),
  ],
  traits: [
    .trait(
      name: "CommandLine",
      description: "The program, its control server and what they need of other packages."),
    .default(enabledTraits: ["CommandLine"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    // What native callbacks are built against: ours.
    .systemLibrary(name: "CPatchrun"),
    // C libraries that are loaded when they are first needed: functions that forward to them.
    .target(name: "CLoading"),
    .target(name: "CSndfile", dependencies: ["CLoading"]),
    .target(name: "CSoxr", dependencies: ["CLoading"]),
    .target(name: "CKissFFT", dependencies: ["CLoading"]),
    .target(name: "CPulse", dependencies: ["CLoading"]),
    .target(name: "CBus", dependencies: ["CLoading"]),
    .target(name: "CMysofa", dependencies: ["CLoading"]),
    .target(name: "CEbur128", dependencies: ["CLoading"]),
    .target(name: "CCairo", dependencies: ["CLoading"]),
    .target(name: "CYAML", dependencies: ["CLoading"]),
    .target(name: "CCrypto", dependencies: ["CLoading"]),
    .target(name: "CShims"),
    .target(name: "CVector", exclude: ["kernels.inc"]),
    // The files of the control panel's page, embedded.
    .target(name: "CPanel", dependencies: ["CLoading"], exclude: ["file.inc"]),

    // What the render thread runs is in these.
    .target(name: "AudioTypes", swiftSettings: settings),
    .target(
      name: "RenderCore", dependencies: ["AudioTypes", "CKissFFT", "CShims", "CVector"],
      swiftSettings: settings),
    .target(
      name: "HeadData", dependencies: ["RenderCore", "CMysofa", "CShims", "CVector"],
      swiftSettings: settings),
    .target(
      name: "VoiceProcessing", dependencies: ["AudioTypes", "RenderCore"], swiftSettings: settings),
    .target(
      name: "AudioUnits",
      dependencies: ["AudioTypes", "RenderCore", "HeadData", "VoiceProcessing"],
      swiftSettings: settings),
    // Opens the files that a patch names, and nothing else does.
    .target(name: "FileAccess", dependencies: ["CShims"], swiftSettings: settings),
    .target(
      name: "SoundFiles",
      dependencies: ["AudioTypes", "FileAccess", "CSndfile", "CSoxr", "CVector"],
      swiftSettings: settings),
    .target(
      name: "RenderCallbacks",
      dependencies: ["AudioTypes", "RenderCore", "FileAccess", "SoundFiles", "CPatchrun"],
      swiftSettings: settings),
    .target(name: "Pictures", dependencies: ["FileAccess", "CCairo"], swiftSettings: settings),
    .target(
      name: "RenderTaps",
      dependencies: ["AudioTypes", "RenderCore", "FileAccess", "SoundFiles", "CEbur128"],
      swiftSettings: settings),
    .target(
      name: "PictureTaps",
      dependencies: [
        "AudioTypes", "RenderCore", "FileAccess", "SoundFiles", "Pictures", "RenderTaps",
      ],
      swiftSettings: settings),
    .target(
      name: "RenderHost", dependencies: ["AudioTypes", "RenderCore", "CBus", "CShims"],
      swiftSettings: closedSettings),

    // Everything from here up runs on the control thread, PulseIO's own thread apart.
    .target(
      name: "AudioGraphs",
      dependencies: [
        "AudioTypes", "RenderCore", "AudioUnits", "RenderHost",
        // To be handed on to whoever imports it.
        "FileAccess", "RenderCallbacks", "RenderTaps", "SoundFiles",
      ],
      swiftSettings: settings),
    .target(
      name: "Responses",
      dependencies: [
        "AudioTypes", "RenderCore", "RenderCallbacks", "Pictures", "RenderTaps", "AudioGraphs",
      ],
      swiftSettings: settings),
    // What sound in memory is: levels, loudness, tones, clicks, and how far two sounds are apart.
    .target(
      name: "SoundMeasures", dependencies: ["AudioTypes", "RenderCore", "RenderTaps"],
      swiftSettings: settings),
    .target(
      name: "PulseIO",
      dependencies: ["AudioTypes", "RenderCore", "RenderHost", "CPulse", "CShims"],
      swiftSettings: settings),
    // Every way to sound, in one list: that of the server, which is a library too, and those that need no library.
    .target(
      name: "BackEnds",
      dependencies: ["AudioTypes", "RenderCore", "RenderHost", "SoundFiles", "PulseIO", "CShims"],
      swiftSettings: settings),
    .target(name: "TerminalScreen", swiftSettings: settings),
    .target(
      name: "Diagnostics", dependencies: ["AudioTypes", "TerminalScreen"], swiftSettings: settings),
    .target(
      name: "PatchSyntax", dependencies: ["AudioTypes", "Diagnostics"], swiftSettings: settings),
    .target(name: "YAMLSyntax", dependencies: ["CYAML"], swiftSettings: settings),
    // What is expected of the sound of a patch: the kinds of expectation, each with its measurement.
    .target(
      name: "SoundExpectations",
      dependencies: ["AudioTypes", "RenderCore", "Diagnostics", "PatchSyntax", "SoundMeasures"],
      swiftSettings: settings),
    // Filters of other programs, read.
    .target(
      name: "PatchImport",
      dependencies: [
        "AudioTypes", "FileAccess", "Diagnostics", "PatchSyntax", "YAMLSyntax",
      ],
      swiftSettings: settings),
    .target(
      name: "PatchGraph",
      dependencies: [
        "AudioTypes", "RenderCore", "AudioUnits", "RenderCallbacks", "RenderTaps", "PictureTaps",
        "RenderHost", "AudioGraphs", "FileAccess", "SoundFiles", "Diagnostics", "PatchSyntax",
        "SoundExpectations",
      ],
      swiftSettings: settings),
    // Patches rendered to be measured: the sound at their buses, and the response of their paths.
    .target(
      name: "PatchRendering",
      dependencies: [
        "AudioTypes", "RenderCore", "AudioUnits", "RenderTaps", "RenderHost", "AudioGraphs",
        "Responses", "SoundFiles", "SoundMeasures", "FileAccess", "Diagnostics", "PatchSyntax",
        "PatchGraph",
      ],
      swiftSettings: settings),
    // Work that is shared out among the processors.
    .target(name: "Jobs", dependencies: ["RenderHost", "CShims"], swiftSettings: settings),
    // Test files: a render for each test, and what was expected of it.
    .target(
      name: "SoundChecks",
      dependencies: [
        "AudioTypes", "RenderCore", "RenderHost", "FileAccess", "SoundFiles", "SoundMeasures",
        "Diagnostics", "PatchSyntax", "SoundExpectations", "AudioGraphs", "AudioUnits", "Responses",
        "PatchGraph", "PatchRendering",
      ],
      swiftSettings: settings),
    // Read by people and editors, and by nothing that makes a graph.
    .target(
      name: "GraphDrawings",
      dependencies: [
        "AudioTypes", "RenderCore", "AudioUnits", "RenderCallbacks", "RenderTaps", "PictureTaps",
        "AudioGraphs", "Diagnostics", "PatchSyntax", "PatchGraph",
      ],
      swiftSettings: settings),
    .target(
      name: "PatchReference",
      dependencies: [
        "AudioTypes", "RenderCore", "AudioUnits", "RenderCallbacks", "RenderTaps", "PictureTaps",
        "AudioGraphs", "FileAccess", "SoundFiles", "Diagnostics", "PatchSyntax", "PatchGraph",
        "SoundExpectations",
      ],
      swiftSettings: settings),
    .target(
      name: "Reports",
      dependencies: ["AudioTypes", "Diagnostics", "PatchSyntax", "PatchGraph", "PatchReference"],
      swiftSettings: settings),
    // Many renders: manifests, keys, records, outputs that are there whole and once.
    .target(
      name: "Batches",
      dependencies: [
        "AudioTypes", "RenderCore", "RenderHost", "FileAccess", "SoundFiles", "SoundMeasures",
        "RenderTaps", "Diagnostics", "PatchSyntax", "AudioGraphs", "PatchGraph", "PatchRendering",
        "PatchReference", "CCrypto", "CShims",
      ],
      swiftSettings: settings),
    .target(
      name: "LanguageServer",
      dependencies: [
        "AudioTypes", "RenderCore", "AudioUnits", "AudioGraphs", "RenderCallbacks", "RenderTaps",
        "Diagnostics", "PatchSyntax", "PatchGraph", "GraphDrawings", "PatchReference",
        "SoundExpectations", "SoundChecks",
      ],
      swiftSettings: settings),
    // What an assistant can have done: tools, as command lines.
    .target(
      name: "ToolServer", dependencies: ["AudioTypes", "Diagnostics", "PatchSyntax"],
      swiftSettings: settings),
    .target(
      name: "Panel", dependencies: ["CPanel", "Diagnostics"],
      exclude: ["Editor", "Letters", "Page"],
      swiftSettings: settings),
    .target(
      name: "Control",
      dependencies: [
        "AudioTypes", "Diagnostics", "PatchSyntax", "Panel",
        .product(name: "NIOCore", package: "swift-nio", condition: forProgram),
        .product(name: "NIOPosix", package: "swift-nio", condition: forProgram),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: forProgram),
      ],
      swiftSettings: settings),
    .target(
      name: "patchrun",
      dependencies: [
        "AudioTypes", "AudioUnits", "AudioGraphs", "SoundFiles", "RenderCore", "RenderCallbacks",
        "Pictures", "RenderTaps", "PictureTaps", "RenderHost", "FileAccess",
        "Diagnostics", "PatchSyntax", "PatchGraph", "PatchImport", "PatchRendering",
        "SoundMeasures", "SoundExpectations", "SoundChecks", "Batches", "Jobs",
        "GraphDrawings", "PatchReference", "Responses",
        "Reports", "LanguageServer", "ToolServer",
        "BackEnds", "Control", "TerminalScreen", "CLoading", "CShims",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser", condition: forProgram),
      ],
      swiftSettings: settings),
    // The program, which is all of that: tests are linked with `patchrun`, and have a runtime of their own.
    .executableTarget(
      name: "Main", dependencies: ["patchrun"], swiftSettings: settings,
      linkerSettings: [withRuntime]),

    // Measures what the pages beside it claim: `swift run -c release patchrun-bench`.
    .executableTarget(
      name: "patchrun-bench",
      dependencies: [
        "AudioGraphs", "AudioTypes", "AudioUnits", "Diagnostics", "HeadData", "PatchGraph",
        "PatchSyntax", "RenderCore", "RenderHost", "SoundFiles", "SoundMeasures", "VoiceProcessing",
        "TestSupport",
        "CSoxr", "CShims",
      ],
      exclude: ["README.md", "Peers.md", "Reliability.md"], swiftSettings: settings),

    // What users of the library write: built and run by the tests here, and from outside by .ci/products.
    .executableTarget(
      name: "OfflineProgram", dependencies: ["AudioGraphs"],
      path: "Tests/Products/Sources/OfflineProgram"),
    .executableTarget(
      name: "PictureProgram", dependencies: ["AudioGraphs", "Pictures", "PictureTaps"],
      path: "Tests/Products/Sources/PictureProgram"),
    .executableTarget(
      name: "PulseProgram", dependencies: ["AudioGraphs", "PulseIO"],
      path: "Tests/Products/Sources/PulseProgram"),

    // Run by .ci/realtime, with a RealtimeSanitizer loaded in front of it.
    .executableTarget(
      name: "RealTimeCheck",
      dependencies: [
        "AudioTypes", "AudioUnits", "AudioGraphs", "RenderCore", "RenderCallbacks", "RenderTaps",
        "RenderHost", "Responses", "FileAccess", "Diagnostics", "PatchSyntax", "PatchGraph",
        "CShims",
      ],
      path: "Tests/RealTimeCheck", exclude: ["Patches", "unsafe.c"], swiftSettings: settings),

    // Linked with the libFuzzer of Swift's own compiler; the long form of .ci/fuzz has the rooms report to it as well
    // which of their code an input has come to.
    .target(name: "CFuzzing", path: "Tests/CFuzzing"),
    .executableTarget(
      name: "Fuzzers",
      dependencies: [
        "AudioTypes", "AudioUnits", "AudioGraphs", "RenderCallbacks", "RenderTaps", "RenderHost",
        "FileAccess", "Diagnostics", "PatchSyntax", "PatchGraph", "LanguageServer", "Control",
        "CFuzzing",
      ],
      path: "Tests/Fuzzers", exclude: ["Corpus", "Dictionaries"],
      swiftSettings: settings + [.unsafeFlags(["-sanitize=fuzzer"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),

    .target(name: "CAllocationProbe", path: "Tests/CAllocationProbe"),
    // Other echo cancellers, loaded where they are installed.
    .target(name: "CVoicePeers", path: "Tests/CVoicePeers"),
    .target(
      name: "TestSupport",
      dependencies: [
        "AudioTypes", "RenderCore", "SoundFiles", "RenderHost", "TerminalScreen",
        "CAllocationProbe", "CVoicePeers",
      ],
      path: "Tests/TestSupport", swiftSettings: settings),
    // Read the sources.
    .testTarget(
      name: "HouseTests", dependencies: ["AudioTypes", "PatchGraph", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(name: "AudioTypesTests", dependencies: ["AudioTypes"], swiftSettings: testSettings),
    .testTarget(
      name: "RenderCoreTests",
      dependencies: ["AudioTypes", "CVector", "RenderCore", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "VoiceProcessingTests",
      dependencies: ["AudioTypes", "RenderCore", "VoiceProcessing", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "AudioUnitsTests",
      dependencies: [
        "AudioTypes", "RenderCore", "AudioUnits", "RenderHost", "SoundFiles", "HeadData",
        "CMysofa", "TestSupport",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "FileAccessTests", dependencies: ["FileAccess", "CShims"], swiftSettings: testSettings),
    .testTarget(
      name: "SoundFilesTests",
      dependencies: ["AudioTypes", "FileAccess", "SoundFiles", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "RenderCallbacksTests",
      dependencies: ["AudioTypes", "RenderCore", "RenderCallbacks", "SoundFiles", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "PicturesTests", dependencies: ["Pictures", "TestSupport"], swiftSettings: testSettings),
    .testTarget(
      name: "RenderTapsTests",
      dependencies: [
        "AudioTypes", "RenderCore", "FileAccess", "RenderTaps", "SoundFiles", "TestSupport",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "PictureTapsTests",
      dependencies: [
        "AudioTypes", "RenderCore", "Pictures", "RenderTaps", "PictureTaps", "TestSupport",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "SoundMeasuresTests", dependencies: ["RenderCore", "SoundMeasures", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "SoundChecksTests",
      dependencies: [
        "AudioTypes", "Diagnostics", "FileAccess", "PatchSyntax", "SoundMeasures",
        "SoundExpectations",
        "SoundChecks", "TestSupport",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "BatchesTests",
      dependencies: [
        "Batches", "Diagnostics", "FileAccess", "PatchGraph", "PatchSyntax", "SoundFiles",
        "TestSupport",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "RenderHostTests",
      dependencies: ["AudioTypes", "RenderCore", "RenderHost", "TestSupport", "CShims"],
      swiftSettings: testSettings),
    .testTarget(
      name: "AudioGraphsTests",
      dependencies: [
        "AudioTypes", "RenderCore", "AudioUnits", "SoundFiles", "RenderCallbacks", "RenderHost",
        "AudioGraphs", "TestSupport",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "PulseIOTests",
      dependencies: ["AudioTypes", "RenderCore", "RenderHost", "PulseIO", "TestSupport"],
      swiftSettings: testSettings),
    // The devices that a live graph can have, by the same tests.
    .testTarget(
      name: "BackEndTests",
      dependencies: [
        "AudioTypes", "RenderCore", "RenderHost", "SoundFiles", "PulseIO", "BackEnds",
        "TestSupport",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "TerminalScreenTests", dependencies: ["TerminalScreen", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "DiagnosticsTests", dependencies: ["AudioTypes", "Diagnostics", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "PatchSyntaxTests",
      dependencies: ["AudioTypes", "Diagnostics", "PatchSyntax", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "PatchImportTests",
      dependencies: ["AudioTypes", "Diagnostics", "FileAccess", "PatchImport", "TestSupport"],
      exclude: ["Dialects"], swiftSettings: testSettings),
    .testTarget(
      name: "PatchGraphTests",
      dependencies: [
        "AudioTypes", "AudioUnits", "AudioGraphs", "RenderCore", "RenderCallbacks", "RenderTaps",
        "RenderHost", "Diagnostics", "PatchSyntax", "PatchGraph", "PatchRendering", "GraphDrawings",
        "PatchReference", "SoundFiles", "TestSupport",
      ],
      exclude: ["Fixtures"],
      swiftSettings: testSettings),
    .testTarget(
      name: "ReportsTests",
      dependencies: [
        "AudioTypes", "Diagnostics", "PatchSyntax", "PatchGraph", "PatchReference", "Reports",
        "TestSupport",
      ],
      exclude: ["Fixtures"],
      swiftSettings: testSettings),
    .testTarget(
      name: "LanguageServerTests",
      dependencies: [
        "AudioTypes", "Diagnostics", "PatchSyntax", "PatchGraph", "GraphDrawings", "LanguageServer",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "ToolServerTests", dependencies: ["PatchSyntax", "ToolServer"],
      swiftSettings: testSettings),
    .testTarget(
      name: "ControlTests",
      dependencies: [
        "AudioTypes", "Control", "Diagnostics", "PatchSyntax", "Panel", "TestSupport",
        .product(name: "NIOCore", package: "swift-nio", condition: forProgram),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: forProgram),
      ],
      swiftSettings: testSettings),
    // Looks into the program.
    .testTarget(
      name: "patchrunTests",
      dependencies: [
        "AudioTypes", "AudioUnits", "RenderCore", "RenderCallbacks", "RenderTaps", "RenderHost",
        "SoundFiles", "SoundMeasures", "Diagnostics", "PatchSyntax", "PatchGraph",
        "PatchReference", "Control", "Responses", "TerminalScreen", "TestSupport", "patchrun",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser", condition: forProgram),
      ],
      swiftSettings: testSettings),
    // Runs the program, and does not wait for its room to be compiled.
    .testTarget(
      name: "PatchTests",
      dependencies: [
        "AudioTypes", "AudioGraphs", "RenderCore", "SoundFiles", "Diagnostics", "PatchSyntax",
        "PatchGraph", "PatchImport", "TerminalScreen", "TestSupport",
      ],
      exclude: ["Hostile"],
      swiftSettings: testSettings),
  ],
  swiftLanguageModes: [.v6]
)

// The tests of some rooms alone, and what they are made of: `PATCHRUN_TEST_ROOMS=ControlTests,PulseIOTests`. Some
// run the program, which is in `Main`.
if let rooms = Context.environment["PATCHRUN_TEST_ROOMS"] {
  var kept = Set(rooms.split(separator: ",").map(String.init))
  var waiting = Array(kept)
  while let name = waiting.popLast() {
    for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
      switch dependency {
      case .byNameItem(let name, _), .targetItem(let name, _):
        if kept.insert(name).inserted { waiting.append(name) }
      default: break
      }
    }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { $0.name != "patchrun" || !kept.contains("Main") }
}
