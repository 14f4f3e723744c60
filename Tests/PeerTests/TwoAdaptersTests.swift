#if os(Linux)
import Dispatch
import Harald
import Testing

@Suite(.timeLimit(.minutes(2))) struct TwoAdaptersTests {
    @Test func aBlockedAdapterDoesNotDelayAnother() async throws {
        try await OfferedAir.with { one in
            try await OfferedAir.with { two in
                let (first, second) = (try await Self.central(one), try await Self.central(two))
                let gate = Gate()
                let blocked = Task(executorPreference: first.executor) { gate.wait() }
                try await second.waitUntilPoweredOn()
                gate.open()
                #expect(await blocked.value, "the second adapter waited for the thread of the first one")
                await first.close()
                await second.close()
            }
        }
    }

    private static func central(_ air: OfferedAir) async throws -> Central {
        let port = air.controller.split(separator: ":").last ?? ""
        return try await Central(adapter: Adapter("tcp:127.0.0.1:\(port)"), options: AdapterOptions(storage: .none))
    }

    /// Blocks a thread until it is opened.
    private struct Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        func open() { semaphore.signal() }

        /// Returns false if the gate was not opened within 30 s.
        func wait() -> Bool { semaphore.wait(timeout: .now() + 30) == .success }
    }
}
#endif
