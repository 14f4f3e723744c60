import BluetoothProfiles

/// A procedure of a Record Access Control Point, without I/O: its user writes the requests, and passes on what the
/// device sends.
///
/// A procedure that resumes a report requests the last record that was received before, and those after it. If the
/// device sends another record first, or none, it was reset and numbers its records anew. The procedure then requests
/// all records.
package struct RecordProcedure: Sendable {
    private enum State {
        /// The last record that was received before comes next, unless the device was reset.
        case awaitsLast
        case inProgress
        /// A record has shown that the device was reset. All records are requested when this report has ended.
        case wasReset
        case ended
    }

    /// The consequence of a response.
    package enum Step: Sendable {
        /// The procedure continues with this request. `isFirstSign` is true if no record has shown that the device was
        /// reset.
        case request(RecordAccessControlPoint, isFirstSign: Bool)
        case end
    }

    /// The first request.
    package let request: RecordAccessControlPoint
    private var state: State

    /// Creates a procedure of one request.
    package init(_ request: RecordAccessControlPoint) {
        (self.request, state) = (request, .inProgress)
    }

    /// Creates a procedure that reports records.
    /// - Parameter records: all records, or the last one that was received before and those after it.
    package init(resuming records: StoredRecords) {
        request = RecordAccessControlPoint(.report, records)
        state = records == .all ? .inProgress : .awaitsLast
    }

    /// True until the response that ends the procedure.
    package var isInProgress: Bool { state != .ended }

    /// Receives a record.
    /// - Parameter isKnown: true if the record was received before.
    /// - Returns: True if this record shows that the device was reset.
    package mutating func receiveRecord(isKnown: Bool) -> Bool {
        guard state == .awaitsLast else { return false }
        state = isKnown ? .inProgress : .wasReset
        return !isKnown
    }

    /// Receives a response.
    /// - Parameter response: the value of the control point; nil if it cannot be decoded.
    package mutating func receiveResponse(_ response: RecordAccessControlPoint?) -> Step {
        let isFirstSign = state == .awaitsLast
        guard isFirstSign || state == .wasReset, let answer = response?.response,
            answer.request == request.opCode, answer.code.isComplete
        else {
            state = .ended
            return .end
        }
        state = .inProgress
        return .request(RecordAccessControlPoint(.report, .all), isFirstSign: isFirstSign)
    }
}

extension RecordAccessControlPoint.ResponseCode {
    /// True if the device has processed all records that were requested.
    package var isComplete: Bool { self == .success || self == .noRecordsFound }
}
