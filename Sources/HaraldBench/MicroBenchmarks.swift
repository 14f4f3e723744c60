import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Harald
import VirtualTransport

/// Benchmarks within one process on the virtual air, without sockets or other programs.
enum MicroBenchmarks {
    static func run(count: Int) async throws {
        try await reads(count: count)
        try await notifications(count: count)
        try await reports(count: count * 5)
    }

    private static func print(_ name: String, count: Int, _ body: () async throws -> Void) async rethrows {
        let (mark, start) = (Usage.now, ContinuousClock.now)
        try await body()
        let seconds = (ContinuousClock.now - start).seconds
        let usage = Usage.now - mark
        Swift.print(
            "\(name) n=\(count) rate=\(Int(Double(count) / seconds))/s",
            "cpu_us=\(fixed(Double(usage.user + usage.system) / Double(count)))")
    }

    private static func pair() async throws -> (VirtualRadio, Central, LocalPeripheral, PublishedService, Peripheral) {
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "bench")
        let service = try await device.publish(
            ServiceDefinition(
                0xFFF0,
                [
                    CharacteristicDefinition(0xFFF1, .read, value: [UInt8](repeating: 0, count: 20)),
                    CharacteristicDefinition(0xFFF2, .notify),
                ]))
        try await device.advertise()
        let central = try await Central(adapter: radio.adapter(named: "central"))
        guard let address = await device.address, let peripheral = await central.peripheral(address: address) else {
            throw BenchFailure("the virtual radio hides addresses")
        }
        try await peripheral.connect()
        return (radio, central, device, service, peripheral)
    }

    /// ATT read round trips between the async APIs of both sides.
    private static func reads(count: Int) async throws {
        let (_, central, device, _, peripheral) = try await pair()
        let characteristic = try await peripheral.characteristic("FFF0", "FFF1")
        try await print("att-read", count: count) { for _ in 0..<count { _ = try await characteristic.read() } }
        await central.close()
        await device.close()
    }

    /// Notifications between the async APIs of both sides.
    private static func notifications(count: Int) async throws {
        let (_, central, device, service, peripheral) = try await pair()
        let values = try await peripheral.characteristic("FFF0", "FFF2").notifications(buffering: .oldest(count))
        let events = device.events
        // Once a later request is answered, the subscription is in effect.
        _ = try await peripheral.characteristic("FFF0", "FFF1").read()
        withExtendedLifetime(events) {}
        guard let source = service[0xFFF2] else { throw BenchFailure("no such characteristic") }
        try await print("notification", count: count) {
            async let sending: Void = {
                for _ in 0..<count { try await source.update([UInt8](repeating: 0xAA, count: 20)) }
            }()
            var left = count
            for try await _ in values {
                left -= 1
                if left == 0 { break }
            }
            try await sending
        }
        await central.close()
        await device.close()
    }

    /// Advertising reports of 500 devices with full packets and duplicates, to a consumer on another executor.
    private static func reports(count: Int) async throws {
        // The clock runs so fast that an event is always due: the loop is the limit.
        let radio = VirtualRadio(clock: .faster(by: 300))
        var configuration = VirtualControllerConfiguration()
        configuration.advertisingSetCount = 125
        let adapters = (0..<4).map { radio.adapter(named: "devices-\($0)", configuration: configuration) }
        var devices: [LocalPeripheral] = []
        for number in 0..<500 {
            let device = try await LocalPeripheral(adapter: adapters[number % 4], name: "d\(number)")
            let filler = ManufacturerData(
                company: CompanyIdentifier(rawValue: 0xFFFF), data: [UInt8](repeating: 7, count: 18))
            try await device.advertise(AdvertisingData(localName: "d\(number)", manufacturerData: [filler]))
            devices.append(device)
        }
        let central = try await Central(adapter: radio.adapter(named: "central"))
        let scan = central.scan(duplicates: true, active: false, buffering: .oldest(count))
        try await print("advertising-report", count: count) {
            var left = count
            for try await _ in scan {
                left -= 1
                if left == 0 { break }
            }
        }
        if scan.droppedCount > 0 { Swift.print("advertising-report dropped \(scan.droppedCount)") }
        await central.close()
        for device in devices { await device.close() }
    }
}
