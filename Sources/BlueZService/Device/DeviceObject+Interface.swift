import BluetoothModel
import SystemBus

extension Interface {
    /// `org.bluez.Device1`.
    static let device: Interface = Interface(
        name: "org.bluez.Device1",
        properties: [
            Property("Address", "s") { (device: DeviceObject) in .string(device.address.text) },
            Property("AddressType", "s") { (device: DeviceObject) in
                .string(device.address.kind == .random ? "random" : "public")
            },
            Property("Name", "s") { (device: DeviceObject) in device.advertised.name.map { .string($0) } },
            Property("Alias", "s") { (device: DeviceObject) in
                .string(device.shownAlias)
            } write: { (device, value, _) throws(BusError) in
                let before = device.shownAlias
                device.settings.alias = value.text.flatMap { $0.isEmpty ? nil : $0 }
                if device.shownAlias != before { device.changed(.device, ["Alias"]) }
                return .done
            },
            Property("Appearance", "q") { (device: DeviceObject) in
                device.advertised.appearance.map { .uint16($0.rawValue) }
            },
            Property("Icon", "s") { (device: DeviceObject) in device.advertised.appearance?.icon.map { .string($0) } },
            Property("Paired", "b") { (device: DeviceObject) in .bool(device.isPaired) },
            Property("Bonded", "b") { (device: DeviceObject) in .bool(device.isBonded) },
            Property("Trusted", "b") { (device: DeviceObject) in
                .bool(device.settings.isTrusted)
            } write: { (device, value, _) throws(BusError) in
                guard let isTrusted = value.bool, isTrusted != device.settings.isTrusted else { return .done }
                device.settings.isTrusted = isTrusted
                device.changed(.device, ["Trusted"])
                return .done
            },
            Property("Blocked", "b") { (device: DeviceObject) in
                .bool(device.settings.isBlocked)
            } write: { (device, value, _) throws(BusError) in
                guard let isBlocked = value.bool, isBlocked != device.settings.isBlocked else { return .done }
                device.settings.isBlocked = isBlocked
                device.changed(.device, ["Blocked"])
                if isBlocked { device.disconnect {} }
                return .done
            },
            Property("LegacyPairing", "b") { (_: DeviceObject) in .bool(false) },
            Property("RSSI", "n") { (device: DeviceObject) in device.advertised.rssi.map { .int16($0) } },
            Property("Connected", "b") { (device: DeviceObject) in .bool(device.isConnected) },
            Property("UUIDs", "as") { (device: DeviceObject) in .strings(device.uuids.map(\.bluezText)) },
            Property("Modalias", "s") { (device: DeviceObject) in device.advertised.modalias.map { .string($0) } },
            Property("Adapter", "o") { (device: DeviceObject) in device.adapter.map { .path($0.path) } },
            Property("ManufacturerData", "a{qv}") { (device: DeviceObject) in
                .data(device.advertised.manufacturerData, key: "q") { .uint16($0) }
            },
            Property("ServiceData", "a{sv}") { (device: DeviceObject) in
                .data(device.advertised.serviceData, key: "s") { .string($0.bluezText) }
            },
            Property("TxPower", "n") { (device: DeviceObject) in device.advertised.txPower.map { .int16($0) } },
            Property("ServicesResolved", "b") { (device: DeviceObject) in .bool(device.areServicesResolved) },
            Property("AdvertisingFlags", "ay") { (device: DeviceObject) in
                device.advertised.flags.map { .bytes([$0]) }
            },
            Property("AdvertisingData", "a{yv}") { (device: DeviceObject) in
                .data(device.advertised.otherData, key: "y") { .byte($0) }
            },
        ],
        methods: [
            Method("Disconnect") { (device: DeviceObject, call) throws(BusError) in
                device.suspend()
                device.disconnect { call.respond(.success([])) }
                return .later
            },
            Method("Connect") { (device: DeviceObject, call) throws(BusError) in
                if device.adapter?.isPowered == false { throw .failed("Input/output error") }
                device.connect { call.respond($0.map { [] }) }
                return .later
            },
            Method("Pair") { (device: DeviceObject, call) throws(BusError) in try device.pair(call) },
            Method("CancelPairing") { (device: DeviceObject, _) throws(BusError) in try device.cancelPairing() },
            // The profiles of Bluetooth Classic are absent.
            Method("ConnectProfile", in: [.init("UUID", "s")]) { (_: DeviceObject, call) throws(BusError) in
                throw .notAvailable("br-connection-profile-unavailable")
            },
            Method("DisconnectProfile", in: [.init("UUID", "s")]) { (_: DeviceObject, call) throws(BusError) in
                throw .invalidArguments
            },
        ],
        signals: [Signal(name: "Disconnected", arguments: [.init("name", "s"), .init("message", "s")])])
}

extension DeviceObject {
    /// The alias, or the name in its place.
    fileprivate var shownAlias: String { settings.alias ?? advertised.name ?? address.dashedText }
}

extension BluetoothAddress {
    /// The address with dashes: the name of a device that has none.
    fileprivate var dashedText: String { text.split(separator: ":").joined(separator: "-") }
}

extension BusValue {
    /// Returns byte arrays by their keys; nil if there are none.
    fileprivate static func data<Key: Hashable>(
        _ data: [Key: [UInt8]], key type: String, _ key: (Key) -> BusValue
    ) -> BusValue? {
        guard !data.isEmpty else { return nil }
        return .dictionary(
            Dictionary(data.map { (key($0.key), .variant(.bytes($0.value))) }) { $1 }, key: type, value: "v")
    }
}
