import Harald

/// The adapter and the scan.
extension ExplorerModel {
    /// The state of the adapter, and advice.
    package nonisolated var radio: RadioReport {
        RadioReport(state: central.state, reason: central.stateReason, canPowerOn: central.canSetPower)
    }

    /// Switches the adapter on or off, if the platform permits it.
    /// - Throws: `BluetoothError` if it does not, or the adapter refuses.
    package func setPowered(_ isOn: Bool) async throws(BluetoothError) {
        do throws(BluetoothError) {
            try await central.setPowered(isOn)
            note(.radio, isOn ? "the adapter was switched on" : "the adapter was switched off")
        } catch {
            note(.radio, error, device: nil)
            throw error
        }
    }

    /// True while scanning, or while waiting for the adapter to be switched on.
    package var isScanning: Bool { wantsScan }

    /// Starts or stops scanning.
    package func setScanning(_ isOn: Bool) {
        guard isOn != wantsScan, !(isOn && isClosed) else { return }
        wantsScan = isOn
        note(.scan, isOn ? "scanning started" : "scanning stopped")
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

    /// Runs on the loop throughout, so that thousands of advertisements a second cause no change of threads.
    private func listen(to scan: Scan) async {
        do {
            for try await found in scan { hear(found) }
            scanEnded(nil)
        } catch {
            scanEnded(error)
        }
    }

    private func stopScan() {
        droppedBefore += scan?.droppedCount ?? 0
        scan = nil
        scanTask?.cancel()
        scanTask = nil
        for id in records.keys { records[id]?.interrupt() }
    }

    /// Handles a scan that ended because the adapter was switched off, which its state reports too.
    private func scanEnded(_ error: BluetoothError?) {
        guard !Task.isCancelled, wantsScan, scanTask != nil else { return }
        stopScan()
        if let error { note(.scan, error, device: nil) }
        scanIfReady()
    }
}
