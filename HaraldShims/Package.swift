// swift-tools-version: 6.2
import PackageDescription

// Modules of Apple's systems that code for CoreBluetooth often imports, for Linux: `os`, `os.log` and `OSLog`,
// implemented on swift-log, and, with the trait `Combine`, `Combine` on OpenCombine. It is a separate package, so that
// modules of these names exist only in programs that depend on it (Documentation/CoreBluetooth.md).
#if os(Linux)
let shims: [Target.Dependency] = ["os", "OSLog", .target(name: "Combine", condition: .when(traits: ["Combine"]))]
let combine: TargetDependencyCondition? = .when(traits: ["Combine"])
let linuxTargets: [Target] = [
    .target(name: "COSLock"),
    .target(name: "os", dependencies: ["COSLock", .product(name: "Logging", package: "swift-log")]),
    .target(name: "OSLog", dependencies: ["os"]),
    .target(
        name: "Combine",
        dependencies: [
            // for `publisher(for:)` of its classes
            .product(name: "CoreBluetooth", package: "Harald", condition: combine),
            .product(name: "OpenCombine", package: "OpenCombine", condition: combine),
            .product(name: "OpenCombineDispatch", package: "OpenCombine", condition: combine),
            .product(name: "OpenCombineFoundation", package: "OpenCombine", condition: combine),
        ]),
    .testTarget(name: "osTests", dependencies: ["os", "OSLog", .product(name: "Logging", package: "swift-log")]),
]
#else
// Apple's systems have these modules.
let shims: [Target.Dependency] = []
let linuxTargets: [Target] = []
#endif

let package = Package(
    name: "HaraldShims",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "HaraldShims", targets: ["HaraldShims"])],
    traits: [.trait(name: "Combine", description: "The module Combine, over OpenCombine.")],
    dependencies: [
        .package(name: "Harald", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [.target(name: "HaraldShims", dependencies: shims)] + linuxTargets,
    swiftLanguageModes: [.v6]
)
