import BluetoothHost
import BluetoothModel

/// Collects the attribute servers of a capture, with their values.
package struct CaptureReader {
    enum Server: Hashable {
        case peer(BluetoothAddress)
        case host
        /// A peer whose address is not in the capture, identified by its link.
        case unknown(Int)
    }

    /// A bearer of a server: a link, the channel identifier, and the side of the server.
    private struct Bearer: Hashable {
        var link: Int
        var channel: UInt16
        var isOfHost: Bool
    }

    /// A request without its response.
    private struct Pending {
        var number: Int
        var time: Int64
        var packet: [UInt8]
    }

    private var dissector = Dissector()
    private(set) var servers: [Server: CapturedDevice] = [:]
    private var pending: [Bearer: Pending] = [:]
    /// The values whose parts are being read with several requests.
    private var parts: [Bearer: (handle: UInt16, event: Int, bytes: [UInt8])] = [:]
    /// The parts of queued writes.
    private var queued: [Bearer: [(handle: UInt16, bytes: [UInt8])]] = [:]
    private var advertisements: [BluetoothAddress: [UInt8]] = [:]
    private var scanResponses: [BluetoothAddress: [UInt8]] = [:]

    package init() { dissector.keepsPackets = true }

    /// The devices of the capture, those with the most packets first.
    package var devices: [CapturedDevice] {
        servers.map { server, device in
            var device = device
            if case .peer(let address) = server {
                device.address = address
                device.name = dissector.names[address]
                device.advertisement = advertisements[address]
                device.scanResponse = scanResponses[address]
            }
            return device
        }.sorted { ($0.packetCount, $1.address?.text ?? "") > ($1.packetCount, $0.address?.text ?? "") }
    }

    package mutating func add(_ record: CaptureRecord) {
        let result = dissector.dissect(record)
        for heard in result.advertisements where advertisements.count < Dissector.capacity {
            if heard.isScanResponse {
                scanResponses[heard.address] = heard.data
            } else {
                advertisements[heard.address] = heard.data
            }
        }
        guard let exchange = result.exchange, let first = exchange.packet.first, let opcode = ATTOpcode(rawValue: first)
        else { return }
        let server: Server =
            exchange.isOfHost ? .host : exchange.peer.map { .peer($0) } ?? .unknown(exchange.link)
        let bearer = Bearer(link: exchange.link, channel: exchange.channel, isOfHost: exchange.isOfHost)
        // Taken out of the dictionary, so that each event is appended and the others are not copied.
        var device = servers.removeValue(forKey: server) ?? CapturedDevice()
        device.packetCount += 1
        let item = Pending(number: result.number, time: result.time ?? 0, packet: exchange.packet)
        exchange.packet.withByteView { view in
            switch opcode.kind {
            case .request: pending[bearer] = item
            case .command: command(view, item, bearer, &device)
            case .response:
                if let request = pending.removeValue(forKey: bearer) {
                    request.packet.withByteView { answered($0, request, view, opcode, bearer, &device) }
                }
            case .notification, .indication: sent(view, opcode, item, bearer, &device)
            case .confirmation: break
            }
        }
        servers[server] = device
    }

    private mutating func command(_ packet: ByteView, _ item: Pending, _ bearer: Bearer, _ device: inout CapturedDevice)
    {
        guard case .writeCommand(let handle, let value)? = ATTIncomingRequest(.writeCommand, packet),
            packet[0] == ATTOpcode.writeCommand.rawValue
        else { return }
        add(.write(handle, value.array, isCommand: true, .done), item, bearer, &device)
    }

    private func add(
        _ action: CapturedDevice.Action, _ item: Pending, _ bearer: Bearer, _ device: inout CapturedDevice
    ) {
        device.events.append(.init(number: item.number, time: item.time, link: bearer.link, action: action))
    }

    private mutating func sent(
        _ packet: ByteView, _ opcode: ATTOpcode, _ item: Pending, _ bearer: Bearer, _ device: inout CapturedDevice
    ) {
        guard opcode == .multipleHandleValueNotification else {
            guard packet.count >= 3 else { return }
            return add(.sent(packet.uint16(at: 1), packet.dropFirst(3).array), item, bearer, &device)
        }
        var reader = ByteReader(packet.dropFirst(1))
        while let handle = reader.uint16(), let length = reader.uint16(), let bytes = reader.bytes(Int(length)) {
            add(.sent(handle, bytes.array), item, bearer, &device)
        }
    }

    // MARK: Requests with their responses

    private mutating func answered(
        _ packet: ByteView, _ item: Pending, _ response: ByteView, _ opcode: ATTOpcode, _ bearer: Bearer,
        _ device: inout CapturedDevice
    ) {
        guard let asked = ATTOpcode(rawValue: packet[0]), let request = ATTIncomingRequest(asked, packet) else {
            return
        }
        let refusal = opcode == .errorResponse && response.count == 5 ? ATTErrorCode(rawValue: response[4]) : nil
        if refusal == nil, asked.rawValue + 1 != opcode.rawValue { return }
        let body = response.dropFirst(1)
        switch request {
        case .read(let handle):
            let answer: CapturedDevice.Answer = refusal.map { .error($0) } ?? .value(body.array)
            add(.read(handle, answer), item, bearer, &device)
            if refusal == nil { parts[bearer] = (handle, device.events.count - 1, body.array) }
        case .readBlob(let handle, let offset): extend(handle, offset, refusal == nil ? body : nil, bearer, &device)
        case .write(let handle, let value):
            add(
                .write(handle, value.array, isCommand: false, refusal.map { .error($0) } ?? .done), item, bearer,
                &device)
        case .prepareWrite(let handle, _, let value):
            if let refusal {
                add(.write(handle, value.array, isCommand: false, .error(refusal)), item, bearer, &device)
            } else {
                queue(handle, value.array, bearer)
            }
        case .executeWrite(let isWritten):
            let values = queued.removeValue(forKey: bearer) ?? []
            guard isWritten else { return }
            for (handle, bytes) in values {
                add(.write(handle, bytes, isCommand: false, refusal.map { .error($0) } ?? .done), item, bearer, &device)
            }
        default: if refusal == nil { discovered(request, body, item, bearer, &device) }
        }
    }

    /// Adds a part to the value that is being read.
    private mutating func extend(
        _ handle: UInt16, _ offset: Int, _ body: ByteView?, _ bearer: Bearer, _ device: inout CapturedDevice
    ) {
        guard let body, var value = parts[bearer], value.handle == handle, value.bytes.count == offset else { return }
        value.bytes += body.array
        parts[bearer] = value
        device.events[value.event].action = .read(handle, .value(value.bytes))
    }

    private mutating func queue(_ handle: UInt16, _ bytes: [UInt8], _ bearer: Bearer) {
        var values = queued[bearer] ?? []
        if let last = values.indices.last, values[last].handle == handle {
            values[last].bytes += bytes
        } else {
            values.append((handle, bytes))
        }
        queued[bearer] = values
    }

    /// Adds the attributes of a discovery response. Malformed responses are skipped, as a client does.
    private func discovered(
        _ request: ATTIncomingRequest, _ body: ByteView, _ item: Pending, _ bearer: Bearer,
        _ device: inout CapturedDevice
    ) {
        let all: ClosedRange<UInt16> = 1...0xFFFF
        switch request {
        case .readByGroupType(let range, let type):
            let found = try? DiscoveryResponse.services(
                body, asked: range.range ?? all, isPrimary: type != GATTType.secondaryService)
            found?.found.forEach { device.add($0) }
        case .findByTypeValue(let range, _, let value):
            guard let uuid = BluetoothUUID(littleEndian: value) else { return }
            let found = try? DiscoveryResponse.ranges(body, asked: range.range ?? all)
            found?.found.forEach { device.add(GATTService(uuid: uuid, range: $0)) }
        case .findInformation(let range):
            let found = try? DiscoveryResponse.descriptors(body, asked: range.range ?? all)
            found?.found.forEach { device.add($0) }
        case .readByType(let range, GATTType.characteristic):
            let found = try? DiscoveryResponse.characteristics(body, asked: range.range ?? all)
            found?.found.forEach { device.add($0) }
        case .readByType(let range, GATTType.include):
            let found = try? DiscoveryResponse.includes(body, asked: range.range ?? all)
            for include in found?.found ?? [] { device.addInclude(include.handle, of: include.range) }
        case .readByType(let range, _):
            for (handle, bytes) in (try? DiscoveryResponse.values(body, asked: range.range ?? all)) ?? [] {
                add(.read(handle, .value(bytes)), item, bearer, &device)
            }
        default: break
        }
    }
}
