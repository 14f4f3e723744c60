import SystemBus

/// Observes `bluetoothd` and its objects. Confined to the loop.
protocol BlueZObserver: AnyObject {
    /// `bluetoothd` started, and its objects are known; or it exited, and they are removed.
    func blueZ(isRunning: Bool)
    func blueZ(added interfaces: ManagedObjects.Interfaces, at path: String)
    func blueZ(removed interfaces: [String], at path: String)
    func blueZ(changed properties: [String: BusValue], of interface: String, at path: String)
    /// A device's link ended; `reason` is the name that BlueZ 5.82 and later report.
    func blueZ(disconnected path: String, reason: String)
    /// The connection to the bus ended.
    func blueZ(lostBus error: BusError)
}
