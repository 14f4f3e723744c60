import BluetoothProfiles
import Harald

/// The Record Access Control Point of a device that stores records.
struct RecordKeeper: Sendable {
    private typealias Request = RecordAccessControlPoint

    let stage: DeviceStage
    /// The characteristic that sends records. A central must be subscribed to it.
    let measurement: BluetoothUUID
    /// The numbers of the records, in ascending order.
    let numbers: @Sendable () -> [UInt16]
    /// Sends a record to a central.
    let send: @Sendable (UInt16, PeripheralID) async throws -> Void
    /// Deletes records; nil if the device does not support that.
    var delete: (@Sendable ([UInt16]) -> Void)?
    /// The interval between the records of a report.
    var pace = Self.usualPace

    static let usualPace = Duration.milliseconds(20)

    private static let task = "record access"

    /// Handles a request.
    func take(_ bytes: [UInt8], by central: PeripheralID) async throws {
        guard await stage.hasSubscribers(Request.uuid) else {
            // Client Characteristic Configuration Descriptor Improperly Configured
            throw ATTErrorCode(rawValue: 0xFD)
        }
        guard let request = try? Request(bytes: bytes) else { throw ATTErrorCode(rawValue: 0x0D) }
        if request.opCode == .abort {
            stage.cancel(Self.task)
            return answer(.response(to: .abort, .success), to: central)
        }
        // Procedure Already in Progress
        if stage.isRunning(Self.task) { throw ATTErrorCode(rawValue: 0xFE) }
        guard [.report, .delete, .count].contains(request.opCode), request.opCode != .delete || delete != nil else {
            return answer(.response(to: request.opCode, .opCodeNotSupported), to: central)
        }
        guard let records = request.records else {
            let code: Request.ResponseCode =
                request.operator == .none
                ? .invalidOperator
                : request.operator.rawValue > 6 ? .operatorNotSupported : .invalidOperand
            return answer(.response(to: request.opCode, code), to: central)
        }
        let chosen = records.selected(among: numbers())
        switch request.opCode {
        case .count: answer(.count(UInt16(chosen.count)), to: central)
        case .delete:
            delete?(chosen)
            answer(.response(to: .delete, chosen.isEmpty ? .noRecordsFound : .success), to: central)
        default: report(chosen, to: central)
        }
    }

    private func report(_ chosen: [UInt16], to central: PeripheralID) {
        stage.run(Self.task) { [self] in
            for number in chosen {
                try await send(number, central)
                try await stage.wait(pace)
            }
            // The central may send the next request as soon as it has confirmed the answer.
            answer(.response(to: .report, chosen.isEmpty ? .noRecordsFound : .success), to: central)
        }
    }

    /// Answers in a task of its own, so that the write response precedes the answer.
    private func answer(_ answer: RecordAccessControlPoint, to central: PeripheralID) {
        let stage = stage
        stage.run("record access answer") { await stage.send(answer, to: central) }
    }

    func disconnected() { stage.cancel(Self.task) }
}
