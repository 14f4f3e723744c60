// swift-tools-version: 6.1
import PackageDescription

// Somebody who uses the libraries `Harald` and `CoreBluetooth` and nothing else of this repository. `make test` builds and runs it, and fails when
// a package was fetched for it that is not in fetched-packages.txt.
let package = Package(
    name: "LibraryUser",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Harald", path: "../..")],
    targets: [
        .executableTarget(name: "LibraryUser", dependencies: [.product(name: "Harald", package: "Harald")]),
        // As a program for Apple's platforms says it: they keep the system's framework.
        .executableTarget(
            name: "CoreBluetoothUser",
            dependencies: [
                .product(name: "CoreBluetooth", package: "Harald", condition: .when(platforms: [.linux]))
            ]),
    ],
    swiftLanguageModes: [.v6]
)
