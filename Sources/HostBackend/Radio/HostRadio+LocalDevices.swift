import BluetoothBackend
import BluetoothHost
import BluetoothModel

/// The local devices of the adapter, and their addresses.
extension HostRadio {
    func makeLocalDevice(
        _ configuration: LocalDeviceConfiguration, for user: RadioUser?, delegate: any LocalDeviceDelegate
    ) throws(RadioError) -> any LocalDevice {
        if let unavailableError { throw unavailableError }
        let device = try HostLocalDevice(configuration, radio: self, user: user, delegate: delegate)
        localDevices.append(device)
        return device
    }

    /// Returns an unused address for a local device: the same in each run with the same store, so that bonds stay
    /// valid.
    func madeUpAddress(_ name: String) -> BluetoothAddress {
        let taken = Set(localDevices.compactMap(\.fixedAddress))
        var (role, count) = (name, 1)
        while true {
            let address = BluetoothAddress.staticRandom(with: bondStore.identityKey, for: "device " + role)
            if !taken.contains(address) { return address }
            count += 1
            role = "\(name) \(count)"
        }
    }

    /// Returns the privacy of a local device with its own address, where the adapter uses private addresses.
    func privacy(of address: LocalIdentity.Address) -> LocalIdentity.Privacy? {
        guard case .staticRandom(let own) = address else { return nil }
        var time: Duration?
        if case .resolvable(_, let each) = host.configuration.ownAddress { time = each }
        return LocalIdentity.Privacy(key: bondStore.identityKey.derived(for: own.text), each: time)
    }

    /// True if a local device already uses the adapter's own address.
    var isAdapterAddressTaken: Bool { localDevices.contains { $0.usesAdapterAddress } }

    /// Returns the local device that the peer of a link connected to; nil if this side is the central.
    func localDevice(of link: LELink) -> HostLocalDevice? {
        guard let server = link.identity?.server else { return nil }
        return localDevices.first { $0.server === server }
    }
}
