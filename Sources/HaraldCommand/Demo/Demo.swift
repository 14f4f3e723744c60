import Explorer
import Harald
import VirtualDevices

/// The steps of the demonstration.
struct Demo {
    let adapter: OpenedAdapter
    let options: SharedOptions
    /// The approximate total duration, in seconds.
    let length: Double
    let report: DemoReport

    /// The approximate duration of all steps but the heart rates, in seconds.
    private static let rest = 5.0

    func run() async throws {
        report.note(Style.bold.apply("harald demo") + ": Bluetooth Low Energy " + place + "\n")
        let (strap, gadget) = try await scan()
        try await strap.whileConnected(options, reconnect: ReconnectPolicy(attempts: 5)) {
            try await explore(strap)
            let rates = try await strap.characteristic("180D", "2A37").notifications()
            var iterator = rates.makeAsyncIterator()
            try await listen(&iterator)
            if let gadget { try await write(to: gadget) }
            try await loseConnection(of: strap, &iterator)
            report.heading("Disconnect")
        }
        report.line("unsubscribed and disconnected")
    }

    private var place: String {
        adapter.scene == nil ? "on adapter \(adapter.central.adapter.uri)" : "without hardware, on a virtual radio"
    }

    // MARK: Steps

    private func scan() async throws -> (strap: Peripheral, gadget: Peripheral?) {
        let time = min(.seconds(2), options.patience)
        report.heading(time == .seconds(2) ? "Scan for two seconds" : "Scan for \(time.secondsText)")
        var found: [ScanResult] = []
        let scan = adapter.central.scan(filter: .init(), duplicates: true, duration: time)
        var list = DeviceList()
        if report.isLive {
            try await ScanTable.show(scan, in: &list, indent: 3) { result in
                found.removeAll { $0.id == result.id }
                found.append(result)
            }
        } else {
            for try await result in scan {
                list.note(DeviceRow(result))
                found.removeAll { $0.id == result.id }
                found.append(result)
            }
        }
        try Task.checkCancellation()
        if !report.isLive {
            let lines = list.lines(width: nil)
            report.note("   " + lines[0])
            for (row, line) in zip(list.sorted, lines.dropFirst()) { report.line(line, row.json) }
        }
        return (try strap(found), found.first { $0.isConnectable && $0.advertisement.advertises("FFF0") }?.peripheral)
    }

    private func strap(_ found: [ScanResult]) throws -> Peripheral {
        let straps = found.filter { $0.isConnectable && $0.advertisement.advertises("180D") }
        if let strap = straps.max(by: { ($0.rssi ?? -128) < ($1.rssi ?? -128) }) { return strap.peripheral }
        throw ProgramError(
            .notFound,
            "adapter \(adapter.central.adapter.uri) found no heart rate strap (service 180D), but "
                + "\(found.count) other devices; 'harald simulate default --adapter URI' on another adapter "
                + "provides the devices of the demo, and without --adapter the demo uses its own")
    }

    private func explore(_ strap: Peripheral) async throws {
        report.heading("Connect to \(TerminalText.safe(strap.description)) and discover its services")
        let tree = try await DeviceTree.read(strap, values: false, timeout: options.patience)
        for line in tree.lines(width: Terminal.width.map { $0 - 3 }, glyphs: Terminal.glyphs) { report.line(line) }

        report.heading("Read")
        for (service, characteristic) in [("180F", "2A19"), ("180D", "2A38")] as [(AttributeKey, AttributeKey)] {
            let found = try await strap.characteristic(service, characteristic)
            let value = CharacteristicValue(try await found.read(timeout: options.patience), of: found)
            report.line(value.line, value.json())
        }
    }

    private func listen(_ rates: inout BluetoothStream<[UInt8]>.Iterator) async throws {
        report.heading("Subscribe to the heart rate")
        let end = ContinuousClock.now + .seconds(max(2, length - Self.rest))
        while ContinuousClock.now < end { try await show(rates.next()) }
    }

    private func show(_ bytes: [UInt8]?) throws {
        guard let bytes else {
            try Task.checkCancellation()
            throw ProgramError(.failed, "the strap ended the connection")
        }
        let value = ValueText(bytes, of: "2A37")
        report.line(value.line, .object(value.json))
    }

    private func write(to gadget: Peripheral) async throws {
        report.heading("Write AA BB to FFF1 of \(TerminalText.safe(gadget.description)), with and without response")
        try await gadget.whileConnected(options) {
            let command = try await gadget.characteristic("FFF0", "FFF1")
            let answers = try await gadget.characteristic("FFF0", "FFF2").notifications()
            var iterator = answers.makeAsyncIterator()
            for (type, text) in [(WriteType.withResponse, "with response"), (.withoutResponse, "without response")] {
                try await command.write([0xAA, 0xBB], type: type, timeout: options.patience)
                let answer = try await iterator.next() ?? []
                report.line(
                    "\(text): wrote AA BB, FFF2 notifies \(ValueText(answer, of: "FFF2").hex)",
                    ["type": .string(text), "answer": .string(answer.hexText())])
            }
        }
    }

    private func loseConnection(of strap: Peripheral, _ rates: inout BluetoothStream<[UInt8]>.Iterator) async throws {
        guard let scene = adapter.scene, let device = scene.devices.first(where: { $0.file.name == strap.name }) else {
            return
        }
        report.heading("Lose the connection")
        let states = strap.states
        let start = ContinuousClock.now
        await scene.breakLinks(of: device)
        var wasLost = false
        for try await state in states {
            switch state {
            case .reconnecting(let attempt, let error):
                if !wasLost { report.line("lost: \(error.reason)") }
                wasLost = true
                report.line("reconnecting, attempt \(attempt)")
            case .connected where wasLost:
                report.line("reconnected after \((ContinuousClock.now - start).secondsText)")
                // The stream continues across the reconnection.
                for _ in 0..<2 { try await show(rates.next()) }
                return
            case .disconnected(let error?): throw error
            default: break
            }
        }
        try Task.checkCancellation()
    }
}
