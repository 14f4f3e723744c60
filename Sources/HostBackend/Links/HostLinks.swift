import BluetoothHost
import BluetoothModel

/// The open links of an adapter. A peer may have several, such as one to each of two local devices.
struct HostLinks {
    /// The newest link to each device. The identifier of a link stays the same while it lasts.
    private var byDevice: [PeripheralID: HostLink] = [:]
    /// All links, by those of the host.
    private var byLink: [ObjectIdentifier: HostLink] = [:]
    /// The links to devices with several, in the order in which they opened.
    private var several: [PeripheralID: [HostLink]] = [:]

    /// The newest link to each device.
    var newest: Dictionary<PeripheralID, HostLink>.Values { byDevice.values }

    /// The newest link to a device.
    subscript(id: PeripheralID) -> HostLink? { byDevice[id] }

    /// The shared link of a link of the host.
    subscript(link: LELink) -> HostLink? { byLink[ObjectIdentifier(link)] }

    mutating func add(_ hostLink: HostLink) {
        if let last = byDevice.updateValue(hostLink, forKey: hostLink.id) {
            several[hostLink.id, default: [last]].append(hostLink)
        }
        byLink[ObjectIdentifier(hostLink.link)] = hostLink
    }

    /// Removes a link that has ended, and returns it. An earlier link to its device takes its place.
    mutating func remove(_ link: LELink) -> HostLink? {
        guard let hostLink = byLink.removeValue(forKey: ObjectIdentifier(link)) else { return nil }
        let id = hostLink.id
        guard var rest = several.removeValue(forKey: id) else {
            byDevice[id] = nil
            return hostLink
        }
        rest.removeAll { $0 === hostLink }
        byDevice[id] = rest.last
        if rest.count > 1 { several[id] = rest }
        return hostLink
    }
}
