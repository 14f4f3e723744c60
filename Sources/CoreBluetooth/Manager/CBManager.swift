import BluetoothModel
import Foundation

/// What the two kinds of managers have in common: the adapter's state.
open class CBManager: NSObject {
    let mailbox: Mailbox
    private var currentState = CBManagerState.unknown
    /// The last state that was told.
    private var toldState: CBManagerState?

    init(mailbox: Mailbox) {
        self.mailbox = mailbox
        super.init()
    }

    /// Managers are made as ``CBCentralManager`` or ``CBPeripheralManager``.
    @available(*, unavailable)
    public convenience override init() { self.init(mailbox: Mailbox(queue: .main)) }

    /// What the adapter can do at the moment; `unknown` until the delegate was told something else.
    open var state: CBManagerState { PropertyLock.read { currentState } }

    /// Whether the program may use this adapter.
    open var authorization: CBManagerAuthorization { state == .unauthorized ? .denied : .allowedAlways }

    /// Whether the program may use Bluetooth; on Linux every adapter decides for itself.
    open class var authorization: CBManagerAuthorization { .allowedAlways }

    /// On the queue: the state changes; whether that is news.
    func change(to state: CBManagerState) -> Bool {
        PropertyLock.replace(state) { currentState = $0 }
        guard toldState != state else { return false }
        toldState = state
        return true
    }

    /// Whether commands are taken; says so where not.
    func isReady(for command: StaticString) -> Bool {
        if state == .poweredOn { return true }
        Misuse.report("\(command): \(Self.self) takes commands only while its state is poweredOn")
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
