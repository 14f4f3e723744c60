// swift-tools-version: 6.2
import PackageDescription

// Code as apps have it, with `Combine` and `os.log`, on the modules of HaraldShims. `make test` builds and runs it.
let package = Package(
    name: "ShimsUser",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Harald", path: "../..", traits: []),
        .package(name: "HaraldShims", path: "../../HaraldShims", traits: ["Combine"]),
    ],
    targets: [
        .executableTarget(
            name: "ShimsUser",
            dependencies: [
                .product(name: "CoreBluetooth", package: "Harald", condition: .when(platforms: [.linux])),
                .product(name: "VirtualBluetooth", package: "Harald", condition: .when(platforms: [.linux])),
                .product(name: "HaraldShims", package: "HaraldShims", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)])
    ]
)
