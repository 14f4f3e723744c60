#if os(Linux)
import Foundation
import Harald
import Testing

/// The bench device on a virtual air, for a host that joins through a TCP port: here a host of this package, which
/// needs no peer.
///
/// It stays for programs that are started by hand when it is asked to:
///
///     HARALD_BENCH_PORT=9001 HARALD_BENCH_SECONDS=600 swift test --filter BenchOnAirTests
///     .build/peers/bin/python Tests/Peers/central.py tcp-client:127.0.0.1:9001 --all --name "Harald Bench"
@Suite("The bench device on a served air")
struct BenchOnAirTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let port = environment["HARALD_BENCH_PORT"].flatMap { UInt16($0) } ?? 0
    private static let seconds = environment["HARALD_BENCH_SECONDS"].flatMap { Double($0) }

    @Test("a host that joins finds it and requests notifications")
    func joins() async throws {
        try await OfferedAir.with(port: Self.port) { air in
            try await BenchDevice.with(on: air.radio.adapter()) { device in
                let (orders, order) = AsyncStream<(count: Int, size: Int)>.makeStream()
                let measured = try await device.peripheral.publish(
                    MeasuredService.definition { order.yield((count: $0, size: $1)) })
                let source = try #require(measured[MeasuredService.notifying])
                let work = Task {
                    for await order in orders {
                        for index in 0..<order.count {
                            try await source.update(BenchService.pattern(index, order.size))
                        }
                    }
                }
                try await expectNotifications(air)
                if let seconds = Self.seconds {
                    print("the bench device is on the air at \(air.controller)")
                    try await Task.sleep(for: .seconds(seconds))
                }
                work.cancel()
            }
        }
    }

    private func expectNotifications(_ air: OfferedAir) async throws {
        let adapter = Adapter("tcp:" + air.controller.dropFirst("tcp-client:".count))
        try await withCentral(adapter: adapter, options: AdapterOptions(storage: .none)) { central in
            for try await found in central.scan(filter: ScanFilter(namePrefix: "Harald Bench")) {
                let service = AttributeKey(MeasuredService.uuid(0))
                try await found.peripheral.connect()
                let source = try await found.peripheral.characteristic(service, AttributeKey(MeasuredService.notifying))
                let control = try await found.peripheral.characteristic(service, AttributeKey(MeasuredService.uuid(10)))
                let values = source.notifications()
                try await control.write([10, 0, 0, 0, 20, 0])
                var index = 0
                for try await value in values {
                    #expect(value == BenchService.pattern(index, 20))
                    index += 1
                    if index == 10 { break }
                }
                await found.peripheral.disconnect()
                break
            }
        }
    }
}
#endif
