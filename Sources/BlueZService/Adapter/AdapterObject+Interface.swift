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
            } write: { (adapter, value, _) throws(BusError) in
                adapter.alias = value.text.flatMap { $0.isEmpty ? nil : $0 }
                adapter.changed(.adapter, ["Alias"])
                adapter.role.adapterChanged()
                return .done
            },
            Property("Class", "u") { (_: AdapterObject) in .uint32(0) },
            Property("Powered", "b") { (adapter: AdapterObject) in
                .bool(adapter.isPowered)
            } write: { (adapter, value, call) throws(BusError) in
                adapter.setPowered(value.bool == true, call)
            },
            Property("PowerState", "s") { (adapter: AdapterObject) in .string(adapter.isPowered ? "on" : "off") },
            Property("Discoverable", "b") { (adapter: AdapterObject) in
                .bool(adapter.isDiscoverable)
            } write: { (adapter, value, _) throws(BusError) in
                try adapter.checkPower()
                defer { adapter.role.adapterChanged() }
                return adapter.set(\.isDiscoverable, value.bool, "Discoverable")
            },
            Property("DiscoverableTimeout", "u") { (adapter: AdapterObject) in
                .uint32(adapter.discoverableTimeout)
            } write: { (adapter, value, _) throws(BusError) in
                adapter.set(\.discoverableTimeout, value.integer.map { UInt32($0) }, "DiscoverableTimeout")
            },
            Property("Pairable", "b") { (adapter: AdapterObject) in
                .bool(adapter.isPairable)
            } write: { (adapter, value, _) throws(BusError) in
                adapter.set(\.isPairable, value.bool, "Pairable")
            },
            Property("PairableTimeout", "u") { (adapter: AdapterObject) in
                .uint32(adapter.pairableTimeout)
            } write: { (adapter, value, _) throws(BusError) in
                adapter.set(\.pairableTimeout, value.integer.map { UInt32($0) }, "PairableTimeout")
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
                try adapter.startDiscovery(call.sender)
                return .done
            },
            Method("SetDiscoveryFilter", in: [.init("properties", "a{sv}")]) {
                (adapter: AdapterObject, call) throws(BusError) in
                try adapter.setDiscoveryFilter(DiscoveryFilter(call.options(0)), of: call.sender)
                return .done
            },
            Method("StopDiscovery") { (adapter: AdapterObject, call) throws(BusError) in
                try adapter.stopDiscovery(call.sender)
                return .done
            },
            Method("RemoveDevice", in: [.init("device", "o")]) { (adapter: AdapterObject, call) throws(BusError) in
                try adapter.removeDevice(call)
            },
            Method("GetDiscoveryFilters", out: [.init("filters", "as")]) {
                (_: AdapterObject, call) throws(BusError) in
                .values([.strings(DiscoveryFilter.keys)])
            },
            Method("ConnectDevice", in: [.init("properties", "a{sv}")], out: [.init("device", "o")]) {
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
    ) -> Interface.Reply {
        if let value, value != self[keyPath: property] {
            self[keyPath: property] = value
            changed(.adapter, [name])
        }
        return .done
    }

    /// Switches the adapter on or off.
    fileprivate func setPowered(_ isOn: Bool, _ call: BusCall) -> Interface.Reply {
        if isOn == isPowered { return .done }
        backend.setPowered(isOn) { result in
            call.respond(result.map { [] }.mapError { .failed("\($0)") })
        }
        return .later
    }
}

extension BluetoothUUID {
    /// The form of 36 characters in lowercase, as BlueZ writes UUIDs.
    var bluezText: String { fullText.lowercased() }
}
