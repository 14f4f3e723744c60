import CoreBluetooth

/// Assembles frames that span notifications. Bytes 3 and 4 are the length of the payload in bytes, big-endian; the
/// payload begins at byte 5, and two more bytes follow it.
public struct FrameAssembler {
    private var bytes = Data()

    public init() {}

    /// Adds bytes, and returns the payloads that they complete.
    public mutating func append(_ more: Data) -> [Data] {
        bytes.append(more)
        var payloads: [Data] = []
        while bytes.count >= 5 {
            let length = Int(bytes[bytes.startIndex + 3]) << 8 | Int(bytes[bytes.startIndex + 4])
            let frame = length + 3 + 2 + 2
            guard bytes.count >= frame else { break }
            payloads.append(Data(bytes.dropFirst(5).prefix(length)))
            bytes = Data(bytes.dropFirst(frame))
        }
        return payloads
    }
}

/// A scale with a vendor's service: commands are written to one characteristic, and readings arrive as frames from
/// another. The scale does not advertise its service, so it is found by its name. An attempt to connect is given up
/// after five seconds.
public final class VendorScale: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private let service = CBUUID(string: "FFE0"), transmit = CBUUID(string: "FFE1"), receive = CBUUID(string: "FFE2")
    private let name: String
    private let queue: DispatchQueue
    private var manager: CBCentralManager!
    private var scale: CBPeripheral?
    private var frames = FrameAssembler()
    private var watchdog: DispatchWorkItem?
    private let reading: (Result<Data, Error>) -> Void

    /// Starts when the radio is powered on, and passes each payload to `reading`.
    public init(name: String, queue: DispatchQueue, reading: @escaping (Result<Data, Error>) -> Void) {
        self.name = name
        self.queue = queue
        self.reading = reading
        super.init()
        manager = CBCentralManager(delegate: self, queue: queue)
    }

    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard advertisementData[CBAdvertisementDataLocalNameKey] as? String == name else { return }
        central.stopScan()
        scale = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
        let watchdog = DispatchWorkItem { [weak self] in
            guard let self, let scale = self.scale, scale.state == .connecting else { return }
            self.manager.cancelPeripheralConnection(scale)
            self.reading(.failure(CBError(.connectionTimeout)))
        }
        self.watchdog = watchdog
        queue.asyncAfter(deadline: .now() + 5, execute: watchdog)
    }

    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        watchdog?.cancel()
        peripheral.discoverServices([service])
    }

    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        guard let found = peripheral.services?.first else { return reading(.failure(error ?? CBError(.unknown))) }
        peripheral.discoverCharacteristics([transmit, receive], for: found)
    }

    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
    ) {
        service.characteristics?.filter { $0.uuid == receive }.forEach { peripheral.setNotifyValue(true, for: $0) }
    }

    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
    ) {
        if let error { return reading(.failure(error)) }
        guard let command = characteristic.service?.characteristics?.first(where: { $0.uuid == transmit }) else {
            return
        }
        peripheral.writeValue(Data([0x55, 0xAA, 0x01]), for: command, type: .withoutResponse)
    }

    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
    ) {
        for payload in frames.append(characteristic.value ?? Data()) { reading(.success(payload)) }
    }
}
