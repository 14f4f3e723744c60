import BluetoothHost
import BluetoothModel

extension FuzzTarget {
    /// A complete discovery whose responses are the input: each request receives the next one.
    ///
    /// Invariants: it ends when the responses end, services do not overlap, and every attribute is inside its parent.
    static let discovery = FuzzTarget(
        "discovery", "GATT discovery", maximumLength: 1024,
        seeds: {
            let services: [UInt8] = [14, 0x11, 6, 1, 0, 7, 0, 0, 0x18, 8, 0, 0x0F, 0, 0x0D, 0x18]
            let characteristics: [UInt8] = [
                16, 0x09, 7, 2, 0, 2, 3, 0, 0, 0x2A, 9, 0, 0x10, 0x0A, 0, 0x37, 0x2A,
            ]
            let descriptors: [UInt8] = [6, 0x05, 1, 0x0B, 0, 2, 0x29]
            let notFound: [UInt8] = [5, 1, 0x10, 8, 0, 0x0A]
            return [
                [0] + services + notFound + characteristics + notFound + descriptors + notFound,
                [1] + services + notFound + characteristics + descriptors,
                [1, 22, 0x11, 20, 1, 0, 9, 0] + Array(1...16), [0, 4, 0x11, 6, 1, 0], [1] + services + services,
            ]
        },
        run: { (view) throws(Finding) in
            var input = FuzzInput(view)
            let run = DiscoveryRun()
            let isWhole = input.flag()
            try run.discover(isWhole: isWhole, &input)
            try run.check()
        })
}

private final class DiscoveryRun {
    let fake = FuzzLink(role: .central)
    let link: L2CAPLink
    let endings = Endings()
    let cache = InMemoryGATTCacheStore()
    let peer = PeripheralID(high: 0, low: 1)
    var services: [GATTService] = []

    init() {
        link = L2CAPLink(transmitter: fake)
        link.gatt.start(
            GATTClientSetup(exchangesMTU: false, cache: cache, peer: peer, followsServiceChanges: false)
        ) { _ in }
    }

    func discover(isWhole: Bool, _ input: inout FuzzInput) throws(Finding) {
        try answer(&input)
        if isWhole {
            let ended = endings.begin()
            link.gatt.discoverDatabase { _ in ended() }
            try answer(&input)
        }
        let ended = endings.begin()
        link.gatt.discoverServices { [unowned self] result in
            services = (try? result.get()) ?? []
            ended()
        }
        try answer(&input)
        for service in services.prefix(4) { try discover(service, &input) }
        try endings.check(all: true)
    }

    private func discover(_ service: GATTService, _ input: inout FuzzInput) throws(Finding) {
        let endedIncluded = endings.begin(), endedCharacteristics = endings.begin()
        var found: [GATTCharacteristic] = []
        link.gatt.discoverIncludedServices(of: service) { _ in endedIncluded() }
        try answer(&input)
        link.gatt.discoverCharacteristics(of: service) { result in
            found = (try? result.get()) ?? []
            endedCharacteristics()
        }
        try answer(&input)
        var last = service.range.lowerBound
        for characteristic in found {
            let range = characteristic.declarationHandle...characteristic.endHandle
            try require(
                range.lowerBound > last && range.upperBound <= service.range.upperBound
                    && range.contains(characteristic.valueHandle), "\(characteristic) in \(service)")
            last = range.upperBound
            let ended = endings.begin()
            link.gatt.discoverDescriptors(of: characteristic) { _ in ended() }
            try answer(&input)
        }
    }

    /// Answers every request: with the input, and behind its end with "not found".
    private func answer(_ input: inout FuzzInput) throws(Finding) {
        var requests = 0
        while let frame = fake.take().first(where: { $0.cid == 4 && $0.bytes.first.map(Self.isRequest) ?? false }) {
            requests += 1
            try require(requests < 2000, "\(requests) requests for one operation")
            let notFound = [1, frame.bytes[0], 1, 0, 0x0A]
            let response = input.isAtEnd ? notFound : input.counted()
            // An invalid answer leaves the request pending, which is not checked here.
            let isError = response.count == 5 && response[0] == 1 && response[1] == frame.bytes[0]
            let isAnswer = isError || response.first == frame.bytes[0] + 1
            (isAnswer ? response : notFound).withByteView { link.receive(cid: 4, $0) }
        }
    }

    private static func isRequest(_ code: UInt8) -> Bool { code & 1 == 0 && code < 0x1B || code == 0x20 }

    func check() throws(Finding) {
        for (one, next) in zip(services, services.dropFirst()) {
            try require(one.range.upperBound < next.range.lowerBound, "\(one) and \(next) overlap")
        }
        link.linkClosed(.disconnected(.connectionTimeout))
        try endings.check(all: true)
        guard let entry = cache.entry(for: peer) else { return }
        let again = entry.encoded.withByteView { GATTCacheEntry(encoded: $0) }
        try require(again == entry, "the cache cannot be read: \(entry)")
    }
}
