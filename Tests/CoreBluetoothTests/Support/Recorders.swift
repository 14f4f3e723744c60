import CoreBluetooth
import Testing

let queueKey = DispatchSpecificKey<String>()

/// Releases a manager, and waits until a callback that runs has released it too. A device that is released before would
/// not be restored.
func release(_ manager: inout CBCentralManager?) async {
    weak let released = manager
    manager = nil
    while released != nil { await Task.yield() }
}

/// Returns a queue that can be identified by its name.
func namedQueue(_ name: String) -> DispatchQueue {
    let queue = DispatchQueue(label: name)
    queue.setSpecific(key: queueKey, value: name)
    return queue
}

func text(_ error: (any Error)?) -> String {
    switch error {
    case nil: "ok"
    case let error as CBError: "CBError.\(error.code.name)"
    case let error as CBATTError: "CBATTError.\(error.code.name)"
    case .some(let error): "another error: \(error)"
    }
}

func hex(_ data: Data?) -> String { data.map { $0.map { String(format: "%02X", $0) }.joined() } ?? "nil" }

/// Records all events of a central's delegates, and their queues.
final class CentralRecorder: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    let log = EventLog()
    let queue: String
    var onDiscover: ((CBCentralManager, CBPeripheral) -> Void)?
    var onAdvertisement: (([String: Any]) -> Void)?
    var onReady: (() -> Void)?
    var channels: [CBL2CAPChannel] = []
    var restored: [CBPeripheral] = []
    /// The services of the restored devices at that time.
    var restoredServices: [CBService] = []

    init(queue: String) { self.queue = queue }

    func note(_ line: String, _ method: String = #function) {
        if DispatchQueue.getSpecific(key: queueKey) != queue { Issue.record("not on the queue: \(line)") }
        log.add(line, method: method)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { note("state \(central.state.name)") }
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        restored = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        let services = dict[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID] ?? []
        for peripheral in restored { peripheral.delegate = self }
        restoredServices = restored.flatMap { $0.services ?? [] }
        note("restore \(restored.count) peripherals, scan \(services.map(\.uuidString)), state \(central.state.name)")
    }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        onDiscover?(central, peripheral)
        onAdvertisement?(advertisementData)
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? "-"
        let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        let isConnectable = advertisementData[CBAdvertisementDataIsConnectable] as? NSNumber
        note(
            "discover \(name) \(services.map(\.uuidString).sorted()) connectable \(isConnectable?.boolValue ?? false) "
                + "rssi \(RSSI.intValue < 0)")
    }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        note("connect \(peripheral.state == .connected)")
    }
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        note("fail \(text(error))")
    }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        note(
            "disconnect \(text(error)) \(peripheral.state == .disconnected) services \(peripheral.services?.count ?? -1)"
        )
    }
    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) { note("event \(event == .peerConnected ? "peerConnected" : "peerDisconnected")") }

    func peripheralDidUpdateName(_ peripheral: CBPeripheral) { note("name \(peripheral.name ?? "nil")") }
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        note("modified \(invalidatedServices.map(\.uuid.uuidString))")
    }
    func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) { note("rssi \(text(error))") }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        note("services \(text(error)) \(peripheral.services?.map(\.uuid.uuidString) ?? [])")
    }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) { note("included \(text(error)) \(service.includedServices?.map(\.uuid.uuidString) ?? [])") }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) { note("characteristics \(text(error)) \(service.characteristics?.map(\.uuid.uuidString) ?? [])") }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { note("value \(characteristic.uuid.uuidString) \(text(error)) \(hex(characteristic.value))") }
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { note("written \(characteristic.uuid.uuidString) \(text(error))") }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) { note("notifying \(characteristic.uuid.uuidString) \(text(error)) \(characteristic.isNotifying)") }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) { note("descriptors \(text(error)) \(characteristic.descriptors?.map(\.uuid.uuidString) ?? [])") }
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        note(
            "descriptor \(descriptor.uuid.uuidString) \(text(error)) \(descriptor.value.map { "\($0)" } ?? "nil")",
            "descriptor: " + #function)
    }
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        note("descriptor written \(descriptor.uuid.uuidString) \(text(error))", "descriptor: " + #function)
    }
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        onReady?()
        note("ready to write")
    }
    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        if let channel { channels.append(channel) }
        note("channel \(text(error))")
    }
    func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {
        note("sounding \(text(error))")
    }
}

/// Records all events of a peripheral manager's delegate, and their queues; answers as a test specifies.
final class PeripheralRecorder: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    let log = EventLog()
    let queue: String
    var answersReads = true
    var readValue = Data([42])
    var readResult = CBATTError.Code.success
    var writeResult = CBATTError.Code.success
    var onReady: (() -> Void)?
    var channels: [CBL2CAPChannel] = []
    var psm: CBL2CAPPSM = 0
    var centrals: [CBCentral] = []
    var requests: [CBATTRequest] = []

    init(queue: String) { self.queue = queue }

    func note(_ line: String, _ method: String = #function) {
        if DispatchQueue.getSpecific(key: queueKey) != queue { Issue.record("not on the queue: \(line)") }
        log.add(line, method: method)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { note("state \(peripheral.state.name)") }
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
        let data = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any] ?? [:]
        let name = data[CBAdvertisementDataLocalNameKey] as? String ?? "-"
        note("restore \(services.map(\.uuid.uuidString)) \(name)")
    }
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        note("advertising \(text(error))")
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        note("added \(service.uuid.uuidString) \(text(error))")
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        centrals.append(central)
        let count = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? 0
        note("subscribed \(characteristic.uuid.uuidString) \(count)")
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        let count = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? 0
        note("unsubscribed \(characteristic.uuid.uuidString) \(count)")
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        requests.append(request)
        note("read \(request.characteristic.uuid.uuidString) from \(request.offset)")
        guard answersReads else { return }
        guard request.offset <= readValue.count else {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = readValue.subdata(in: request.offset..<readValue.count)
        peripheral.respond(to: request, withResult: readResult)
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        let parts = requests.map { "\($0.characteristic.uuid.uuidString)@\($0.offset)=\($0.value?.count ?? -1)" }
        note("write \(parts.joined(separator: " "))")
        peripheral.respond(to: requests[0], withResult: writeResult)
    }
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        note("ready to update")
        onReady?()
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        psm = PSM
        note("published \(text(error)) \(PSM >= 0x80)")
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) { note("unpublished \(text(error))") }
    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        if let channel { channels.append(channel) }
        note("channel \(text(error))")
    }
}
