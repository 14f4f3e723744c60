import Harald

/// A set of devices in range of each other, each with a position and faults.
public struct SceneFile: Hashable, Sendable {
    /// The name of the scene.
    public var name: String
    /// The devices.
    public var devices: [SceneDevice]

    /// Creates a scene.
    public init(name: String, devices: [SceneDevice] = []) {
        self.name = name
        self.devices = devices
    }
}

/// A device of a scene.
public struct SceneDevice: Hashable, Sendable {
    /// The device.
    public var device: DeviceFile
    /// The position in metres. The listener is at the origin.
    public var position: ScenePosition
    /// The simulated faults.
    public var faults: SceneFaults

    /// Places a device, by default at a distance of one metre and without faults.
    public init(_ device: DeviceFile, position: ScenePosition = .init(x: 1), faults: SceneFaults = .init()) {
        self.device = device
        self.position = position
        self.faults = faults
    }
}

/// A position in metres. The listener is at the origin.
public struct ScenePosition: Hashable, Sendable {
    /// The coordinates in metres.
    public var x: Double, y: Double, z: Double

    /// Creates a position.
    public init(x: Double = 0, y: Double = 0, z: Double = 0) {
        self.x = x
        self.y = y
        self.z = z
    }
}

/// The simulated faults of a device in a scene.
public struct SceneFaults: Hashable, Sendable {
    /// The probability that a listener misses an advertisement, 0 to 1.
    public var loss = 0.0
    /// The delay of its data.
    public var delay = Duration.zero
    /// The time from the start of the scene until the radio stops transmitting; nil for no such fault.
    public var silentAfter: Duration?
    /// The duration without transmission; nil for unlimited.
    public var silentFor: Duration?
    /// The number of connection attempts that fail before one succeeds.
    public var failedConnects = 0

    /// Creates a value without faults.
    public init() {}
}
