import BluetoothBackend
import BluetoothRuntime

/// Runs one scan on the loop: waits for the radio, scans, stops when nobody listens or the time is over.
final class ScanRunner: RadioObserver {
    private enum State {
        case waiting
        case scanning(any BackendOperation)
        case ended
    }

    private let backend: any RadioBackend
    private let request: ScanRequest
    private let duration: Duration?
    private let report: (ScanReport) -> Void
    private let end: (BluetoothError?) -> Void
    private var state = State.waiting
    private var timer: QueuedTimer?

    private init(
        backend: any RadioBackend, request: ScanRequest, duration: Duration?, report: @escaping (ScanReport) -> Void,
        end: @escaping (BluetoothError?) -> Void
    ) {
        self.backend = backend
        self.request = request
        self.duration = duration
        self.report = report
        self.end = end
    }

    /// Starts a scan that feeds `buffer` and stops with it.
    static func start(
        on central: Central, _ request: ScanRequest, duration: Duration?, buffer: StreamBuffer<Discovery>,
        isShown: @escaping @Sendable (Discovery) -> Bool
    ) {
        let radio = central.radio
        let slot = LoopBound<ScanRunner?>(nil, loop: radio.loop)
        buffer.onTermination { radio.loop.execute { slot.value?.stop(nil) } }
        radio.loop.execute {
            // The buffer hears when nobody listens any more, so it may be held until then.
            let report: (ScanReport) -> Void = { report in
                let known = KnownPeripheral(id: report.peripheral, address: report.address, name: report.knownName)
                let peripheral = central.peripheral(for: known)
                peripheral.store.update(report)
                let discovery = Discovery(
                    peripheral: peripheral, advertisement: report.advertisement, rssi: report.rssi,
                    isConnectable: report.isConnectable)
                if isShown(discovery) { buffer.push(discovery) }
            }
            let runner = ScanRunner(
                backend: radio.backend.value, request: request, duration: duration, report: report
            ) { error in
                slot.value = nil
                buffer.finish(error)
            }
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
            let operation = backend.scan(request, discovered: report) { [weak self] error in
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

    private func stop(_ error: BluetoothError?) {
        if case .ended = state { return }
        if case .scanning(let operation) = state { operation.cancel() }
        state = .ended
        timer?.disarm()
        backend.removeObserver(self)
        end(error)
    }

    func radioStateChanged(_ backend: any RadioBackend) { advance() }
    func peripheralConnected(_ peripheral: PeripheralID) {}
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
}
