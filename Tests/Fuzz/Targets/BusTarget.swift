// Uses internals of the module: in debug builds, and in the build of `make fuzz`.
#if os(Linux) && (DEBUG || HARALD_FUZZER)
import BluetoothModel
import BluetoothRuntime
import SystemBus

@testable import BlueZBackend

extension FuzzTarget {
    /// Messages of `bluetoothd`, as the values in them: any type in place of the expected one, any path and name.
    ///
    /// Invariants: attributes are found by their handle, and removed objects are not found.
    static let bus = FuzzTarget(
        "bus", "what bluetoothd says over D-Bus", maximumLength: 512,
        seeds: {
            // An object with a device, and one with a service: see `BusValue.init`.
            [
                [1, 1, 0, 0, 2, 0, 3, 1, 4, 0, 1, 2, 7], [1, 2, 1, 1, 3, 2, 2, 2, 3, 1, 3, 1, 3, 1, 5, 0],
                [2, 1, 0, 0, 4, 1, 2, 0, 3, 5, 1, 2, 3, 4, 5, 3, 1, 0],
            ]
        },
        run: { (view) throws(Finding) in
            var input = FuzzInput(view)
            var objects = ManagedObjects([BusValue(objects: &input)])
            while !input.isAtEnd {
                let path = input.element(of: BusValue.paths)
                switch input.below(3) {
                case 0: objects.add(ManagedObjects.interfaces(BusValue(interfaces: &input)), at: path)
                case 1:
                    let name = input.element(of: BusValue.interfaceNames)
                    objects.remove([name], at: path)
                    try require(objects[path, name] == nil, "\(name) is still at \(path)")
                default: _ = ManagedObjects([BusValue(any: &input, depth: 0)])
                }
            }
            try check(objects)
        })

    private static func check(_ objects: ManagedObjects) throws(Finding) {
        for path in objects.paths(of: BlueZ.device) {
            let database = RemoteDatabase(objects, device: path)
            for (id, characteristic) in database.characteristics {
                try require(id == characteristic.record.id, "\(id) is \(characteristic.record.id)")
                try require(
                    database.characteristics(of: characteristic.service).contains { $0.id == id }, "\(id) is lost")
            }
            try require(database.hasSameAttributes(as: database), "a database differs from itself")
            let device = DeviceProperties(objects[path, BlueZ.device] ?? [:])
            _ = (device.report(at: .start), device.security, device.isBonded, device.areServicesResolved)
            let data = device.advertisement
            try require(AdvertisingData(parsing: data.encoded).malformedTail.isEmpty, "a malformed advertisement")
        }
    }
}

extension BusValue {
    static let paths = [
        "/org/bluez/hci0", "/org/bluez/hci0/dev_C0_00_00_00_00_01", "/org/bluez/hci0/dev_C0_00_00_00_00_01/service000a",
        "/org/bluez/hci0/dev_C0_00_00_00_00_01/service000a/char000b",
        "/org/bluez/hci0/dev_C0_00_00_00_00_01/service000a/char000b/desc000d", "/", "",
        "/org/bluez/hci0/dev_C0_00_00_00_00_01/serviceffff",
        "/org/bluez/hci0/dev_C0_00_00_00_00_01/serviceffff/charffff",
        "/org/bluez/hci0/dev_C0_00_00_00_00_01/service000a/char+00b",
    ]
    static let interfaceNames = [
        BlueZ.device, BlueZ.gattService, BlueZ.gattCharacteristic, BlueZ.gattDescriptor, BlueZ.battery,
    ]
    private static let names = [
        "Address", "AddressType", "Name", "RSSI", "UUIDs", "UUID", "Primary", "Includes", "Flags", "MTU", "TxPower",
        "ManufacturerData", "ServiceData", "AdvertisingFlags", "Appearance", "Connected", "Paired", "ServicesResolved",
    ]
    private static let texts = [
        "C0:00:00:00:00:01", "random", "0000180d-0000-1000-8000-00805f9b34fb", "180F", "read", "notify", "",
        "12345678-1234-1234-1234-123456789abc",
    ]

    /// `a{oa{sa{sv}}}`, most of the time.
    init(objects input: inout FuzzInput) {
        var entries: [BusValue: BusValue] = [:]
        for _ in 0..<input.below(8) {
            entries[.path(input.element(of: Self.paths))] = BusValue(interfaces: &input)
        }
        self = .dictionary(entries, key: "o", value: "a{sa{sv}}")
    }

    /// `a{sa{sv}}`, most of the time.
    init(interfaces input: inout FuzzInput) {
        var entries: [BusValue: BusValue] = [:]
        for _ in 0..<input.below(4) {
            let name = BusValue.string(input.element(of: Self.interfaceNames))
            var properties: [BusValue: BusValue] = [:]
            for _ in 0..<input.below(8) {
                properties[.string(input.element(of: Self.names))] = .variant(BusValue(any: &input, depth: 0))
            }
            entries[name] = .dictionary(properties, key: "s", value: "v")
        }
        self = .dictionary(entries, key: "s", value: "a{sv}")
    }

    /// Any value.
    init(any input: inout FuzzInput, depth: Int) {
        switch input.below(depth < 4 ? 14 : 9) {
        case 0: self = .byte(input.uint8())
        case 1: self = .bool(input.flag())
        case 2: self = .int16(Int16(bitPattern: input.uint16()))
        case 3: self = .string(input.element(of: Self.texts))
        case 4: self = .uint16(input.uint16())
        case 5: self = .bytes(input.counted())
        case 6: self = .string(String(decoding: input.counted(), as: UTF8.self))
        case 7: self = .uint64(UInt64.max - UInt64(input.uint8()))
        case 8: self = .int64(Int64.min + Int64(input.uint8()))
        case 9: self = .variant(BusValue(any: &input, depth: depth + 1))
        case 10: self = .array((0..<input.below(6)).map { _ in BusValue(any: &input, depth: depth + 1) }, of: "v")
        case 11: self = .structure((0..<input.below(4)).map { _ in BusValue(any: &input, depth: depth + 1) })
        case 12: self = .array((0..<input.below(6)).map { _ in .string(input.element(of: Self.texts)) }, of: "s")
        default:
            var entries: [BusValue: BusValue] = [:]
            for _ in 0..<input.below(4) {
                entries[BusValue(any: &input, depth: depth + 1)] = .variant(BusValue(any: &input, depth: depth + 1))
            }
            self = .dictionary(entries, key: "q", value: "v")
        }
    }
}
#endif
