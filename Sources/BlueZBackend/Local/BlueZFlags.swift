import BluetoothModel

/// BlueZ's names for the properties and the security requirements of local attributes.
enum BlueZFlags {
    static func characteristic(_ properties: CharacteristicProperties, _ permissions: AttributePermissions) -> [String]
    {
        var flags = CharacteristicProperties.bluezNames.filter { properties.contains($0.value) }.map(\.key).sorted()
        flags += protection(
            permissions, reads: properties.contains(.read),
            writes: !properties.isDisjoint(with: [
                .write, .writeWithoutResponse,
            ]))
        if properties.contains(.notifyEncryptionRequired) { flags.append("encrypt-notify") }
        if properties.contains(.indicateEncryptionRequired) { flags.append("encrypt-indicate") }
        return flags
    }

    static func descriptor(_ permissions: AttributePermissions) -> [String] {
        let (reads, writes) = (permissions.contains(.readable), permissions.contains(.writeable))
        return (reads ? ["read"] : []) + (writes ? ["write"] : [])
            + protection(permissions, reads: reads, writes: writes)
    }

    private static func protection(_ permissions: AttributePermissions, reads: Bool, writes: Bool) -> [String] {
        let isSecure = permissions.contains(.secureConnectionsRequired)
        var flags: [String] = []
        if reads {
            if isSecure {
                flags.append("secure-read")
            } else if permissions.contains(.readAuthenticationRequired) {
                flags.append("encrypt-authenticated-read")
            } else if permissions.contains(.readEncryptionRequired) {
                flags.append("encrypt-read")
            }
        }
        if writes {
            if isSecure {
                flags.append("secure-write")
            } else if permissions.contains(.writeAuthenticationRequired) {
                flags.append("encrypt-authenticated-write")
            } else if permissions.contains(.writeEncryptionRequired) {
                flags.append("encrypt-write")
            }
        }
        return flags
    }
}
