import BluetoothBackend
import BluetoothRuntime
import HostBackend
import Synchronization

/// The central role on one adapter: it scans, and it knows peripherals.
///
///     try await withCentral { central in
///         for try await found in central.scan(for: ["180D"], duration: .seconds(5)) { print(found) }
///     }
public final class Central: Sendable {
    let radio: Radio
    private let peripherals = Mutex(DeviceTable<PeripheralID, PeripheralSlot>())
    /// Above so many devices, those that nobody holds are forgotten: as many as the adapter remembers hearing of.
    private static let keptDevices = 8192
    /// Opens an adapter.
    ///
    /// An adapter that is missing or switched off is no error here: ``state`` says so, and so does every operation.
    /// - Parameters:
    ///   - adapter: which; `auto` takes what `HARALD_ADAPTER` names, else the first that this program may use.
    ///   - pairing: who answers the questions of pairings that this central begins. Where a device begins, the oldest
    ///     central that is connected to it and has a delegate is asked. Without, nothing is paired on demand, and
    ///     ``Peripheral/pair(to:timeout:)`` pairs only where there is nothing to compare.
    ///   - options: where things are stored, and a capture file. Where the adapter is open already, options that differ
    ///     from those that it was opened with are an error; the security policy is this central's own.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` for options that cannot hold, and what keeps the
    ///   adapter from being opened.
    public init(
        adapter: Adapter = .auto, pairing: (any PairingDelegate)? = nil, options: AdapterOptions = .init()
    ) async throws(BluetoothError) {
        let radio = try await Radio.open(adapter, options: options)
        self.radio = radio
        if let pairing {
            await radio.loop.run {
                radio.user.value.pairingHandler = PairingBridge(delegate: pairing, loop: radio.loop)
            }
        }
    }

    /// Where the adapter's stack runs. A task that prefers it, with `Task(executorPreference:)` or
    /// `withTaskExecutorPreference`, does not change threads for each operation and is faster by a third; it must not
    /// block, for nothing else of the adapter happens meanwhile.
    public var executor: any TaskExecutor { radio.loop }
    /// The loop that the adapter's stack is confined to.
    package var loop: RadioLoop { radio.loop }
    /// What is known of the adapter.
    public var adapter: AdapterInfo { radio.info }
    /// What the adapter can do beyond what all can.
    public var capabilities: BackendCapabilities { radio.capabilities }
    /// What the adapter can do at the moment.
    public var state: RadioState { radio.state }
    /// Why the state is what it is, and what to do about it; empty when powered on.
    public var stateReason: String { radio.stateReason }
    /// A stream of its own each time: the state now, and every change.
    public var states: BluetoothStream<RadioState> { radio.states.stream(first: state) }

    /// Waits until the adapter is powered on. `unsupported`, `unauthorized` and `poweredOff` end the wait with the cure.
    public func waitUntilPoweredOn() async throws(BluetoothError) {
        try await radio.waitUntilPoweredOn()
    }

    /// Whether ``setPowered(_:)`` can switch the adapter.
    public var canSetPower: Bool { capabilities.contains(.power) && state != .unsupported && state != .unauthorized }

    /// Switches the adapter on or off, for all programs that use it; ``state`` follows.
    /// - Throws: ``BluetoothError`` with the code `unsupported` where the platform lets no program do that.
    public func setPowered(_ isOn: Bool) async throws(BluetoothError) {
        let radio = radio
        let result: Result<Void, RadioError> = await LoopOperation.run(on: radio.loop) { operation in
            radio.backend.value.setPowered(isOn) { operation.complete($0) }
        }
        let operation = "switch adapter \(radio.info.uri) \(isOn ? "on" : "off")"
        if case .failure(let error) = result { throw BluetoothError(error, operation) }
    }

    /// Looks for peripherals.
    /// - Parameters:
    ///   - services: only peripherals that advertise one of these; empty for all.
    ///   - filter: further conditions; ``Scan/hiddenCount`` says how many devices they hid.
    ///   - duplicates: whether every advertisement is shown, or each peripheral once.
    ///   - active: whether peripherals are asked for their scan response.
    ///   - duration: when to stop; nil to go on until the loop over it is left.
    ///   - buffering: what a full buffer drops.
    public func scan(
        for services: [BluetoothUUID] = [], filter: ScanFilter = .init(), duplicates: Bool = false,
        active: Bool = true, duration: Duration? = nil, buffering policy: BufferingPolicy = .newest(4096)
    ) -> Scan {
        var filter = filter
        filter.services += services
        let (hidden, shown) = (HiddenDevices(), filter)
        // Filtered here and not by the adapter, so that it can be said what was hidden.
        let request = ScanRequest(allowsDuplicates: duplicates, isActive: active)
        let stream = BluetoothStream<Discovery>(policy: policy) { buffer in
            ScanRunner.start(on: self, request, duration: duration, buffer: buffer) {
                [showsAll = filter.isEmpty] discovery in
                if showsAll { return true }
                let isShown = shown.shows(discovery)
                hidden.note(discovery.id, isShown: isShown)
                return isShown
            }
        }
        return Scan(stream: stream, hidden: hidden)
    }

    /// The peripheral with this identifier, which need not be in range; connect to it to find out.
    ///
    /// Nil where the identifier is not known from this run or an earlier one.
    public func peripheral(_ id: PeripheralID) async -> Peripheral? {
        let radio = radio
        let known = await radio.loop.run { radio.backend.value.knownPeripherals([id]).first }
        return known.map(peripheral(for:))
    }

    /// The peripheral with this address; nil where the platform hides addresses.
    public func peripheral(at address: BluetoothAddress) async -> Peripheral? {
        let radio = radio
        let known = await radio.loop.run {
            radio.backend.value.peripheral(at: address).flatMap { radio.backend.value.knownPeripherals([$0]).first }
        }
        return known.map(peripheral(for:))
    }

    /// The peripherals known from this run and earlier ones.
    public func knownPeripherals() async -> [Peripheral] {
        let radio = radio
        return await radio.loop.run { radio.backend.value.allKnownPeripherals() }.map(peripheral(for:))
    }

    /// The connected peripherals that have one of these services: this program's and, where the platform knows, those
    /// of others.
    public func connectedPeripherals(withServices services: [BluetoothUUID]) async -> [Peripheral] {
        let radio = radio
        return await radio.loop.run { radio.backend.value.connectedPeripherals(withServices: services) }
            .map(peripheral(for:))
    }

    /// Ends what runs on this central's behalf and gives its share in the adapter back.
    public func close() async {
        for slot in peripherals.withLock({ Array($0.all) }) {
            slot.letGo()
            await slot.peripheral?.disconnect()
        }
        await radio.close()
    }

    deinit {
        for slot in peripherals.withLock({ Array($0.all) }) { slot.letGo() }
    }

    /// The object for a device; the same one as long as somebody holds it.
    func peripheral(for known: KnownPeripheral) -> Peripheral { peripheral(heard: known.id) ?? add(known) }

    /// The object for a device of which this central has heard.
    func peripheral(heard id: PeripheralID) -> Peripheral? {
        peripherals.withLock { $0[id]?.peripheral(on: radio) }
    }

    /// The object for a device of which this central has not heard, unless another thread was here meanwhile.
    func add(_ known: KnownPeripheral) -> Peripheral {
        peripherals.withLock { peripherals in
            if let slot = peripherals[known.id] { return slot.peripheral(on: radio) }
            if peripherals.count >= Self.keptDevices {
                for slot in peripherals.all { slot.letGo() }
                peripherals.keep { $0.peripheral != nil }
            }
            let slot = PeripheralSlot(store: PeripheralStore(known))
            peripherals.insert(slot, for: known.id)
            return slot.peripheral(on: radio)
        }
    }
}

extension Central: Hashable {
    /// Whether both are the same object.
    public static func == (left: Central, right: Central) -> Bool { left === right }

    /// Feeds the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Opens a central, runs `body` and closes the central, also when `body` throws or its task is cancelled.
public func withCentral<Result: Sendable>(
    adapter: Adapter = .auto, pairing: (any PairingDelegate)? = nil, options: AdapterOptions = .init(),
    _ body: (Central) async throws -> Result
) async throws -> Result {
    let central = try await Central(adapter: adapter, pairing: pairing, options: options)
    do {
        let result = try await body(central)
        await central.close()
        return result
    } catch {
        await central.close()
        throw error
    }
}
