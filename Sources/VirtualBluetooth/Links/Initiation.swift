import BluetoothHCI
import BluetoothModel

/// What a controller waits for that wants to be a central (Core 6.0, Vol 4, Part E, 7.8.12 and 7.8.66).
struct Initiation {
    /// The peer; nil for whoever is in the accept list.
    var peer: BluetoothAddress?
    /// 0 public, 1 random, 2 and 3 private where the resolving list knows the peer, else as 0 and 1.
    var ownAddressType: UInt8
    /// The primary physical layers on which it listens, with the parameters for each; the parameters for a link on 2M
    /// may be there too.
    var parameters: [PHY: ConnectionParameters]
    /// Whether it also hears what legacy controllers do not.
    var hearsExtended: Bool

    /// The parameters of a link to this set; nil where the set cannot be heard.
    func parameters(for set: AdvertisingSet) -> ConnectionParameters? {
        if set.isLegacy { return parameters[.le1M] }
        guard hearsExtended, let primary = parameters[set.parameters.primaryPHY] else { return nil }
        return parameters[set.parameters.secondaryPHY] ?? primary
    }

    /// The interval, latency and timeout of a command; nil where they are not allowed.
    ///
    /// Of the range for the interval the longest is taken.
    static func readParameters(_ reader: inout ByteReader) -> ConnectionParameters? {
        guard let minimum = reader.uint16(), let maximum = reader.uint16(), let latency = reader.uint16(),
            let timeout = reader.uint16(), minimum <= maximum
        else { return nil }
        let wish = ConnectionParametersRequest(
            intervalRange: minimum...maximum, latency: latency, supervisionTimeout: timeout)
        guard wish.isValid else { return nil }
        return ConnectionParameters(interval: maximum, latency: latency, supervisionTimeout: timeout)
    }
}

extension VirtualController {
    func startInitiating(_ initiation: Initiation) {
        self.initiation = initiation
        let index = air.initiators.firstIndex { $0.number > number } ?? air.initiators.count
        air.initiators.insert(self, at: index)
        guard air.pace.packetsPerEvent == nil, !faults.isSilent else { return }
        // As fast as possible: nobody waits for the next advertising event.
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

    /// Whether there is a link between these two devices already.
    func isConnected(own: BluetoothAddress, peer: BluetoothAddress) -> Bool {
        linkTable.ends.contains { $0.addresses.ownIdentity == own && $0.addresses.peer.address == peer }
    }

    /// Who asks for the scan response of a set of this controller; nil where that device gets no answer.
    func answersScanRequest(from address: BluetoothAddress, to set: AdvertisingSet) -> PeerAddress? {
        guard let peer = receive(address) else { return nil }
        guard set.parameters.filterPolicy.contains(.scanFromAcceptList) else { return peer }
        return settings.acceptList.contains(peer.address) ? peer : nil
    }

    /// The addresses of a link to the central that calls itself `address`; nil where it gets none.
    private func answersConnection(from address: BluetoothAddress, to set: AdvertisingSet) -> LinkAddresses? {
        guard !linkTable.isFull, let peer = receive(address) else { return nil }
        // The central may use the private address that it was called by.
        if let wanted = set.parameters.peer, wanted != peer.address, set.target != address { return nil }
        let own = set.identityAddress ?? set.address
        guard !isConnected(own: own, peer: peer.address) else { return nil }
        if set.parameters.filterPolicy.contains(.connectFromAcceptList) {
            guard settings.acceptList.contains(peer.address) else { return nil }
        }
        return LinkAddresses(own: set.address, ownIdentity: own, peer: peer)
    }

    /// The addresses of a link to a set, on this side and on the other one; nil where one side does not want a link.
    fileprivate func addresses(
        to set: AdvertisingSet, _ initiation: Initiation
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
    /// Connects `central` to an advertising set that it hears; false where it does not want to, or may not.
    func connect(_ central: VirtualController, to set: AdvertisingSet) -> Bool {
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

    private func establish(_ link: VirtualLink, _ set: AdvertisingSet) {
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
        _ parameters: ConnectionParameters, _ set: AdvertisingSet
    ) -> VirtualLink {
        let link = VirtualLink(air: self, central: central, peripheral: peripheral, parameters: parameters)
        let phy = set.isLegacy ? .le1M : set.parameters.secondaryPHY
        for end in link.ends { end.transmitPHY = phy }
        add(link)
        return link
    }

    private func attach(_ end: LinkEnd) {
        // Both tables were seen to have room.
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

    /// The peripheral never hears of the connection and goes on advertising.
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
