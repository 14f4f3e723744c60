#if os(Linux)
import Foundation
import Harald
import Testing

/// The bench device for programs that are started by hand:
///
///     HARALD_BENCH_PORT=9001 HARALD_BENCH_SECONDS=600 swift test --traits Programs --filter BenchOnAirTests
///     .build/peers/bin/python Tests/Peers/central.py tcp-client:127.0.0.1:9001 --all --name "Harald Bench"
@Suite("The bench device on an air that others join")
struct BenchOnAirTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// None in a usual run.
    private static let ports = environment["HARALD_BENCH_PORT"].flatMap { UInt16($0) }.map { [$0] } ?? []
    private static let seconds = environment["HARALD_BENCH_SECONDS"].flatMap { Double($0) } ?? 300

    @Test("is there for as long as it was asked for", arguments: ports)
    func serves(port: UInt16) async throws {
        try await OfferedAir.with(port: port) { air in
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
                let events = device.peripheral.events
                let log = Task { for try await event in events { print(event) } }
                print("the bench device is on the air at \(air.controller)")
                try await Task.sleep(for: .seconds(Self.seconds))
                work.cancel()
                log.cancel()
            }
        }
    }
}
#endif
