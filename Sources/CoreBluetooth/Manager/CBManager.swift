import BluetoothModel
import Foundation

/// The common base class of the two kinds of managers: the adapter's state.
open class CBManager: NSObject {
    private let engine: ManagerEngine
    private var currentState = CBManagerState.unknown
    /// The last state that was reported to the delegate.
    private var reportedState: CBManagerState?

    init(engine: ManagerEngine) {
        self.engine = engine
        super.init()
    }

    deinit { engine.close() }

    var mailbox: Mailbox { engine.mailbox }

    /// Unavailable: create a ``CBCentralManager`` or a ``CBPeripheralManager``.
    @available(*, unavailable)
    public convenience override init() { self.init(engine: ManagerEngine(queue: nil, options: nil, restoreKey: "")) }

    /// The adapter's state; `unknown` until the delegate was called with another one.
    open var state: CBManagerState { PropertyLock.read { currentState } }

    /// The authorization of the program to use this adapter.
    open var authorization: CBManagerAuthorization { state == .unauthorized ? .denied : .allowedAlways }

    /// The authorization of the program to use Bluetooth; on Linux each adapter has its own.
    open class var authorization: CBManagerAuthorization { .allowedAlways }

    /// Sets the state. Returns true if the delegate has to be called. To be called on the queue.
    func change(to state: CBManagerState) -> Bool {
        PropertyLock.replace(state, of: self) { currentState = $0 }
        guard reportedState != state else { return false }
        reportedState = state
        return true
    }

    /// Returns true if commands are accepted; reports the misuse where not.
    func isReady(for command: StaticString) -> Bool {
        if state == .poweredOn { return true }
        Misuse.report("\(command): \(Self.self) accepts commands only while its state is poweredOn")
        return false
    }
}

extension CBManagerState {
    init(_ state: RadioState) {
        switch state {
        case .unknown: self = .unknown
        case .resetting: self = .resetting
        case .unsupported: self = .unsupported
        case .unauthorized: self = .unauthorized
        case .poweredOff: self = .poweredOff
        case .poweredOn: self = .poweredOn
        }
    }
}
