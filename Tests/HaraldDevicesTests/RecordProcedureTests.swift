import BluetoothProfiles
import HaraldDevices
import Testing

/// The requests and responses of a Record Access Control Point, without a device.
@Suite struct RecordProcedureTests {
    private typealias Point = RecordAccessControlPoint

    private static let incomplete: [Point.ResponseCode] = [
        .opCodeNotSupported, .invalidOperator, .operatorNotSupported, .invalidOperand, .init(rawValue: 7),
        .procedureNotCompleted, .operandNotSupported, .init(rawValue: 0), .init(rawValue: 200),
    ]

    private func response(_ code: Point.ResponseCode, to request: Point.OpCode = .report) -> Point {
        .response(to: request, code)
    }

    /// Returns the next request, and whether no record has shown that the device was reset; nil if the procedure ends.
    private func next(_ step: RecordProcedure.Step) -> (request: Point, isFirstSign: Bool)? {
        if case .request(let request, let isFirstSign) = step { (request, isFirstSign) } else { nil }
    }

    private func ends(_ procedure: inout RecordProcedure, with response: Point?) -> Bool {
        let hasEnded = next(procedure.receiveResponse(response)) == nil
        return hasEnded && !procedure.isInProgress
    }

    @Test func theFirstRequestSelectsTheRecords() {
        let selections: [StoredRecords] = [.all, .first, .last, .atMost(3), .atLeast(7), .range(2...9)]
        for records in selections {
            let procedure = RecordProcedure(resuming: records)
            #expect(procedure.request == Point(.report, records))
            #expect(procedure.isInProgress)
        }
        let request = Point(.delete, .atMost(7))
        let procedure = RecordProcedure(request)
        #expect(procedure.request == request)
        #expect(procedure.isInProgress)
    }

    @Test func resumptionContinuesAfterTheLastKnownRecord() {
        var procedure = RecordProcedure(resuming: .atLeast(7))
        #expect(procedure.receiveRecord(isKnown: true) == false)
        // Only the first record can show a reset.
        #expect(procedure.receiveRecord(isKnown: false) == false)
        #expect(procedure.receiveRecord(isKnown: false) == false)
        #expect(ends(&procedure, with: response(.success)))
    }

    @Test func resumptionWithoutNewRecordsEnds() {
        var procedure = RecordProcedure(resuming: .atLeast(7))
        #expect(procedure.receiveRecord(isKnown: true) == false)
        #expect(ends(&procedure, with: response(.success)))
    }

    @Test(arguments: [RecordAccessControlPoint.ResponseCode.success, .noRecordsFound])
    func anotherRecordFirstShowsAReset(_ code: RecordAccessControlPoint.ResponseCode) {
        var procedure = RecordProcedure(resuming: .atLeast(7))
        #expect(procedure.receiveRecord(isKnown: false) == true)
        // The reset is reported once, whatever follows.
        #expect(procedure.receiveRecord(isKnown: false) == false)
        #expect(procedure.receiveRecord(isKnown: true) == false)
        #expect(procedure.isInProgress)
        let all = next(procedure.receiveResponse(response(code)))
        #expect(all?.request == Point(.report, .all))
        #expect(all?.isFirstSign == false)
        #expect(procedure.isInProgress)
        // The records of the second report are new, and show nothing.
        #expect(procedure.receiveRecord(isKnown: false) == false)
        #expect(procedure.receiveRecord(isKnown: true) == false)
        #expect(ends(&procedure, with: response(.success)))
    }

    @Test(arguments: [RecordAccessControlPoint.ResponseCode.success, .noRecordsFound])
    func aResponseWithoutRecordsShowsAReset(_ code: RecordAccessControlPoint.ResponseCode) {
        var procedure = RecordProcedure(resuming: .atLeast(7))
        let all = next(procedure.receiveResponse(response(code)))
        #expect(all?.request == Point(.report, .all))
        #expect(all?.isFirstSign == true)
        #expect(procedure.isInProgress)
        #expect(procedure.receiveRecord(isKnown: false) == false)
        #expect(ends(&procedure, with: response(.success)))
    }

    @Test func allRecordsAreRequestedOnceOnly() {
        // A device that was reset and has stored nothing since.
        var procedure = RecordProcedure(resuming: .atLeast(7))
        #expect(next(procedure.receiveResponse(response(.noRecordsFound))) != nil)
        #expect(ends(&procedure, with: response(.noRecordsFound)))
    }

    @Test func aReportOfAllRecordsIsNotRepeated() {
        var procedure = RecordProcedure(resuming: .all)
        #expect(procedure.receiveRecord(isKnown: false) == false)
        #expect(ends(&procedure, with: response(.success)))
        var empty = RecordProcedure(resuming: .all)
        #expect(ends(&empty, with: response(.noRecordsFound)))
    }

    /// Only reports that resume know a last record.
    @Test func aSingleRequestIsNeverRepeated() {
        let requests = [
            Point(.report, .atLeast(7)), Point(.delete, .all), Point(.count, .atLeast(7)), Point(.report, .last),
        ]
        for request in requests {
            var procedure = RecordProcedure(request)
            #expect(procedure.receiveRecord(isKnown: false) == false)
            #expect(ends(&procedure, with: response(.success, to: request.opCode)))
            var empty = RecordProcedure(request)
            #expect(ends(&empty, with: response(.noRecordsFound, to: request.opCode)))
        }
    }

    @Test(arguments: incomplete) func anErrorEndsTheProcedure(_ code: RecordAccessControlPoint.ResponseCode) {
        #expect(!code.isComplete)
        var waiting = RecordProcedure(resuming: .atLeast(7))
        #expect(ends(&waiting, with: response(code)))
        var resumed = RecordProcedure(resuming: .atLeast(7))
        #expect(resumed.receiveRecord(isKnown: true) == false)
        #expect(ends(&resumed, with: response(code)))
        var wasReset = RecordProcedure(resuming: .atLeast(7))
        #expect(wasReset.receiveRecord(isKnown: false) == true)
        #expect(ends(&wasReset, with: response(code)))
        var repeated = RecordProcedure(resuming: .atLeast(7))
        #expect(next(repeated.receiveResponse(response(.noRecordsFound))) != nil)
        #expect(ends(&repeated, with: response(code)))
        var single = RecordProcedure(Point(.delete, .all))
        #expect(ends(&single, with: response(code, to: .delete)))
    }

    @Test func twoCodesAreComplete() {
        let complete = (UInt8.min...UInt8.max).filter { Point.ResponseCode(rawValue: $0).isComplete }
        #expect(complete == [1, 6])
    }

    @Test func aResponseThatCannotBeDecodedEndsTheProcedure() throws {
        var waiting = RecordProcedure(resuming: .atLeast(7))
        #expect(ends(&waiting, with: nil))
        var wasReset = RecordProcedure(resuming: .atLeast(7))
        #expect(wasReset.receiveRecord(isKnown: false) == true)
        #expect(ends(&wasReset, with: nil))
        // A response code without its value.
        let short = try Point(bytes: [6, 0, 1])
        #expect(short.response == nil)
        var shortened = RecordProcedure(resuming: .atLeast(7))
        #expect(ends(&shortened, with: short))
    }

    @Test func theNumberOfRecordsEndsItsRequest() {
        var procedure = RecordProcedure(Point(.count, .all))
        #expect(ends(&procedure, with: .count(300)))
        // A number does not report that all records were sent, so it does not show a reset.
        var resumed = RecordProcedure(resuming: .atLeast(7))
        #expect(ends(&resumed, with: .count(0)))
    }

    @Test func anAbortedRequestEnds() {
        var report = RecordProcedure(Point(.report, .all))
        #expect(report.receiveRecord(isKnown: false) == false)
        #expect(ends(&report, with: response(.success, to: .abort)))
        var resumed = RecordProcedure(resuming: .atLeast(7))
        #expect(resumed.receiveRecord(isKnown: true) == false)
        #expect(ends(&resumed, with: response(.success, to: .abort)))
    }

    /// An abort does not show a reset: the last record might have come next.
    @Test func anAbortBeforeTheFirstRecordEndsTheProcedure() {
        var procedure = RecordProcedure(resuming: .atLeast(7))
        #expect(ends(&procedure, with: response(.success, to: .abort)))
    }

    @Test func whatFollowsTheEndHasNoEffect() {
        var procedure = RecordProcedure(resuming: .atLeast(7))
        #expect(ends(&procedure, with: response(.operatorNotSupported)))
        #expect(procedure.receiveRecord(isKnown: false) == false)
        #expect(procedure.receiveRecord(isKnown: true) == false)
        #expect(ends(&procedure, with: response(.success)))
        #expect(ends(&procedure, with: response(.noRecordsFound)))
        #expect(ends(&procedure, with: nil))
        #expect(procedure.request == Point(.report, .atLeast(7)))
    }
}
