import BluetoothModel
import BluetoothProfiles

extension FuzzTarget {
    /// The value of a characteristic or descriptor. The first byte chooses its type.
    ///
    /// A value that can be decoded can be encoded, and is the same again then; its fields have words.
    static let values = FuzzTarget(
        "values", "typed values of characteristics", maximumLength: 64,
        seeds: {
            Profiles.types.indices.flatMap { index in
                let defaults = example(Profiles.types[index])
                return [defaults, Array(repeating: 0, count: 20), [0x1F] + Array(1...24)].map { [UInt8(index)] + $0 }
            }
        },
        run: { (view) throws(Finding) in
            var input = FuzzInput(view)
            let type = Profiles.types[Int(input.uint8()) % Profiles.types.count]
            try check(type, input.rest())
        })

    private static func example<Value: CharacteristicType>(_ type: Value.Type) -> [UInt8] {
        (try? Value().encoded()) ?? []
    }

    private static func check<Value: CharacteristicType>(_ type: Value.Type, _ bytes: [UInt8]) throws(Finding) {
        guard let value = try? Value(bytes: bytes) else {
            return try require((try? Value.fields(of: bytes)) == nil, "\(type) has fields and no value")
        }
        let encoded: [UInt8]
        let again: Value
        let fields: (own: [Field], ofBytes: [Field])
        do throws(ValueError) {
            encoded = try value.encoded()
            again = try Value(bytes: encoded)
            fields = (try value.fields(), try Value.fields(of: bytes))
        } catch {
            throw Finding("\(value) of \(bytes.hexText()) is not encoded: \(error)")
        }
        try require(again == value, "\(value) became \(encoded.hexText()), which is \(again)")
        try require(fields.own == fields.ofBytes, "the fields of \(value) differ: \(fields)")
        _ = fields.own.text
        for field in fields.own { _ = (field.valueText, field.display.map(\.description)) }
    }
}
