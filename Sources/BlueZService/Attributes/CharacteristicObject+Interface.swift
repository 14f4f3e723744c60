import BluetoothModel
import SystemBus

extension Interface {
    /// `org.bluez.GattCharacteristic1`.
    static let gattCharacteristic: Interface = Interface(
        name: "org.bluez.GattCharacteristic1",
        properties: [
            Property("UUID", "s") { (object: CharacteristicObject) in .string(object.found.uuid.bluezText) },
            Property("Service", "o") { (object: CharacteristicObject) in .path(object.service) },
            Property("Value", "ay") { (object: CharacteristicObject) in .bytes(object.value) },
            Property("Notifying", "b") { (object: CharacteristicObject) in
                object.canNotify ? .bool(object.isNotifying) : nil
            },
            Property("Flags", "as") { (object: CharacteristicObject) in .strings(object.found.flags) },
            Property("WriteAcquired", "b") { (object: CharacteristicObject) in
                object.found.properties.contains(.writeWithoutResponse) ? .bool(object.writeSocket != nil) : nil
            },
            Property("NotifyAcquired", "b") { (object: CharacteristicObject) in
                object.found.properties.contains(.notify) ? .bool(object.notifySocket != nil) : nil
            },
            Property("MTU", "q") { (object: CharacteristicObject) in
                object.device.current.map { .uint16(UInt16(clamping: $0.mtu)) }
            },
        ],
        methods: [
            Method("ReadValue", in: [.init("options", "a{sv}")], out: [.init("value", "ay")]) {
                (object: CharacteristicObject, call) throws(BusError) in try object.read(call)
            },
            Method("WriteValue", in: [.init("value", "ay"), .init("options", "a{sv}")]) {
                (object: CharacteristicObject, call) throws(BusError) in try object.write(call)
            },
            Method(
                "AcquireWrite", in: [.init("options", "a{sv}")], out: [.init("fd", "h"), .init("mtu", "q")]
            ) { (object: CharacteristicObject, call) throws(BusError) in try object.acquireWrite(call) },
            Method(
                "AcquireNotify", in: [.init("options", "a{sv}")], out: [.init("fd", "h"), .init("mtu", "q")]
            ) { (object: CharacteristicObject, call) throws(BusError) in try object.acquireNotify(call) },
            Method("StartNotify") { (object: CharacteristicObject, call) throws(BusError) in
                try object.startNotify(call)
            },
            Method("StopNotify") { (object: CharacteristicObject, call) throws(BusError) in
                try object.stopNotify(call)
            },
        ])
}

extension FoundService.Characteristic {
    /// The names of the properties, as BlueZ writes them.
    var flags: [String] {
        let names: [(CharacteristicProperties, String)] = [
            (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"),
            (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
            (.authenticatedSignedWrites, "authenticated-signed-writes"), (.extendedProperties, "extended-properties"),
        ]
        return names.filter { properties.contains($0.0) }.map(\.1)
            + (extended & 1 != 0 ? ["reliable-write"] : []) + (extended & 2 != 0 ? ["writable-auxiliaries"] : [])
    }
}
