import BluetoothModel
import BluetoothRuntime

/// The attempt to connect to one device, for all callers that wait for it. Confined to the loop.
package final class ConnectionAttempt<Phase> {
    /// A caller, and the user for whom it waits.
    struct Caller {
        let user: RadioUser?
        let request: ConnectRequest
        let waiter: Waiter<any PeripheralLink>
    }

    /// The device.
    package let peripheral: PeripheralID
    /// The request of the first caller, whose timeout is that of this caller alone.
    package let request: ConnectRequest
    /// The progress of the backend.
    package var phase: Phase
    /// The number of further attempts after one that failed to be established.
    package var retries: Int
    /// True once the backend was asked to stop, because the last caller gave up. Callers that come later wait for a
    /// new attempt.
    package internal(set) var isStopping = false
    /// The start of the attempt.
    let began: RadioInstant
    /// The callers, oldest first.
    var callers: [Caller]
    /// The position of the attempt among those of the adapter.
    let number: Int

    init(_ peripheral: PeripheralID, _ callers: [Caller], phase: Phase, number: Int, began: RadioInstant) {
        request = callers.first?.request ?? ConnectRequest()
        self.peripheral = peripheral
        self.callers = callers
        self.phase = phase
        self.number = number
        self.began = began
        retries = request.retries
    }

    /// True if no caller waits for the link any more.
    package var isAbandoned: Bool { !callers.contains { $0.waiter.wantsResult } }
}
