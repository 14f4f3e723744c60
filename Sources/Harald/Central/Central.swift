import Adapters
import BluetoothBackend
import BluetoothRuntime
import Synchronization

/// The central role on one adapter: scans for peripherals and connects to them.
///
///     try await withCentral { central in
///         for try await found in central.scan(for: ["180D"], duration: .seconds(5)) { print(found) }
///     }
public final class Central: Sendable {
    let radio: AdapterSession
    private let peripherals = Mutex(DeviceTable<PeripheralID, PeripheralSlot>())
    /// Number of devices above which those without a live ``Peripheral`` are forgotten: as many as the adapter
    /// remembers.
    private static let keptDevices = 8192
    /// Opens an adapter.
    ///
    /// An adapter that is missing or switched off does not make this throw: ``state`` reports it, and every operation
    /// fails with it.
    /// - Parameters:
    ///   - adapter: the adapter; `auto` is the one that `HARALD_ADAPTER` names, else the first that this program may
    ///     use.
    ///   - pairing: answers the questions of pairings that this central begins. Where a device begins, the oldest
    ///     central that is connected to it and has a delegate is asked. Without a delegate, nothing is paired on
    ///     demand, and ``Peripheral/pair(to:timeout:)`` pairs only where there is nothing to compare.
    ///   - options: the location of stored data, the security policy, and a capture file. Where the adapter is open
    ///     already, options that differ from those that it was opened with are an error; the security policy applies to
    ///     this central alone.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` for options that cannot be applied, `cancelled`, or
    ///   the error that keeps the adapter from being opened.
    public init(
        adapter: Adapter = .auto, pairing: (any PairingDelegate)? = nil, options: AdapterOptions = .init()
    ) async throws(BluetoothError) {
        let radio = try await AdapterSession.open(adapter, options: options)
        self.radio = radio
        if let pairing {
            await radio.loop.run {
                radio.user.value.pairingHandler = PairingBridge(delegate: pairing, loop: radio.loop)
            }
        }
    }

    /// Sets the delegate that answers the questions of pairing from now on; nil to pair nothing on demand.
    package func setPairingDelegate(_ pairing: (any PairingDelegate)?) async {
        let radio = radio
        await radio.loop.run {
            radio.user.value.pairingHandler = pairing.map { PairingBridge(delegate: $0, loop: radio.loop) }
        }
    }

    /// The executor that the adapter's stack runs on. A task that prefers it, with `Task(executorPreference:)` or
    /// `withTaskExecutorPreference`, does not change threads for each operation and is faster by a third. Such a task
    /// must not block: it would stop the adapter's stack.
    public var executor: any TaskExecutor { radio.loop }
    /// The loop that the adapter's stack is confined to.
    package var loop: RadioLoop { radio.loop }
    /// The adapter's backend, and its record of this central. Accessed on the loop.
    package var backend: LoopBound<any RadioBackend> { radio.backend }
    package var user: LoopBound<RadioUser> { radio.user }
    /// The adapter's address, name and kind, as far as they are known.
    public var adapter: AdapterInfo { radio.info }
    /// The optional features of the adapter.
    public var capabilities: BackendCapabilities { radio.capabilities }
    /// The current state of the adapter.
    public var state: RadioState { radio.state }
    /// The reason of the state, and the remedy; empty when powered on.
    public var stateReason: String { radio.stateReason }
    /// A new stream for each access: the current state, then every change.
    public var states: BluetoothStream<RadioState> { radio.states.stream(first: state) }

    /// Waits until the adapter is powered on.
    /// - Throws: ``BluetoothError`` with the code `radio` if the state is or becomes `unsupported`, `unauthorized` or
    ///   `poweredOff`, with the remedy in the reason; `cancelled` if the task is cancelled.
    public func waitUntilPoweredOn() async throws(BluetoothError) {
        try await radio.waitUntilPoweredOn()
    }

    /// True if ``setPowered(_:)`` can switch the adapter.
    public var canSetPower: Bool { capabilities.contains(.power) && state != .unsupported && state != .unauthorized }

    /// Switches the adapter on or off, for all programs that use it; ``state`` follows.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the platform lets no program switch it, or the
    ///   adapter's error.
    public func setPowered(_ isOn: Bool) async throws(BluetoothError) {
        let radio = radio
        let result: Result<Void, RadioError> = await LoopOperation.run(on: radio.loop) { operation in
            operation.onCancel { operation.complete(.failure(.cancelled)) }
            radio.backend.value.setPowered(isOn) { operation.complete($0) }
        }
        let operation = "switch adapter \(radio.info.uri) \(isOn ? "on" : "off")"
        if case .failure(let error) = result { throw BluetoothError(error, operation) }
    }

    /// Returns a scan for peripherals, which runs while it is iterated.
    /// - Parameters:
    ///   - services: only peripherals that advertise one of these; empty for all.
    ///   - filter: further conditions; ``Scan/hiddenCount`` is the number of devices that they hide.
    ///   - duplicates: true to deliver every advertisement, false to deliver each peripheral once: when the filter
    ///     first shows it, which need not be its first advertisement.
    ///   - active: true to request scan responses.
    ///   - duration: the duration of the scan; nil to scan until the loop over it is left.
    ///   - policy: the results that a full buffer drops.
    public func scan(
        for services: [BluetoothUUID] = [], filter: ScanFilter = .init(), duplicates: Bool = false,
        active: Bool = true, duration: Duration? = nil, buffering policy: BufferingPolicy = .newest(4096)
    ) -> Scan {
        let request = ScanRequest(allowsDuplicates: duplicates, isActive: active)
        return scan(for: services, filter: filter, request, duration: duration, buffering: policy)
    }

    /// Returns a scan for peripherals with the options of a request of the seam.
    package func scan(
        for services: [BluetoothUUID] = [], filter: ScanFilter, _ request: ScanRequest, duration: Duration? = nil,
        buffering policy: BufferingPolicy = .newest(4096)
    ) -> Scan {
        var filter = filter
        filter.services += services
        let (hidden, shown) = (HiddenDevices(), filter)
        let isShown: @Sendable (ScanResult) -> Bool = { [showsAll = filter.isEmpty] result in
            if showsAll { return true }
            let isShown = shown.shows(result)
            hidden.note(result.id, isShown: isShown)
            return isShown
        }
        // Filtered here and not by the adapter, so that hidden devices can be counted.
        var request = request
        if !request.allowsDuplicates, !filter.isEmpty { request.condition = { [self] in isShown(result(of: $0)) } }
        let stream = BluetoothStream<ScanResult>(
            policy: policy, onDrop: radio.usage.drops(\.droppedScanResults, of: "scan results")
        ) { buffer in
            ScanRunner.start(on: self, request, duration: duration, buffer: buffer, isShown: isShown)
        }
        return Scan(stream: stream, hidden: hidden)
    }

    /// Returns the peripheral with this identifier. It need not be in range; connect to find out.
    ///
    /// Returns nil if the identifier is not known from this run or an earlier one.
    public func peripheral(id: PeripheralID) async -> Peripheral? {
        let radio = radio
        let known = await radio.loop.run { radio.backend.value.knownPeripherals([id]).first }
        return known.map(peripheral(for:))
    }

    /// Returns the peripheral with this address; nil if the platform hides addresses.
    public func peripheral(address: BluetoothAddress) async -> Peripheral? {
        let radio = radio
        let known = await radio.loop.run {
            radio.backend.value.peripheral(at: address).flatMap { radio.backend.value.knownPeripherals([$0]).first }
        }
        return known.map(peripheral(for:))
    }

    /// Returns the peripherals known from this run and earlier ones.
    public func knownPeripherals() async -> [Peripheral] {
        let radio = radio
        return await radio.loop.run { radio.backend.value.allKnownPeripherals() }.map(peripheral(for:))
    }

    /// Returns the connected peripherals that have one of these services: those of this program and, where the platform
    /// reports them, those of other programs.
    public func connectedPeripherals(withServices services: [BluetoothUUID]) async -> [Peripheral] {
        let radio = radio
        return await radio.loop.run { radio.backend.value.connectedPeripherals(withServices: services) }
            .map(peripheral(for:))
    }

    /// Ends the operations of this central, disconnects its peripherals and releases its lease of the adapter. Its
    /// streams and those of its peripherals end; later connections fail.
    public func close() async {
        await radio.beginClosing()
        let slots = peripherals.withLock { Array($0.all) }
        for slot in slots {
            slot.weaken()
            await slot.peripheral?.disconnect()
        }
        for slot in slots { slot.store.finish() }
        await radio.close()
    }

    deinit {
        for slot in peripherals.withLock({ Array($0.all) }) { slot.weaken() }
    }

    /// Records an advertisement, and returns it as a result of a scan.
    func result(of report: ScanReport) -> ScanResult {
        let peripheral =
            peripheral(heard: report.peripheral)
            ?? add(KnownPeripheral(id: report.peripheral, address: report.address, name: report.knownName))
        peripheral.store.update(report)
        return ScanResult(
            peripheral: peripheral, advertisement: report.advertisement, rssi: report.rssi,
            isConnectable: report.isConnectable, packet: report.packet, isScanResponse: report.isScanResponse)
    }

    /// Returns the object for a device; the same one while the program holds it.
    func peripheral(for known: KnownPeripheral) -> Peripheral { peripheral(heard: known.id) ?? add(known) }

    /// Returns the object for a device in the table; nil for any other.
    func peripheral(heard id: PeripheralID) -> Peripheral? {
        peripherals.withLock { $0[id]?.peripheral(on: radio) }
    }

    /// Adds a device and returns its object; another thread may have added the device in the meantime.
    func add(_ known: KnownPeripheral) -> Peripheral {
        peripherals.withLock { peripherals in
            if let slot = peripherals[known.id] { return slot.peripheral(on: radio) }
            if peripherals.count >= Self.keptDevices {
                for slot in peripherals.all { slot.weaken() }
                peripherals.keep { $0.peripheral != nil }
            }
            let slot = PeripheralSlot(store: PeripheralStore(known))
            // Such a device is not among those whose streams ``close()`` ends.
            if radio.isClosing { slot.store.finish() }
            peripherals.insert(slot, for: known.id)
            return slot.peripheral(on: radio)
        }
    }
}

extension Central: Hashable {
    /// Returns true if both are the same object.
    public static func == (left: Central, right: Central) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Opens a central, runs `body` and closes the central, also when `body` throws or its task is cancelled.
/// - Throws: the error of `body`, or ``BluetoothError`` if the adapter cannot be opened.
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
