import BluetoothModel
import Testing
import VirtualDevices

@testable import Workbench

@Suite("Devices of captures")
struct ReplayTests {
    private func replay(_ packets: [CaptureBytes.Packet]) throws -> CapturedDevice.Replay {
        var reader = CaptureReader()
        for record in CaptureBytes.read(CaptureBytes.snoop(packets)).records { reader.add(record) }
        return try #require(reader.devices.first).replay(database: nil)
    }

    private func discovery(_ request: [UInt8], _ answer: [UInt8]) -> [CaptureBytes.Packet] {
        [LinkPackets.request(request), LinkPackets.answer(answer)]
    }

    private func read(_ handle: UInt8, _ value: [UInt8]) -> [CaptureBytes.Packet] {
        discovery([0x0A, handle, 0], [0x0B] + value)
    }

    @Test("A characteristic may have the last handle")
    func lastHandle() throws {
        let replay = try replay(
            [LinkPackets.connected]
                + discovery([0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x11, 6, 0xF0, 0xFF, 0xFF, 0xFF, 0x0D, 0x18])
                + discovery(
                    [0x08, 0xF0, 0xFF, 0xFF, 0xFF, 3, 0x28], [0x09, 7, 0xFE, 0xFF, 0x12, 0xFF, 0xFF, 0x37, 0x2A]))
        let file = try DeviceFile(yaml: replay.file.yaml, file: "replay")
        #expect(file.services.map(\.handle) == [0xFFF0])
        #expect(file.services[0].characteristics.map(\.handle) == [0xFFFF])
    }

    /// Battery up to the last handle with its level at 3, and a value at 6.
    private var first: [CaptureBytes.Packet] {
        [LinkPackets.connected]
            + discovery([0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x11, 6, 1, 0, 0xFF, 0xFF, 0x0F, 0x18])
            + discovery(
                [0x08, 1, 0, 0xFF, 0xFF, 3, 0x28], [0x09, 7, 2, 0, 2, 3, 0, 0x19, 0x2A, 5, 0, 2, 6, 0, 0x29, 0x2A])
            + discovery([0x04, 4, 0, 4, 0], [0x05, 1, 4, 0, 0x02, 0x29]) + read(3, [50]) + read(6, [1])
            + [LinkPackets.disconnected(0x13)]
    }

    @Test("The later discovery replaces the earlier one where they overlap")
    func grown() throws {
        // Battery ends at 3, and another service with a characteristic begins.
        let replay = try replay(
            first + [LinkPackets.connected]
                + discovery(
                    [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28],
                    [0x11, 6, 1, 0, 3, 0, 0x0F, 0x18, 4, 0, 0xFF, 0xFF, 0xF0, 0xFF])
                + discovery([0x08, 4, 0, 0xFF, 0xFF, 3, 0x28], [0x09, 7, 5, 0, 2, 6, 0, 0xF1, 0xFF]) + read(6, [9]))
        let file = try DeviceFile(yaml: replay.file.yaml, file: "replay")
        #expect(file.services.map(\.uuid) == [0x180F, 0xFFF0])
        #expect(file.services.map { $0.characteristics.map(\.uuid) } == [[0x2A19], [0xFFF1]])
        #expect(file.services.map { $0.characteristics[0].value.fixedBytes } == [[50], [9]])
        #expect(replay.recording.reads == [0x2A19: [.value([50])], 0xFFF1: [.value([9])]])
    }

    @Test("The same discovery on another link changes nothing")
    func same() throws {
        let replay = try replay(first + first)
        #expect(replay.file.services.map(\.uuid) == [0x180F])
        #expect(replay.file.services[0].characteristics.map(\.handle) == [3, 6])
        #expect(replay.file.services[0].characteristics[0].descriptors.map(\.uuid) == [0x2902])
        #expect(replay.recording.reads[0x2A19] == [.value([50]), .value([50])])
    }

    @Test("The dissector forgets the names of attributes that were replaced")
    func names() {
        let records = CaptureBytes.dissect(
            CaptureBytes.snoop(
                first + [LinkPackets.connected]
                    + discovery([0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x11, 6, 1, 0, 3, 0, 0xF0, 0xFF]) + read(6, [9])))
        #expect(records.last?.summary == "Read Response: #0x0006: 09", "\(records.last?.summary ?? "")")
    }
}
