import BluetoothModel
import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("The states that gateways read", .blocksThread)
struct GatewayAccessTests {
    /// 2A35: 142/88 mmHg at 08:00 on a day of November 2026, pulse 72, user 1.
    private func reading(_ serial: String = "BP-1", day: UInt8 = 20) -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: serial)
        reading.characteristic = "2A35"
        reading.hex = "1E8E0058006900EA070B\([day].hexText())0800004800010000"
        reading.clockOffset = 0
        return reading
    }

    private func send(
        _ store: HubStore, _ readings: [SubmittedReading], _ gateway: String
    ) throws -> [ReadingResult.Status] {
        try store.store(readings, gateway: gateway, arrived: Date(timeIntervalSince1970: 1_795_200_000))
            .results.map(\.status)
    }

    private func people(_ store: HubStore) throws -> [Int64] {
        try ["Anna", "Ben"].map { try store.addPerson(name: $0, born: "1961-04-30").id }
    }

    @Test("The states follow the assignments of the readings", arguments: StoreKind.all)
    func assignments(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try people(store)
        #expect(try send(store, [reading()], "g") == [.stored])
        func readable() throws -> [Bool] { try people.map { try store.gateway("g", hasReadingsOf: $0) } }
        #expect(try readable() == [false, false])
        _ = try store.assign("BP-1", to: people[0])
        #expect(try readable() == [true, false])
        _ = try store.assign("BP-1", to: people[1], user: 1)
        #expect(try readable() == [false, true])
        _ = try store.assign("BP-1", to: people[0], user: 1)
        #expect(try readable() == [true, false])
        _ = try store.unassign("BP-1", user: 1)
        #expect(try readable() == [false, false])
    }

    @Test("A gateway that posts a known reading has the access of the first one", arguments: StoreKind.all)
    func knownReading(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try people(store)
        func readable(_ gateway: String) throws -> [Bool] {
            try people.map { try store.gateway(gateway, hasReadingsOf: $0) }
        }
        #expect(try send(store, [reading()], "first") == [.stored])
        #expect(try send(store, [reading()], "second") == [.known])
        for gateway in ["first", "second"] { #expect(try readable(gateway) == [false, false]) }
        // The person became known after both.
        _ = try store.assign("BP-1", to: people[0])
        for gateway in ["first", "second"] { #expect(try readable(gateway) == [true, false]) }
        #expect(try send(store, [reading()], "third") == [.known])
        #expect(try readable("third") == [true, false])
        // Other readings of Anna, from another gateway, are no reason to keep the access.
        _ = try store.assign("BP-2", to: people[0])
        #expect(try send(store, [reading("BP-2", day: 21)], "fourth") == [.stored])
        _ = try store.assign("BP-1", to: people[1])
        for gateway in ["first", "second", "third"] { #expect(try readable(gateway) == [false, true]) }
        #expect(try readable("fourth") == [true, false])
    }

    @Test("A new token with the name of a revoked one reads only what it has posted", arguments: StoreKind.all)
    func sameName(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try people(store)
        func readable() throws -> [Bool] { try people.map { try store.gateway("g", hasReadingsOf: $0) } }
        _ = try store.addToken(name: "g", role: .gateway)
        _ = try store.assign("BP-1", to: people[0])
        #expect(try send(store, [reading()], "g") == [.stored])
        #expect(try readable() == [true, false])
        try store.revokeToken(name: "g")
        #expect(try readable() == [false, false])
        // The request had begun before the revocation.
        #expect(try send(store, [reading(day: 21)], "g") == [.stored])
        _ = try store.addToken(name: "g", role: .gateway)
        #expect(try readable() == [false, false])
        _ = try store.assign("BP-1", to: people[1])
        #expect(try readable() == [false, false])
        #expect(try send(store, [reading()], "g") == [.known])
        #expect(try readable() == [false, true])
    }

    @Test("The access follows a device that was merged, and ends with the person", arguments: StoreKind.all)
    func mergedDevice(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try people(store)
        var byAddress = reading()
        byAddress.device = .init(address: "02:48:41:00:00:01")
        #expect(try send(store, [byAddress], "first") == [.stored])
        #expect(try send(store, [reading(day: 21)], "second") == [.stored])
        var both = reading(day: 22)
        both.device = .init(serial: "BP-1", address: "02:48:41:00:00:01")
        #expect(try send(store, [both], "third") == [.stored])
        #expect(try store.devices().count == 1)
        _ = try store.assign("BP-1", to: people[0])
        for gateway in ["first", "second", "third"] { #expect(try store.gateway(gateway, hasReadingsOf: people[0])) }
        _ = try store.deletePerson(people[0])
        _ = try store.assign("BP-1", to: people[1])
        for gateway in ["first", "second", "third"] { #expect(try !store.gateway(gateway, hasReadingsOf: people[1])) }
    }
}
