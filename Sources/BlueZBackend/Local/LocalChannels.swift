import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// The L2CAP channels that centrals open to a local device. Confined to the loop.
final class LocalChannels {
    /// Proof of `unowned`: only the local device stores this object, and it retains the radio.
    private unowned let radio: BlueZRadio
    private var listeners: [UInt16: ChannelListener] = [:]
    private var open: [SocketChannel] = []
    /// The centrals that BlueZ has reported.
    private var centrals: Set<PeripheralID> = []
    /// Channels of centrals that BlueZ has not reported yet, because the kernel is faster.
    private var early: [(channel: SocketChannel, accepted: (any BackendChannel) -> Void)] = []
    private static let earlyLimit = 16

    init(radio: BlueZRadio) { self.radio = radio }

    func publish(
        psm: UInt16?, requiresEncryption: Bool, accepted: @escaping (any BackendChannel) -> Void
    ) throws(RadioError) -> UInt16 {
        if let error = radio.unavailableError { throw error }
        guard psm.map({ (1...255).contains($0) }) ?? true else {
            throw .invalidArgument("PSM \(psm ?? 0): a PSM must be from 1 to 255")
        }
        guard let adapter = radio.adapter.address else {
            throw .radio(.poweredOff, reason: "the adapter has no address")
        }
        do throws(L2CAPSocket.Failure) {
            var number: UInt16 = 0
            let listener = try ChannelListener(
                adapter: adapter, psm: psm, requiresEncryption: requiresEncryption, loop: radio.loop
            ) { [weak self] descriptor, peer in
                guard let self else { return closeDescriptor(descriptor) }
                self.accepted(descriptor, peer, psm: number, accepted)
            }
            number = listener.psm
            listeners[number] = listener
            return number
        } catch {
            throw L2CAPSocket.meaning(of: error.code, psm: psm ?? 0)
        }
    }

    func unpublish(psm: UInt16) { listeners.removeValue(forKey: psm)?.close() }

    private func accepted(
        _ descriptor: Int32, _ peer: BluetoothAddress, psm: UInt16, _ accepted: @escaping (any BackendChannel) -> Void
    ) {
        let channel = SocketChannel(
            descriptor, psm: psm, peer: PeripheralID(peer), peerMTU: L2CAPSocket.peerMTU(descriptor), loop: radio.loop)
        open.append(channel)
        // Proof of `unowned`: only the channel stores and calls the closure.
        channel.onEnd = { [weak self, unowned channel] in
            self?.open.removeAll { $0 === channel }
            self?.early.removeAll { $0.channel === channel }
        }
        if centrals.contains(channel.peer) { return accepted(channel) }
        if early.count == Self.earlyLimit { early[0].channel.close() }
        early.append((channel, accepted))
    }

    func centralConnected(_ id: PeripheralID) {
        centrals.insert(id)
        let ready = early.filter { $0.channel.peer == id }
        early.removeAll { $0.channel.peer == id }
        for entry in ready { entry.accepted(entry.channel) }
    }

    func centralDisconnected(_ id: PeripheralID, _ error: RadioError) {
        centrals.remove(id)
        for channel in open where channel.peer == id { channel.linkEnded(error) }
    }

    func close() {
        for listener in listeners.values { listener.close() }
        listeners = [:]
        early = []
        for channel in open { channel.close() }
    }
}

extension BlueZLocalDevice {
    func publishChannel(
        psm: UInt16?, requiresEncryption: Bool, accepted: @escaping (any BackendChannel) -> Void,
        completion: @escaping (Result<UInt16, RadioError>) -> Void
    ) {
        do throws(RadioError) {
            completion(
                .success(try channels.publish(psm: psm, requiresEncryption: requiresEncryption, accepted: accepted)))
        } catch {
            completion(.failure(error))
        }
    }

    func unpublishChannel(psm: UInt16) { channels.unpublish(psm: psm) }
}
