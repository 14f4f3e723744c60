import Harald

/// Devices side by side on one air, each at its place and with its faults.
public struct SceneFile: Hashable, Sendable {
    /// What it is called.
    public var name: String
    /// The devices.
    public var devices: [SceneDevice]

    /// A scene.
    public init(name: String, devices: [SceneDevice] = []) {
        self.name = name
        self.devices = devices
    }
}

/// A device of a scene.
public struct SceneDevice: Hashable, Sendable {
    /// The device.
    public var device: DeviceFile
    /// Where it stands, in metres; the listener stands at the origin.
    public var position: ScenePosition
    /// What goes wrong with it.
    public var faults: SceneFaults

    /// A device one metre away, without faults.
    public init(_ device: DeviceFile, position: ScenePosition = .init(x: 1), faults: SceneFaults = .init()) {
        self.device = device
        self.position = position
        self.faults = faults
    }
}

/// A place in metres; the listener stands at the origin.
public struct ScenePosition: Hashable, Sendable {
    /// Metres along the three axes.
    public var x: Double, y: Double, z: Double

    /// A place; the axes not given are 0.
    public init(x: Double = 0, y: Double = 0, z: Double = 0) {
        self.x = x
        self.y = y
        self.z = z
    }
}

/// What goes wrong with a device of a scene.
public struct SceneFaults: Hashable, Sendable {
    /// The share of its advertisements that a listener misses, 0 to 1.
    public var loss = 0.0
    /// How much later than it should its data arrives.
    public var delay = Duration.zero
    /// When its radio falls silent, counted from the start of the scene; nil for never.
    public var silentAfter: Duration?
    /// How long it stays silent; nil for good.
    public var silentFor: Duration?
    /// How many attempts to connect fail before one succeeds.
    public var failedConnects = 0

    /// Nothing goes wrong.
    public init() {}
}
