import BluetoothModel
import BluetoothRuntime
import BluetoothTransport
import VirtualBluetooth

/// The host side of a virtual controller in the same process.
///
/// Both directions are queued and delivered in the loop's next round, so neither the host nor the controller is
/// re-entered. A round delivers everything that is queued and then notifies the delegate that the read is finished.
package final class InProcessChannel: HCIChannel {
    /// The loop of the air, which the host shares.
    package let loop: RadioLoop
    /// The name of the controller, for messages.
    package let name: String

    private enum State {
        case open(VirtualController)
        case closed
    }

    /// One direction: a queue that is filled while the previous one is delivered.
    private final class Direction {
        var waiting = OutgoingPackets()
        var isScheduled = false
        private var spare = OutgoingPackets()

        /// Calls `body` with the queued packets until it returns false; packets appended meanwhile wait for the next
        /// call.
        func deliver(_ body: (ByteView) -> Bool) {
            var packets = OutgoingPackets()
            swap(&packets, &spare)
            swap(&packets, &waiting)
            packets.forEach(while: body)
            packets.removeAllKeepingMemory()
            swap(&packets, &spare)
        }
    }

    private var state: State
    private let toController = Direction()
    private let toHost = Direction()
    private var wasCongested = false
    private let onClose: (() -> Void)?
    private var deliverToController: () -> Void = {}
    private var deliverToHost: () -> Void = {}

    /// The delegate of the channel; packets received before the first one are kept for it. Proof of `unowned`: a
    /// delegate removes itself before it is released (``HCIChannel/delegate``).
    package unowned var delegate: (any HCIChannelDelegate)? {
        didSet { if delegate != nil, !toHost.waiting.isEmpty { scheduleToHost() } }
    }

    /// Creates a channel to `controller`, which has no other host, on the loop of its air.
    ///
    /// - Parameters:
    ///   - name: the name for messages; nil for `virtual:` with the controller's address.
    ///   - onClose: called once when the host closes the channel, to remove the controller from its air.
    package init(controller: VirtualController, name: String? = nil, onClose: (() -> Void)? = nil) {
        loop = controller.air.loop
        self.onClose = onClose
        self.name = name ?? "virtual:\(controller.publicAddress)"
        state = .open(controller)
        deliverToController = { [weak self] in self?.drainToController() }
        deliverToHost = { [weak self] in self?.drainToHost() }
        controller.transmit = { [weak self] packet in self?.receive(packet) }
    }

    /// True if more than ``HCIChannelLimits/congestion`` bytes wait for the loop's next round.
    package var isCongested: Bool { toController.waiting.count > HCIChannelLimits.congestion }

    /// Queues one packet for the controller.
    package func send(_ packet: ByteView) {
        guard case .open = state else { return }
        toController.waiting.append(packet)
        if isCongested { wasCongested = true }
        guard !toController.isScheduled else { return }
        toController.isScheduled = true
        loop.executeNext(deliverToController)
    }

    /// Releases the controller; queued packets of both directions are dropped.
    package func close() {
        guard case .open(let controller) = state else { return }
        state = .closed
        controller.transmit = nil
        onClose?()
    }

    private func receive(_ packet: ByteView) {
        guard case .open = state else { return }
        toHost.waiting.append(packet)
        if delegate != nil { scheduleToHost() }
    }

    private func scheduleToHost() {
        guard !toHost.isScheduled else { return }
        toHost.isScheduled = true
        loop.executeNext(deliverToHost)
    }

    private func drainToController() {
        toController.isScheduled = false
        toController.deliver { packet in
            guard case .open(let controller) = state else { return false }
            controller.receive(packet)
            return true
        }
        guard case .open = state, wasCongested, toController.waiting.isEmpty else { return }
        wasCongested = false
        delegate?.channelDidDrain(self)
    }

    private func drainToHost() {
        toHost.isScheduled = false
        guard let delegate else { return }
        toHost.deliver { packet in
            guard case .open = state else { return false }
            delegate.channel(self, received: packet)
            return true
        }
    }
}
