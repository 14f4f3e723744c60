import Harald
import Synchronization
import Testing

/// A local peripheral with everything that `Tests/Peers/central.py` checks: the bench service, a heart rate, a battery,
/// device information, and an L2CAP channel that echoes messages.
final class BenchDevice: Sendable {
    let peripheral: LocalPeripheral
    private let bench: PublishedService
    private let heartRate: PublishedService
    private let orders: AsyncStream<Order>
    private let channels: BluetoothStream<L2CAPChannel>
    private let events: BluetoothStream<LocalPeripheral.Event>

    /// A command that a central wrote to the control point.
    private struct Order: Sendable {
        var central: PeripheralID
        var command: BenchService.Command
    }

    /// Advertises the device while the body runs.
    static func with<Result: Sendable>(
        on adapter: Adapter, name: String = "Harald Bench", options: AdapterOptions = .init(storage: .none),
        isolation: isolated (any Actor)? = #isolation, _ body: (BenchDevice) async throws -> Result
    ) async throws -> Result {
        let device = try await BenchDevice(on: adapter, name: name, options: options)
        let work = Task { await device.work() }
        do {
            let result = try await body(device)
            work.cancel()
            await device.peripheral.close()
            return result
        } catch {
            work.cancel()
            await device.peripheral.close()
            throw error
        }
    }

    private init(on adapter: Adapter, name: String, options: AdapterOptions) async throws {
        let counters = CounterBox()
        let (orders, order) = AsyncStream<Order>.makeStream()
        peripheral = try await LocalPeripheral(adapter: adapter, name: name, options: options)
        events = peripheral.events
        heartRate = try await peripheral.publish(
            ServiceDefinition(
                "180D",
                [
                    CharacteristicDefinition("2A37", .notify),
                    CharacteristicDefinition("2A38", .read, value: [1]),
                    CharacteristicDefinition("2A39", .write, onWrite: { _ in }),
                ]))
        try await peripheral.publish(
            ServiceDefinition("180F", [CharacteristicDefinition("2A19", [.read, .notify], value: [87])]))
        let information = try await peripheral.publish(
            ServiceDefinition(
                "180A",
                [
                    CharacteristicDefinition("2A29", .read, value: Array("Harald".utf8)),
                    CharacteristicDefinition("2A24", .read, value: Array("Bench 1".utf8)),
                    CharacteristicDefinition("2A25", .read, value: Array("0001".utf8)),
                ]))
        let note = LocalDescriptor(
            uuid: BenchService.note, value: Array("note".utf8), permissions: [.readable, .writeable])
        bench = try await peripheral.publish(
            ServiceDefinition(
                BenchService.uuid,
                [
                    CharacteristicDefinition(BenchService.read, .read, value: BenchService.readValue),
                    CharacteristicDefinition(
                        BenchService.readWrite, [.read, .write], value: Array("hello".utf8),
                        description: BenchService.userDescription, descriptors: [note]),
                    CharacteristicDefinition(
                        BenchService.sink, .writeWithoutResponse, onWrite: { counters.take($0.value) }),
                    CharacteristicDefinition(BenchService.counters, .read, onRead: { _ in counters.value.encoded }),
                    CharacteristicDefinition(BenchService.notify, .notify),
                    CharacteristicDefinition(BenchService.indicate, .indicate),
                    CharacteristicDefinition(
                        BenchService.encrypted, [.read, .write], value: Array("secret".utf8),
                        permissions: [.readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired]),
                    CharacteristicDefinition(BenchService.long, .read, value: BenchService.longValue),
                    CharacteristicDefinition(
                        BenchService.control, .write,
                        onWrite: { request in
                            guard let command = BenchService.Command(request.value) else {
                                throw ATTErrorCode.valueNotAllowed
                            }
                            if command == .resetCounters { return counters.reset() }
                            order.yield(Order(central: request.central, command: command))
                        }),
                    CharacteristicDefinition(BenchService.either, [.notify, .indicate]),
                    CharacteristicDefinition(BenchService.twin, .read, value: [1]),
                    CharacteristicDefinition(BenchService.twin, .read, value: [2]),
                ], included: [information]))
        channels = try await peripheral.publishL2CAPChannel(psm: BenchService.psm).channels
        self.orders = orders
        // The name is in the advertisement itself, because Bumble's controllers send no scan responses.
        try await peripheral.advertise(
            AdvertisingData(localName: name, serviceUUIDs: ["180D", "180F"], flags: .standard),
            scanResponse: AdvertisingData(serviceUUIDs: [BenchService.uuid]), interval: .milliseconds(50))
    }

    // MARK: Actions of its own

    private func work() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.carryOutOrders() }
            group.addTask { await self.beat() }
            group.addTask { await self.echo() }
        }
    }

    private func carryOutOrders() async {
        for await order in orders {
            do {
                try await carryOut(order)
            } catch {
                Issue.record("the bench device could not do \(order.command): \(error)")
            }
        }
    }

    private func carryOut(_ order: Order) async throws {
        switch order.command {
        case .resetCounters: break
        case .notify(let count, let size): try await send(count, size, on: [BenchService.notify, BenchService.either])
        case .indicate(let count, let size):
            try await send(count, size, on: [BenchService.indicate, BenchService.either])
        case .requestParameters(let wish):
            try await peripheral.updateConnectionParameters(wish, of: order.central)
        case .addService:
            let value = CharacteristicDefinition(BenchService.addedValue, .read, value: Array("new".utf8))
            try await peripheral.publish(ServiceDefinition(BenchService.added, [value]))
        // The response to the command may be lost with the link, which the central knows.
        case .disconnect: try await peripheral.disconnect(order.central)
        }
    }

    /// Sends a series on the characteristics that have subscribers when it begins: a later subscriber has not requested
    /// it.
    private func send(_ count: Int, _ size: Int, on characteristics: [BluetoothUUID]) async throws {
        var wanted: [PublishedCharacteristic] = []
        for characteristic in characteristics.compactMap({ bench[$0] }) {
            if await !characteristic.subscribers.isEmpty { wanted.append(characteristic) }
        }
        for index in 0..<count {
            for characteristic in wanted { try await characteristic.update(BenchService.pattern(index, size)) }
        }
    }

    /// Sends one heart rate to a new subscriber: flags, then the rate.
    private func beat() async {
        guard let measurement = heartRate["2A37"] else { return }
        do {
            for try await event in events {
                guard case .subscribed(let central, measurement.attribute, _) = event else { continue }
                try await measurement.update([0x06, 72], for: [central])
            }
        } catch {
            if !Task.isCancelled { Issue.record("the bench device has no heart: \(error)") }
        }
    }

    private func echo() async {
        await withDiscardingTaskGroup { group in
            do {
                for try await channel in channels {
                    group.addTask {
                        // The end of a link ends its channels, which this device ignores.
                        do { for try await message in channel.messages { try await channel.send(message) } } catch {}
                    }
                }
            } catch {
                if !Task.isCancelled { Issue.record("the bench device takes no more channels: \(error)") }
            }
        }
    }
}

/// Counts the values written to the sink.
private final class CounterBox: Sendable {
    private let counters = Mutex(BenchService.Counters())

    var value: BenchService.Counters { counters.withLock { $0 } }
    func take(_ value: [UInt8]) { counters.withLock { $0.take(value) } }
    func reset() { counters.withLock { $0 = .init() } }
}
