import BluetoothHost
import BluetoothModel

extension FuzzTarget {
    /// ATT packets to a GATT server, answers of its delegate, and values that it sends.
    ///
    /// Each request has one answer at most, of its kind and within the MTU; a value without read permission is never
    /// sent.
    static let attServer = FuzzTarget(
        "att-server", "the GATT server", maximumLength: 512,
        seeds: {
            let packets: [[UInt8]] = [
                [0x02, 0x40, 0], [0x04, 1, 0, 0xFF, 0xFF], [0x06, 1, 0, 0xFF, 0xFF, 0, 0x28, 0x0D, 0x18],
                [0x08, 1, 0, 0xFF, 0xFF, 3, 0x28], [0x08, 1, 0, 0xFF, 0xFF, 0x2A, 0x2B], [0x0A, 0x0C, 0],
                [0x0A, 0x0F, 0],
                [0x0C, 0x0C, 0, 1, 0], [0x0E, 0x0C, 0, 0x0F, 0], [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x12, 0x0C, 0, 7],
                [0x12, 0x0D, 0, 1, 0], [0x16, 0x0C, 0, 0, 0, 1, 2], [0x18, 1], [0x18, 0], [0x1E],
                [0x20, 0x0C, 0, 0x0F, 0], [0x52, 0x0C, 0, 9], [0xD2, 0x0C, 0] + Array(1...13), [0x0A, 0x11, 0],
            ]
            return packets.map { [0, 0, UInt8($0.count)] + $0 }
                + [
                    [0, 0, 5, 0x12, 0x0D, 0, 1, 0, 3, 0, 3, 1, 2, 3], [0, 0, 3, 0x0A, 0x0F, 0, 1, 2, 5, 5],
                    [1, 0, 5, 0x12, 0x0D, 0, 2, 0, 3, 1, 2, 8, 8, 0, 1, 0x1E, 4, 31],
                ]
        },
        run: { (view) throws(Finding) in
            var input = FuzzInput(view)
            let run = try ServerRun(&input)
            while !input.isAtEnd { try run.step(&input) }
            try run.end()
        })
}

private final class ServerRun: GATTServerDelegate {
    let fake = FuzzLink(role: .peripheral)
    let server = GATTServer()
    let link: L2CAPLink
    let endings = Endings()
    var reads: [GATTReadRequest] = []
    var writes: [GATTWriteRequest] = []
    /// The request that has no answer yet.
    var awaited: UInt8?
    var valueHandle: UInt16 = 0
    /// The value that only an encrypted link may transfer.
    static let secret: [UInt8] = [0xA5, 0x5A, 0xC3, 0x3C, 0x99, 0x66, 0xF0, 0x0F]

    init(_ input: inout FuzzInput) throws(Finding) {
        let setup = input.uint8()
        do throws(RadioError) {
            let service = GATTServiceDefinition(
                uuid: 0x180D,
                characteristics: [
                    GATTCharacteristicDefinition(
                        uuid: 0x2A37, properties: [.notify, .indicate, .read, .write, .writeWithoutResponse],
                        value: .kept([1, 2, 3])),
                    GATTCharacteristicDefinition(uuid: 0x2A38, properties: [.read, .write], value: .dynamic),
                    GATTCharacteristicDefinition(
                        uuid: "12345678-1234-1234-1234-123456789ABC", properties: [.read, .write],
                        permissions: [.readable, .readEncryptionRequired, .writeable, .writeEncryptionRequired],
                        value: .kept(Self.secret)),
                ])
            let placed = try server.add(service)
            valueHandle = placed.characteristics.first?.valueHandle ?? 0
        } catch {
            throw Finding("\(error)")
        }
        link = L2CAPLink(
            transmitter: fake, server: server, configuration: L2CAPLinkConfiguration(attMTU: setup & 2 == 0 ? 517 : 23))
        if setup & 1 == 0 { server.delegate = self }
    }

    func step(_ input: inout FuzzInput) throws(Finding) {
        switch input.below(8) {
        case 0: receive(input.counted())
        case 1: if !reads.isEmpty { reads.removeFirst().respond(.success(input.counted())) }
        case 2:
            guard !writes.isEmpty else { break }
            writes.removeFirst().respond(input.flag() ? .success(()) : .failure(.invalidOffset))
        case 3: send(&input)
        case 4: try fake.advance(by: .seconds(input.below(40)))
        case 5: fake.room = input.below(4)
        case 6:
            fake.room = .max
            link.roomAvailable()
        default: try change(&input)
        }
        try check()
    }

    private func receive(_ packet: [UInt8]) {
        // A client waits for the response, so packets before it are dropped.
        if let code = packet.first, Self.requests.contains(code), awaited == nil { awaited = code }
        packet.withByteView { link.receive(cid: 4, $0) }
    }

    private func send(_ input: inout FuzzInput) {
        let kind = input.element(of: [SubscriptionKind.any, .notifications, .indications])
        let ended = endings.begin()
        server.send(input.counted(), for: valueHandle, kind: kind) { _ in ended() }
    }

    private func change(_ input: inout FuzzInput) throws(Finding) {
        do throws(RadioError) {
            switch input.below(4) {
            case 0: _ = try server.add(GATTServiceDefinition(uuid: 0x180F, characteristics: []))
            case 1: server.remove(input.uint16())
            case 2: server.setValue(input.counted(), of: valueHandle)
            default: fake.security = LinkSecurity(level: .encrypted, keySize: 16)
            }
        } catch {
            guard case .limit = error else { throw Finding("\(error)") }
        }
    }

    private static let requests: Set<UInt8> = [2, 4, 6, 8, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20]

    private func check() throws(Finding) {
        let frames = fake.take()
        try require(frames.count < 300, "\(frames.count) frames at once")
        for frame in frames where frame.cid == 4 {
            let bytes = frame.bytes
            try require(!bytes.isEmpty && bytes.count <= link.gatt.mtu, "a packet of \(bytes.count) octets")
            let isAnswer = bytes[0] == 1 || Self.requests.contains(bytes[0] &- 1) && bytes[0] & 1 == 1
            if fake.security.level == .none {
                try require(!bytes.hexText().contains(Self.secret.hexText()), "a secret in \(bytes.hexText())")
            }
            guard isAnswer else { continue }
            // Answers to packets that are no requests have their code.
            guard let request = awaited else {
                try require(bytes[0] == 1, "a response without a request: \(bytes.hexText())")
                continue
            }
            let isFitting = bytes[0] == request + 1 || bytes[0] == 1 && bytes.count == 5
            try require(isFitting, "\(bytes.hexText()) answers 0x\([request].hexText())")
            if bytes[0] != 1 || bytes[1] == request { awaited = nil }
        }
        try endings.check(all: false)
    }

    func end() throws(Finding) {
        link.linkClosed(.disconnected(.connectionTimeout))
        try check()
        try endings.check(all: true)
        try require(server.sessions.isEmpty, "a session outlives its link")
        for read in reads { read.respond(.success([1])) }
        for write in writes { write.respond(.success(())) }
        try require(fake.frames.isEmpty, "a response after the end of the link")
        try require(fake.timers.nextDeadline == nil, "a timer outlives its link")
    }

    func server(_ server: GATTServer, received request: GATTReadRequest) { reads.append(request) }
    func server(_ server: GATTServer, received request: GATTWriteRequest) { writes.append(request) }
    func server(
        _ server: GATTServer, received command: ByteView, for handle: UInt16, from session: GATTServerSession
    ) {}
    func server(
        _ server: GATTServer, _ session: GATTServerSession, changedSubscriptionTo valueHandle: UInt16,
        from old: GATTSubscription, to new: GATTSubscription
    ) {}
    func server(_ server: GATTServer, isReadyToSendTo session: GATTServerSession) {}
}
