import BluetoothModel
import SystemBus

extension Interface {
    /// `org.bluez.Adapter1`.
    static let adapter: Interface = Interface(
        name: "org.bluez.Adapter1",
        properties: [
            Property("Address", "s") { (adapter: AdapterObject) in
                .string(adapter.backend.adapter.address?.text ?? "00:00:00:00:00:00")
            },
            Property("AddressType", "s") { (adapter: AdapterObject) in
                .string(adapter.backend.adapter.address?.kind == .random ? "random" : "public")
            },
            Property("Name", "s") { (adapter: AdapterObject) in .string(adapter.systemName) },
            Property("Alias", "s") { (adapter: AdapterObject) in
                .string(adapter.name)
            } write: { (adapter, value, call) throws(BusError) in
                let before = adapter.name
                return adapter.answer(call) {
                    adapter.alias = value.text.flatMap { $0.isEmpty ? nil : $0 }
                    guard adapter.name != before else { return }
                    adapter.changed(.adapter, ["Alias"])
                    adapter.role.adapterChanged()
                }
            },
            Property("Class", "u") { (_: AdapterObject) in .uint32(0) },
            Property("Powered", "b") { (adapter: AdapterObject) in
                .bool(adapter.isPowered)
            } write: { (adapter, value, call) throws(BusError) in
                try adapter.setPowered(value.bool == true, call)
            },
            Property("PowerState", "s") { (adapter: AdapterObject) in .string(adapter.powerState) },
            Property("Discoverable", "b") { (adapter: AdapterObject) in
                .bool(adapter.isDiscoverable)
            } write: { (adapter, value, call) throws(BusError) in
                if !adapter.isPowered { throw .failed("Not Powered") }
                return adapter.answer(call) {
                    adapter.set(\.isDiscoverable, value.bool, "Discoverable")
                    adapter.role.adapterChanged()
                }
            },
            Property("DiscoverableTimeout", "u") { (adapter: AdapterObject) in
                .uint32(adapter.discoverableTimeout)
            } write: { (adapter, value, call) throws(BusError) in
                adapter.answer(call) {
                    adapter.discoverableTimeout = value.integer.map { UInt32($0) } ?? 0
                    adapter.changed(.adapter, ["DiscoverableTimeout"])
                }
            },
            Property("Pairable", "b") { (adapter: AdapterObject) in
                .bool(adapter.isPairable)
            } write: { (adapter, value, call) throws(BusError) in
                adapter.answer(call) { adapter.set(\.isPairable, value.bool, "Pairable") }
            },
            Property("PairableTimeout", "u") { (adapter: AdapterObject) in
                .uint32(adapter.pairableTimeout)
            } write: { (adapter, value, call) throws(BusError) in
                adapter.answer(call) {
                    adapter.pairableTimeout = value.integer.map { UInt32($0) } ?? 0
                    adapter.changed(.adapter, ["PairableTimeout"])
                }
            },
            Property("Discovering", "b") { (adapter: AdapterObject) in .bool(adapter.isDiscovering) },
            Property("UUIDs", "as") { (adapter: AdapterObject) in
                .strings(adapter.services.sorted().map(\.bluezText))
            },
            // The identification of BlueZ 5.66, whose API this is.
            Property("Modalias", "s") { (_: AdapterObject) in .string("usb:v1D6Bp0246d0542") },
            Property("Roles", "as") { (adapter: AdapterObject) in
                .strings(["central"] + (adapter.hasPeripheralRole ? ["peripheral"] : []))
            },
        ],
        methods: [
            Method("StartDiscovery") { (adapter: AdapterObject, call) throws(BusError) in
                try adapter.startDiscovery(call)
            },
            Method("SetDiscoveryFilter", in: [.init("properties", "a{sv}")]) {
                (adapter: AdapterObject, call) throws(BusError) in
                try adapter.setDiscoveryFilter(call)
                return .done
            },
            Method("StopDiscovery") { (adapter: AdapterObject, call) throws(BusError) in
                try adapter.stopDiscovery(call)
            },
            Method("RemoveDevice", in: [.init("device", "o")]) { (adapter: AdapterObject, call) throws(BusError) in
                try adapter.removeDevice(call)
            },
            Method("GetDiscoveryFilters", out: [.init("filters", "as")]) {
                (_: AdapterObject, call) throws(BusError) in
                .values([.strings(DiscoveryFilter.keys)])
            },
            // It returns the path of the device, which `bluetoothd` does not describe.
            Method("ConnectDevice", in: [.init("properties", "a{sv}")]) {
                (adapter: AdapterObject, call) throws(BusError) in
                try adapter.connectDevice(call.options(0), call)
            },
        ])
}

extension AdapterObject {
    /// The services that every adapter has, and those of clients.
    fileprivate var services: Set<BluetoothUUID> { Set(role.services).union([0x1800, 0x1801]) }

    /// Sets a stored property.
    fileprivate func set<Value: Equatable>(
        _ property: ReferenceWritableKeyPath<AdapterObject, Value>, _ value: Value?, _ name: String
    ) {
        guard let value, value != self[keyPath: property] else { return }
        self[keyPath: property] = value
        changed(.adapter, [name])
    }

    /// Answers a call, and then changes what it requested: `bluetoothd` announces these changes after the answer.
    fileprivate func answer(_ call: BusCall, _ change: () -> Void) -> Interface.Reply {
        call.respond(.success([]))
        change()
        return .later
    }
}

extension BluetoothUUID {
    /// The form of 36 characters in lowercase, as BlueZ writes UUIDs.
    var bluezText: String { fullText.lowercased() }
}
