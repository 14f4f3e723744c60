// swift-tools-version: 6.1
import PackageDescription

// A user of every library of this repository and of none of its programs. Scripts/library-user.sh sets the address and
// the version of a release that stands in for the real one.
let url = Context.environment["HARALD_URL"] ?? "https://example.org/harald.git"
let version = Version(stringLiteral: Context.environment["HARALD_VERSION"] ?? "0.9.0")

let package = Package(
    name: "LibraryUser",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: url, exact: version)],
    targets: [
        .executableTarget(name: "LibraryUser", dependencies: [.product(name: "Harald", package: "harald")]),
        .executableTarget(
            name: "RadioUser",
            dependencies: [
                .product(name: "Harald", package: "harald"), .product(name: "VirtualBluetooth", package: "harald"),
            ]),
        .executableTarget(
            name: "DeviceUser",
            dependencies: [
                .product(name: "HaraldDevices", package: "harald"), .product(name: "VirtualDevices", package: "harald"),
                .product(name: "BluetoothProfiles", package: "harald"),
            ]),
        // As in a program for Apple's platforms, which use the system's framework.
        .executableTarget(
            name: "CoreBluetoothUser",
            dependencies: [
                .product(name: "CoreBluetooth", package: "harald", condition: .when(platforms: [.linux])),
                .product(name: "CoreBluetoothDevices", package: "harald"),
                // Names of targets that the repository has too, for its programs.
                "JSON", "TestSupport",
            ]),
        .target(name: "JSON"),
        .target(name: "TestSupport"),
    ],
    swiftLanguageModes: [.v6]
)
