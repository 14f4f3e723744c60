import BluetoothRuntime
import Foundation
import Harald

/// Pairing requests, bonds and viewers.
extension ExplorerModel {
    /// Returns the open pairing requests for a viewer.
    package func pairingRequests(for viewer: ViewerID) -> [PairingRequest] {
        questions.values.map(\.request).filter { $0.viewer == viewer }.sorted { $0.expires < $1.expires }
    }

    /// Returns an open pairing request; nil if it has ended.
    package func pairingRequest(_ id: String) -> PairingRequest? { questions[id]?.request }

    /// Answers a pairing request.
    /// - Returns: false if the request has ended.
    @discardableResult
    package func answer(_ id: String, _ answer: PairingAnswer) -> Bool {
        guard questions[id] != nil else { return false }
        // A displayed number stays until pairing continues.
        if case .display = questions[id]?.request.question, answer == .accept { return true }
        if answer != .refuse, let device = questions[id]?.request.device, let session = sessions[device] {
            // The log states that a passkey was entered. It never contains the passkey.
            let entersPasskey = if case .passkey = answer { true } else { false }
            act(.answerPairing(entersPasskey: entersPasskey), session)
        }
        end(id, .answered, answer: answer)
        return true
    }

    // MARK: Bonds

    /// The bonded devices.
    package var bonds: [BondedPeripheral] { get async { await central.bonds } }

    /// Removes the bond with a device.
    /// - Returns: true if there was a bond.
    package func forgetBond(_ id: PeripheralID) async -> Bool {
        let isForgotten = await central.forgetBond(id)
        if isForgotten {
            sessions[id]?.isBonded = false
            note(.bond, "the bond was deleted", device: id)
            if let session = sessions[id] { notifyConnectionChanged(session) }
        }
        return isForgotten
    }

    /// Removes all bonds.
    /// - Returns: the number of bonds.
    package func forgetBonds() async -> Int {
        var count = 0
        for bond in await bonds where await forgetBond(bond.id) { count += 1 }
        return count
    }

    // MARK: From the adapter

    /// Returns false while only operations are in progress that must not start a pairing.
    func permitsPairing(with device: PeripheralID) -> Bool {
        guard let operations = sessions[device]?.operations else { return true }
        return operations.isEmpty || operations.contains { !$0.isQuiet }
    }

    func ask(_ device: PeripheralID, _ question: PairingQuestion) async -> PairingAnswer {
        let session = sessions[device]
        if settings.refusesPairing {
            note(.pairing, "pairing was refused: this program does not pair", device: device, isError: true)
            return .refuse
        }
        guard let viewer = session?.answering, !isClosed else {
            note(.pairing, "pairing was refused: no viewer requested it", device: device, isError: true)
            return .refuse
        }
        let id = Self.freshIdentifier()
        let request = PairingRequest(
            id: id, device: device, name: records[device]?.name ?? session?.peripheral.name, question: question,
            viewer: viewer, expires: settings.now().addingTimeInterval(settings.pairingPatience / .seconds(1)))
        let timer = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.end(id, .timeout, answer: .refuse) } }
        timer.arm(at: loop.now + settings.pairingPatience)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                questions[id] = WaitingRequest(request: request, timer: timer, continuation: continuation)
                note(.pairing, "pairing question: \(question)", device: device)
                emit(.pairing(request))
                if Task.isCancelled || isClosed { end(id, .withdrawn, answer: .refuse) }
            }
        } onCancel: {
            Task { await self.end(id, .withdrawn, answer: .refuse) }
        }
    }

    func pairingEnded(with device: PeripheralID) {
        for (id, question) in questions where question.request.device == device {
            end(id, .withdrawn, answer: .accept)
        }
    }

    func end(_ id: String, _ reason: PairingRequest.End, answer: PairingAnswer) {
        guard var question = questions.removeValue(forKey: id) else { return }
        question.timer.disarm()
        question.request.end = reason
        if reason == .timeout {
            note(.pairing, "pairing was refused: no answer", device: question.request.device, isError: true)
        } else if reason == .answered, answer == .refuse {
            note(.pairing, "pairing was refused by the viewer", device: question.request.device)
        }
        emit(.pairing(question.request))
        question.continuation?.resume(returning: answer)
    }

    private static func freshIdentifier() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    }

    // MARK: Viewers

    /// Registers a viewer that opened or reopened.
    package func openViewer(_ viewer: ViewerID) {
        viewers[viewer]?.timer?.disarm()
        viewers[viewer] = ViewerState()
    }

    /// Handles a viewer that closed: its pairing requests are refused at once. Unless it reopens within
    /// ``ExplorerSettings/viewerGrace``, its links and subscriptions are released.
    package func closeViewer(_ viewer: ViewerID) {
        for (id, question) in questions where question.request.viewer == viewer {
            end(id, .timeout, answer: .refuse)
        }
        guard !isClosed else { return }
        viewers[viewer]?.timer?.disarm()
        let timer = loop.makeTimer { [weak self] in
            self?.assumeIsolated { model in _ = Task { await model.giveBack(viewer) } }
        }
        timer.arm(at: loop.now + settings.viewerGrace)
        viewers[viewer] = ViewerState(timer: timer)
    }

    /// Returns true if a viewer is open, or may still reopen.
    package func knows(_ viewer: ViewerID) -> Bool { viewers[viewer] != nil }

    /// Handles the end of a session, whose viewers are `SESSION` and `SESSION/NAME`: their pairing requests are
    /// refused, and their links and subscriptions released, at once.
    package func endSession(_ name: String) {
        func belongs(_ viewer: ViewerID) -> Bool {
            viewer.rawValue == name || viewer.rawValue.hasPrefix(name + "/")
        }
        for (id, question) in questions where belongs(question.request.viewer) { end(id, .withdrawn, answer: .refuse) }
        var ended = Set(viewers.keys.filter(belongs))
        for session in sessions.values {
            ended.formUnion(session.holders.holders.filter(belongs))
            for subscription in session.subscriptions.values {
                ended.formUnion(subscription.viewers.holders.filter(belongs))
            }
        }
        for viewer in ended { Task { await giveBack(viewer) } }
    }

    /// Releases all links and subscriptions of a viewer.
    package func giveBack(_ viewer: ViewerID) async {
        viewers[viewer]?.timer?.disarm()
        viewers[viewer] = nil
        for session in sessions.values {
            for handle in session.subscriptions.keys { unsubscribe(session, handle, viewer) }
            await release(session, viewer)
        }
    }
}
