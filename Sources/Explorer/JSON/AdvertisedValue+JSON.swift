import BluetoothProfiles

extension AdvertisedValue {
    /// The value as an object: `kind`, `title`, `fields` in the form of values of characteristics, and `problem` if
    /// the fields are unknown.
    package var json: JSONValue {
        var object: [String: JSONValue] = [
            "kind": .string(kind), "title": .string(title), "fields": JSONValue(fields),
        ]
        object["problem"] = problem.map { .string($0) }
        return .object(object)
    }
}
