import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// Changes that BlueZ reports.
extension BlueZRadio: BlueZObserver {
    /// The interfaces of a device's attributes.
    private static let attributes: Set<String> = [
        BlueZ.gattService, BlueZ.gattCharacteristic, BlueZ.gattDescriptor, BlueZ.battery,
    ]

    func blueZ(isRunning: Bool) {
        if !isRunning {
            agent.forgotten()
            isRestarting = true
            restartTimer.arm(at: loop.now + Self.restartTime)
        }
        updateState()
    }

    func blueZ(lostBus error: BusError) {
        agent.forgotten()
        isRestarting = false
        updateState()
    }

    func blueZ(added interfaces: ManagedObjects.Interfaces, at path: String) {
        if path == self.path { return updateState() }
        guard path.hasPrefix(self.path + "/") else { return }
        if interfaces[BlueZ.device] != nil {
            scans.heard(path)
            connector.deviceAppeared(path)
            connectionChanged(at: path)
        } else if !Self.attributes.isDisjoint(with: interfaces.keys) {
            link(above: path)?.objectsChanged()
        }
    }

    func blueZ(removed interfaces: [String], at path: String) {
        if path == self.path, interfaces.contains(BlueZ.adapter) { return updateState() }
        if interfaces.contains(BlueZ.device) {
            scans.lost(path)
            if let link = links[path] { linkEnded(link, reason(path)) }
            for device in localDevices { device.centralChanged(path, isConnected: false) }
            pendingDisconnects.disconnected(path)
        } else if !Self.attributes.isDisjoint(with: interfaces) {
            link(above: path)?.objectsChanged()
        }
    }

    func blueZ(changed properties: [String: BusValue], of interface: String, at path: String) {
        if path == self.path, interface == BlueZ.adapter {
            updateState()
            if let isDiscovering = properties["Discovering"]?.bool { scans.discoveringChanged(isDiscovering) }
            return
        }
        guard path.hasPrefix(self.path + "/") else { return }
        if interface == BlueZ.device {
            if !DeviceProperties.advertised.isDisjoint(with: properties.keys) { scans.heard(path) }
            if properties["Paired"]?.bool == true { agent.pairingEnded(path, isPaired: true) }
            if properties["Connected"] != nil { connectionChanged(at: path) }
        }
        link(above: path)?.changed(properties, of: interface, at: path)
    }

    func blueZ(disconnected path: String, reason: String) {
        let known: [String: HCIStatus] = [
            "org.bluez.Reason.Timeout": .connectionTimeout, "org.bluez.Reason.Local": .localHostTerminated,
            "org.bluez.Reason.Remote": .remoteUserTerminated,
            "org.bluez.Reason.Authentication": .authenticationFailure, "org.bluez.Reason.Suspend": .remotePowerOff,
        ]
        disconnectReasons[path] = known[reason]
    }

    private func connectionChanged(at path: String) {
        let isConnected = device(at: path)?.isConnected ?? false
        if !isConnected, let link = links[path] { linkEnded(link, reason(path)) }
        for device in localDevices { device.centralChanged(path, isConnected: isConnected) }
        if !isConnected {
            pendingDisconnects.disconnected(path)
            agent.pairingEnded(path, isPaired: false)
        }
    }

    /// Returns the reason of a link's end, which BlueZ before 5.82 does not report.
    private func reason(_ path: String) -> RadioError {
        if isSwitchingOff { return .radio(.poweredOff, reason: Self.offReason) }
        let usual: HCIStatus = pendingDisconnects.contains(path) ? .localHostTerminated : .unspecified
        return .disconnected(disconnectReasons.removeValue(forKey: path) ?? usual)
    }

    /// Returns the link of the device at or above `path`.
    private func link(above path: String) -> BlueZLink? {
        if let link = links[path] { return link }
        return links.first { path.hasPrefix($0.key + "/") }?.value
    }
}
