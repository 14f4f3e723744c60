/// The checksum of the continuous glucose and insulin services: CRC-CCITT, least significant bit first (Continuous
/// Glucose Monitoring Service 1.0.2, 3.11).
public enum CRC16 {
    /// Returns the checksum of `bytes`. The initial value is 0xFFFF.
    public static func ccitt(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0xFFFF) { crc, byte in
            var crc = crc ^ UInt16(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x8408 : crc >> 1 }
            return crc
        }
    }
}
