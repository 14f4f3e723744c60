// swift-tools-version: 6.1
import PackageDescription

// `make mutate`. A separate package, so that neither users of the libraries nor `make test` fetch and build
// swift-syntax.
let package = Package(
    name: "Mutate",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "mutate",
            dependencies: [
                "Mutation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .target(
            name: "Mutation",
            dependencies: [
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftOperators", package: "swift-syntax"),
            ]),
        .testTarget(name: "MutationTests", dependencies: ["Mutation"]),
    ],
    swiftLanguageModes: [.v6]
)
