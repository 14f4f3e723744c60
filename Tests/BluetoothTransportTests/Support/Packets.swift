/// Packets of every type and of many lengths, each recognisable by its number.
enum Packets {
    static func acl(_ number: Int, length: Int) -> [UInt8] {
        [2, 0x40, 0x20, UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8)]
            + (0..<length).map { UInt8(truncatingIfNeeded: number &+ $0) }
    }

    static func event(_ number: Int, length: Int) -> [UInt8] {
        [4, 0x3E, UInt8(length)] + (0..<length).map { UInt8(truncatingIfNeeded: number &+ $0) }
    }

    static let reset: [UInt8] = [1, 0x03, 0x0C, 0]

    static let mixed: [[UInt8]] = [
        event(1, length: 0), acl(2, length: 27), event(3, length: 255), acl(4, length: 0), acl(5, length: 1021),
        [3, 0x01, 0x00, 2, 0xAA, 0xBB], [5, 0x01, 0x00, 3, 0x00, 1, 2, 3], event(6, length: 4),
        acl(7, length: 65_535), event(8, length: 1),
    ]
}
