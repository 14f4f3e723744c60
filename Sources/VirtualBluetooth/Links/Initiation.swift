import BluetoothHCI
import BluetoothModel

/// A pending connection attempt of a controller as central (Core 6.0, Vol 4, Part E, 7.8.12 and 7.8.66).
struct Initiation {
    /// The peer; nil for all devices in the accept list.
    var peer: BluetoothAddress?
    /// 0 public, 1 random, 2 and 3 resolvable private if the resolving list contains the peer, else as 0 and 1.
    var ownAddressType: UInt8
    /// The primary PHYs to scan on, with the connection parameters of each. May also hold the parameters of links on
    /// 2M.
    var parameters: [PHY: ConnectionParameters]
    /// True if extended advertising is received too.
    var hearsExtended: Bool

    /// The parameters for a link to this set; nil if the set cannot be received.
    func parameters(for set: ControllerAdvertisingSet) -> ConnectionParameters? {
        if set.isLegacy { return parameters[.le1M] }
        guard hearsExtended, let primary = parameters[set.parameters.primaryPHY] else { return nil }
        return parameters[set.parameters.secondaryPHY] ?? primary
    }

    /// Reads the interval range, latency and timeout of a command; nil if they are invalid.
    ///
    /// The result has the maximum of the interval range.
    static func readParameters(_ reader: inout ByteReader) -> ConnectionParameters? {
        guard let minimum = reader.uint16(), let maximum = reader.uint16(), let latency = reader.uint16(),
            let timeout = reader.uint16(), minimum <= maximum
        else { return nil }
        let wish = ConnectionParametersRequest(
            intervalUnits: minimum...maximum, latency: latency, timeoutUnits: timeout)
        guard wish.isValid else { return nil }
        return ConnectionParameters(intervalUnits: maximum, latency: latency, timeoutUnits: timeout)
    }
}

extension VirtualController {
    func startInitiating(_ initiation: Initiation) {
        self.initiation = initiation
        let index = air.initiators.firstIndex { $0.number > number } ?? air.initiators.count
        air.initiators.insert(self, at: index)
        guard air.pace.packetsPerEvent == nil, !faults.isSilent else { return }
        // Without pacing the connection does not wait for the next advertising event.
        for set in air.advertisers where set.controller !== self && set.isConnectable {
            guard !set.controller.faults.isSilent, air.hears(self, set) != nil, air.connect(self, to: set) else {
                continue
            }
            return
        }
    }

    func stopInitiating() {
        guard initiation != nil else { return }
        initiation = nil
        air.initiators.removeAll { $0 === self }
    }

    /// Returns true if there is a link between these two devices.
    func isConnected(own: BluetoothAddress, peer: BluetoothAddress) -> Bool {
        linkTable.ends.contains { $0.addresses.ownIdentity == own && $0.addresses.peer.address == peer }
    }

    /// Returns the sender of a scan request to a set of this controller; nil if the request is ignored.
    func answersScanRequest(from address: BluetoothAddress, to set: ControllerAdvertisingSet) -> PeerAddress? {
        guard let peer = receive(address) else { return nil }
        guard set.parameters.filterPolicy.contains(.scanFromAcceptList) else { return peer }
        return settings.acceptList.contains(peer.address) ? peer : nil
    }

    /// Returns the addresses for a link to the central with the address `address`; nil if the connection is refused.
    private func answersConnection(from address: BluetoothAddress, to set: ControllerAdvertisingSet) -> LinkAddresses? {
        guard !linkTable.isFull, let peer = receive(address) else { return nil }
        // The central may have the private address to which the advertising is directed.
        if let wanted = set.parameters.peer, wanted != peer.address, set.target != address { return nil }
        let own = set.identityAddress ?? set.address
        guard !isConnected(own: own, peer: peer.address) else { return nil }
        if set.parameters.filterPolicy.contains(.connectFromAcceptList) {
            guard settings.acceptList.contains(peer.address) else { return nil }
        }
        return LinkAddresses(own: set.address, ownIdentity: own, peer: peer)
    }

    /// Returns the addresses of both sides for a link to a set; nil if one side refuses the link.
    fileprivate func addresses(
        to set: ControllerAdvertisingSet, _ initiation: Initiation
    ) -> (central: LinkAddresses, peripheral: LinkAddresses)? {
        guard !linkTable.isFull, let peer = receive(set.address) else { return nil }
        if let wanted = initiation.peer {
            guard wanted == peer.address || wanted == peer.onAir else { return nil }
        } else {
            guard settings.acceptList.contains(peer.address) else { return nil }
        }
        let type = initiation.ownAddressType
        guard let own = ownAddress(type, towards: peer.address) else { return nil }
        let identity = identityAddress(type) ?? own
        if let target = set.target, target != own {
            switch self.target(target, ownAddressType: type) {
            case .own, .ownPrivate: break
            case .unresolved, .other: return nil
            }
        }
        guard !isConnected(own: identity, peer: peer.address),
            let other = set.controller.answersConnection(from: own, to: set)
        else { return nil }
        return (LinkAddresses(own: own, ownIdentity: identity, peer: peer), other)
    }
}

extension VirtualAir {
    /// Connects `central` to an advertising set that it receives. Returns false if it does not want this set or may not
    /// connect.
    func connect(_ central: VirtualController, to set: ControllerAdvertisingSet) -> Bool {
        guard let initiation = central.initiation, let parameters = initiation.parameters(for: set) else {
            return false
        }
        set.renewAddresses()
        guard let addresses = central.addresses(to: set, initiation) else { return false }
        central.stopInitiating()
        let link = {
            self.makeLink((central, addresses.central), (set.controller, addresses.peripheral), parameters, set)
        }
        if let failure = takeFailure(central, set.controller) {
            fail(failure, central, link)
            return true
        }
        establish(link(), set)
        return true
    }

    private func establish(_ link: VirtualLink, _ set: ControllerAdvertisingSet) {
        let events = set.completedEvents
        set.disable()
        attach(link.central)
        attach(link.peripheral)
        if let handle = set.handle {
            set.controller.sendAdvertisingSetTerminated(
                handle: handle, status: .success, link: link.peripheral.handle, events: events)
        }
        link.conditionsChanged()
        link.exchangeInitialDataLength()
    }

    private func makeLink(
        _ central: (VirtualController, LinkAddresses), _ peripheral: (VirtualController, LinkAddresses),
        _ parameters: ConnectionParameters, _ set: ControllerAdvertisingSet
    ) -> VirtualLink {
        let link = VirtualLink(air: self, central: central, peripheral: peripheral, parameters: parameters)
        let phy = set.isLegacy ? .le1M : set.parameters.secondaryPHY
        for end in link.ends { end.transmitPHY = phy }
        add(link)
        return link
    }

    private func attach(_ end: LinkEnd) {
        // Both tables were checked to have room.
        guard end.controller.linkTable.insert(end) else { return }
        end.isAttached = true
        end.controller.sendConnectionComplete(end)
    }

    private func takeFailure(
        _ central: VirtualController, _ peripheral: VirtualController
    ) -> ControllerFaults.EstablishmentFailure? {
        for controller in [central, peripheral] where controller.faults.failedEstablishments > 0 {
            controller.faults.failedEstablishments -= 1
            return controller.faults.establishmentFailure
        }
        return nil
    }

    /// Fails a connection attempt. The peripheral is not notified and continues to advertise.
    private func fail(
        _ failure: ControllerFaults.EstablishmentFailure, _ central: VirtualController,
        _ makeLink: () -> VirtualLink
    ) {
        switch failure {
        case .connectionComplete:
            central.sendConnectionFailure(.failedToEstablish, role: .central)
        case .disconnection:
            let link = makeLink()
            attach(link.central)
            link.setNeverHeard()
        }
    }
}
