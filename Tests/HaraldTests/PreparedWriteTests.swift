import BluetoothRuntime
import Testing

@testable import Harald

/// Prepared writes of a central to the stored values of a local device.
@Suite("Prepared writes", .closesRigs, .timeLimit(.minutes(1))) struct PreparedWriteTests {
    /// Writes parts to the stored value [1, 2, 3, 4], by Prepare Write Requests and an Execute Write Request.
    /// - Returns: the last response, and the value that is read afterwards.
    private func result(of parts: [(offset: UInt16, bytes: [UInt8])]) async throws -> (
        response: [UInt8], value: [UInt8]
    ) {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let stored = try await peripheral.characteristic(.init(Rig.service), .init(Rig.stored))
        try await stored.write([1, 2, 3, 4])
        let handle = UInt16(try #require(stored.valueHandle).rawValue)
        await peripheral.disconnect()
        let raw = try await peripheral.connectRaw(timeout: .seconds(10))
        var response: [UInt8] = []
        for (offset, bytes) in parts {
            response = try await answer(of: raw, to: [0x16] + Self.le(handle) + Self.le(offset) + bytes)
        }
        response = try await answer(of: raw, to: [0x18, 1])
        await peripheral.disconnect()
        try await peripheral.connect()
        let value = try await peripheral.characteristic(.init(Rig.service), .init(Rig.stored)).read()
        return (response, value)
    }

    private static func le(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] }

    private func answer(of raw: RawLink, to request: [UInt8]) async throws -> [UInt8] {
        #expect(await raw.send(request))
        while case .frame(let frame) = await raw.next(until: raw.clock.now + .seconds(30)) {
            // Requests of the device are not of interest.
            if frame.channel == RawLink.attribute, frame.bytes.first == request[0] + 1 || frame.bytes.first == 0x01 {
                return frame.bytes
            }
        }
        throw BluetoothError(.timeout, operation: "wait for a response", reason: "none arrived")
    }

    @Test("A part at an offset keeps the octets before it")
    func offset() async throws {
        let (response, value) = try await result(of: [(2, [9])])
        #expect(response == [0x19] && value == [1, 2, 9])
    }

    @Test("Parts are written in their order")
    func order() async throws {
        let (response, value) = try await result(of: [(0, [7, 8]), (2, [9]), (1, [5, 6])])
        #expect(response == [0x19] && value == [7, 5, 6])
    }

    @Test("A part beyond the end of the value is refused, and nothing is written")
    func beyond() async throws {
        let (response, value) = try await result(of: [(0, [7]), (2, [9])])
        #expect(response.last == 0x07 && value == [1, 2, 3, 4])
    }
}
