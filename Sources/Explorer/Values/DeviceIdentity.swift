import BluetoothCipher
import Harald

/// A device that the user has named, with what recognizes it and decrypts its values.
package struct DeviceIdentity: Hashable, Sendable {
    /// The name.
    package var name: String
    /// The address; nil for a device with private addresses.
    package var address: BluetoothAddress?
    /// The identity resolving key, 16 bytes; nil if there is none.
    package var irk: [UInt8]?
    /// The key of encrypted advertised values, 16 bytes; nil if there is none.
    package var key: [UInt8]?

    package init(name: String, address: BluetoothAddress? = nil, irk: [UInt8]? = nil, key: [UInt8]? = nil) {
        self.name = name
        self.address = address
        self.irk = irk
        self.key = key
    }
}

/// Recognizes the devices that the user has named.
struct IdentityResolver: Sendable {
    private var names: [UInt64: String] = [:]
    private var keys: [(name: String, key: IdentityResolvingKey)] = []

    init(_ identities: [DeviceIdentity] = []) {
        for identity in identities {
            if let address = identity.address { names[address.value] = identity.name }
            guard let irk = identity.irk else { continue }
            // Systems show the key in either order of its bytes; a wrong one resolves 1 of 16 million addresses.
            for bytes in [irk, irk.reversed()] {
                if let key = IdentityResolvingKey(littleEndian: bytes) { keys.append((identity.name, key)) }
            }
        }
    }

    /// Returns the name of the device with an address; nil if the user has not named it.
    func name(of address: BluetoothAddress) -> String? {
        if let name = names[address.value] { return name }
        guard !keys.isEmpty, address.kind == .random, address.value >> 46 == 0b01 else { return nil }
        return keys.first { $0.key.resolves(address) }?.name
    }
}
