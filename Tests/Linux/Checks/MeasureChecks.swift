import Foundation
import Harald

/// Our central reads the measured device and receives its notifications; prints one line of JSON with the cost.
/// Tests/Linux/measure.py does the same with bleak. The arguments are a name, the number of reads, the number of
/// notifications, and their rate per second.
@MainActor enum MeasureChecks {
    static func run(_ name: String, reads: Int, notifications: Int, rate: Int) async {
        await Checks.step("measure \(name)") {
            let central = try await Central(options: .init(storage: .none))
            try await central.waitUntilPoweredOn()
            let peer = try await found(central)
            try await peer.connect(timeout: CentralChecks.patience)
            _ = try await peer.discoverAll(timeout: CentralChecks.patience)
            let value = try characteristic(peer, MeasuredService.value)
            for _ in 0..<20 { _ = try await value.read(timeout: CentralChecks.patience) }

            let reading = Use()
            for _ in 0..<reads { _ = try await value.read(timeout: CentralChecks.patience) }
            let read = reading.sofar

            let order = try characteristic(peer, MeasuredService.order)
            let stream = try characteristic(peer, MeasuredService.pulse).notifications(
                buffering: .oldest(65_536))
            let last = UInt16(notifications - 1)
            // One notification first: it shows that the subscription stands.
            let (counts, count) = AsyncStream<Void>.makeStream()
            let tally = Tally()
            let receiving = Task {
                for try await value in stream {
                    tally.received += 1
                    if tally.received == 1 || UInt16(value[0]) | UInt16(value[1]) << 8 == last { count.yield() }
                }
            }
            var iterator = counts.makeAsyncIterator()
            try await order.write([1, 0, 1, 0], timeout: CentralChecks.patience)
            _ = await iterator.next()
            let listening = Use()
            try await order.write(
                [notifications, rate].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }, timeout: CentralChecks.patience)
            // The last one may be lost.
            let limit = Task {
                try await Task.sleep(for: .seconds(notifications / rate + 10))
                count.finish()
            }
            _ = await iterator.next()
            let delivered = tally.received - 1
            let listened = listening.sofar
            limit.cancel()
            receiving.cancel()
            await peer.disconnect()
            await central.close()
            say(
                #"{"who":"\#(name)","reads":\#(reads),"seconds":\#(read.time),"cpu":\#(read.processor),"#
                    + #""sent":\#(notifications),"delivered":\#(delivered),"listened":\#(listened.time),"#
                    + #""listeningCPU":\#(listened.processor)}"#)
        }
    }

    /// The number of received notifications, including the first.
    private final class Tally {
        var received = 0
    }

    private static func found(_ central: Central) async throws -> Peripheral {
        for try await found in central.scan(for: [MeasuredService.service], duration: CentralChecks.patience) {
            return found.peripheral
        }
        throw Checks.Failure(description: "the measured device was not found")
    }

    private static func characteristic(_ peer: Peripheral, _ uuid: BluetoothUUID) throws -> Characteristic {
        for service in peer.services {
            if let found = service.characteristics.first(where: { $0.uuid == uuid }) { return found }
        }
        throw Checks.Failure(description: "no characteristic \(uuid)")
    }

    /// Time and processor time since it was made, in seconds.
    private struct Use {
        private let start = ContinuousClock().now
        private let startCPU = Self.processor

        private static var processor: Double {
            var usage = rusage()
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        }

        var sofar: (time: Double, processor: Double) {
            ((ContinuousClock().now - start) / .seconds(1), Self.processor - startCPU)
        }
    }
}
