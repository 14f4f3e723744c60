import Explorer
import Harald
import Hummingbird
import WebServer

extension ExplorerAPI {
    var captureOperations: [APIOperation] {
        protected([
            APIOperation(
                method: .get, path: "/api/v1/capture", name: "capture", summary: "The capture of packets.",
                tag: "capture", answer: .json(.named("Capture"))
            ) { [self] _ in .json(captureState) },
            APIOperation(
                method: .post, path: "/api/v1/capture/start", name: "startCapture", summary: "Starts a new capture.",
                tag: "capture", answer: .json(.named("Capture"))
            ) { [self] _ in
                guard let capture else { throw Self.noCapture }
                try capture.start(at: .now)
                await model.note(.capture, "the capture started")
                return .json(captureState)
            },
            APIOperation(
                method: .post, path: "/api/v1/capture/stop", name: "stopCapture", summary: "Stops the capture.",
                tag: "capture", answer: .json(.named("Capture"))
            ) { [self] _ in
                guard let capture else { throw Self.noCapture }
                capture.stop()
                await model.note(.capture, "the capture stopped")
                return .json(captureState)
            },
            APIOperation(
                method: .get, path: "/api/v1/capture/file", name: "captureFile",
                summary: "The capture as btsnoop, for Wireshark and btmon.", tag: "capture",
                answer: .document(type: "application/octet-stream")
            ) { [self] _ in
                guard let file = capture?.file() else {
                    throw Problem.notFound("There is no capture.", advice: "POST /api/v1/capture/start starts one.")
                }
                return .file(file, type: "application/octet-stream", name: "harald.btsnoop")
            },
        ])
    }

    private var captureState: JSONValue {
        capture?.report.json ?? [
            "available": false, "state": "off", "packets": 0, "bytes": 0, "started": .null,
            "reason": "this server does not capture packets",
        ]
    }

    private static var noCapture: Problem {
        Problem(
            status: .conflict, type: "no-capture", title: "No capture", detail: "This server does not capture packets.",
            advice: "")
    }
}
