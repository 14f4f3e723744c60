import BluetoothModel
import Explorer
import Harald

/// The discovery of a database with raw requests, which shows faults that a client ignores.
package final class CheckSurvey {
    /// The database so far.
    package private(set) var database = CheckDatabase()
    private let send: ([UInt8]) async throws -> [UInt8]?
    private let read: (UInt16) async throws -> CheckDatabase.Value?

    /// Creates a survey. `send` sends a request and returns the response, `read` reads a value; both return nil without
    /// a response.
    package init(
        send: @escaping ([UInt8]) async throws -> [UInt8]?,
        read: @escaping (UInt16) async throws -> CheckDatabase.Value?
    ) {
        (self.send, self.read) = (send, read)
        database.isRaw = true
    }

    private func request(_ pdu: [UInt8]) async throws -> CheckAnswer {
        CheckAnswer(request: pdu, bytes: try await send(pdu))
    }

    /// Discovers the database, and reads all readable values.
    /// - Throws: The errors of `send` and `read`.
    package func run() async throws {
        for (type, isPrimary) in [(UInt16(0x2800), true), (0x2801, false)] {
            try await surveyServices(type, isPrimary: isPrimary)
        }
        let found = database.services
        for (index, service) in found.enumerated() where service.end >= service.start {
            try await surveyIncludes(index, service)
            try await surveyCharacteristics(index, service)
        }
        try await surveyAttributes()
        for (index, item) in database.characteristics.enumerated() {
            let service = database.services[item.service]
            let next = database.characteristics.map(\.declaration).filter { $0 > item.handle }.min() ?? 0xFFFF
            let later = database.services.map(\.start).filter { $0 > item.handle }.min() ?? 0xFFFF
            let end = min(service.end, next == 0xFFFF ? next : next - 1, later == 0xFFFF ? later : later - 1)
            database.characteristics[index].end = max(item.handle, end)
        }
        for item in database.characteristics where item.isReadable {
            if let value = try await read(item.handle) { database.values[item.handle] = value }
        }
        for attribute in database.attributes where (0x2900...0x290F).contains(attribute.type.shortValue ?? 0) {
            if let value = try await read(attribute.handle) { database.values[attribute.handle] = value }
        }
    }

    private func fault(_ kind: String, _ message: String, _ answer: CheckAnswer, handle: UInt16? = nil) {
        guard database.faults.count < 64 else { return }
        database.faults.append((kind, CheckFinding(message, handle: handle, answer)))
    }

    private func surveyServices(_ type: UInt16, isPrimary: Bool) async throws {
        var start: UInt16 = 1
        while true {
            let answer = try await request(.readByGroupType(start, 0xFFFF, le(type)))
            guard let body = answer.body, let length = body.first.map(Int.init) else {
                return end(answer, "a Read By Group Type Request")
            }
            guard length == 6 || length == 20, (body.count - 1) % length == 0, body.count > 1 else {
                return fault(
                    "group-format", "the length of the groups is \(length) in \(body.count - 1) octets", answer)
            }
            var next = start
            for offset in stride(from: 1, to: body.count, by: length) {
                let octets = Array(body[offset..<(offset + length)])
                guard let first = octets.u16(0), let last = octets.u16(2), let uuid = Array(octets[4...]).uuid else {
                    continue
                }
                if first < next { fault("group-order", "handle \(hexHandle(first)) is not after the last", answer) }
                database.services.append(
                    .init(
                        start: first, end: last, uuid: uuid, isPrimary: isPrimary, octets: octets, width: length - 4))
                // A group that ends before it starts may start with the last handle.
                if max(first, last) == 0xFFFF { return }
                next = max(next, max(first, last) + 1)
            }
            guard next > start, database.services.count < 500 else { return }
            start = next
        }
    }

    /// Records a fault if a discovery did not end with Attribute Not Found.
    private func end(_ answer: CheckAnswer, _ what: String) {
        guard answer.code != 0x0A else { return }
        fault("discovery-end", "\(what) that finds nothing more is answered with \(answer.words)", answer)
    }

    private func surveyIncludes(_ index: Int, _ service: CheckDatabase.Service) async throws {
        try await walk(0x2802, service, lengths: [6, 8]) { octets in
            guard let handle = octets.u16(0) else { return 0 }
            self.database.includes.append(.init(handle: handle, octets: Array(octets[2...]), service: index))
            return handle
        }
    }

    private func surveyCharacteristics(_ index: Int, _ service: CheckDatabase.Service) async throws {
        try await walk(0x2803, service, lengths: [7, 21]) { octets in
            guard let handle = octets.u16(0), let value = octets.u16(3), let uuid = Array(octets[5...]).uuid else {
                return 0
            }
            self.database.characteristics.append(
                .init(
                    declaration: handle, properties: octets[2], handle: value, uuid: uuid, octets: Array(octets[2...]),
                    service: index))
            return handle
        }
    }

    /// Reads the attributes of one type in a service, with Read By Type Requests.
    private func walk(
        _ type: UInt16, _ service: CheckDatabase.Service, lengths: [Int], _ take: ([UInt8]) -> UInt16
    ) async throws {
        var start = service.start
        var count = 0
        while start <= service.end, count < 500 {
            let answer = try await request(.readByType(start, service.end, le(type)))
            guard let body = answer.body, let length = body.first.map(Int.init) else {
                return end(answer, "a Read By Type Request")
            }
            guard lengths.contains(length), (body.count - 1) % length == 0, body.count > 1 else {
                return fault(
                    "declaration-format", "the length of a declaration is \(length) in \(body.count - 1) octets", answer
                )
            }
            var next = start
            for offset in stride(from: 1, to: body.count, by: length) {
                let handle = take(Array(body[offset..<(offset + length)]))
                count += 1
                if handle < next || handle > service.end {
                    fault("type-range", "handle \(hexHandle(handle)) is outside of the request or not in order", answer)
                }
                next = max(next, handle == 0xFFFF ? handle : handle + 1)
            }
            guard next > start else { return }
            start = next
        }
    }

    private func surveyAttributes() async throws {
        var start: UInt16 = 1
        while database.attributes.count < 4000 {
            let answer = try await request(.findInformation(start, 0xFFFF))
            guard let body = answer.body, let format = body.first else {
                return end(answer, "a Find Information Request")
            }
            let length = format == 1 ? 4 : 18
            guard format == 1 || format == 2, body.count > 1, (body.count - 1) % length == 0 else {
                return fault("information-format", "format \(format) in \(body.count - 1) octets", answer)
            }
            var next = start
            for offset in stride(from: 1, to: body.count, by: length) {
                guard let handle = body.u16(offset), let type = Array(body[(offset + 2)..<(offset + length)]).uuid
                else {
                    continue
                }
                if handle < next {
                    fault("information-order", "handle \(hexHandle(handle)) is not after the last", answer)
                    continue
                }
                database.attributes.append(.init(handle: handle, type: type))
                if handle == 0xFFFF { return }
                next = handle + 1
            }
            guard next > start else { return }
            start = next
        }
    }

}

extension CheckRun {
    /// Discovers the database with raw requests.
    func survey() async throws {
        let survey = CheckSurvey(
            send: { try await self.request($0).bytes }, read: { try await self.read($0) })
        defer { database = survey.database }
        try await ready()
        try await survey.run()
    }

    /// Discovers the database with the client of the adapter's stack, for adapters without raw frames.
    func surveyWithClient() async throws {
        database = CheckDatabase()
        try await peripheral.connect(timeout: options.connectTimeout)
        let services = try await peripheral.discoverAll(timeout: .seconds(30))
        var number: UInt16 = 0
        for (index, service) in services.enumerated() {
            number += 1
            let start = number
            for characteristic in service.characteristics {
                number += 2
                database.characteristics.append(
                    .init(
                        declaration: number - 1,
                        properties: UInt8(truncatingIfNeeded: characteristic.properties.rawValue),
                        handle: number, uuid: characteristic.uuid, octets: [], service: index, end: number))
                if characteristic.properties.contains(.read) {
                    try await note(number) { () async throws(BluetoothError) in
                        try await characteristic.read(timeout: options.patience)
                    }
                }
                for descriptor in characteristic.descriptors {
                    number += 1
                    database.attributes.append(.init(handle: number, type: descriptor.uuid))
                    try await note(number) { () async throws(BluetoothError) in
                        try await descriptor.read(timeout: options.patience)
                    }
                }
                database.characteristics[database.characteristics.count - 1].end = number
            }
            database.services.append(
                .init(start: start, end: number, uuid: service.uuid, isPrimary: service.isPrimary, octets: [], width: 2)
            )
        }
        await peripheral.disconnect()
    }

    /// Records the result of a read with the client of the adapter's stack.
    private func note(_ number: UInt16, _ read: () async throws(BluetoothError) -> [UInt8]) async throws {
        do throws(BluetoothError) {
            database.values[number] = .bytes(try await read())
        } catch {
            if error.code == .cancelled { throw error }
            if case .att(let code) = error.code {
                database.values[number] = .refused([0x01, 0x0A] + le(number) + [code.rawValue])
            }
        }
    }
}
