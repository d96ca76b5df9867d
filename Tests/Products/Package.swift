// swift-tools-version: 6.2
import PackageDescription

// A package that uses the library. `.ci/products` builds it and checks its dependencies: without
// traits, no other package is resolved.
let package = Package(
  name: "products",
  dependencies: [.package(name: "patchrun", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "OfflineProgram",
      dependencies: [.product(name: "AudioGraphs", package: "patchrun")]),
    .executableTarget(
      name: "PictureProgram",
      dependencies: [
        .product(name: "AudioGraphs", package: "patchrun"),
        .product(name: "Pictures", package: "patchrun"),
      ]),
    .executableTarget(
      name: "PulseProgram",
      dependencies: [
        .product(name: "AudioGraphs", package: "patchrun"),
        .product(name: "PulseIO", package: "patchrun"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
