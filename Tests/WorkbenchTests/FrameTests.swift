import Explorer
import Testing
import VirtualDevices

@testable import Workbench

/// Frames of serial protocols are made and found.
@Suite struct FrameTests {
    private func declared(_ frame: String, _ rest: String = "") throws -> FrameProtocol {
        try FrameProtocol(yaml: "write: FFE1\nnotify: FFE2\nframe: \(frame)\n\(rest)", file: "p.yaml") { _ in }
    }

    @Test func checksumsAreThoseOfTheirDefinitions() {
        let check = Array("123456789".utf8)
        #expect(FrameLayout.Checksum.crc16.bytes(of: check) == [0x29, 0xB1])
        #expect(FrameLayout.Checksum.modbus.bytes(of: check) == [0x37, 0x4B])
        #expect(FrameLayout.Checksum.sum8.bytes(of: [0xFF, 2]) == [1])
        #expect(FrameLayout.Checksum.xor8.bytes(of: [0xF0, 0x0F, 1]) == [0xFE])
    }

    @Test(arguments: [
        "{start: \"AA 55\", length: u16be, checksum: crc16, covers: frame, end: \"0D\"}",
        "{start: \"AA\", length: u8, counts: frame, checksum: xor8}", "{length: u16}", "{end: \"0D 0A\"}",
    ])
    func framesAreFoundHoweverTheyArrive(_ frame: String) throws {
        let format = try declared(frame).format
        let payloads: [[UInt8]] = [[1, 2, 3], [], [0xAA, 0x55, 0xAA]]
        let stream = payloads.flatMap { format.frame($0) ?? [] }
        for size in 1...stream.count {
            var (decoder, parts) = (FrameDecoder(format), [FrameDecoder.Part]())
            for start in stride(from: 0, to: stream.count, by: size) {
                parts += decoder.add(Array(stream[start..<min(start + size, stream.count)]))
            }
            #expect(parts == payloads.map { .payload($0) }, "pieces of \(size)")
        }
    }

    @Test func octetsBetweenFramesAreTold() throws {
        let format = try declared("{start: \"AA\", length: u8, checksum: sum8}").format
        var decoder = FrameDecoder(format)
        // A wrong checksum, then a right frame.
        let wrong: [UInt8] = [0xAA, 1, 5, 6]
        #expect(decoder.add([9] + wrong + [0xAA, 1, 5, 5]) == [.garbage([9] + wrong), .payload([5])])
        #expect(try declared("{length: u8}").format.frame(Array(repeating: 0, count: 256)) == nil)
    }

    @Test func messagesAreTypedAndCommandsTakeValues() throws {
        let declared = try declared(
            "{}",
            """
            commands: {set: [{hex: "02"}, {u16: "${n}"}], raw: "AA"}
            messages:
              info: {match: "01 *", fields: [{skip: 1}, {level: i8}, {id: "hex:2"}, {label: text}]}
              other: {fields: [{all: u32}]}
            """)
        #expect(declared.usages == ["set n=...", "raw"])
        #expect(try declared.payload("set", ["n": "500"]) == [2, 0xF4, 1])
        #expect(throws: InputError.self) { try declared.payload("set", ["n": "70000"]) }
        #expect(declared.decoded([1, 0xFF, 0xAB, 0xCD, 0x68, 0x69]).line == "info: level -1, id AB CD, label hi")
        // A message is not chosen if its fields do not fit.
        #expect(declared.decoded([1, 2, 3]).line == "01 02 03")
        #expect(declared.decoded([5, 0, 0, 0, 7]).line == "other: all 5, and 07")
    }
}
