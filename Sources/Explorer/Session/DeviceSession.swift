import BluetoothBackend
import BluetoothProfiles
import BluetoothRuntime
import Foundation
import Harald
import HaraldDevices

/// The model's state of a device that was addressed by a viewer. Confined to the model.
final class DeviceSession {
    /// The latest values of an attribute.
    struct Values {
        var recent: RingBuffer<ValueReport>
    }

    /// The subscription to a characteristic that viewers share. It is replaced by another object when it has ended.
    final class Subscription {
        let kind: SubscriptionKind
        var viewers = Acquisitions<ViewerID>()
        /// The task that receives the values; cancelling it ends the subscription.
        var task: Task<Void, Never>?
        /// The task that waits for the acknowledgement of the device.
        var ready: Task<Void, any Error>?

        init(kind: SubscriptionKind) { self.kind = kind }
    }

    /// An operation in progress, and the viewer that started it.
    struct Operation: Hashable {
        var number: Int
        var viewer: ViewerID
        var isPairing: Bool
        /// True if the operation must not start a pairing.
        var isQuiet: Bool
    }

    let peripheral: Peripheral
    var phase = ConnectionPhase.disconnected
    var since: Date
    var reason: BluetoothError?
    var attempt: Int?
    /// The viewers that hold the link.
    var holders = Acquisitions<ViewerID>()
    /// The holders that requested reconnection.
    var reconnecting: Set<ViewerID> = []
    var operations: [Operation] = []
    var nextOperation = 0
    var phy: LinkPHY?
    var isBonded = false
    var isDiscovered = false
    var discovery: Task<Void, any Error>?
    var values: [UInt32: Values] = [:]
    /// The Characteristic Presentation Formats by value handle; an inner nil for a characteristic that has none.
    var formats: [UInt32: CharacteristicPresentationFormat?] = [:]
    /// The handles of values that the device refuses without pairing.
    var locked: Set<UInt32> = []
    var subscriptions: [UInt32: Subscription] = [:]
    var watchers: [Task<Void, Never>] = []
    /// The task that reads the signal strength while the device is connected.
    var strength: Task<Void, Never>?
    /// The security of the link as last reported to observers.
    var reportedSecurity: LinkSecurity?
    /// Callers that wait until the reported states have been processed.
    var settling: [CheckedContinuation<Void, Never>] = []
    var tag: TagSession?

    var id: PeripheralID { peripheral.id }

    init(_ peripheral: Peripheral, at date: Date) {
        self.peripheral = peripheral
        since = date
    }

    /// The viewer that answers pairing requests: the one that started the pairing, else the one with the oldest
    /// operation in progress, else a holder of the link.
    var answering: ViewerID? {
        (operations.first(where: \.isPairing) ?? operations.first)?.viewer
            ?? holders.holders.min { $0.rawValue < $1.rawValue }
    }
}

/// The model's state of a viewer.
struct ViewerState {
    /// Releases the links and subscriptions of a viewer that closed and did not reopen.
    var timer: QueuedTimer?
}

/// A pairing request that waits for its answer.
struct WaitingRequest {
    var request: PairingRequest
    var timer: QueuedTimer
    var continuation: CheckedContinuation<PairingAnswer, Never>?
}
