import BluetoothHost
import BluetoothModel

extension FuzzTarget {
    /// A file of discovered attributes: a valid file is unchanged after it was read, written and read again.
    static let cache = FuzzTarget(
        "cache", "files of discovered attributes", maximumLength: 512,
        seeds: {
            var entry = GATTCacheEntry(hash: Array(1...16))
            let service = GATTService(uuid: 0x180D, range: 8...15)
            entry.services = [service]
            entry.characteristics[8] = [
                GATTCharacteristic(
                    uuid: 0x2A37, declarationHandle: 9, valueHandle: 10, endHandle: 15, properties: [.notify])
            ]
            entry.descriptors[10] = [GATTDescriptor(uuid: 0x2902, handle: 11)]
            entry.includedServices[8] = [
                GATTIncludedService(handle: 9, service: GATTService(uuid: 0x180F, range: 20...22))
            ]
            return [entry.encoded, GATTCacheEntry(hash: nil).encoded]
        },
        run: { (view) throws(Finding) in
            guard let entry = GATTCacheEntry(encoded: view) else { return }
            let encoded = entry.encoded
            let again = encoded.withByteView { GATTCacheEntry(encoded: $0) }
            try require(again == entry, "\(entry) became \(again as Any)")
            try require(encoded.count <= view.count, "\(encoded.count) octets, from \(view.count)")
        })
}
