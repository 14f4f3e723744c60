// swift-tools-version: 6.1
import PackageDescription

// A user of the libraries of this repository and of none of its programs. `make test` builds and runs it, and fails
// when a package was fetched for it that is not in fetched-packages.txt.
let package = Package(
    name: "LibraryUser",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Harald", path: "../..", traits: [])],
    targets: [
        .executableTarget(name: "LibraryUser", dependencies: [.product(name: "Harald", package: "Harald")]),
        .executableTarget(
            name: "RadioUser",
            dependencies: [
                .product(name: "Harald", package: "Harald"), .product(name: "VirtualBluetooth", package: "Harald"),
            ]),
        .executableTarget(
            name: "DeviceUser",
            dependencies: [
                .product(name: "HaraldDevices", package: "Harald"), .product(name: "VirtualDevices", package: "Harald"),
            ]),
        // As in a program for Apple's platforms, which use the system's framework.
        .executableTarget(
            name: "CoreBluetoothUser",
            dependencies: [
                .product(name: "CoreBluetooth", package: "Harald", condition: .when(platforms: [.linux]))
            ]),
    ],
    swiftLanguageModes: [.v6]
)
