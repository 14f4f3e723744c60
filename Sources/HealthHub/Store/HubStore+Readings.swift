import Dispatch
import Foundation
import GRDB
import JSON

package struct ReadingResult: Sendable {
    /// The state of a reading in the store.
    package enum Status: String, Sendable, CaseIterable { case stored, known, refused }
    package var index: Int
    package var status: Status
    /// The identifier in the store; nil if the reading was refused or its person deleted.
    package var id: String?
    /// The reason of a refusal.
    package var problem: HubText?
    /// The identifier of the person to whom the reading belongs; nil if unassigned.
    package var person: String?
    /// The judgement; nil if the reading was refused.
    package var judgement: Judgement?
    /// True for a value that needs attention at once.
    package var isUrgent: Bool { judgement?.isUrgent == true }

    /// The result in the form of the API. It has every key, with null for nil, so that clients need no case
    /// distinction.
    fileprivate var json: JSONValue {
        [
            "id": .optional(id), "index": .int(index), "judgement": judgement?.json() ?? .null,
            "person": .optional(person),
            "problem": .optional(problem?.description), "status": .string(status.rawValue),
        ]
    }
}

package struct BatchResult: Sendable {
    /// One result for each reading, in the same order.
    package var results: [ReadingResult]
    /// The people to whom readings of the batch belong.
    package var people: Set<Int64>
    /// The states of these people after the transaction or later, as JSON.
    package var states: [Int64: String] = [:]

    /// The answer in the form of the API, in UTF-8.
    package var json: [UInt8] {
        let states = states.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }.joined(separator: ",")
        let results = JSONValue.array(results.map(\.json))
        return Array(#"{"results":\#(results.text),"states":{\#(states)}}"#.utf8)
    }
}

extension HubStore {
    /// The maximum number of readings in one batch.
    package static let largestBatch = 1000

    /// Stores readings in one transaction. A refused reading does not affect the others.
    /// - Parameters:
    ///   - gateway: the name of the gateway whose token was used.
    ///   - zone: the time zone of the wall time that devices show.
    /// - Throws: ``HubProblem``; nothing of the batch is stored then.
    package func store(
        _ readings: [SubmittedReading], gateway: String, arrived: Date = Date(), zone: TimeZone = .current
    ) throws -> BatchResult {
        guard readings.count <= Self.largestBatch else {
            throw HubProblem(.tooLarge, "a batch may have at most \(Self.largestBatch) readings")
        }
        let batch = PreparedBatch(readings, gateway: gateway, arrived: arrived, zone: zone)
        do {
            let written = try database.write(.readings) { db in
                var writer = ReadingWriter(db)
                return try writer.write([batch])[0]
            }
            return result(of: written)
        } catch {
            throw HubProblem(error)
        }
    }

    /// Stores readings in the caller's transaction.
    func store(
        _ readings: [SubmittedReading], gateway: String, scope: AccessScope? = nil, arrived: Date, zone: TimeZone,
        _ db: any StoreConnection
    ) throws -> BatchResult {
        var writer = ReadingWriter(db)
        let batch = PreparedBatch(readings, gateway: gateway, scope: scope, arrived: arrived, zone: zone)
        return result(of: try writer.write([batch])[0])
    }

    /// Judges the readings that a transaction has stored.
    func result(of written: [WrittenReading]) -> BatchResult {
        var batch = BatchResult(results: [], people: [])
        for (index, reading) in written.enumerated() {
            var result = ReadingResult(index: index, status: .known)
            switch reading {
            case .refused(let problem): (result.status, result.problem) = (.refused, problem.text)
            case .forgotten: result.judgement = .notJudged(reason: "the person of this reading was deleted")
            case .kept(let records):
                guard let (record, judgement) = representative(of: records) else { break }
                (result.status, result.id) = (record.isNew ? .stored : .known, String(record.id))
                result.person = record.person.map { String($0.id) }
                result.judgement = judgement
                if let person = record.person { batch.people.insert(person.id) }
            }
            batch.results.append(result)
        }
        return batch
    }

    /// Returns the record that represents a reading, with its judgement: of the new records, if there are any, the last
    /// urgent one, else the last one. Nil only for no records.
    private func representative(of records: [KeptRecord]) -> (KeptRecord, Judgement)? {
        let new = records.filter(\.isNew)
        let judged = (new.isEmpty ? records : new).map { record in
            (record, assessor.judge(record.measurement, of: record.person, at: record.taken))
        }
        return judged.last { $0.1.isUrgent } ?? judged.last
    }
}
