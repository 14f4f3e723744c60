import Harald

/// What a device does that its file cannot say: it answers control points, keeps records, measures by itself.
///
/// Calls come one after the other, on the loop of the device.
public protocol DeviceProgram: Sendable {
    /// Answers a read; nil for what the file says.
    func read(_ characteristic: BluetoothUUID) async throws -> [UInt8]?
    /// Takes a write. Throw an ``ATTErrorCode`` to refuse.
    /// - Returns: whether it was taken; else what the file says is done.
    func write(_ value: [UInt8], to characteristic: BluetoothUUID, by central: PeripheralID) async throws -> Bool
    /// A central subscribed.
    func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async
    /// A central unsubscribed.
    func unsubscribed(_ central: PeripheralID, from characteristic: BluetoothUUID) async
    /// A central went.
    func disconnected(_ central: PeripheralID) async
}

extension DeviceProgram {
    /// What the file says.
    public func read(_ characteristic: BluetoothUUID) async throws -> [UInt8]? { nil }
    /// What the file says.
    public func write(_ value: [UInt8], to characteristic: BluetoothUUID, by central: PeripheralID) async throws -> Bool
    {
        false
    }
    /// Nothing.
    public func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async {}
    /// Nothing.
    public func unsubscribed(_ central: PeripheralID, from characteristic: BluetoothUUID) async {}
    /// Nothing.
    public func disconnected(_ central: PeripheralID) async {}
}

/// Makes the program of a device when it is put on the air. Two of the same name are equal.
public struct DeviceProgramKind: Hashable, Sendable {
    /// What it is called.
    public let name: String
    let make: @Sendable (DeviceStage) -> any DeviceProgram

    /// A kind of program.
    public init(_ name: String, make: @escaping @Sendable (DeviceStage) -> any DeviceProgram) {
        self.name = name
        self.make = make
    }

    /// Whether both have the same name.
    public static func == (left: DeviceProgramKind, right: DeviceProgramKind) -> Bool { left.name == right.name }

    /// Feeds the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
