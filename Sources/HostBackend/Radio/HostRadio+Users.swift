import BluetoothBackend
import BluetoothHost
import BluetoothModel

/// The users of the adapter, and their policies.
extension HostRadio {
    func addUser(_ user: RadioUser) { if !users.has(user) { users.append(user) } }

    func removeUser(_ user: RadioUser) {
        users.removeAll { $0 === user }
        let handler = user.pairingHandler
        user.pairingHandler = nil
        guard let handler else { return }
        let open = questions.filter { $0.value.handler === handler }
        for link in open.keys { questions[link] = nil }
        for question in open.values.sorted(by: { $0.peripheral.description < $1.peripheral.description }) {
            handler.pairingQuestionWithdrawn(with: question.peripheral)
            question.answer(.refuse)
        }
    }

    /// Returns the users of a link: those that share it or, where there are none yet, those that wait for it.
    private func users(of link: any SecurityLink) -> [RadioUser?] {
        let sharing = (link as? LELink).flatMap(hostLink)?.users ?? []
        if !sharing.isEmpty { return sharing }
        return connector.coordinator.users(waitingFor: PeripheralID(host.identity(behind: link.peerAddress)))
    }

    /// Returns the policy of a link: the strictest of its users. While a link is being established, the requirements
    /// that all waiting users have in common: users with further requirements are refused their share afterwards.
    func policy(of link: any SecurityLink) -> SecurityPolicy {
        let standard = SecurityPolicy()
        let lower = link as? LELink
        let hostLink = lower.flatMap(hostLink)
        let device = lower.flatMap(localDevice)
        var sharing = (hostLink?.users ?? []).map { $0?.policy ?? standard }
        if let device { sharing.append(device.user?.policy ?? standard) }
        if let first = sharing.first { return sharing.dropFirst().reduce(first) { $0.union($1) } }
        let waiting = users(of: link).map { $0?.policy ?? standard }
        guard let first = waiting.first else { return standard }
        return waiting.dropFirst().reduce(first) { $0.intersection($1) }
    }

    /// Returns the handler of a link's pairing questions: that of the user that began the pairing; where the peer did,
    /// that of the local device that it is connected to, else that of the oldest user of the link with a handler.
    func pairingHandler(of link: any SecurityLink) -> (any PairingHandler)? {
        let device = (link as? LELink).flatMap(localDevice)
        if let owner = host.securityManager?.owner(on: link) as? RadioUser, owner !== device?.user {
            return owner.pairingHandler
        }
        if let device { return pairingHandler(of: device) }
        let present = users(of: link).compactMap { $0 }
        return users.oldestWithHandler { present.has($0) }?.pairingHandler
    }

    /// Returns the handler of a local device.
    private func pairingHandler(of device: HostLocalDevice) -> (any PairingHandler)? {
        if let own = device.user?.pairingHandler { return own }
        return users.oldestWithHandler { user in !localDevices.contains { $0.user === user } }?.pairingHandler
    }

    /// Returns true if there is a handler to ask where `user` needs more security on a link.
    func canAsk(_ user: RadioUser?, on link: any SecurityLink) -> Bool {
        guard let device = (link as? LELink).flatMap(localDevice), user == nil || user === device.user else {
            return user?.pairingHandler != nil
        }
        return pairingHandler(of: device) != nil
    }
}

/// A pairing question that was asked and not withdrawn.
struct AskedQuestion {
    let handler: any PairingHandler
    let peripheral: PeripheralID
    let answer: (PairingAnswer) -> Void
}
