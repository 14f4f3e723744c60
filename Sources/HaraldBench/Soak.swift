import BluetoothRuntime
import Harald
import VirtualTransport

/// Long runs. Each prints a line `progress N` at regular intervals, at which `Benchmarks/soak.py` measures the
/// resources of this process.
enum Soak {
    /// Repeatedly connects to a device, discovers its attributes, reads, subscribes, and disconnects.
    ///
    /// - Parameters:
    ///   - name: the advertised name of the device.
    ///   - path: the UUIDs of a service, of a characteristic to read, and of one to subscribe to.
    static func cycles(address: String, name: String, count: Int, path: [String]) async throws {
        var options = AdapterOptions(storage: .none)
        // Bumble's controllers send data from the random address.
        if address.hasPrefix("tcp:") {
            options.address = .randomStatic(BluetoothAddress(value: 0xC000_0000_50AC, kind: .random))
        }
        let central = try await Central(adapter: Adapter(address), options: options)
        try await central.waitUntilPoweredOn()
        let peripheral = try await device(named: name, central)
        let (service, readable, notifying) = (AttributeKey(path[0]), AttributeKey(path[1]), AttributeKey(path[2]))
        for cycle in 1...count {
            try await peripheral.connect(timeout: .seconds(60))
            try await peripheral.discoverAll()
            _ = try await peripheral.characteristic(service, readable).read()
            _ = try await peripheral.characteristic(service, notifying).subscribe()
            await peripheral.disconnect()
            if cycle % max(1, count / 200) == 0 { report(cycle) }
        }
        await central.close()
    }

    private static func device(named name: String, _ central: Central) async throws -> Peripheral {
        for try await found in central.scan(filter: ScanFilter(namePrefix: name), duration: .seconds(60)) {
            return found.peripheral
        }
        throw BenchFailure("no device with the name \(name) was found")
    }

    /// Simulates `hours` of 200 devices that advertise every second, to a scan, and of 20 links. Each second every link
    /// carries a notification, and each minute a read; their values are checked.
    static func day(hours: Int) async throws {
        let (radio, clock, setup) = makeRadio()
        var configuration = VirtualControllerConfiguration()
        configuration.advertisingSetCount = devicesPerAdapter
        configuration.linkCount = devicesPerAdapter
        let central = try await Central(adapter: radio.adapter(named: "central", configuration: configuration))
        let watcher = try await Central(adapter: radio.adapter(named: "watcher"))
        var devices: [LocalPeripheral] = []
        var links: [Link] = []
        for number in 0..<200 {
            let adapter = "devices-\(number / devicesPerAdapter)"
            let device = try await LocalPeripheral(
                adapter: radio.adapter(named: adapter, configuration: configuration), name: "d\(number)")
            devices.append(device)
            if number < 20 { links.append(try await Link(to: device, from: central)) }
            try await device.advertise(interval: .seconds(1))
        }
        setup.cancel()
        await setup.value

        let reports = Task { try await count(watcher.scan(duplicates: true)) }
        for minute in 1...hours * 60 {
            for second in 0..<60 {
                let value = UInt32(minute * 60 + second)
                for link in links { try await link.send(value) }
                await clock.advance(by: .seconds(1))
                for index in links.indices { try await links[index].receive(value) }
            }
            for link in links { try await link.read(UInt32(minute * 60 + 59)) }
            if minute % max(1, hours * 60 / 200) == 0 { report(minute) }
        }
        reports.cancel()
        let received = try await reports.value
        await watcher.close()
        await central.close()
        for device in devices { await device.close() }
        guard received > 0 else { throw BenchFailure("the scan received no advertisement") }
    }

    /// Simulates `hours` of a scan of 20 devices that advertise every second and change their private addresses every 5
    /// minutes, so that the scan finds 240 new ones in an hour. The number of known devices reaches its limit of 8,192
    /// in the first quarter of a week.
    static func scan(hours: Int) async throws {
        let (radio, clock, setup) = makeRadio()
        var configuration = VirtualControllerConfiguration()
        configuration.advertisingSetCount = devicesPerAdapter
        let watcher = try await Central(adapter: radio.adapter(named: "watcher"))
        var devices: [LocalPeripheral] = []
        for number in 0..<20 {
            let device = try await LocalPeripheral(
                adapter: radio.adapter(named: "devices", configuration: configuration), name: "d\(number)",
                options: AdapterOptions(privateAddressRotationInterval: .seconds(300)))
            try await device.advertise(interval: .seconds(1))
            devices.append(device)
        }
        setup.cancel()
        await setup.value

        let reports = Task { try await count(watcher.scan(duplicates: true)) }
        for hour in 1...hours {
            for _ in 0..<360 { await clock.advance(by: .seconds(10)) }
            if hour % max(1, hours / 200) == 0 { report(hour) }
        }
        reports.cancel()
        let received = try await reports.value
        await watcher.close()
        for device in devices { await device.close() }
        guard received > 0 else { throw BenchFailure("the scan received no advertisement") }
    }

    private static let devicesPerAdapter = 50

    /// Creates a radio whose clock advances by itself until the task is cancelled, so that connecting does not wait.
    private static func makeRadio() -> (radio: VirtualRadio, clock: RadioClock, setup: Task<Void, Never>) {
        let clock = RadioClock.manual()
        let setup = Task { while !Task.isCancelled { await clock.advance(by: .milliseconds(10)) } }
        return (VirtualRadio(clock: clock), clock, setup)
    }

    private static func report(_ count: Int) {
        print("progress", count)
        flushOutput()
    }

    /// Counts the results of a scan until it is cancelled.
    private static func count(_ scan: Scan) async throws -> Int {
        var count = 0
        do {
            for try await _ in scan { count += 1 }
        } catch {
            if !Task.isCancelled { throw error }
        }
        return count
    }

    /// A link over which a device sends numbers.
    private struct Link {
        private let source: PublishedCharacteristic
        private let characteristic: Characteristic
        private var values: BluetoothStream<[UInt8]>.AsyncIterator

        init(to device: LocalPeripheral, from central: Central) async throws {
            let service = try await device.publish(
                ServiceDefinition(0xFFF0, [CharacteristicDefinition(0xFFF2, [.read, .notify], value: [])]))
            guard let source = service.characteristics.first, let address = await device.address,
                let peripheral = await central.peripheral(address: address)
            else { throw BenchFailure("the device has no characteristic or no address") }
            self.source = source
            try await device.advertise()
            try await peripheral.connect(timeout: nil)
            characteristic = try await peripheral.characteristic("FFF0", "FFF2")
            values = try await characteristic.subscribe().makeAsyncIterator()
        }

        func send(_ value: UInt32) async throws { try await source.update(Self.bytes(value)) }

        mutating func receive(_ value: UInt32) async throws {
            guard try await values.next() == Self.bytes(value) else { throw BenchFailure("another value was notified") }
        }

        func read(_ value: UInt32) async throws {
            guard try await characteristic.read(timeout: nil) == Self.bytes(value) else {
                throw BenchFailure("another value was read")
            }
        }

        private static func bytes(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian, Array.init) }
    }
}
