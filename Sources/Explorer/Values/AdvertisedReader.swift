import BluetoothProfiles
import Harald
import Synchronization

/// The names of devices and the values that they advertise, with the identities and keys that the user has stored. One
/// for the process: the counters of encrypted values belong to the air.
package final class AdvertisedReader: Sendable {
    package static let shared = AdvertisedReader()

    /// Creates a reader without identities.
    package init() {}

    private struct State {
        var decoder = AdvertisedValueDecoder()
        var resolver = IdentityResolver()
    }

    private let state = Mutex(State())

    /// Replaces the identities.
    package func use(_ identities: [DeviceIdentity]) {
        var keys = AdvertisedKeys()
        for identity in identities {
            if let address = identity.address, let key = identity.key { keys.set(key, of: address) }
        }
        state.withLock { [keys] in $0 = State(decoder: keys.decoder, resolver: IdentityResolver(identities)) }
    }

    /// Returns the advertised values of a device.
    package func values(of found: ScanResult) -> [AdvertisedValue] {
        values(in: found.advertisement, name: found.name, from: found.peripheral.address)
    }

    /// Returns the values in an advertisement of a device.
    package func values(
        in data: AdvertisingData, name: String? = nil, from address: BluetoothAddress?
    ) -> [AdvertisedValue] {
        state.withLock { $0.decoder.values(in: data, name: name, from: address) }
    }

    /// Returns the name that the user gave a device; nil if there is none.
    package func name(of address: BluetoothAddress?) -> String? {
        address.flatMap { address in state.withLock { $0.resolver.name(of: address) } }
    }
}
