import BluetoothHCI
import BluetoothModel

/// What a controller waits for that wants to be a central (Core 6.0, Vol 4, Part E, 7.8.12 and 7.8.66).
struct Initiation {
    /// The peer; nil for whoever is in the accept list.
    var peer: BluetoothAddress?
    var ownAddress: BluetoothAddress
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

    /// Whether there is a link between these two addresses already.
    func isConnected(own: BluetoothAddress, peer: BluetoothAddress) -> Bool {
        linkTable.ends.contains { $0.ownAddress == own && $0.peerAddress == peer }
    }

    /// Whether the scan requests of a device are answered by a set of this controller.
    func answersScanRequest(from address: BluetoothAddress, to set: AdvertisingSet) -> Bool {
        !set.parameters.filterPolicy.contains(.scanFromAcceptList) || settings.acceptList.contains(address)
    }

    private func answersConnection(from address: BluetoothAddress, to set: AdvertisingSet) -> Bool {
        if let target = set.parameters.peer, target != address { return false }
        guard !linkTable.isFull, !isConnected(own: set.address, peer: address) else { return false }
        return !set.parameters.filterPolicy.contains(.connectFromAcceptList) || settings.acceptList.contains(address)
    }

    fileprivate func waits(for set: AdvertisingSet, _ initiation: Initiation) -> Bool {
        let isPeer = initiation.peer.map { $0 == set.address } ?? settings.acceptList.contains(set.address)
        return isPeer && !linkTable.isFull && !isConnected(own: initiation.ownAddress, peer: set.address)
            && set.controller.answersConnection(from: initiation.ownAddress, to: set)
    }
}

extension VirtualAir {
    /// Connects `central` to an advertising set that it hears; false where it does not want to, or may not.
    func connect(_ central: VirtualController, to set: AdvertisingSet) -> Bool {
        guard let initiation = central.initiation, let parameters = initiation.parameters(for: set),
            central.waits(for: set, initiation)
        else { return false }
        central.stopInitiating()
        if let failure = takeFailure(central, set.controller) {
            fail(failure, central, initiation, parameters, set)
            return true
        }
        let link = makeLink(central, initiation, parameters, set)
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
        return true
    }

    private func makeLink(
        _ central: VirtualController, _ initiation: Initiation, _ parameters: ConnectionParameters,
        _ set: AdvertisingSet
    ) -> VirtualLink {
        let link = VirtualLink(
            air: self, central: (central, initiation.ownAddress), peripheral: (set.controller, set.address),
            parameters: parameters)
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
        _ failure: ControllerFaults.EstablishmentFailure, _ central: VirtualController, _ initiation: Initiation,
        _ parameters: ConnectionParameters, _ set: AdvertisingSet
    ) {
        switch failure {
        case .connectionComplete:
            central.sendConnectionFailure(.failedToEstablish, role: .central)
        case .disconnection:
            let link = makeLink(central, initiation, parameters, set)
            attach(link.central)
            link.setNeverHeard()
        }
    }
}
