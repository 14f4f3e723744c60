#if Programs
import BluetoothRuntime
import Foundation
import Harald
import HaraldDevices

/// What the model keeps of a device that somebody connected. Confined to the model.
final class DeviceSession {
    /// A value of an attribute, and those before it.
    struct Values {
        var recent: RingBuffer<ValueReport>
    }

    /// The subscription to a characteristic that viewers share.
    struct Subscription {
        var viewers: Set<ViewerID> = []
        var kind: SubscriptionKind
        /// Receives the values; ends the subscription when it is cancelled.
        var task: Task<Void, Never>?
        /// Waits until the device has acknowledged.
        var ready: Task<Void, any Error>?
    }

    /// An operation that runs, and who started it.
    struct Operation: Hashable {
        var number: Int
        var viewer: ViewerID
        var isPairing: Bool
    }

    let peripheral: Peripheral
    var phase = ConnectionPhase.disconnected
    var since: Date
    var reason: BluetoothError?
    var attempt: Int?
    /// Who holds the link.
    var holders: Set<ViewerID> = []
    /// Those of them that want a lost link back.
    var reconnecting: Set<ViewerID> = []
    var operations: [Operation] = []
    var nextOperation = 0
    var phy: LinkPHY?
    var isBonded = false
    var isDiscovered = false
    var discovery: Task<Void, any Error>?
    var values: [UInt32: Values] = [:]
    var subscriptions: [UInt32: Subscription] = [:]
    var watchers: [Task<Void, Never>] = []
    /// Reads the signal strength while the device is connected.
    var strength: Task<Void, Never>?
    /// The protection of the link that observers know of.
    var toldSecurity: LinkSecurity?
    /// Wait until the states that were told have been taken.
    var settling: [CheckedContinuation<Void, Never>] = []
    var tag: TagSession?

    var id: PeripheralID { peripheral.id }

    init(_ peripheral: Peripheral, at date: Date) {
        self.peripheral = peripheral
        since = date
    }

    /// Who answers a question of pairing: whoever started the pairing, else the operation that runs longest, else who
    /// holds the link.
    var answering: ViewerID? {
        (operations.first(where: \.isPairing) ?? operations.first)?.viewer
            ?? holders.min { $0.rawValue < $1.rawValue }
    }
}

/// Who looks, as the model knows it.
struct ViewerState {
    /// Gives back what the viewer has, once it closed and did not come back.
    var timer: QueuedTimer?
}

/// A question of pairing that waits for its answer.
struct OpenQuestion {
    var request: PairingRequest
    var timer: QueuedTimer
    var continuation: CheckedContinuation<PairingAnswer, Never>?
}
#endif
