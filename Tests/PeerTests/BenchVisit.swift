#if os(Linux)
import Harald
import PeerSupport
import Testing

/// A central that has found Bumble's peripheral.
struct BenchVisit {
    /// The name under which Bumble's peripheral advertises.
    static let name = "Bumble Bench"

    let central: Central
    /// The process of Bumble's peripheral.
    let bumble: PeerProcess
    let discovery: ScanResult
    var peripheral: Peripheral { discovery.peripheral }

    /// Runs the body with a central and Bumble's peripheral on an air.
    static func with(
        _ air: PeerAir, _ arguments: [String] = [], isolation: isolated (any Actor)? = #isolation,
        _ body: (BenchVisit) async throws -> Void
    ) async throws {
        try await air.withSeats { seats in
            try await Peers.with(.peripheral, [seats.theirs] + arguments) { bumble, _ in
                try await withCentral(adapter: seats.ours, options: seats.options) { central in
                    let discovery = try await find(with: central)
                    try await body(BenchVisit(central: central, bumble: bumble, discovery: discovery))
                }
            }
        }
    }

    /// The same, connected.
    static func connected(
        _ air: PeerAir, _ arguments: [String] = [], reconnect: ReconnectPolicy = .never,
        isolation: isolated (any Actor)? = #isolation, _ body: (BenchVisit) async throws -> Void
    ) async throws {
        try await with(air, arguments) { visit in
            try await visit.peripheral.connect(reconnect: reconnect)
            try await body(visit)
            await visit.peripheral.disconnect()
        }
    }

    private static func find(with central: Central) async throws -> ScanResult {
        for try await found in central.scan(filter: ScanFilter(namePrefix: name), duration: .seconds(20)) {
            return found
        }
        throw BluetoothError(.notFound, operation: "find \(name)", reason: "the scan ended")
    }

    /// A characteristic of the bench service.
    func bench(_ uuid: BluetoothUUID) async throws -> Characteristic {
        try await peripheral.characteristic(AttributeKey(BenchService.uuid), AttributeKey(uuid))
    }

    /// Writes a command to the bench device.
    func order(_ command: BenchService.Command) async throws {
        try await bench(BenchService.control).write(command.encoded)
    }

    /// Waits until Bumble reports a subscription.
    func subscribed(to uuid: BluetoothUUID) async throws {
        try await bumble.event("subscription") {
            $0["uuid"]?.text == uuid.description && ($0["notify"]?.bool == true || $0["indicate"]?.bool == true)
        }
    }

    /// Subscribes, requests a series at once, and checks every value and its position: none is missing, because the
    /// request follows the subscription on the same bearer.
    func expectSeries(
        _ uuid: BluetoothUUID, _ command: BenchService.Command, as kind: SubscriptionKind = .any, count: Int, size: Int
    ) async throws {
        let values = try await bench(uuid).notifications(kind)
        try await order(command)
        var index = 0
        for try await value in values {
            try #require(value == BenchService.pattern(index, size), "value \(index)")
            index += 1
            if index == count { break }
        }
        #expect(index == count)
        #expect(values.droppedCount == 0)
    }
}
#endif
