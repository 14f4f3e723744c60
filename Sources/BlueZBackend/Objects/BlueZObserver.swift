/// Hears what happens to `bluetoothd` and its objects. Confined to the loop.
protocol BlueZObserver: AnyObject {
    /// `bluetoothd` came, and its objects are known; or it went, and they are gone.
    func blueZ(isRunning: Bool)
    func blueZ(added interfaces: ManagedObjects.Interfaces, at path: String)
    func blueZ(removed interfaces: [String], at path: String)
    func blueZ(changed properties: [String: BusValue], of interface: String, at path: String)
    /// A device's link ended; `reason` is the name that BlueZ 5.82 and later give.
    func blueZ(disconnected path: String, reason: String)
    /// The bus itself ended.
    func blueZ(lostBus error: BusError)
}
