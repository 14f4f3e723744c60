import BluetoothBackend
import BluetoothRuntime
import Synchronization

/// A remote device in the peripheral role: found by a scan, or known by its identifier from an earlier run.
///
/// Name, state and services are read without `await`; operations over the radio are async. Two objects with the same
/// identifier on the same adapter are equal. A peripheral is disconnected when the last reference to it is released.
public final class Peripheral: Sendable {
    let radio: AdapterSession
    let store: PeripheralStore
    private let slot: PeripheralSlot
    private let usedSession = Mutex<LoopBound<PeripheralSession>?>(nil)

    init(radio: AdapterSession, slot: PeripheralSlot) {
        self.radio = radio
        store = slot.store
        self.slot = slot
    }

    deinit {
        guard let session = usedSession.withLock({ $0 }) else { return }
        radio.loop.execute { session.value.abandon() }
    }

    /// The session that connects the device, created on first use: most devices that a scan finds are never connected.
    var session: LoopBound<PeripheralSession> {
        usedSession.withLock { session in
            if let session { return session }
            slot.weaken()
            let made = LoopBound(
                PeripheralSession(store: store, backend: radio.backend, user: radio.user), loop: radio.loop)
            session = made
            return made
        }
    }

    /// The permanent identifier of the device; keep it to find the device again in a later run.
    public var id: PeripheralID { store.id }
    /// The device's name: from its last advertisement, or as it was known before; else its GAP name, once all services
    /// were discovered.
    public var name: String? { store.get { $0.name } }
    /// The device's address, if the platform shows it.
    public var address: BluetoothAddress? { store.get { $0.address } }
    /// The last advertising data of the device; nil if none was received in this run.
    public var advertisement: AdvertisingData? { store.get { $0.advertisement } }
    /// The last RSSI, from an advertisement or read on the link, in dBm.
    public var rssi: Int? { store.get { $0.rssi } }
    /// The state of the connection.
    public var state: ConnectionState { store.get { $0.state } }
    /// True while the link is up.
    public var isConnected: Bool { state == .connected }
    /// A new stream for each access: the current state, then every change. It ends when the central is closed.
    public var states: BluetoothStream<ConnectionState> { store.states.stream(first: state) }
    /// The ATT MTU; 23 while there is no link.
    public var mtu: Int { store.get { $0.mtu } }
    /// The current connection parameters, if the platform shows them.
    public var connectionParameters: ConnectionParameters? { store.get { $0.parameters } }
    /// The names that a driver gives to services and characteristics; ``subscript(_:)`` and paths resolve them.
    public var names: AttributeNames {
        get { store.names.withLock { $0 } }
        set { store.names.withLock { $0 = newValue } }
    }

    /// Returns the maximum length of one write, in bytes. A value that does not fit into one packet is split when it is
    /// written with response, and joined by the device, up to 512 bytes.
    public func maximumWriteLength(for type: WriteType) -> Int {
        store.get { type == .withResponse ? $0.maximumWriteWithResponse : $0.maximumWriteWithoutResponse }
    }

    /// Runs an operation on the link and converts its error into one that names the operation.
    /// - Parameter service: the service of the attribute, which defines the meaning of application errors.
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
            let error = BluetoothError(error, "\(what()) of \(store.label)", timeout: timeout, service: service)
            radio.usage.operationFailed(error.code)
            throw error
        }
    }
}

extension Peripheral: Hashable, Identifiable, CustomStringConvertible {
    /// Returns true if both are the same device on the same adapter.
    public static func == (left: Peripheral, right: Peripheral) -> Bool {
        left.id == right.id && left.radio.backend === right.radio.backend
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// Name and address: "'Polar H7' (E6:01:02:03:04:05)".
    public var description: String { store.label }
}
