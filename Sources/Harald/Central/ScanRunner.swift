import BluetoothBackend
import BluetoothRuntime

/// Runs one scan on the loop: waits for the radio, scans, stops when nobody listens or the time is over.
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
    /// The buffer hears when nobody listens any more, so it may be held until then.
    private let buffer: StreamBuffer<Discovery>
    private let isShown: (Discovery) -> Bool
    /// Holds the runner as long as it runs.
    private let slot: LoopBound<ScanRunner?>
    private var state = State.waiting
    private var timer: QueuedTimer?
    /// So many are handed over before the turn of the loop ends: a buffer of the usual size has room for many times that.
    private static let handful = 256
    /// What was heard in this turn of the loop. The consumer gets it at the turn's end, so that many reports wake it once.
    /// Not checked for overlapping access, which every report would pay for: no access leads back here.
    @exclusivity(unchecked) private var heard: [Discovery] = []

    private init(
        central: Central, request: ScanRequest, duration: Duration?, buffer: StreamBuffer<Discovery>,
        isShown: @escaping (Discovery) -> Bool, slot: LoopBound<ScanRunner?>
    ) {
        self.central = central
        backend = central.radio.backend.value
        self.request = request
        self.duration = duration
        self.buffer = buffer
        self.isShown = isShown
        self.slot = slot
    }

    /// Starts a scan that feeds `buffer` and stops with it.
    static func start(
        on central: Central, _ request: ScanRequest, duration: Duration?, buffer: StreamBuffer<Discovery>,
        isShown: @escaping @Sendable (Discovery) -> Bool
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
        backend.addObserver(self)
        advance()
    }

    /// Starts to scan once the radio is ready; ends where it will not be.
    private func advance() {
        switch (state, backend.state) {
        case (.waiting, .poweredOn):
            // The operation holds this runner until `stop` lets go of it.
            let operation = backend.scan(request, discovered: note) { [weak self] error in
                self?.stop(BluetoothError(error, "scan"))
            }
            state = .scanning(operation)
            guard let duration else { return }
            let timer = backend.loop.makeTimer { [weak self] in self?.stop(nil) }
            timer.arm(at: backend.loop.now + duration)
            self.timer = timer
        case (.waiting, .unsupported), (.waiting, .unauthorized), (.waiting, .poweredOff):
            stop(BluetoothError(.radio(backend.state), operation: "scan", reason: backend.stateReason))
        case (.waiting, .unknown), (.waiting, .resetting), (.scanning, _), (.ended, _): break
        }
    }

    private func note(_ report: ScanReport) {
        let peripheral =
            central.peripheral(heard: report.peripheral)
            ?? central.add(KnownPeripheral(id: report.peripheral, address: report.address, name: report.knownName))
        peripheral.store.update(report)
        let discovery = Discovery(
            peripheral: peripheral, advertisement: report.advertisement, rssi: report.rssi,
            isConnectable: report.isConnectable, packet: report.packet, isScanResponse: report.isScanResponse)
        guard isShown(discovery) else { return }
        heard.append(discovery)
        if heard.count == Self.handful { return deliver() }
        if heard.count == 1 { backend.loop.later { [self] in deliver() } }
    }

    private func deliver() {
        buffer.push(contentsOf: heard)
        heard.removeAll(keepingCapacity: true)
    }

    private func stop(_ error: BluetoothError?) {
        if case .ended = state { return }
        if case .scanning(let operation) = state { operation.cancel() }
        state = .ended
        timer?.disarm()
        backend.removeObserver(self)
        deliver()
        buffer.finish(error)
        slot.value = nil
    }

    func radioStateChanged(_ backend: any RadioBackend) { advance() }
    func peripheralConnected(_ peripheral: PeripheralID) {}
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
}
