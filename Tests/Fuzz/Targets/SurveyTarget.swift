import BluetoothModel
import Workbench

extension FuzzTarget {
    /// The discovery of `harald check`, whose responses are the input: each request receives the next one.
    ///
    /// Invariants: it ends; the numbers of requests, attributes and faults are bounded.
    static let survey = FuzzTarget(
        "survey", "discovery for a check", maximumLength: 1024,
        seeds: {
            let services: [UInt8] = [14, 0x11, 6, 1, 0, 7, 0, 0, 0x18, 8, 0, 0xFF, 0xFF, 0x0D, 0x18]
            let reversed: [UInt8] = [8, 0x11, 6, 0xFF, 0xFF, 1, 0, 0, 0x18]
            let notFound: [UInt8] = [5, 1, 0x10, 8, 0, 0x0A]
            let characteristics: [UInt8] = [16, 9, 7, 2, 0, 2, 3, 0, 0, 0x2A, 4, 0, 0x10, 5, 0, 1, 0x2A]
            let descriptors: [UInt8] = [10, 5, 1, 3, 0, 2, 0x29, 0xFF, 0xFF, 4, 0x29]
            return [
                services + notFound + notFound + characteristics + notFound + notFound + descriptors, reversed,
                notFound + services + notFound + characteristics + characteristics,
            ]
        },
        run: { (view) throws(Finding) in
            let bytes = view.array
            let outcome = Blocking.run { try await survey(bytes) }
            if case .failure(let error) = outcome { throw error as? Finding ?? Finding("\(error)") }
        })

    private static func survey(_ bytes: [UInt8]) async throws {
        var (offset, requests) = (0, 0)
        let survey = CheckSurvey(
            send: { request in
                requests += 1
                try require(requests < 20_000, "\(requests) requests")
                guard offset < bytes.count else { return [0x01, request[0], 1, 0, 0x0A] }
                let end = min(offset + 1 + Int(bytes[offset]), bytes.count)
                defer { offset = end }
                return Array(bytes[(offset + 1)..<end])
            }, read: { handle in .bytes([UInt8(truncatingIfNeeded: handle)]) })
        try await survey.run()
        try require(survey.database.faults.count <= 64, "\(survey.database.faults.count) faults")
        try require(survey.database.attributes.count < 4500, "\(survey.database.attributes.count) attributes")
    }
}
