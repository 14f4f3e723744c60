// swift-tools-version: 6.2
import PackageDescription

let harald: Target.Dependency = .product(name: "Harald", package: "Harald")
let profiles: Target.Dependency = .product(name: "BluetoothProfiles", package: "Harald")
let coreBluetooth: Target.Dependency = .product(
    name: "CoreBluetooth", package: "Harald", condition: .when(platforms: [.linux]))

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Harald", path: "..", traits: []),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    ],
    targets: [
        .executableTarget(name: "Beacon", dependencies: [harald], path: "Beacon"),
        .executableTarget(name: "Lamp", dependencies: [harald], path: "Lamp"),
        .executableTarget(name: "Bonds", dependencies: [harald], path: "Bonds"),
        .executableTarget(name: "Channel", dependencies: [harald], path: "Channel"),
        .executableTarget(name: "SeveralDevices", dependencies: [harald, profiles], path: "SeveralDevices"),
        .executableTarget(name: "HeartRateGateway", dependencies: [harald], path: "HeartRateGateway"),
        .executableTarget(
            name: "Server", dependencies: [harald, .product(name: "Hummingbird", package: "hummingbird")],
            path: "Server"),
        .target(name: "ViewModel", dependencies: [coreBluetooth], path: "ViewModel", exclude: ["Tests"]),
        .testTarget(
            name: "ViewModelTests",
            dependencies: ["ViewModel", coreBluetooth, harald, .product(name: "VirtualBluetooth", package: "Harald")],
            path: "ViewModel/Tests"),
    ])
