import BluetoothModel

/// The central of a host whose front door is CoreBluetooth. Its managers exist on Linux only, so the worlds know it by
/// this protocol.
protocol CoreCentral: AnyObject {
    /// True while the device of a host is connected for the program.
    func isConnected(to target: Int) -> Bool
    /// Releases the manager; what waits ends.
    func end()
}

/// The device of a host whose front door is CoreBluetooth.
protocol CoreDevice: AnyObject {
    /// The centrals that the manager knows as subscribers.
    func subscribers(of place: Place) -> Set<PeripheralID>
    /// Releases the manager; what waits ends.
    func end()
}

#if !os(Linux)
/// On other platforms the system's CoreBluetooth does not support a virtual radio: such hosts do nothing.
extension World {
    static func takeOverMailboxes() {}
    func beginCoreCentral(_ step: Step, _ host: SimulatedHost) -> Bool { false }
    func beginCoreDevice(_ step: Step, _ host: SimulatedHost) -> Bool { false }
}
#endif
