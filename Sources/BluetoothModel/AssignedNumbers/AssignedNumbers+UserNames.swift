import Synchronization

/// Names that the user gives to vendor-specific UUIDs. They take precedence over the tables, in the whole process.
extension AssignedNumbers {
    private static let userNames = Mutex<[BluetoothUUID: String]>([:])

    /// The names that the user gave.
    package static var namesOfUser: [BluetoothUUID: String] {
        get { userNames.withLock { $0 } }
        set { userNames.withLock { $0 = newValue } }
    }

    static func userName(of uuid: BluetoothUUID) -> String? { userNames.withLock { $0[uuid] } }
}
