// swift-tools-version: 6.2
import PackageDescription

// The trait `Programs` enables the dependencies of the programs. It is on by default, except for another package, which
// uses the libraries: in its checkout, and in the repository, which SwiftPM reads as "/" to resolve versions.
let programs: TargetDependencyCondition? = .when(traits: ["Programs"])
let folders = Context.packageDirectory.split(separator: "/")
let isDependency = folders.isEmpty || folders.dropLast().last == "checkouts"

// Scripts/build.sh sets these for a release.
let commit: [CSetting] = ["HARALD_COMMIT", "HARALD_DATE"].compactMap { name in
    Context.environment[name].map { .define(name, to: "\"\($0)\"") }
}

// `make run` builds the program without its servers first, in half the time (Scripts/build.sh).
let hasServers = Context.environment["HARALD_WITHOUT_SERVERS"] == nil && !isDependency
let servers: [Target.Dependency] =
    hasServers ? ["ExplorerWeb", "Forwarding", "Gateway", "HealthHub", "HealthHubWeb", "WebServer"] : []

// An async function runs where its caller runs: a front door hops to the adapter's loop once, and back once.
let callerIsolated: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

// Apple's systems have CoreBluetooth: there the product of that name re-exports the system's, and no module shadows it.
#if os(Linux)
let coreBluetooth = ["CoreBluetooth"]
let onLinux: [Target.Dependency] = ["CoreBluetooth"]
let linuxTargets: [Target] = [
    // its enumerations, which are open as those that Swift imports from C, and its submodules
    .target(name: "CCoreBluetooth"),
    .target(
        name: "CoreBluetooth",
        dependencies: [
            "CCoreBluetooth", "BluetoothModel", "BluetoothRuntime", "BluetoothBackend", "Adapters",
            .product(name: "Logging", package: "swift-log"),
        ]),
    // what an app would have, in Swift 5 mode, and two command-line programs
    .target(
        name: "CoreBluetoothExamples", dependencies: ["CoreBluetooth"], path: "Examples/CoreBluetooth",
        swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
        name: "HeartRateTool", dependencies: ["CoreBluetooth", "CoreBluetoothExamples"], path: "Examples/HeartRateTool",
        swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
        name: "BatteryTool", dependencies: ["CoreBluetooth", "CoreBluetoothExamples"], path: "Examples/BatteryTool",
        swiftSettings: [.swiftLanguageMode(.v5)]),
    // clients that only have to compile
    .target(name: "Swift6Client", dependencies: ["CoreBluetooth"], path: "Tests/CoreBluetoothClients/Swift6"),
    .target(
        name: "MainActorClient", dependencies: ["CoreBluetooth"], path: "Tests/CoreBluetoothClients/MainActorDefault",
        swiftSettings: [.defaultIsolation(MainActor.self)]),
    // a program that tests kill and start again
    .executableTarget(
        name: "RestorationTool", dependencies: ["CoreBluetooth"], path: "Tests/CoreBluetoothClients/Restoration",
        swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
        name: "CoreBluetoothTests",
        dependencies: [
            "CoreBluetooth", "CoreBluetoothExamples", "Swift6Client", "MainActorClient", "BluetoothModel",
            "BluetoothBackend", "BluetoothRuntime", "BluetoothTransport", "Adapters", "VirtualBluetooth",
            "VirtualTransport", "HeartRateTool", "BatteryTool", "RestorationTool", "PeerSupport",
        ],
        exclude: ["APISurface/symbols.txt"],
        // As much of the code that uses CoreBluetooth is.
        swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
        name: "CoreBluetoothDevicesTests",
        dependencies: [
            "CoreBluetoothDevices", "CoreBluetooth", "VirtualDevices", "BluetoothRuntime", "VirtualTransport",
        ]),
]
#else
let coreBluetooth = ["AppleCoreBluetooth"]
let onLinux: [Target.Dependency] = []
let linuxTargets: [Target] = [.target(name: "AppleCoreBluetooth")]
#endif

// Named only where it is declared (at the end).
#if os(Linux)
let bluez: [Target.Dependency] = ["BlueZBackend", "SystemBus"]
let bluezService: [Target.Dependency] = ["BlueZService", "CBoundProcess"]
let door: [Target.Dependency] = ["BlueZBackend", "BlueZService", "PeerSupport"]
// On Linux `AppleBackend` stands on our own CoreBluetooth, and only tests use it.
let apple: [Target.Dependency] = []
let appleInTests: [Target.Dependency] = ["AppleBackend"]
#else
let bluez: [Target.Dependency] = []
let bluezService: [Target.Dependency] = []
let door: [Target.Dependency] = []
let apple: [Target.Dependency] = ["AppleBackend"]
let appleInTests: [Target.Dependency] = []
#endif

let package = Package(
    name: "Harald",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Harald", targets: ["Harald"]),
        .library(name: "CoreBluetooth", targets: coreBluetooth),
        .library(name: "VirtualBluetooth", targets: ["VirtualBluetooth", "VirtualTransport"]),
        .library(name: "BluetoothProfiles", targets: ["BluetoothProfiles"]),
        .library(name: "HaraldDevices", targets: ["HaraldDevices"]),
        .library(name: "CoreBluetoothDevices", targets: ["CoreBluetoothDevices"]),
        .library(name: "VirtualDevices", targets: ["VirtualDevices"]),
        .executable(name: "harald", targets: ["HaraldCommand"]),
        .executable(name: "harald-bench", targets: ["HaraldBench"]),
        .executable(name: "harald-simulate", targets: ["HaraldSimulation"]),
        .executable(name: "harald-fuzz", targets: ["HaraldFuzz"]),
    ],
    traits: [
        .default(enabledTraits: isDependency ? [] : ["Programs"]),
        .trait(name: "Programs", description: "The command line program `harald` and virtual devices as YAML files."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    ],
    targets: [
        // values
        .target(name: "BluetoothModel"),
        // AES-CCM of links and of advertised values, identity resolving keys
        .target(
            name: "BluetoothCipher",
            dependencies: [
                "BluetoothModel",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]),
        // values of profiles, typed
        .target(name: "BluetoothProfiles", dependencies: ["BluetoothModel"]),
        // the vocabulary of the host controller interface, shared by controllers, transports and the host
        .target(name: "BluetoothHCI", dependencies: ["BluetoothModel"]),
        // time, timers and the one serial executor of an adapter
        .systemLibrary(name: "CLinuxPolling"),
        .target(
            name: "BluetoothRuntime",
            dependencies: [.target(name: "CLinuxPolling", condition: .when(platforms: [.linux, .android]))]),
        // air
        .target(
            name: "VirtualBluetooth",
            dependencies: [
                "BluetoothModel", "BluetoothCipher", "BluetoothHCI", "BluetoothRuntime",
            ]),
        // transports
        .target(
            name: "BluetoothTransport",
            dependencies: ["BluetoothModel", "BluetoothHCI", "BluetoothRuntime"]),
        // host stack
        .target(
            name: "BluetoothHost",
            dependencies: [
                "BluetoothModel", "BluetoothHCI", "BluetoothRuntime",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]),
        // seam
        .target(
            name: "BluetoothBackend",
            dependencies: ["BluetoothModel", "BluetoothRuntime", .product(name: "Logging", package: "swift-log")]),
        // backends
        .target(
            name: "HostBackend",
            dependencies: [
                "BluetoothModel", "BluetoothRuntime", "BluetoothBackend", "BluetoothHost", "BluetoothTransport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "AppleBackend",
            dependencies: [
                "BluetoothBackend", "BluetoothModel", "BluetoothRuntime",
                .product(name: "Logging", package: "swift-log"),
            ] + onLinux),
        // composition root: the only target that knows which backends there are
        .target(
            name: "Adapters",
            dependencies: [
                "BluetoothModel", "BluetoothRuntime", "BluetoothTransport", "BluetoothBackend", "HostBackend",
            ] + bluez + apple),
        // virtual radios: in-process channels, served controllers
        .target(
            name: "VirtualTransport",
            dependencies: [
                "BluetoothModel", "BluetoothRuntime", "BluetoothTransport", "BluetoothHost", "BluetoothBackend",
                "HostBackend", "Adapters", "VirtualBluetooth",
            ]),
        // front doors
        .target(
            name: "Harald",
            dependencies: [
                "BluetoothModel", "BluetoothCipher", "BluetoothProfiles", "BluetoothRuntime", "BluetoothBackend",
                "Adapters",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: callerIsolated),
        // devices: a way to write drivers, and drivers
        .target(
            name: "HaraldDevices", dependencies: ["Harald", "BluetoothModel", "BluetoothProfiles"],
            swiftSettings: callerIsolated),
        // the same declarations for the peripherals of CoreBluetooth, ours or Apple's
        .target(
            name: "CoreBluetoothDevices",
            dependencies: ["HaraldDevices", "BluetoothModel", "BluetoothProfiles"] + onLinux),
        // virtual devices as files, and simulated twins
        .target(
            name: "VirtualDevices",
            dependencies: [
                "Harald", "HaraldDevices", "BluetoothProfiles", "BluetoothRuntime", "BluetoothBackend", "HostBackend",
                "Adapters", "VirtualBluetooth", "VirtualTransport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Yams", package: "Yams", condition: programs),
            ]),
        // values, parser and writer of JSON
        .target(name: "JSON"),
        // products: models without a user interface, and their web servers
        .target(
            name: "Explorer",
            dependencies: [
                "Harald", "HaraldDevices", "VirtualDevices", "VirtualBluetooth", "BluetoothBackend", "BluetoothCipher",
                "BluetoothModel", "BluetoothProfiles", "BluetoothRuntime", "BluetoothTransport", "JSON",
                .product(name: "Yams", package: "Yams", condition: programs),
            ], swiftSettings: callerIsolated),
        .target(
            name: "Workbench",
            dependencies: [
                "Explorer", "Harald", "VirtualDevices", "BluetoothModel", "BluetoothProfiles", "BluetoothHCI",
                "BluetoothHost", "BluetoothRuntime", "BluetoothTransport", "VirtualBluetooth",
            ], swiftSettings: callerIsolated),
        // the commit and date of a release, and where it crashed
        .target(name: "CBuild", cSettings: commit),
        // screens of the terminal
        .target(name: "TerminalScreen"),
        // programs
        .executableTarget(
            name: "HaraldCommand",
            dependencies: [
                "CBuild", "Explorer", "TerminalScreen", "Workbench", "Harald", "HaraldDevices", "VirtualDevices",
                "BluetoothModel", "BluetoothProfiles", "BluetoothRuntime", "BluetoothTransport", "BluetoothBackend",
                "Adapters", "VirtualBluetooth", "VirtualTransport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
            ] + bluez + bluezService + servers,
            exclude: [hasServers ? "WithoutServers.swift" : "Servers"]),
        .executableTarget(
            name: "HaraldBench",
            dependencies: [
                "Harald", "BluetoothModel", "BluetoothProfiles", "BluetoothRuntime", "BluetoothBackend", "Adapters",
                "VirtualTransport",
            ] + onLinux),
        // whole worlds from a seed: what `make simulate` runs
        .target(name: "CSimulation"),
        .executableTarget(
            name: "HaraldSimulation",
            dependencies: [
                "CSimulation", "Harald", "Adapters", "BluetoothBackend", "BluetoothHost", "BluetoothTransport",
                "BluetoothRuntime", "BluetoothHCI", "BluetoothModel", "VirtualBluetooth", "VirtualTransport",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
            ] + onLinux),
        // the program of the README, which tests run
        .executableTarget(name: "Pulse", dependencies: ["Harald"], path: "Examples/Pulse"),
        // made-up input for every decoder and state machine (make fuzz); its corpus runs in the tests
        .executableTarget(
            name: "HaraldFuzz",
            dependencies: [
                "BluetoothModel", "BluetoothProfiles", "BluetoothHCI", "BluetoothRuntime", "BluetoothHost",
                "BluetoothBackend", "HostBackend", "Harald", "HaraldDevices", "VirtualDevices", "VirtualTransport",
                "Explorer", "Workbench",
            ] + bluez, path: "Tests/Fuzz", exclude: ["Corpus", "Dictionaries"]),
        .testTarget(name: "FuzzTests", dependencies: ["HaraldFuzz", "BluetoothModel", "TestSupport"]),
        // what make sanitize seeds, to see that it would be found
        .testTarget(name: "SanitizerTests"),
        // tests, each beside what it tests
        .testTarget(name: "BluetoothModelTests", dependencies: ["BluetoothModel", "TestSupport"]),
        .testTarget(name: "BluetoothProfilesTests", dependencies: ["BluetoothProfiles", "BluetoothModel"]),
        .testTarget(name: "BluetoothHCITests", dependencies: ["BluetoothHCI", "BluetoothModel"]),
        .testTarget(name: "BluetoothRuntimeTests", dependencies: ["BluetoothRuntime", "TestSupport"]),
        .testTarget(
            name: "VirtualBluetoothTests",
            dependencies: [
                "VirtualBluetooth", "BluetoothCipher", "BluetoothHCI", "BluetoothModel", "BluetoothRuntime",
            ]),
        .testTarget(
            name: "BluetoothTransportTests",
            dependencies: [
                "BluetoothTransport", "BluetoothHCI", "BluetoothModel", "BluetoothRuntime", "VirtualTransport",
            ]),
        .testTarget(
            name: "BluetoothBackendTests",
            dependencies: ["BackendConformance", "BluetoothBackend", "BluetoothModel", "BluetoothRuntime"]),
        // what every backend has to do, as scenarios over a backend under test, and a fake backend that passes them
        .executableTarget(
            name: "BackendConformance", dependencies: ["BluetoothBackend", "BluetoothModel", "BluetoothRuntime"],
            path: "Tests/Conformance", exclude: ["faults.txt"]),
        .testTarget(
            name: "BackendConformanceTests",
            dependencies: [
                "BackendConformance", "BluetoothBackend", "BluetoothModel", "BluetoothRuntime", "Adapters",
                "VirtualTransport",
            ] + appleInTests + onLinux + door),
        .testTarget(
            name: "BluetoothHostTests",
            dependencies: ["BluetoothHost", "BluetoothHCI", "BluetoothModel", "BluetoothRuntime", "VirtualBluetooth"]),
        .testTarget(
            name: "HaraldTests",
            dependencies: [
                "Harald", "BluetoothProfiles", "BluetoothHost", "BluetoothRuntime", "BluetoothBackend",
                "HostBackend", "Adapters", "VirtualBluetooth", "VirtualTransport", "TestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ] + appleInTests + onLinux),
        .testTarget(
            name: "HaraldDevicesTests",
            dependencies: [
                "HaraldDevices", "VirtualDevices", "Harald", "BluetoothModel", "BluetoothProfiles", "BluetoothRuntime",
                "VirtualTransport",
            ]),
        .testTarget(
            name: "VirtualDevicesTests",
            dependencies: [
                "VirtualDevices", "Harald", "BluetoothModel", "BluetoothProfiles", "BluetoothRuntime",
                "BluetoothHost", "VirtualTransport",
            ]),
        .testTarget(
            name: "HaraldCommandTests",
            dependencies: [
                "HaraldCommand", "Pulse", "Explorer", "VirtualDevices", "Harald", "HaraldDevices", "BluetoothModel",
                "BluetoothProfiles", "BluetoothTransport", "Adapters", "VirtualBluetooth", "VirtualTransport",
                "PeerSupport", "BluetoothRuntime",
                "TerminalScreen",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
            ]),
        .testTarget(name: "TerminalScreenTests", dependencies: ["TerminalScreen", "PeerSupport"]),
        .testTarget(
            name: "ExplorerTests",
            dependencies: [
                "Explorer", "Harald", "HaraldDevices", "VirtualDevices", "VirtualTransport", "BluetoothModel",
                "BluetoothProfiles", "BluetoothRuntime", "BluetoothTransport",
            ]),
        .testTarget(
            name: "WorkbenchTests",
            dependencies: [
                "Workbench", "Explorer", "Harald", "VirtualDevices", "VirtualTransport", "VirtualBluetooth",
                "BluetoothModel", "BluetoothHCI", "BluetoothTransport", "BluetoothHost", "BluetoothRuntime",
                "BluetoothProfiles", "HostBackend", "TestSupport",
            ]),
        .testTarget(
            name: "HaraldSimulationTests", dependencies: ["HaraldSimulation", "PeerSupport"], exclude: ["Programs"]),
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        // tests against independent peers
        .target(name: "PeerSupport", dependencies: ["TerminalScreen"], path: "Tests/PeerSupport"),
        .testTarget(
            name: "PeerTests",
            dependencies: [
                "PeerSupport", "Harald", "HaraldDevices", "VirtualDevices", "BluetoothHCI", "BluetoothRuntime",
                "BluetoothTransport", "VirtualBluetooth", "VirtualTransport", "Workbench",
            ] + onLinux,
            swiftSettings: callerIsolated),
    ] + linuxTargets,
    swiftLanguageModes: [.v6]
)

// The servers: the hub, the web server of the explorer, and the gateway.
if hasServers {
    package.dependencies += [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ]
    package.targets += [
        // libmosquitto, opened at run time
        .target(name: "CMosquitto", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        // delivery to brokers and HTTP servers, and metrics, for the hub and for the gateway of sensors
        .target(
            name: "Forwarding",
            dependencies: [
                "CMosquitto", "JSON",
                .product(name: "CoreMetrics", package: "swift-metrics", condition: programs),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: programs),
                .product(name: "NIOCore", package: "swift-nio", condition: programs),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: programs),
                .product(name: "NIOPosix", package: "swift-nio", condition: programs),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: programs),
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        // libpq, opened at run time
        .target(name: "CPostgres", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(
            name: "HealthHub",
            dependencies: [
                "BluetoothModel", "BluetoothProfiles", "CPostgres", "Forwarding", "JSON",
                .product(name: "GRDB", package: "GRDB.swift", condition: programs),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: programs),
                .product(name: "Yams", package: "Yams", condition: programs),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Crypto", package: "swift-crypto"),
            ], resources: [.embedInCode("Rules/Files"), .embedInCode("Languages/Files")]),
        // pages and style, part of the executable
        .target(name: "CWebPages", exclude: ["Shared", "Explorer", "Hub"]),
        // what both servers have in common: sessions, tokens, TLS, streams of events
        .target(
            name: "WebServer",
            dependencies: [
                "CWebPages",
                .product(name: "Hummingbird", package: "hummingbird", condition: programs),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: programs),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: programs),
                .product(name: "NIOCore", package: "swift-nio", condition: programs),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: programs),
                .product(name: "NIOPosix", package: "swift-nio", condition: programs),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: programs),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras", condition: programs),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: programs),
                .product(name: "X509", package: "swift-certificates", condition: programs),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]),
        .target(
            name: "ExplorerWeb",
            dependencies: [
                "CWebPages", "Explorer", "WebServer", "Harald", "HaraldDevices", "VirtualDevices", "BluetoothModel",
                .product(name: "Hummingbird", package: "hummingbird", condition: programs),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: programs),
            ]),
        .target(
            name: "HealthHubWeb",
            dependencies: [
                "CWebPages", "Forwarding", "HealthHub", "JSON", "WebServer",
                .product(name: "CoreMetrics", package: "swift-metrics", condition: programs),
                .product(name: "Hummingbird", package: "hummingbird", condition: programs),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: programs),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: programs),
                .product(name: "NIOCore", package: "swift-nio", condition: programs),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: programs),
                .product(name: "NIOPosix", package: "swift-nio", condition: programs),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: programs),
                .product(name: "Logging", package: "swift-log"),
            ]),
        // sensors, to brokers, programs and Prometheus
        .target(
            name: "Gateway",
            dependencies: [
                "Explorer", "Forwarding", "Harald", "HaraldDevices", "VirtualDevices", "WebServer", "BluetoothProfiles",
                "BluetoothBackend", "JSON",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Hummingbird", package: "hummingbird", condition: programs),
            ], swiftSettings: callerIsolated),
        // the hub's store beside Benchmarks/hub_floor.c
        .executableTarget(name: "HubBench", dependencies: ["HealthHub"]),
        .testTarget(
            name: "WebServerTests",
            dependencies: [
                "WebServer", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Hummingbird", package: "hummingbird", condition: programs),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: programs),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: programs),
                .product(name: "NIOCore", package: "swift-nio", condition: programs),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: programs),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: programs),
                .product(name: "NIOPosix", package: "swift-nio", condition: programs),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: programs),
            ]),
        .testTarget(
            name: "ExplorerWebTests",
            dependencies: [
                "ExplorerWeb", "Explorer", "WebServer", "Harald", "VirtualDevices", "BluetoothRuntime",
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: programs),
                .product(name: "NIOCore", package: "swift-nio", condition: programs),
            ]),
        .testTarget(
            name: "HealthHubTests",
            dependencies: [
                "HealthHub", "Forwarding", "JSON", "BluetoothModel", "BluetoothProfiles", "PeerSupport", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift", condition: programs),
            ]),
        .testTarget(
            name: "HealthHubWebTests",
            dependencies: [
                "BrokerSupport", "CMosquitto", "Forwarding", "HealthHubWeb", "HealthHub", "JSON", "WebServer",
                "PeerSupport", "TestSupport",
                .product(name: "Hummingbird", package: "hummingbird", condition: programs),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: programs),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: programs),
                .product(name: "NIOCore", package: "swift-nio", condition: programs),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: programs),
                .product(name: "NIOPosix", package: "swift-nio", condition: programs),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: programs),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Gateway", "BrokerSupport", "Forwarding", "Explorer", "Harald", "BluetoothProfiles", "VirtualDevices",
                "BluetoothBackend", "BluetoothCipher", "VirtualTransport", "JSON", "PeerSupport", "TestSupport",
                "WebServer",
                .product(name: "Hummingbird", package: "hummingbird", condition: programs),
            ]),
        // a broker for tests, and a client of it
        .target(
            name: "BrokerSupport", dependencies: ["CMosquitto", "Forwarding", "PeerSupport"],
            path: "Tests/BrokerSupport"),
    ]
}

// BlueZ, over D-Bus, whose library is opened at run time: there is nothing of it anywhere but on Linux.
#if os(Linux)
package.targets += [
    .target(name: "CSystemBus", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "SystemBus", dependencies: ["BluetoothRuntime", "CSystemBus"]),
    .testTarget(name: "SystemBusTests", dependencies: ["SystemBus", "BluetoothRuntime", "PeerSupport"]),
    .target(
        name: "BlueZBackend",
        dependencies: [
            "BluetoothBackend", "BluetoothModel", "BluetoothRuntime", "SystemBus",
            .product(name: "Logging", package: "swift-log"),
        ]),
    // the third front door: BlueZ's API for programs in any language
    .target(
        name: "BlueZService",
        dependencies: [
            "BluetoothBackend", "BluetoothModel", "BluetoothRuntime", "SystemBus",
            .product(name: "Logging", package: "swift-log"),
        ]),
    .testTarget(
        name: "BlueZServiceTests",
        dependencies: [
            "BlueZService", "BluetoothBackend", "BluetoothModel", "BluetoothRuntime", "Harald", "SystemBus",
            "TestSupport", "VirtualBluetooth", "VirtualDevices", "VirtualTransport",
        ]),
    // processes that end with their parent
    .target(name: "CBoundProcess"),
    .testTarget(
        name: "BlueZBackendTests",
        dependencies: [
            "BlueZBackend", "BackendConformance", "BluetoothBackend", "BluetoothModel", "BluetoothRuntime",
            "PeerSupport", "SystemBus",
        ]),
    // What `make test-linux` runs on a real kernel.
    .executableTarget(
        name: "HaraldLinuxChecks", dependencies: ["BlueZService", "Harald"], path: "Tests/Linux/Checks"),
]
#endif

// A package that depends on this one sees what the libraries need: its own targets may have the names of the others.
if isDependency {
    let libraries = package.products.compactMap { $0 as? Product.Library }
    package.products = libraries
    var names = libraries.flatMap(\.targets)
    var needed: Set<String> = []
    while let name = names.popLast() {
        guard needed.insert(name).inserted else { continue }
        for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            if case .byNameItem(let name, _) = dependency { names.append(name) }
            if case .targetItem(let name, _) = dependency { names.append(name) }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
}

// In a release (Scripts/build.sh), the code of programs, which waits for people and networks, is optimised for size.
if Context.environment["HARALD_COMMIT"] != nil {
    let programs: Set = [
        "Explorer", "ExplorerWeb", "Forwarding", "Gateway", "HaraldCommand", "HealthHub", "HealthHubWeb",
        "TerminalScreen", "VirtualDevices", "WebServer", "Workbench",
    ]
    for target in package.targets where programs.contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Osize"])]
    }
}

// `make fuzz` counts the edges of this package's code only. Users of the libraries never set this.
if Context.environment["HARALD_FUZZER"] != nil {
    for target in package.targets where target.type == .regular || target.type == .executable {
        target.swiftSettings =
            (target.swiftSettings ?? []) + [
                .define("HARALD_FUZZER"),
                .unsafeFlags(["-sanitize=fuzzer", "-assert-config", "Debug", "-enable-testing"]),
            ]
        if target.type == .executable { target.linkerSettings = [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])] }
    }
}
