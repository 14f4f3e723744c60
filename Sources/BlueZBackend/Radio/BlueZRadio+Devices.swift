import BluetoothBackend
import BluetoothModel
import Logging
import SystemBus

/// Known and bonded devices.
extension BlueZRadio {
    func knownPeripherals(_ identifiers: [PeripheralID]) -> [KnownPeripheral] {
        identifiers.compactMap { id in
            id.address.map { KnownPeripheral(id: id, address: $0, name: path(of: id).flatMap { device(at: $0)?.name }) }
        }
    }

    func allKnownPeripherals() -> [KnownPeripheral] {
        known { $0.isPaired || $0.properties["Trusted"]?.bool == true }
    }

    func connectedPeripherals(withServices services: [BluetoothUUID]) -> [KnownPeripheral] {
        known { device in
            device.isConnected && (services.isEmpty || device.serviceUUIDs.contains(where: services.contains))
        }
    }

    private func known(where isMeant: (DeviceProperties) -> Bool) -> [KnownPeripheral] {
        devicePaths.compactMap { device(at: $0) }.filter(isMeant).compactMap { device in
            device.address.map { KnownPeripheral(id: PeripheralID($0), address: $0, name: device.name) }
        }
    }

    func peripheral(at address: BluetoothAddress) -> PeripheralID? { PeripheralID(address) }

    /// Forgets the attributes of a device, which BlueZ does only together with the device; a bond is not removed for
    /// that.
    func forgetCache(_ peripheral: PeripheralID) {
        guard let path = path(of: peripheral), let device = device(at: path), !device.isPaired else { return }
        if let link = links[path] { link.forgetCache() } else if !device.isConnected { removeDevice(path) }
    }

    var bonds: [BondedPeripheral] {
        devicePaths.compactMap { device(at: $0) }.filter(\.isPaired).compactMap { device in
            device.address.map { address in
                BondedPeripheral(
                    id: PeripheralID(address), address: address, name: device.name, level: .encrypted,
                    isSecureConnections: false, keySize: 7, localAddress: adapter.address)
            }
        }
    }

    @discardableResult
    func forgetBond(_ peripheral: PeripheralID) -> Bool {
        guard let path = path(of: peripheral), device(at: path)?.isPaired == true else { return false }
        removeDevice(path)
        return true
    }

    func removeDevice(_ device: String) {
        let log = log
        client.call(path, BlueZ.adapter, "RemoveDevice", [.path(device)]) { result in
            // A program that leaves the bus right afterwards does not receive the answer.
            if case .failure(let error) = result, error.name != BusError.closed {
                log.notice("BlueZ did not remove \(device): \(error)")
            }
        }
    }
}
