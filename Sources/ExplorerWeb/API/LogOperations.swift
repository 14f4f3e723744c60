import Explorer
import Harald
import Hummingbird
import WebServer

extension ExplorerAPI {
    var logOperations: [APIOperation] {
        [
            APIOperation(
                method: .get, path: "/api/v1/log", name: "log", summary: "The newest entries of the log.", tag: "log",
                query: [
                    APIParameter(
                        name: "after", text: "Only entries after this sequence number.",
                        schema: .integer(0...Int(Int32.max))),
                    APIParameter(name: "limit", text: "The maximum number of entries.", schema: .integer(0...10_000)),
                    APIParameter(name: "device", text: "Only entries about this device.", schema: Schemas.identifier),
                ],
                answer: .json(.object(["entries": .list(.named("LogEntry")), "dropped": .integer()]))
            ) { [self] call in
                let entries = await model.logEntries(
                    after: call.value("after").flatMap { Int($0) } ?? 0,
                    limit: call.value("limit").flatMap { Int($0) } ?? 10_000,
                    of: call.value("device").flatMap { PeripheralID($0) })
                return .json([
                    "entries": .array(entries.map(\.json)), "dropped": .int(await model.droppedLogEntries),
                ])
            },
            APIOperation(
                method: .get, path: "/api/v1/log.jsonl", name: "logLines", summary: "The log as JSON Lines.",
                tag: "log",
                answer: .document(type: "application/jsonl")
            ) { [self] _ in
                let text = await model.logEntries().map { $0.json.text + "\n" }.joined()
                return .file(Array(text.utf8), type: "application/jsonl", name: "harald-log.jsonl")
            },
            APIOperation(
                method: .get, path: "/api/v1/script", name: "script",
                summary: "What was done, as a script for `harald run`; passkeys are variables.", tag: "log",
                answer: .document(type: "application/yaml")
            ) { [self] _ in
                guard let text = options.script?() else {
                    throw Problem.notFound("This server does not record a script.")
                }
                return .file(Array(text.utf8), type: "application/yaml", name: "script.yaml")
            },
            APIOperation(
                method: .get, path: "/api/v1/log.csv", name: "logTable", summary: "The log as comma-separated values.",
                tag: "log", answer: .document(type: "text/csv")
            ) { [self] _ in
                let lines = [LogEntry.csvHeader] + (await model.logEntries().map(\.csv))
                let text = lines.joined(separator: "\r\n") + "\r\n"
                return .file(Array(text.utf8), type: "text/csv", name: "harald-log.csv")
            },
        ]
    }
}
