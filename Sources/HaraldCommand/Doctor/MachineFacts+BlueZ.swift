import BluetoothRuntime
import Harald

#if canImport(BlueZBackend)
import BlueZBackend
#endif

extension MachineFacts {
    /// Asks `bluetoothd` for its adapters.
    mutating func askBlueZ() async {
        #if canImport(BlueZBackend)
        do {
            let found = try await BlueZAdapters().list()
            if let version = found.lazy.compactMap(\.version).first { bluezVersion = "\(version)" }
            // An empty answer without a running bluetoothd means that nothing owns the bus name.
            blueZ =
                found.isEmpty && bluetoothd == nil
                ? .notRunning : .adapters(found.map { BlueZAdapter(name: $0.name, isPowered: $0.isPowered) })
        } catch {
            switch error {
            case .radio(.unauthorized, _): blueZ = .denied
            case .radio(_, let reason): blueZ = .noBus(reason)
            default: blueZ = .noBus("\(error)")
            }
        }
        #endif
    }
}
