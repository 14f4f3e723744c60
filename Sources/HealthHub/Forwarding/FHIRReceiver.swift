import Forwarding
import Foundation
import JSON

/// A FHIR R4 server, with conditional creates in transactions.
struct FHIRReceiver: HTTPReceiverKind {
    let help = "fhir is the base address of a FHIR R4 server, which receives transactions with conditional create."
    let secret = ReceiverSecret.none

    /// Readings without a FHIR code, such as the context of a glucose value, are skipped.
    func accepts(_ message: OutboxMessage) -> Bool { message.fhir != nil }

    func observation(of reading: StoredReading) -> String? {
        FHIRResources.code(of: reading).map { FHIRResources.identifier(of: reading, code: $0) }
    }

    func request(for message: OutboxMessage, to receiver: Receiver) -> HTTPReceiverRequest? {
        message.fhir.map { bundle in
            HTTPReceiverRequest(
                headers: [("content-type", "application/fhir+json"), ("accept", "application/fhir+json")], body: bundle)
        }
    }

    /// Checks the response to a transaction. FHIR R4 requires a Bundle with one entry for each entry of the request
    /// (RESTful API, batch and transaction). Servers that respond with nothing, with a Bundle without entries or with
    /// an OperationOutcome without an error are accepted. Anything else, for example of a portal that requires a login,
    /// is no delivery: a repeated conditional create is harmless.
    func result(of request: HTTPReceiverRequest, answer: Data) -> Delivery {
        if answer.isEmpty { return .delivered }
        let problem = Delivery.failed("did not respond like a FHIR server\(Delivery.reason(answer))", after: nil)
        guard let resource = try? JSONValue(parsing: Array(answer)) else { return problem }
        switch resource["resourceType"]?.string {
        case "OperationOutcome":
            let severities = (resource["issue"]?.elements ?? []).compactMap { $0["severity"]?.string }
            return severities.contains(where: ["error", "fatal"].contains) ? problem : .delivered
        case "Bundle" where ["transaction-response", "batch-response"].contains(resource["type"]?.string): break
        default: return problem
        }
        let entries = resource["entry"]?.elements ?? []
        guard entries.isEmpty || entries.count == request.body["entry"]?.elements.count ?? 0 else { return problem }
        // A server that answers a transaction with 200 may still report a failed entry.
        let failures = entries.compactMap { entry -> (text: String, code: Int)? in
            let status = entry["response"]?["status"]
            let text = status?.string ?? status?.digits ?? ""
            // 201 in `201 Created`; 0 without a status.
            let code = Int(text.prefix(3)) ?? 0
            return (200..<300).contains(code) ? nil : (text, code)
        }
        if let failure = failures.first(where: { !Delivery.isPermanent($0.code) }) {
            let status = failure.text.prefix(32)
            return .failed(status.isEmpty ? "an entry has no status" : "an entry has the status \(status)", after: nil)
        }
        return failures.first.map { .refused("an entry has the status \($0.text.prefix(32))") } ?? .delivered
    }
}
