import BluetoothHCI
import BluetoothHost
import BluetoothModel
import BluetoothRuntime

extension FuzzTarget {
    /// A host whose controller is the input: events, command completes, ACL packets, and requests of the program.
    ///
    /// Invariants: each packet of the host is complete, no more buffers are used than exist, and every operation ends
    /// once.
    static let hci = FuzzTarget(
        "hci", "HCI events, command completes and ACL packets", maximumLength: 512,
        seeds: {
            let setUp = [UInt8](repeating: 3, count: 30)
            let connected: [UInt8] = [2, 19, 0x01, 0, 0x40, 0, 0, 0, 1, 0, 0, 0, 0, 0xC0, 24, 0, 0, 0, 0xF4, 1, 0]
            let report: [UInt8] = [2, 15, 0x02, 1, 0, 0, 1, 0, 0, 0, 0, 0xC0, 3, 2, 1, 6, 0xC4]
            return [
                [0] + setUp + [6, 0, 3, 3, 3, 3] + report + [6, 1, 3],
                [0] + setUp + [6, 2, 3, 3, 3] + connected + [3, 3],
                [1] + setUp + [6, 0, 3, 3, 3] + [
                    2, 32, 0x0D, 1, 0x13, 0, 0, 1, 0, 0, 0, 0, 0xC0, 1, 0, 0xFF, 0x7F, 0xC4,
                ]
                    + [0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 2, 1, 6],
                [0] + setUp + [6, 2, 3, 3, 3] + connected + [0, 11, 2, 0x40, 0x20, 7, 0, 3, 0, 4, 0, 2, 0x17, 7, 3, 8],
                [0] + setUp + [6, 4, 3, 3, 3, 3] + connected + [6, 6, 0, 3, 1, 4, 0x05, 0, 0x40, 0, 0x13],
                [0] + setUp + [1, 1, 0x10, 1] + setUp,
                [1] + setUp + [6, 4, 3, 3, 3, 3, 3, 3, 2, 6, 0x12, 0, 0, 0x40, 0, 1],
                [0, 4, 9, 0, 3, 5, 31, 3, 3],
            ]
        },
        run: { (view) throws(Finding) in
            var input = FuzzInput(view)
            let run = HostRun(&input)
            while !input.isAtEnd { try run.step(&input) }
            try run.end()
        })
}

private final class HostRun: LEHostDelegate {
    let controller: FuzzController
    let host: LEHost
    let endings = Endings()
    var connections: [PendingConnection] = []
    var sets: [AdvertisingSet] = []
    /// The links that the delegate was notified of, and that have not ended.
    var links: [LELink] = []
    var fault: String?

    init(_ input: inout FuzzInput) {
        let controller = FuzzController(isExtended: input.flag())
        self.controller = controller
        host = LEHost { controller.receive($0) }
        host.delegate = self
        host.useSecurity(bonds: InMemoryBondStore())
        host.start(now: .start)
    }

    deinit { host.delegate = nil }

    func step(_ input: inout FuzzInput) throws(Finding) {
        switch input.below(9) {
        case 0: receive(input.counted())
        case 1:
            let code = input.uint8(), parameters = input.counted()
            receive([4, code, UInt8(parameters.count)] + parameters)
        case 2:
            let event = input.counted()
            receive([4, 0x3E, UInt8(event.count)] + event)
        case 3: if let answer = controller.answer(nil) { receive(answer) }
        case 4: if let answer = controller.answer(input.counted()) { receive(answer) }
        case 5: try advance(by: .milliseconds(input.below(250) * 40))
        case 6: ask(&input)
        case 7: if let completed = controller.completed() { receive(completed) }
        default: if let answer = controller.answer(nil, status: input.uint8()) { receive(answer) }
        }
        try check()
    }

    private func receive(_ packet: [UInt8]) { packet.withByteView { host.receive($0, now: host.now) } }

    private func advance(by duration: Duration) throws(Finding) {
        let target = host.now + duration
        var steps = 0
        while let next = host.nextDeadline, next <= target {
            steps += 1
            try require(steps < 10_000, "a timer fires repeatedly")
            host.advance(to: max(next, host.now))
        }
        host.advance(to: target)
    }

    private static func address(_ last: UInt8) -> BluetoothAddress {
        BluetoothAddress(value: 0xC000_0000_0000 | UInt64(last), kind: .public)
    }

    private func ask(_ input: inout FuzzInput) {
        switch input.below(14) {
        case 0:
            let ended = endings.begin()
            host.startScan { _ in ended() }
        case 1: host.stopScan()
        case 2:
            guard connections.count < 20 else { return }
            let ended = endings.begin()
            connections.append(host.connect(to: Self.address(UInt8(1 + input.below(3)))) { _ in ended() })
        case 3: if !connections.isEmpty { input.element(of: connections).cancel() }
        case 4: advertise(&input)
        case 5: if !sets.isEmpty { sets.remove(at: input.below(sets.count)).remove() }
        case 6: link(&input)?.disconnect()
        case 7: host.stop(now: host.now)
        case 8: host.powerOff(now: host.now)
        case 9: host.start(now: host.now)
        case 10:
            let ended = endings.begin()
            let policies: [OwnAddressPolicy] = [.public, .staticRandom(BluetoothAddress(value: 0xC123, kind: .random))]
            host.setOwnAddress(input.element(of: policies)) { _ in ended() }
        case 11: host.transportClosed(.radio(.unsupported, reason: "unplugged"), now: host.now)
        default: procedure(&input)
        }
    }

    private func link(_ input: inout FuzzInput) -> LELink? { links.isEmpty ? nil : input.element(of: links) }

    private func advertise(_ input: inout FuzzInput) {
        if sets.count < 4, let set = try? host.makeAdvertiser(LocalIdentity(server: nil)) { sets.append(set) }
        guard !sets.isEmpty else { return }
        let set = input.element(of: sets)
        let ended = endings.begin()
        switch input.below(3) {
        case 0: set.start(data: [2, 1, 6]) { _ in ended() }
        case 1: set.start(data: [2, 1, 4]) { _ in ended() }
        default: set.stop { _ in ended() }
        }
    }

    private func procedure(_ input: inout FuzzInput) {
        guard let link = link(&input) else { return }
        let ended = endings.begin()
        switch input.below(9) {
        case 0: link.readRemoteFeatures { _ in ended() }
        case 1: link.readRemoteVersion { _ in ended() }
        case 2: link.readRSSI { _ in ended() }
        case 3: link.readPHY { _ in ended() }
        case 4: link.setPHY(transmit: [.le2M], receive: [.le1M]) { _ in ended() }
        case 5: link.setDataLength { _ in ended() }
        case 6: link.startEncryption(key: Array(1...16)) { _ in ended() }
        case 7:
            let wish = ConnectionParametersRequest(intervalUnits: 24...40, latency: 0, timeoutUnits: 200)
            link.updateParameters(wish) { _ in ended() }
        default:
            link.l2cap.gatt.write(3, [UInt8](repeating: 1, count: 18 * input.below(20))) { _ in ended() }
        }
    }

    private func check() throws(Finding) {
        if let fault { throw Finding(fault) }
        try controller.check()
        try endings.check(all: false)
        try require(Set(host.allLinks) == Set(links), "not every link was reported to the delegate")
    }

    func end() throws(Finding) {
        for set in sets { set.remove() }
        host.stop(now: host.now)
        try advance(by: .seconds(120))
        if let fault { throw Finding(fault) }
        try require(links.isEmpty, "\(links.count) links outlive the host")
        try endings.check(all: true)
        try require(host.nextDeadline == nil, "a timer outlives the host")
    }

    func host(_ host: LEHost, changed state: HostState) {
        // Its buffers are empty when a controller was reset.
        if case .ready = state { return }
        controller.reset()
    }

    func host(_ host: LEHost, connected link: LELink) {
        if links.contains(link) { fault = "a link came twice" }
        links.append(link)
    }

    func host(_ host: LEHost, disconnected link: LELink, reason: HCIStatus) {
        guard let index = links.firstIndex(of: link) else { return fault = "a link went twice" }
        links.remove(at: index)
        controller.forget(link.handle)
    }
}
