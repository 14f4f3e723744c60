import BluetoothRuntime
import SystemBus

@testable import BlueZBackend

/// A fake `bluetoothd` on a private bus. The test determines its objects and its replies. Confined to the loop.
final class FakeBlueZ {
    static let adapterPath = "/org/bluez/hci0"
    static let devicePath = adapterPath + "/dev_F0_F1_F2_F3_F4_F5"
    static let servicePath = devicePath + "/service000a"
    static let characteristicPath = servicePath + "/char000b"

    let bus: BusConnection
    private(set) var objects: [String: ManagedObjects.Interfaces] = [:]
    /// "Connect /org/bluez/hci0/dev_..", in their order.
    private(set) var calls: [String] = []
    private(set) var senders: [String: String] = [:]
    /// Answers calls by the name of the method; those without an answer here succeed with nothing.
    var answers: [String: (BusCall) -> Void] = [:]
    private var watchers: [(member: String, count: Int, body: () -> Void)] = []

    init(address: String, loop: RadioLoop) throws(BusError) {
        bus = try BusConnection(address: address, loop: loop)
        objects[Self.adapterPath] = [
            BlueZ.adapter: [
                "Address": .string("C0:FF:EE:00:00:01"), "AddressType": .string("public"), "Alias": .string("test"),
                "Powered": .bool(true), "Modalias": .string("usb:v1D6Bp0246d0542"), "Discovering": .bool(false),
            ]
        ]
        bus.onCall = { [unowned self] call in
            called(call)
            return true
        }
    }

    /// Requests the name; completes when the bus has announced it.
    func start(completion: @escaping () -> Void) {
        bus.bus("RequestName", [.string(BlueZ.service), .uint32(4)]) { _ in completion() }
    }

    func count(_ member: String) -> Int { calls.filter { $0.hasPrefix(member + " ") }.count }

    /// Runs `body` once the method was called this number of times.
    func when(_ member: String, _ count: Int = 1, _ body: @escaping () -> Void) {
        watchers.append((member, count, body))
        tellWatchers()
    }

    private func tellWatchers() {
        let ready = watchers.filter { self.count($0.member) >= $0.count }
        watchers.removeAll { self.count($0.member) >= $0.count }
        for watcher in ready { watcher.body() }
    }

    private func called(_ call: BusCall) {
        calls.append("\(call.member) \(call.path)")
        senders[call.member] = call.sender
        if let answer = answers[call.member] {
            answer(call)
        } else if call.member == "GetManagedObjects" {
            call.respond(.success([managed]))
        } else if call.member == "Connect" {
            change(call.path, BlueZ.device, ["Connected": .bool(true)])
            call.respond(.success([]))
            change(call.path, BlueZ.device, ["ServicesResolved": .bool(true)])
        } else if call.member == "Disconnect" {
            // In the order in which BlueZ does it.
            call.respond(.success([]))
            change(call.path, BlueZ.device, ["Connected": .bool(false), "ServicesResolved": .bool(false)])
        } else {
            call.respond(.success([]))
        }
        tellWatchers()
    }

    private var managed: BusValue {
        .dictionary(
            Dictionary(uniqueKeysWithValues: objects.map { (.path($0.key), Self.value($0.value)) }), key: "o",
            value: "a{sa{sv}}")
    }

    private static func value(_ interfaces: ManagedObjects.Interfaces) -> BusValue {
        .dictionary(
            Dictionary(uniqueKeysWithValues: interfaces.map { (.string($0.key), .properties($0.value)) }), key: "s",
            value: "a{sv}")
    }

    func add(_ path: String, _ interface: String, _ properties: [String: BusValue]) {
        objects[path, default: [:]][interface] = properties
        bus.emit("/", BlueZ.objectManager, "InterfacesAdded", [.path(path), Self.value([interface: properties])])
    }

    func remove(_ path: String) {
        let interfaces = objects.removeValue(forKey: path)?.keys.sorted() ?? []
        bus.emit("/", BlueZ.objectManager, "InterfacesRemoved", [.path(path), .strings(interfaces)])
    }

    func change(_ path: String, _ interface: String, _ properties: [String: BusValue]) {
        objects[path]?[interface]?.merge(properties) { $1 }
        bus.emit(
            path, BlueZ.properties, "PropertiesChanged",
            [.string(interface), .properties(properties), .strings([])])
    }

    /// Calls a method of a monitor of the program that registered it.
    func tellMonitor(_ path: String, _ member: String, _ device: String? = nil) {
        bus.call(
            senders["RegisterMonitor"] ?? "", path, BlueZ.monitor, member, device.map { [.path($0)] } ?? []
        ) { _ in }
    }

    /// Adds a device with one service and one characteristic.
    func addDevice(isConnected: Bool = false, flags: [String] = ["read", "write", "notify"], acquires: Bool = false) {
        add(
            Self.servicePath, BlueZ.gattService,
            ["UUID": .string("0000180d-0000-1000-8000-00805f9b34fb"), "Primary": .bool(true)])
        var properties: [String: BusValue] = [
            "UUID": .string("00002a37-0000-1000-8000-00805f9b34fb"), "Flags": .strings(flags), "MTU": .uint16(185),
        ]
        if acquires { properties["NotifyAcquired"] = .bool(false) }
        add(Self.characteristicPath, BlueZ.gattCharacteristic, properties)
        add(
            Self.devicePath, BlueZ.device,
            [
                "Address": .string("F0:F1:F2:F3:F4:F5"), "AddressType": .string("random"), "Name": .string("Fake"),
                "RSSI": .int16(-44), "Connected": .bool(isConnected), "ServicesResolved": .bool(isConnected),
                "Paired": .bool(false), "UUIDs": .strings(["0000180d-0000-1000-8000-00805f9b34fb"]),
                "ManufacturerData": .dictionary([.uint16(0x004C): .variant(.bytes([2, 0x15]))], key: "q", value: "v"),
            ])
    }

    static let abort = BusError("org.bluez.Error.Failed", "le-connection-abort-by-local")
}
