import BluetoothBackend
import BluetoothRuntime
import Synchronization

/// A device that this program may connect to: found by a scan, or known by its identifier from an earlier run.
///
/// Name, state and services are read without `await`; what goes over the air is async. Two objects with the same
/// identifier on the same adapter are equal. A peripheral that nobody holds any longer is disconnected.
public final class Peripheral: Sendable {
    let radio: Radio
    let store: PeripheralStore
    private let slot: PeripheralSlot
    private let usedSession = Mutex<LoopBound<PeripheralSession>?>(nil)

    init(radio: Radio, slot: PeripheralSlot) {
        self.radio = radio
        store = slot.store
        self.slot = slot
    }

    deinit {
        guard let session = usedSession.withLock({ $0 }) else { return }
        radio.loop.execute { session.value.abandon() }
    }

    /// What connects the device, made when it is first asked for: most devices that a scan shows never are.
    var session: LoopBound<PeripheralSession> {
        usedSession.withLock { session in
            if let session { return session }
            slot.letGo()
            let made = LoopBound(
                PeripheralSession(store: store, backend: radio.backend, user: radio.user), loop: radio.loop)
            session = made
            return made
        }
    }

    /// What names the device for good; keep it to find the device again in a later run.
    public var id: PeripheralID { store.id }
    /// The device's name: from its last advertisement, or as it was known before; else its GAP name, once all its
    /// services were discovered.
    public var name: String? { store.get { $0.name } }
    /// The device's address, where the platform shows it.
    public var address: BluetoothAddress? { store.get { $0.address } }
    /// What the device advertised last; nil where it was not heard in this run.
    public var advertisement: AdvertisingData? { store.get { $0.advertisement } }
    /// The signal strength heard or read last, in dBm.
    public var rssi: Int? { store.get { $0.rssi } }
    /// How the device is connected.
    public var state: ConnectionState { store.get { $0.state } }
    /// Whether the link is up.
    public var isConnected: Bool { state == .connected }
    /// A stream of its own each time: the state now, and every change.
    public var states: BluetoothStream<ConnectionState> { store.states.stream(first: state) }
    /// The ATT MTU; 23 while there is no link.
    public var mtu: Int { store.get { $0.mtu } }
    /// What the connection runs with, where the platform shows it.
    public var connectionParameters: ConnectionParameters? { store.get { $0.parameters } }
    /// The names that a driver gave to services and characteristics; ``subscript(_:)`` and paths find things by them.
    public var names: AttributeNames {
        get { store.names.withLock { $0 } }
        set { store.names.withLock { $0 = newValue } }
    }

    /// The most bytes that one write takes. A longer one with response is split and put together again by the device,
    /// up to 512 bytes.
    public func maximumWriteLength(for type: WriteType) -> Int {
        store.get { type == .withResponse ? $0.maximumWriteWithResponse : $0.maximumWriteWithoutResponse }
    }

    /// Runs an operation on the link and turns its error into one that says what was being done.
    /// - Parameter service: the service of the attribute, which gives application errors their meaning.
    func perform<Value: Sendable>(
        _ what: @autoclosure () -> String, timeout: Duration?, service: BluetoothUUID? = nil,
        _ start: @escaping @Sendable (any PeripheralLink, LoopOperation<Value>) -> OperationID
    ) async throws(BluetoothError) -> Value {
        let session = session
        let result: Result<Value, RadioError> = await LoopOperation.run(on: radio.loop) { operation in
            let link: any PeripheralLink
            do throws(RadioError) { link = try session.value.link() } catch {
                return operation.complete(.failure(error))
            }
            operation.runs(start(link, operation), on: link)
        }
        switch result {
        case .success(let value): return value
        case .failure(let error):
            throw BluetoothError(error, "\(what()) of \(store.label)", timeout: timeout, service: service)
        }
    }
}

extension Peripheral: Hashable, Identifiable, CustomStringConvertible {
    /// Whether both are the same device on the same adapter.
    public static func == (left: Peripheral, right: Peripheral) -> Bool {
        left.id == right.id && left.radio.backend === right.radio.backend
    }

    /// Feeds the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// Name and address: "'Polar H7' (E6:01:02:03:04:05)".
    public var description: String { store.label }
}
