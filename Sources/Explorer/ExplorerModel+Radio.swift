#if Programs
import Harald

/// The adapter and the scan.
extension ExplorerModel {
    /// What the adapter can do at the moment, and what to do about it.
    package nonisolated var radio: RadioReport {
        RadioReport(state: central.state, reason: central.stateReason, canPowerOn: central.canSetPower)
    }

    /// Switches the adapter on or off, where the platform lets a program do that.
    package func setPowered(_ isOn: Bool) async throws(BluetoothError) {
        do throws(BluetoothError) {
            try await central.setPowered(isOn)
            note(.radio, isOn ? "the adapter was switched on" : "the adapter was switched off")
        } catch {
            note(.radio, error, device: nil)
            throw error
        }
    }

    /// Whether devices are looked for: now, or as soon as the adapter is on.
    package var isScanning: Bool { wantsScan }

    /// Starts or stops looking for devices.
    package func setScanning(_ isOn: Bool) {
        guard isOn != wantsScan, !(isOn && isClosed) else { return }
        wantsScan = isOn
        note(.scan, isOn ? "scanning began" : "scanning ended")
        if isOn { scanIfReady() } else { stopScan() }
    }

    func radioChanged() {
        guard !isClosed else { return }
        let report = radio
        emit(.radio(report))
        note(
            .radio,
            report.state == .poweredOn ? "the adapter is ready" : "the adapter is \(report.state): \(report.reason)",
            isError: report.state != .poweredOn && report.state != .unknown, advice: report.advice)
        scanIfReady()
    }

    private func scanIfReady() {
        guard wantsScan, scanTask == nil, central.state == .poweredOn else { return }
        let scan = central.scan(duplicates: true, buffering: .newest(65_536))
        self.scan = scan
        scanTask = Task { await listen(to: scan) }
    }

    /// On the loop throughout: thousands of advertisements a second change no thread.
    private func listen(to scan: Scan) async {
        do {
            for try await found in scan { hear(found) }
            scanEnded(scan, nil)
        } catch {
            scanEnded(scan, error)
        }
    }

    private func stopScan() {
        droppedBefore += scan?.droppedCount ?? 0
        scan = nil
        scanTask?.cancel()
        scanTask = nil
        for id in records.keys { records[id]?.interrupt() }
    }

    /// The scan ended by itself: the adapter went off, which its state tells too.
    private func scanEnded(_ ended: Scan, _ error: BluetoothError?) {
        guard !Task.isCancelled, wantsScan, scanTask != nil else { return }
        stopScan()
        if let error { note(.scan, error, device: nil) }
        scanIfReady()
    }
}
#endif
