import BluetoothModel

extension GATTValue {
    /// Returns the bytes with zeros, which mean unknown, in place of each date and time that is out of range: a clock
    /// that was never set may have such a time. Nil if there is none, and if another field cannot be decoded.
    package static func withUnknownTimes(_ bytes: [UInt8]) -> [UInt8]? {
        var coder = FieldCoder(decoding: bytes, describes: false)
        coder.invalidTimes = []
        var value = Self()
        do throws(ValueError) {
            try value.code(&coder)
            try coder.finish()
        } catch {
            return nil
        }
        guard let starts = coder.invalidTimes, !starts.isEmpty else { return nil }
        var bytes = bytes
        for start in starts {
            for index in start..<start + DateTime.byteCount { bytes[index] = 0 }
        }
        return bytes
    }
}

extension Profiles {
    /// Returns the bytes of a value with zeros in place of each date and time that is out of range; nil if there is
    /// none, if another field cannot be decoded, and if the type of the value is unknown.
    package static func withUnknownTimes(_ bytes: [UInt8], uuid: BluetoothUUID) -> [UInt8]? {
        guard let type = type(of: uuid) else { return nil }
        return type.withUnknownTimes(bytes)
    }

    /// Decodes the fields of a value, in which a date and time that is out of range is unknown; nil if its type is
    /// unknown.
    /// - Throws: ``ValueError`` that names the invalid field.
    package static func fieldsWithUnknownTimes(of bytes: [UInt8], uuid: BluetoothUUID) throws(ValueError) -> [Field]? {
        do throws(ValueError) {
            return try fields(of: bytes, uuid: uuid)
        } catch {
            guard let known = withUnknownTimes(bytes, uuid: uuid) else { throw error }
            return try fields(of: known, uuid: uuid)
        }
    }
}
