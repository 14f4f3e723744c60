import BluetoothModel
import Foundation
import Harald
import VirtualTransport

/// Measures the cost of a complete discovery for databases of different sizes.
enum DiscoveryBench {
    static func run(_ sizes: [Int]) async throws {
        var costs: [Double] = []
        for size in sizes { costs.append(try await measure(services: size)) }
        if let first = costs.first, let last = costs.last { print("growth", "ratio=\(fixed(last / first))") }
    }

    /// Measures a database of `count` services with five characteristics each, all with a configuration and a
    /// description. Returns the processor time per attribute, in microseconds.
    private static func measure(services count: Int) async throws -> Double {
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "bench")
        for service in 0..<count {
            let characteristics = (0..<5).map {
                CharacteristicDefinition(
                    BluetoothUUID(UInt16(0xF000 + $0)), [.read, .notify], value: [0], description: "value \($0)")
            }
            try await device.publish(ServiceDefinition(BluetoothUUID(UInt16(0xE000 + service)), characteristics))
        }
        try await device.advertise(AdvertisingData(localName: "bench"))
        let capture = FileManager.default.temporaryDirectory
            .appendingPathComponent("harald-bench-\(getpid())-\(count).btsnoop").path
        defer { try? FileManager.default.removeItem(atPath: capture) }
        let central = try await Central(
            adapter: radio.adapter(named: "central"), options: AdapterOptions(captureFile: capture, storage: .none))
        guard let address = await device.address, let peripheral = await central.peripheral(address: address) else {
            throw BenchFailure("the virtual radio hides addresses")
        }
        try await peripheral.connect()
        // A new link performs procedures of its own while it is idle; after these requests they have completed.
        for _ in 0..<20 { _ = try await peripheral.discoverServices([0xABCD]) }
        let (mark, start) = (Usage.now, ContinuousClock.now)
        let services = try await peripheral.discoverAll()
        let seconds = (ContinuousClock.now - start).seconds
        let usage = Usage.now - mark
        let mtu = peripheral.mtu
        await central.close()
        await device.close()

        let attributes = services.flatMap(\.characteristics).reduce(services.count) { $0 + 2 + $1.descriptors.count }
        let requests = AttributeRequests(capture: try Data(contentsOf: URL(fileURLWithPath: capture)))
        // The minimum number of requests: whole lists, packed as tightly as the MTU allows. An entry has 6 octets for a
        // service, 7 for a characteristic, and 4 for each attribute from the first descriptor to the last attribute.
        // One more request detects the end of the services.
        let characteristics = services.reduce(0) { $0 + $1.characteristics.count }
        let fewest =
            packets(services.count, of: 6, mtu) + 1 + packets(characteristics, of: 7, mtu)
            + packets(attributes - 3, of: 4, mtu)
        let cost = Double(usage.user + usage.system) / Double(attributes)
        print(
            "services-\(count) attributes=\(attributes) mtu=\(mtu) requests=\(requests.count) fewest=\(fewest)",
            "excess=\(max(0, requests.count - fewest)) idle=\(requests.withoutResult)",
            "us=\(fixed(seconds * 1e6)) us_per_attribute=\(fixed(seconds * 1e6 / Double(attributes)))",
            "cpu_us=\(fixed(cost))")
        return cost
    }

    private static func packets(_ count: Int, of length: Int, _ mtu: Int) -> Int {
        let perPacket = (mtu - 2) / length
        return (count + perPacket - 1) / perPacket
    }
}

/// Counts the discovery requests in a capture, and those without a result.
private struct AttributeRequests {
    var count = 0
    var withoutResult = 0

    /// Parses a btsnoop file: a header of 16 octets, then records of 24 octets with a packet each.
    init(capture: Data) {
        let bytes = [UInt8](capture)
        func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) } }
        var offset = 16
        while offset + 24 <= bytes.count {
            let length = number(offset + 4), flags = number(offset + 8)
            let packet = bytes[(offset + 24)..<min(offset + 24 + length, bytes.count)]
            offset += 24 + length
            // ACL data on the attribute channel.
            guard packet.count > 9, let first = packet.first, first == 2,
                Array(packet.dropFirst(7).prefix(2)) == [4, 0]
            else { continue }
            let attribute = Array(packet.dropFirst(9))
            switch (flags & 1, attribute[0]) {
            // The search for a service that does not exist marks the beginning.
            case (0, 0x06): (count, withoutResult) = (0, 0)
            // The read of the Database Hash, when the link is idle.
            case (0, 0x08) where attribute.suffix(2) == [0x2A, 0x2B]: break
            case (0, 0x04), (0, 0x08), (0, 0x10): count += 1
            case (1, 0x01) where attribute.count == 5 && attribute[1] != 0x06 && attribute[4] == 0x0A:
                withoutResult += 1
            default: break
            }
        }
    }
}
