import BluetoothBackend
import BluetoothModel
import Synchronization

/// The data known of a peripheral, readable from any thread; the session on the loop writes it.
final class PeripheralStore: Sendable {
    struct Values: Sendable {
        var name: String?
        var address: BluetoothAddress?
        var advertisement: AdvertisingData?
        var rssi: Int?
        var state = ConnectionState.disconnected(nil)
        var tree = AttributeTree()
        /// The attributes that discovery on the link skipped.
        var skipped = SkippedAttributes()
        var mtu = 23
        var parameters: ConnectionParameters?
        var security = LinkSecurity()
        var maximumWriteWithResponse = 512
        var maximumWriteWithoutResponse = 20
    }

    let id: PeripheralID
    let values: Mutex<Values>
    let states = StreamHub<ConnectionState>()
    let securities = StreamHub<LinkSecurity>()
    let serviceChanges = StreamHub<[BluetoothUUID]>()
    let names = Mutex(AttributeNames())

    init(_ known: KnownPeripheral) {
        id = known.id
        var values = Values()
        values.name = known.name
        values.address = known.address
        self.values = Mutex(values)
    }

    func get<Value: Sendable>(_ body: (borrowing Values) -> Value) -> Value { values.withLock { body($0) } }

    func set(_ state: ConnectionState) {
        let changed = values.withLock { values in
            guard values.state != state else { return false }
            values.state = state
            return true
        }
        if changed { states.push(state) }
        // The security of one link does not apply to the next one.
        switch state {
        case .disconnected, .reconnecting: set(LinkSecurity())
        case .connecting, .connected, .disconnecting: break
        }
    }

    func set(_ security: LinkSecurity) {
        let changed = values.withLock { values in
            guard values.security != security else { return false }
            values.security = security
            return true
        }
        if changed { securities.push(security) }
    }

    /// Ends the streams because the central is closed. A stream that is requested later ends after the current value.
    func finish() {
        states.finish()
        securities.finish()
        serviceChanges.finish()
    }

    func update(_ report: ScanReport) {
        let (rssi, address, advertisement) = (report.rssi, report.address, report.advertisement)
        let isKnown = values.withLock { values in
            if let rssi { values.rssi = rssi }
            // A bonded device may advertise the same data from another address.
            if let address { values.address = address }
            // A device mostly repeats its advertisement, whose bytes are then equal: nothing to decode.
            return values.advertisement == advertisement
        }
        if isKnown { return }
        let name = advertisement.localName ?? report.knownName
        values.withLock { values in
            values.advertisement = advertisement
            values.name = name ?? values.name
        }
    }

    /// The description of the peripheral in errors: "'Polar H7' (E6:01:02:03:04:05)".
    var label: String {
        let (name, address) = get { ($0.name, $0.address?.text) }
        let identifier = address ?? id.description
        return name.map { "'\($0)' (\(identifier))" } ?? identifier
    }
}
