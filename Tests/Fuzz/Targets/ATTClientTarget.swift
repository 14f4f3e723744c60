import BluetoothHost
import BluetoothModel

extension FuzzTarget {
    /// Operations of a GATT client, and packets of a server that is the input.
    ///
    /// One request is pending at a time, every operation ends once, and no request is sent on a bearer that timed out.
    static let attClient = FuzzTarget(
        "att-client", "the GATT client", maximumLength: 512,
        seeds: {
            [
                [0, 1, 0, 3, 0, 0, 3, 0x0B, 1, 2], [0, 1, 1, 3, 0, 0, 1, 0x13],
                [0, 1, 0, 3, 0, 0, 5, 1, 0x0A, 3, 0, 2],
                [0, 1, 2, 3, 0] + [0, 8, 0x17, 3, 0, 0, 0, 7, 7, 7],
                [0, 1, 11, 3, 0, 0, 1, 0x13, 0, 5, 0x1B, 4, 0, 7, 7],
                [0, 1, 11, 3, 0, 0, 1, 0x13, 0, 5, 0x1D, 4, 0, 7, 7], [1, 0, 3, 3, 0x40, 0, 1, 3, 1, 0],
                [0, 1, 8, 1, 0, 0, 6, 0x21, 2, 0, 1, 2, 3], [0, 0, 3, 2, 0x40, 0],
                [0, 1, 9, 1, 0, 0, 6, 9, 4, 3, 0, 7, 7],
                [0, 1, 0, 3, 0, 2, 31, 1, 0, 3, 0], [0, 1, 0, 3, 0, 3, 0],
            ]
        },
        run: { (view) throws(Finding) in
            var input = FuzzInput(view)
            let run = ClientRun(&input)
            while !input.isAtEnd { try run.step(&input) }
            try run.end()
        })
}

private final class ClientRun {
    let fake: FuzzLink
    let link: L2CAPLink
    let endings = Endings()
    let cache = InMemoryGATTCacheStore()
    var operations: [LinkOperationID] = []
    var confirmations: [() -> Void] = []
    var client: GATTClient { link.gatt }

    init(_ input: inout FuzzInput) {
        let setup = input.uint8()
        fake = FuzzLink(role: .central)
        link = L2CAPLink(transmitter: fake)
        if setup & 2 != 0 {
            client.onSecurityDemand = { _, _, done in done(setup & 4 == 0 ? .success(()) : .failure(.cancelled)) }
        }
        guard setup & 1 != 0 else { return }
        let ended = endings.begin()
        client.start(
            GATTClientSetup(
                exchangesMTU: setup & 8 == 0, cache: cache, peer: PeripheralID(high: 0, low: 1),
                isBonded: setup & 16 != 0)
        ) { _ in ended() }
    }

    func step(_ input: inout FuzzInput) throws(Finding) {
        switch input.below(7) {
        case 0: input.counted().withByteView { link.receive(cid: 4, $0) }
        case 1: if endings.counts.count < 200 { ask(&input) }
        case 2: try fake.advance(by: .seconds(input.below(40)))
        case 3: if !operations.isEmpty { client.cancel(input.element(of: operations)) }
        case 4: fake.room = input.below(4)
        case 5:
            fake.room = .max
            link.roomAvailable()
        default: if !confirmations.isEmpty { confirmations.removeFirst()() }
        }
        try check()
    }

    private func ask(_ input: inout FuzzInput) {
        let ended = endings.begin()
        let which = input.below(14)
        let handle = max(1, input.uint16() & 0x3F)
        let timeout: Duration? = handle & 1 == 0 ? .seconds(3) : nil
        let service = GATTService(uuid: 0x180D, range: handle...handle + 20)
        let characteristic = GATTCharacteristic(
            uuid: 0x2A37, declarationHandle: handle, valueHandle: handle + 1, endHandle: handle + 4,
            properties: [.notify, .indicate])
        let id: LinkOperationID
        switch which {
        case 0: id = client.read(handle, timeout: timeout) { _ in ended() }
        case 1: id = client.write(handle, [1, 2], timeout: timeout) { _ in ended() }
        case 2: id = client.write(handle, [UInt8](repeating: 7, count: 60), timeout: timeout) { _ in ended() }
        case 3: id = client.discoverServices(timeout: timeout) { _ in ended() }
        case 4: id = client.discoverServices([0x180D, 0x180F], timeout: timeout) { _ in ended() }
        case 5: id = client.discoverIncludedServices(of: service, timeout: timeout) { _ in ended() }
        case 6: id = client.discoverCharacteristics(of: service, timeout: timeout) { _ in ended() }
        case 7: id = client.discoverDescriptors(of: characteristic, timeout: timeout) { _ in ended() }
        case 8: id = client.readMultiple([1, 2], variableLength: true, timeout: timeout) { _ in ended() }
        case 9: id = client.readValues(of: 0x2A00, timeout: timeout) { _ in ended() }
        case 10: id = client.writeCommand(handle, [1], timeout: timeout) { _ in ended() }
        case 11:
            return client.configure(characteristic, .notifications, isNext: timeout == nil) { _ in ended() }
        case 12:
            client.onValue = { [unowned self] _, _ in
                if let confirm = client.holdConfirmation() { confirmations.append(confirm) }
                return true
            }
            return client.configure(characteristic, .indications) { _ in ended() }
        default: id = client.discoverDatabase(timeout: timeout) { _ in ended() }
        }
        operations.append(id)
    }

    private func check() throws(Finding) {
        let frames = fake.take()
        try require(frames.count < 300, "\(frames.count) frames at once")
        for frame in frames where frame.cid == 4 {
            try require(
                !frame.bytes.isEmpty && frame.bytes.count <= client.mtu, "a packet of \(frame.bytes.count) octets")
        }
        try endings.check(all: false)
    }

    func end() throws(Finding) {
        link.linkClosed(.disconnected(.connectionTimeout))
        for confirm in confirmations { confirm() }
        try check()
        try endings.check(all: true)
        try require(fake.timers.nextDeadline == nil, "a timer outlives its link")
        guard let entry = cache.entry(for: PeripheralID(high: 0, low: 1)) else { return }
        let again = entry.encoded.withByteView { GATTCacheEntry(encoded: $0) }
        try require(again == entry, "\(entry) became \(again as Any)")
    }
}
