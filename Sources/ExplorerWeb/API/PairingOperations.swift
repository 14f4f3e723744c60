import Explorer
import Harald
import Hummingbird
import WebServer

extension ExplorerAPI {
    var pairingOperations: [APIOperation] {
        [
            APIOperation(
                method: .get, path: "/api/v1/pairing", name: "questions", summary: "The open questions of this viewer.",
                tag: "pairing", answer: .json(.object(["questions": .list(.named("Question"))])), hasViewer: true
            ) { [self] call in
                let questions = await model.pairingRequests(for: call.viewer)
                return .json(["questions": .array(questions.map(\.json))])
            },
            APIOperation(
                method: .post, path: "/api/v1/pairing/{id}", name: "answer", summary: "Answers a pairing question.",
                tag: "pairing",
                body: .oneOf([
                    .body(["accept": APISchema(["type": "boolean", "enum": [true]])], required: ["accept"]),
                    .body(["refuse": APISchema(["type": "boolean", "enum": [true]])], required: ["refuse"]),
                    .body(["passkey": .integer(0...999_999)], required: ["passkey"]),
                ]), needsBody: true, answer: .json(.object(["id": Schemas.text, "answered": .flag])), isProtected: true,
                hasViewer: true
            ) { [self] call in try await answer(call) },
            APIOperation(
                method: .get, path: "/api/v1/bonds", name: "bonds", summary: "The bonded devices.",
                tag: "pairing", answer: .json(.object(["bonds": .list(.named("Bond"))])), isProtected: true
            ) { [self] _ in .json(["bonds": .array(await model.bonds.map(\.json))]) },
            APIOperation(
                method: .delete, path: "/api/v1/bonds", name: "forgetBonds",
                summary: "Deletes all bonds.", tag: "pairing",
                answer: .json(.object(["forgotten": .integer()])), isProtected: true
            ) { [self] _ in .json(["forgotten": .int(await model.forgetBonds())]) },
            APIOperation(
                method: .delete, path: "/api/v1/bonds/{id}", name: "forgetBond",
                summary: "Deletes the bond with a device.", tag: "pairing",
                answer: .json(.object(["id": Schemas.identifier, "forgotten": .flag])), isProtected: true
            ) { [self] call in
                let id = try device(call)
                guard await model.forgetBond(id) else { throw Problem.notFound("There is no bond with \(id).") }
                return .json(["id": .string(id.description), "forgotten": true])
            },
        ]
    }

    private func answer(_ call: APICall) async throws -> Response {
        let id = try call.context.parameter("id")
        guard let question = await model.pairingRequest(id) else {
            throw Problem.notFound("There is no open question '\(id)'.", advice: "Questions are open for 30 seconds.")
        }
        // A session may answer for all its viewers.
        let session = call.context.sessionID
        let owner = question.viewer.rawValue
        guard
            owner == call.viewer.rawValue || owner == session
                || call.request.viewer == nil && owner.hasPrefix(session + "/")
        else {
            throw Problem.forbidden(
                "The question belongs to another viewer.", advice: "The viewer that started pairing must answer.")
        }
        let answer: PairingAnswer =
            if let passkey = call.body["passkey"]?.number {
                .passkey(UInt32(passkey))
            } else if call.body["accept"] != nil {
                .accept
            } else {
                .refuse
            }
        if case .enterPasskey = question.question, answer == .accept {
            throw InputError("this question requires {\"passkey\":123456}, the number that the device shows")
        }
        guard await model.answer(id, answer) else { throw Problem.notFound("The question '\(id)' has already ended.") }
        return .json(["id": .string(id), "answered": true])
    }
}
