import BluetoothRuntime
import Foundation
import Harald

/// The discovered devices, the sessions with them and an activity log: a model without a user interface.
///
/// It is confined to the loop of the adapter. Observers receive changes through ``events(for:)``; viewers act through
/// the methods. All methods throw `BluetoothError`, or ``InputError`` for invalid input of the user.
///
///     let model = try await ExplorerModel.open(adapter: "virtual:")
///     await model.start()
///     let listing = await model.devices(DeviceQuery(order: .init(.rssi)))
package actor ExplorerModel {
    /// The loop of the adapter, to which the model is confined.
    package nonisolated let loop: RadioLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actors.asUnownedSerialExecutor() }
    /// The central that scans and connects.
    package nonisolated let central: Central
    nonisolated let settings: ExplorerSettings
    nonisolated let pairing: PairingDesk

    // Devices
    var records: [PeripheralID: DeviceRecord] = [:]
    var nextOrder = 0
    var advertisementCount = 0
    var droppedBefore = 0
    var favourites: Set<PeripheralID> = []
    /// The user's names of devices.
    var aliases: [PeripheralID: String] = [:]
    var dirty: Set<PeripheralID> = []
    var updateTimer: QueuedTimer?

    // Scanning
    var scan: Scan?
    var scanTask: Task<Void, Never>?
    var wantsScan = false

    // Sessions
    var sessions: [PeripheralID: DeviceSession] = [:]
    var valueCount = 0
    var viewers: [ViewerID: ViewerState] = [:]
    var questions: [String: WaitingRequest] = [:]

    var log: ActivityLog
    var observers: [EventQueue] = []
    var radioTask: Task<Void, Never>?
    var isClosed = false

    /// Creates a model for a central that was opened with `pairing`.
    package init(central: Central, pairing: PairingDesk, settings: ExplorerSettings = .init()) {
        self.central = central
        self.pairing = pairing
        self.settings = settings
        loop = central.loop
        log = ActivityLog(limit: settings.logLimit)
    }

    /// Opens an adapter and creates its model. An adapter that is switched off or missing is not an error; ``radio``
    /// reports it.
    /// - Throws: `BluetoothError` if the adapter cannot be opened.
    package static func open(
        adapter: Adapter = .auto, options: AdapterOptions = .init(), settings: ExplorerSettings = .init()
    ) async throws(BluetoothError) -> ExplorerModel {
        let desk = PairingDesk()
        let central = try await Central(adapter: adapter, pairing: desk, options: options)
        return ExplorerModel(central: central, pairing: desk, settings: settings)
    }

    /// Starts to scan, at once or when the adapter is switched on, and to answer pairing requests.
    package func start() {
        guard radioTask == nil, !isClosed else { return }
        pairing.attach(self)
        loadMarks()
        let states = central.states
        radioTask = Task { [weak self] in
            do { for try await _ in states { await self?.radioChanged() } } catch {}
        }
        setScanning(true)
    }

    /// Stops scanning, closes all links and ends the sequences of all observers. The central stays open.
    package func close() async {
        guard !isClosed else { return }
        isClosed = true
        radioTask?.cancel()
        setScanning(false)
        for question in questions.keys { end(question, .withdrawn, answer: .refuse) }
        for state in viewers.values { state.timer?.disarm() }
        viewers = [:]
        for session in sessions.values { await close(session) }
        sessions = [:]
        updateTimer?.disarm()
        for observer in observers { observer.finish() }
        observers = []
    }

    // MARK: Observers

    /// Returns a sequence of the events from now on.
    /// - Parameter viewer: the viewer whose pairing requests are delivered; nil for those of all viewers.
    package func events(for viewer: ViewerID? = nil) -> ExplorerEvents {
        let queue = EventQueue(viewer: viewer, limit: settings.eventLimit)
        if isClosed { queue.finish() }
        observers.removeAll { $0.isFinished }
        observers.append(queue)
        return ExplorerEvents(queue: queue)
    }

    func emit(_ event: ExplorerEvent) {
        for observer in observers { observer.push(event) }
    }

    // MARK: The log

    /// Returns the latest entries after the one with the number `sequence`, oldest first.
    package func logEntries(
        after sequence: Int = 0, limit: Int = .max, of device: PeripheralID? = nil
    ) -> [LogEntry] {
        guard let device else { return log.entries(after: sequence, limit: limit) }
        return Array(log.entries(after: sequence, limit: .max).filter { $0.device == device }.suffix(max(0, limit)))
    }

    /// The number of log entries dropped in favour of newer ones.
    package var droppedLogEntries: Int { log.droppedCount }

    /// Adds an entry to the log.
    package func note(
        _ kind: LogKind, _ text: String, device: PeripheralID? = nil, handle: UInt32? = nil, uuid: BluetoothUUID? = nil,
        bytes: [UInt8]? = nil, isError: Bool = false, advice: String = ""
    ) {
        let name = device.flatMap { aliases[$0] ?? records[$0]?.name ?? sessions[$0]?.peripheral.name }
        let entry = LogEntry(
            sequence: 0, time: settings.now(), kind: kind, device: device, name: name, handle: handle, uuid: uuid,
            bytes: bytes, text: text, isError: isError, advice: advice)
        emit(.log(log.add(entry)))
    }

    /// Adds an error to the log.
    func note(
        _ kind: LogKind, _ error: any Error, device: PeripheralID?, handle: UInt32? = nil, uuid: BluetoothUUID? = nil
    ) {
        guard let error = error as? BluetoothError else {
            return note(kind, "\(error)", device: device, handle: handle, uuid: uuid, isError: true)
        }
        let text = error.operation.isEmpty ? error.reason : "\(error.operation): \(error.reason)"
        note(kind, text, device: device, handle: handle, uuid: uuid, isError: true, advice: error.advice)
    }

    // MARK: Counters

    /// Counters since the start.
    package struct Counters: Hashable, Sendable {
        /// The number of known devices.
        package var devices: Int
        /// The number of advertisements received.
        package var advertisements: Int
        /// The number of advertisements dropped because the model was too slow.
        package var dropped: Int
        /// The number of values read, written or received.
        package var values: Int
        /// The number of log entries.
        package var logEntries: Int

        /// The counters as a JSON object.
        package var json: JSONValue {
            [
                "devices": .int(devices), "advertisements": .int(advertisements), "dropped": .int(dropped),
                "values": .int(values), "logEntries": .int(logEntries),
            ]
        }
    }

    /// Counters since the start.
    package var counters: Counters {
        Counters(
            devices: records.count, advertisements: advertisementCount,
            dropped: droppedBefore + (scan?.droppedCount ?? 0),
            values: valueCount, logEntries: log.count)
    }
}
