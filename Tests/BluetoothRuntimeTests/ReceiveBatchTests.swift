import Testing

@testable import BluetoothRuntime

@Suite struct ReceiveBatchTests {
    /// Returns the limits of the next calls, each of which finds one packet.
    private func limits(_ batch: inout ReceiveBatch, calls: Int) -> [Bool] {
        (0..<calls).map { _ in
            defer { batch.received(1) }
            return batch.limit > 1
        }
    }

    @Test func singlePacketsAreReceivedByCallsForOne() {
        var batch = ReceiveBatch()
        // The call for several is tried after 1, 2, 4, 8 and 16 calls for one, and after every 16 from then on.
        let tries = limits(&batch, calls: 70).enumerated().filter(\.element).map(\.offset)
        #expect(tries == [1, 4, 9, 18, 35, 52, 69])
    }

    @Test func aStreamIsReceivedByCallsForSeveral() {
        var batch = ReceiveBatch()
        _ = limits(&batch, calls: 1)
        for _ in 0..<10 {
            batch.received(16)
            #expect(limits(&batch, calls: 20).allSatisfy { $0 })
        }
        #expect(limits(&batch, calls: 20).contains(false))
    }
}
