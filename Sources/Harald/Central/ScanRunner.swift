import BluetoothBackend
import BluetoothRuntime

/// The running scans of a central, in the order in which they began. Confined to the loop.
final class RunningScans {
    private var all: [ScanRunner] = []

    func add(_ scan: ScanRunner) { all.append(scan) }

    func remove(_ scan: ScanRunner) { all.removeAll { $0 === scan } }

    /// Ends all scans.
    func close() {
        for scan in all { scan.close() }
    }
}

/// Runs one scan on the loop: waits for the adapter, scans, and stops when the stream has no consumer or the duration
/// has elapsed.
final class ScanRunner: RadioObserver {
    private enum State {
        case waiting
        case scanning(any BackendOperation)
        case ended
    }

    private let central: Central
    private let backend: any RadioBackend
    private let request: ScanRequest
    private let duration: Duration?
    /// The buffer reports the release of its consumer, so a strong reference until then is no leak.
    private let buffer: StreamBuffer<ScanResult>
    private let isShown: (ScanResult) -> Bool
    /// Keeps the runner alive while it runs.
    private let slot: LoopBound<ScanRunner?>
    private var state = State.waiting
    private var timer: QueuedTimer?
    /// Results delivered before the loop's turn ends: a buffer of the usual size has room for many times that.
    private static let handful = 256
    /// The results of this turn of the loop. They are delivered at its end, so that many reports wake the consumer
    /// once. Proof of `@exclusivity(unchecked)`: `append` and `removeAll` run no code of others, and
    /// `push(contentsOf:)` copies the elements and calls nothing that leads back to this object. The check would cost
    /// time on every report.
    @exclusivity(unchecked) private var heard: [ScanResult] = []

    private init(
        central: Central, request: ScanRequest, duration: Duration?, buffer: StreamBuffer<ScanResult>,
        isShown: @escaping (ScanResult) -> Bool, slot: LoopBound<ScanRunner?>
    ) {
        self.central = central
        backend = central.radio.backend.value
        self.request = request
        self.duration = duration
        self.buffer = buffer
        self.isShown = isShown
        self.slot = slot
    }

    /// Starts a scan that pushes into `buffer` and stops when the buffer is terminated.
    static func start(
        on central: Central, _ request: ScanRequest, duration: Duration?, buffer: StreamBuffer<ScanResult>,
        isShown: @escaping @Sendable (ScanResult) -> Bool
    ) {
        let loop = central.radio.loop
        let slot = LoopBound<ScanRunner?>(nil, loop: loop)
        buffer.onTermination { loop.execute { slot.value?.stop(nil) } }
        loop.execute {
            let runner = ScanRunner(
                central: central, request: request, duration: duration, buffer: buffer, isShown: isShown, slot: slot)
            slot.value = runner
            runner.begin()
        }
    }

    private func begin() {
        guard !central.radio.isClosing else { return close() }
        central.radio.scans.value.add(self)
        backend.addObserver(self)
        advance()
    }

    /// Starts scanning once the adapter is powered on; ends with an error in a state that does not lead there.
    private func advance() {
        switch (state, backend.state) {
        case (.waiting, .poweredOn):
            // The operation retains this runner until `stop` releases it.
            let operation = backend.scan(request, discovered: note) { [weak self] error in
                self?.stop(BluetoothError(error, "scan"))
            }
            state = .scanning(operation)
            guard let duration else { return }
            let timer = backend.loop.makeTimer { [weak self] in self?.timeOver() }
            timer.arm(at: backend.loop.now + duration)
            self.timer = timer
        case (.waiting, .unsupported), (.waiting, .unauthorized), (.waiting, .poweredOff):
            stop(BluetoothError(.radio(backend.state), operation: "scan", reason: backend.stateReason))
        case (.waiting, .unknown), (.waiting, .resetting), (.scanning, _), (.ended, _): break
        }
    }

    /// Ends the scan after its duration; with an error if the controller has not begun to scan.
    private func timeOver() { stop(backend.scanDelay.map { BluetoothError($0, "scan") }) }

    private func note(_ report: ScanReport) {
        let result = central.result(of: report)
        guard request.condition != nil || isShown(result) else { return }
        heard.append(result)
        if heard.count == Self.handful { return deliver() }
        if heard.count == 1 { backend.loop.executeNext { [self] in deliver() } }
    }

    private func deliver() {
        buffer.push(contentsOf: heard)
        heard.removeAll(keepingCapacity: true)
    }

    /// Ends the scan because its central is closed.
    func close() { stop(BluetoothError(.cancelled, "scan")) }

    private func stop(_ error: BluetoothError?) {
        if case .ended = state { return }
        if case .scanning(let operation) = state { operation.cancel() }
        state = .ended
        timer?.disarm()
        backend.removeObserver(self)
        deliver()
        buffer.finish(error)
        central.radio.scans.value.remove(self)
        slot.value = nil
    }

    func radioStateChanged(_ backend: any RadioBackend) { advance() }
    func peripheralConnected(_ peripheral: PeripheralID) {}
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
}
