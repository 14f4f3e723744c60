import Harald

/// The behaviour of a device in code: control points, stored records, measurements.
///
/// Methods are called one at a time, on the loop of the device.
public protocol DeviceProgram: Sendable {
    /// Returns the value for a read; nil for the value of the file.
    /// - Throws: ``ATTErrorCode`` to reject the read.
    func read(_ characteristic: BluetoothUUID) async throws -> [UInt8]?
    /// Handles a write.
    /// - Returns: True if the write was handled; false to apply the behaviour of the file.
    /// - Throws: ``ATTErrorCode`` to reject the write.
    func write(_ value: [UInt8], to characteristic: BluetoothUUID, by central: PeripheralID) async throws -> Bool
    /// Called after a central subscribed.
    func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async
    /// Called after a central unsubscribed.
    func unsubscribed(_ central: PeripheralID, from characteristic: BluetoothUUID) async
    /// Called after a central disconnected.
    func disconnected(_ central: PeripheralID) async
}

extension DeviceProgram {
    /// Returns nil: the value of the file applies.
    public func read(_ characteristic: BluetoothUUID) async throws -> [UInt8]? { nil }
    /// Returns false: the behaviour of the file applies.
    public func write(_ value: [UInt8], to characteristic: BluetoothUUID, by central: PeripheralID) async throws -> Bool
    {
        false
    }
    /// Does nothing.
    public func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async {}
    /// Does nothing.
    public func unsubscribed(_ central: PeripheralID, from characteristic: BluetoothUUID) async {}
    /// Does nothing.
    public func disconnected(_ central: PeripheralID) async {}
}

/// A factory of device programs. Kinds with the same name are equal.
public struct DeviceProgramKind: Hashable, Sendable {
    /// The name.
    public let name: String
    let make: @Sendable (DeviceStage) -> any DeviceProgram

    /// Creates a kind of program.
    /// - Parameter make: creates the program when the device starts.
    public init(_ name: String, make: @escaping @Sendable (DeviceStage) -> any DeviceProgram) {
        self.name = name
        self.make = make
    }

    /// Returns true if the names are equal.
    public static func == (left: DeviceProgramKind, right: DeviceProgramKind) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
