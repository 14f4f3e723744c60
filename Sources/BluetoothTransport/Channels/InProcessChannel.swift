import BluetoothModel
import BluetoothRuntime
import VirtualBluetooth

/// The host's side of a virtual controller in the same process.
///
/// Both directions are queued and delivered by the loop's next round, so neither the host nor the controller is entered
/// while it runs. A round delivers everything that is queued and then tells the delegate that the read is finished.
public final class InProcessChannel: HCIChannel {
    /// The loop of the air, which the host shares.
    public let loop: RadioLoop
    /// What the channel leads to, for messages.
    public let name: String

    private enum State {
        case open(VirtualController)
        case closed
    }

    /// One direction: a queue that fills while the one before it is delivered.
    private final class Direction {
        var waiting = OutgoingPackets()
        var isScheduled = false
        private var spare = OutgoingPackets()

        /// Calls `body` with what waits now, until it answers false; what is appended meanwhile waits for the next time.
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

    /// Whom the channel tells; packets that come before the first one are kept for it.
    public unowned var delegate: (any HCIChannelDelegate)? {
        didSet { if delegate != nil, !toHost.waiting.isEmpty { scheduleToHost() } }
    }

    /// A channel to `controller`, whose only host it is, on the loop of its air.
    ///
    /// - Parameters:
    ///   - name: for messages; nil is `virtual:` with the controller's address.
    ///   - onClose: called once when the host closes the channel, to take the controller off its air.
    public init(controller: VirtualController, name: String? = nil, onClose: (() -> Void)? = nil) {
        loop = controller.air.loop
        self.onClose = onClose
        self.name = name ?? "virtual:\(controller.publicAddress)"
        state = .open(controller)
        deliverToController = { [weak self] in self?.drainToController() }
        deliverToHost = { [weak self] in self?.drainToHost() }
        controller.transmit = { [weak self] packet in self?.receive(packet) }
    }

    /// More than ``HCIChannelLimits/congestion`` waits for the loop's next round.
    public var isCongested: Bool { toController.waiting.count > HCIChannelLimits.congestion }

    /// Queues one packet for the controller.
    public func send(_ packet: ByteView) {
        guard case .open = state else { return }
        toController.waiting.append(packet)
        if isCongested { wasCongested = true }
        guard !toController.isScheduled else { return }
        toController.isScheduled = true
        loop.later(deliverToController)
    }

    /// Lets go of the controller; what is queued either way is dropped.
    public func close() {
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
        loop.later(deliverToHost)
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
        if case .open = state { delegate.channelDidFinishRead(self) }
    }
}
