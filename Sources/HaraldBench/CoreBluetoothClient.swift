#if os(Linux)
import Adapters
import BluetoothModel
import CoreBluetooth

/// The client of a measurement, with CoreBluetooth and its delegates on a queue of their own.
///
/// Proof of `@unchecked Sendable`: all accesses are on that queue.
final class CoreBluetoothClient: NSObject, @unchecked Sendable {
    private enum Step {
        case marking, measuring, asking, leaving
    }

    private let plan: ClientPlan
    private let identifier: UUID
    private var done: ((String?) -> Void)?
    private var manager: CBCentralManager?
    private var device: CBPeripheral?
    private var characteristics: [CBUUID: CBCharacteristic] = [:]
    private var rest: ArraySlice<ClientPlan.Measurement>
    private var current = ClientPlan.Measurement.read
    private var step = Step.marking
    private var (left, bytes): (Int, UInt64) = (0, 0)
    private var payload = Data()
    private var (mark, started) = (Usage.now, ContinuousClock.now)
    private var client = Statistics()
    private var seconds = 0.0

    private let read = CBUUID(string: "FFF1"), notify = CBUUID(string: "FFF2"), sink = CBUUID(string: "FFF3"),
        control = CBUUID(string: "FFF4"), stats = CBUUID(string: "FFF5")

    private init(plan: ClientPlan, identifier: UUID, done: @escaping (String?) -> Void) {
        self.plan = plan
        self.identifier = identifier
        self.done = done
        // Its channels are streams, which have no messages.
        rest = plan.measurements.filter { $0 != .channel }[...]
        super.init()
    }

    /// Runs the measurements on the adapter. Returns the reason of a failure; nil on success.
    static func run(_ source: AdapterSource, plan: ClientPlan, identifier: UUID) async -> String? {
        let queue = DispatchQueue(label: "bench")
        return await withCheckedContinuation { continuation in
            queue.async {
                let client = CoreBluetoothClient(plan: plan, identifier: identifier) {
                    continuation.resume(returning: $0)
                }
                client.manager = CBCentralManager(
                    delegate: client, queue: queue, options: [HaraldManagerOptionAdapterKey: source])
                // The client lives as long as the program, which ends with the measurement.
                _ = Unmanaged.passRetained(client)
            }
        }
    }

    private func end(_ failure: String?) {
        done?(failure)
        done = nil
    }

    private func writeCommand(_ operation: BenchService.Operation, size: Int = 0, count: Int = 0) {
        guard let device, let found = characteristics[control] else { return end("no bench service") }
        let command = Data(BenchService.command(operation, size: size, count: count))
        device.writeValue(command, for: found, type: .withResponse)
    }

    private func ask(_ uuid: CBUUID) {
        guard let device, let characteristic = characteristics[uuid] else { return end("no bench service") }
        device.readValue(for: characteristic)
    }

    private func measureNext() {
        guard let next = rest.popFirst() else {
            step = .leaving
            return writeCommand(.quit)
        }
        current = next
        step = .marking
        writeCommand(.mark)
    }

    private func measure() {
        step = .measuring
        (bytes, mark, started) = (0, Usage.now, .now)
        switch current {
        case .read:
            left = plan.reads
            ask(read)
        case .notify(let size):
            left = plan.operations
            writeCommand(.notify, size: size, count: plan.operations)
        case .write(let size):
            left = plan.operations
            payload = Data(repeating: 0x55, count: size)
            writeMore()
        case .channel: measureNext()
        }
    }

    private func writeMore() {
        guard step == .measuring, let device, let found = characteristics[sink] else { return }
        while left > 0, device.canSendWriteWithoutResponse {
            left -= 1
            device.writeValue(payload, for: found, type: .withoutResponse)
        }
        if left == 0 { finish() }
    }

    private func finish() {
        step = .asking
        seconds = (ContinuousClock.now - started).seconds
        client.usage = Usage.now - mark
        ask(stats)
    }

    private func finished(_ value: Data) {
        guard let server = [UInt8](value).withByteView({ Statistics($0) }) else { return end("statistics too short") }
        var count = plan.operations
        switch current {
        case .read:
            count = plan.reads
            bytes = UInt64(count * 20)
        case .notify, .channel: break
        case .write(let size):
            seconds = (ContinuousClock.now - started).seconds
            bytes = server.sinkBytes
            plan.reportLoss(expected: UInt64(count * size), received: bytes)
        }
        printResult(
            plan.label, current.name, count: count, seconds: seconds, client: client, server: server, bytes: bytes)
        measureNext()
    }
}

extension CoreBluetoothClient: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn:
            device = central.retrievePeripherals(withIdentifiers: [identifier]).first
            device?.delegate = self
            if let device { central.connect(device) } else { end("no such device") }
        case .unknown, .resetting: break
        default: end("the adapter is \(central.state)")
        }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([CBUUID(string: "FFF0")])
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        end("\(error?.localizedDescription ?? "not connected")")
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { end(step == .leaving ? nil : "disconnected") }
}

extension CoreBluetoothClient: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first else { return end("no bench service") }
        peripheral.discoverCharacteristics(nil, for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        for characteristic in service.characteristics ?? [] { characteristics[characteristic.uuid] = characteristic }
        guard let found = characteristics[notify] else { return end("no bench service") }
        peripheral.setNotifyValue(true, for: found)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) { if let error { end("\(error)") } else { measureNext() } }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        switch step {
        case .marking: measure()
        case .leaving: end(nil)
        case .measuring, .asking: break
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let value = characteristic.value else { return end("\(error.map { "\($0)" } ?? "no value")") }
        switch (step, current) {
        case (.asking, _): finished(value)
        case (.measuring, .read):
            left -= 1
            if left > 0 { peripheral.readValue(for: characteristic) } else { finish() }
        case (.measuring, .notify):
            bytes += UInt64(value.count)
            left -= 1
            if left == 0 { finish() }
        default: break
        }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { writeMore() }
}
#endif
