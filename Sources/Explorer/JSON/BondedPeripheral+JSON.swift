import Harald

extension BondedPeripheral {
    /// The bond as a JSON object, as `harald bonds list --json` prints it.
    package var json: JSONValue {
        [
            "id": .string(id.description), "name": .optional(name), "address": .optional(address?.text),
            "security": .string(SecurityText.word(level)), "keySize": .int(Int(keySize)),
            "localAddress": .optional(localAddress?.text),
        ]
    }
}
