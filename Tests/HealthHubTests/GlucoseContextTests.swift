import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

/// Contexts of the measurements of a meter that was reset, and numbers its records from 1 again. Each reading is sent
/// in a request of its own, unless a test says otherwise.
@Suite("Contexts of glucose measurements after a reset", .blocksThread)
struct GlucoseContextTests {
    private let arrived = Date(timeIntervalSince1970: 1_795_200_000)

    private func octets(_ characteristic: String, _ hex: String, id: String?, time: String?) -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: "G-1")
        (reading.characteristic, reading.hex) = (characteristic, hex)
        (reading.id, reading.deviceTime) = (id, time)
        return reading
    }

    /// Number 7 on a day of November 2026 at 8:00, 100 mg/dL.
    private func measurement(day: UInt8) -> SubmittedReading {
        octets("2A18", "020700EA070B\([day].hexText())08000064B011", id: UUID().uuidString, time: nil)
    }

    /// The context of number 7.
    /// - Parameters:
    ///   - day: the day of the measurement; nil if it is not sent.
    ///   - id: the identifier of the gateway's queue.
    private func context(of day: Int? = nil, meal: UInt8 = 1, id: String = UUID().uuidString) -> SubmittedReading {
        octets("2A34", "020700\([meal].hexText())", id: id, time: day.map { "2026-11-\($0)T08:00:00" })
    }

    private func status(_ store: HubStore, _ reading: SubmittedReading) throws -> ReadingResult.Status? {
        try store.store([reading], gateway: "g", arrived: arrived, zone: .gmt).results.first?.status
    }

    /// Stores the measurement of day 10 with its context, and deletes their person.
    private func storeAndDelete(_ context: SubmittedReading, _ store: HubStore) throws {
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30").id
        _ = try store.assign("G-1", to: anna)
        #expect(try status(store, measurement(day: 10)) == .stored)
        #expect(try status(store, context) == .stored)
        #expect(try store.deletePerson(anna).readings == 2)
    }

    @Test("A context without a time belongs to the last measurement with its number", arguments: StoreKind.all)
    func withoutTime(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        for day: UInt8 in [10, 11] {
            #expect(try status(store, measurement(day: day)) == .stored)
            #expect(try status(store, context()) == .stored, "\(day)")
            // The memory is read again, from its beginning or not.
            #expect(try status(store, context()) == .known)
            #expect(try status(store, measurement(day: day)) == .known)
            #expect(try status(store, context()) == .known)
        }
        // The queue of another gateway with what the meter sent before its reset.
        #expect(try status(store, measurement(day: 10)) == .known)
        #expect(try status(store, context()) == .known)
        let batch = [measurement(day: 10), context(), measurement(day: 11), context()]
        #expect(
            try store.store(batch, gateway: "g", arrived: arrived, zone: .gmt).results.map(\.status)
                == [.known, .known, .known, .known])
    }

    @Test("A context that its gateway sends again belongs to no later measurement", arguments: StoreKind.all)
    func sentAgain(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        #expect(try status(store, measurement(day: 10)) == .stored)
        #expect(try status(store, context(id: "a")) == .stored)
        #expect(try status(store, measurement(day: 11)) == .stored)
        #expect(try status(store, context(id: "a")) == .known)
        #expect(try status(store, context(meal: 2, id: "b")) == .stored)
        // The last measurement has another context.
        #expect(try status(store, context(id: "c")) == .known)
    }

    @Test("A context with a time belongs to the measurement at that time", arguments: StoreKind.all)
    func withTime(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        #expect(try status(store, measurement(day: 10)) == .stored)
        #expect(try status(store, context(of: 10)) == .stored)
        #expect(try status(store, measurement(day: 11)) == .stored)
        #expect(try status(store, context(of: 10)) == .known)
        #expect(try status(store, context(of: 11)) == .stored)
        for day in [10, 11] { #expect(try status(store, context(of: day)) == .known) }
        #expect(try status(store, context()) == .known)
        // Before its measurement.
        #expect(try status(store, context(of: 12)) == .stored)
        #expect(try status(store, measurement(day: 12)) == .stored)
        #expect(try status(store, context(of: 12)) == .known)
        #expect(try status(store, context()) == .known)
        // Without regard to the measurement before it in the request.
        let batch = [measurement(day: 11), context(of: 10), context(of: 12)]
        #expect(
            try store.store(batch, gateway: "g", arrived: arrived, zone: .gmt).results.map(\.status)
                == [.known, .known, .known])
    }

    @Test("A context that was stored without its time is recognized with it", arguments: StoreKind.all)
    func timeIsAdded(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        #expect(try status(store, context(meal: 3)) == .stored)
        #expect(try status(store, measurement(day: 10)) == .stored)
        #expect(try status(store, context()) == .stored)
        #expect(try status(store, context(of: 10)) == .known)
        #expect(try status(store, context(of: 10, meal: 3)) == .known)
    }

    @Test("A context that was stored without its measurement belongs to the first one", arguments: StoreKind.all)
    func orphan(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        #expect(try status(store, context()) == .stored)
        #expect(try status(store, measurement(day: 10)) == .stored)
        #expect(try status(store, context(of: 10)) == .known)
        #expect(try status(store, measurement(day: 11)) == .stored)
        #expect(try status(store, context(of: 11)) == .stored)
        #expect(try status(store, context(of: 11)) == .known)
    }

    @Test("The context of a deleted person is known without its measurement", arguments: StoreKind.all)
    func forgottenAlone(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        try storeAndDelete(context(), store)
        #expect(try status(store, context()) == .known)
        #expect(try status(store, measurement(day: 10)) == .known)
        #expect(try status(store, context()) == .known)
        // Of another person, after a reset.
        #expect(try status(store, measurement(day: 11)) == .stored)
        #expect(try status(store, context()) == .stored)
        #expect(try status(store, context(of: 11)) == .known)
    }

    @Test("The context of a deleted measurement is not stored again", arguments: StoreKind.all)
    func forgotten(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        try storeAndDelete(context(of: 10), store)
        #expect(try status(store, measurement(day: 10)) == .known)
        #expect(try status(store, context(of: 10)) == .known)
        #expect(try status(store, measurement(day: 11)) == .stored)
        #expect(try status(store, context(of: 11)) == .stored)
    }
}
