import Explorer
import Harald
import Testing

@testable import ExplorerWeb

@Suite(.timeLimit(.minutes(5))) struct APITests {
    @Test func devicesAreListedFilteredAndDescribed() async throws {
        try await APIRig.run { rig in
            let id = try await rig.lamp()
            let list = try await rig.get("/devices?name=LAM&rssi=-100")
            let device = try #require(list["devices"]?.elements.first)
            #expect(list["hidden"] == 0)
            for key in ["id", "name", "rssi", "services", "connectable", "interval", "lastSeen"] {
                #expect(device[key] != nil, "\(key)")
            }
            #expect(device["services"] == ["FFF0"])
            #expect(try await rig.get("/devices?name=nothing") == ["devices": [], "hidden": 1, "total": 1])
            #expect(try await rig.get("/devices?name=no+lamp%21&data=FF+%3F%3F")["hidden"] == 1)
            let detail = try await rig.get("/devices/\(id)")
            #expect(detail["fields"]?.elements.isEmpty == false)
            #expect(detail["history"]?.elements.isEmpty == false)
            #expect(detail["link"]?["state"] == "disconnected")
            let csv = try await rig.send("GET", "/api/v1/rssi.csv?device=\(id)")
            #expect(csv.text.hasPrefix("time,id,name,rssi\r\n"))
        }
    }

    @Test func devicesAreFoundInTheLanguageOfExploreAndNamed() async throws {
        try await APIRig.run { rig in
            let id = try await rig.lamp()
            #expect(try await rig.get("/devices?filter=lam+connectable+named+rssi:")["hidden"] == 0)
            #expect(try await rig.get("/devices?filter=service%3A180D")["hidden"] == 1)
            let wrong = try await rig.send("GET", "/api/v1/devices?filter=colour%3Ared")
            #expect(wrong.status == 409 && wrong.json["detail"]?.string?.contains("'colour:'") == true)
            let named = try await rig.send("PUT", "/api/v1/devices/\(id)/alias", #"{"alias":"Desk"}"#)
            #expect(named.json["title"] == "Desk" && named.json["name"] == "Lamp")
            #expect(try await rig.get("/devices?filter=desk")["hidden"] == 0)
            let removed = try await rig.send("PUT", "/api/v1/devices/\(id)/alias", #"{"alias":null}"#)
            #expect(removed.json["title"] == "Lamp" && removed.json["alias"] == .null)
        }
    }

    @Test func aWrongMemberIsNamedAndNotAMissingOneOfAnotherForm() async throws {
        try await APIRig.run { rig in
            let answer = try await rig.send("POST", "/api/v1/pairing/x", #"{"passkey":1234567}"#)
            #expect(answer.status == 400)
            #expect(answer.json["detail"] == "'passkey' is more than 999999.", "\(answer.text)")
            #expect(answer.json["detail"]?.string?.contains("accept") == false)
        }
    }

    @Test func bytesAreDecoded() async throws {
        try await APIRig.run { rig in
            let battery = try await rig.get("/decode?uuid=2A19&hex=55")
            #expect(battery["parts"]?.elements.first?["text"] == "85")
            #expect(battery["parts"]?.elements.first?["unit"] == "%")
            #expect(try await rig.get("/decode?uuid=2A19&hex=5555")["problem"] != nil)
            #expect(try await rig.send("GET", "/api/v1/decode?uuid=x&hex=55").status == 400)
            // The encoded bytes of a value given as text.
            #expect(try await rig.get("/decode?uuid=FFF1&value=AA%20u16:500")["hex"] == "AAF401")
            let wrong = try await rig.send("GET", "/api/v1/decode?uuid=FFF1&value=u8:256")
            #expect(wrong.json["detail"]?.string?.contains("'256' is not a number that fits") == true, "\(wrong.text)")
        }
    }

    @Test func aCloneGoesOnTheAir() async throws {
        try await APIRig.run { rig in
            let id = try await rig.lamp()
            try await rig.post("/devices/\(id)/connect")
            let clone = try await rig.post("/air/devices", #"{"clone":"\#(id)"}"#)
            #expect(clone["name"] == "Lamp" && clone["address"] != "C0:00:00:00:00:01")
            #expect(try await rig.get("/air")["devices"]?.elements.count == 2)
            let file = try await rig.send("GET", "/api/v1/air/devices/\(clone["id"]?.string ?? "")/file")
            #expect(file.text.contains("FFF1"))
        }
    }

    @Test func valuesAreReadWrittenAndSubscribedTo() async throws {
        try await APIRig.run { rig in
            let id = try await rig.lamp()
            let events = try await rig.events(viewer: "page")
            #expect(try await events.next().data["viewer"] == "page")
            let link = try await rig.post("/devices/\(id)/connect", viewer: "page")
            #expect(link["state"] == "connected")
            #expect(try await events.next("connection") { $0["state"] == "connected" }.data["id"] == .string(id))
            let handle = try await rig.handle("FFF1", of: id)
            let path = "/devices/\(id)/attributes/\(handle)"
            let read = try await rig.post(path + "/read")
            #expect(read["hex"] == "01")
            #expect(read["handle"] == .int(handle))
            #expect(read["device"]?["name"] == "Lamp")
            let written = try await rig.post(path + "/write", #"{"value":"u16:500","response":true}"#)
            #expect(written["hex"] == "F401")
            #expect(written["acknowledged"] == true)
            #expect(try await rig.post(path + "/read")["hex"] == "F401")
            let ramp = try await rig.handle("FFF2", of: id)
            let subscribed = try await rig.post("/devices/\(id)/attributes/\(ramp)/subscribe", viewer: "page")
            #expect(subscribed == ["id": .string(id), "handle": .int(ramp), "subscribed": true, "subscribers": 1])
            let value = try await events.next("value") { $0["handle"] == .int(ramp) }.data
            #expect(value["id"] == .string(id))
            #expect(value["hex"]?.string?.count == 2)
            let ended = try await rig.post("/devices/\(id)/attributes/\(ramp)/unsubscribe", viewer: "page")
            #expect(ended["subscribers"] == 0)
            let values = try await rig.get(path + "/values")
            #expect(values["values"]?.elements.count == 3)
            #expect(try await rig.post("/devices/\(id)/disconnect", viewer: "page")["state"] == "disconnected")
        }
    }

    @Test func invalidRequestsAreProblemResponses() async throws {
        try await APIRig.run { rig in
            let id = try await rig.lamp()
            let cases: [(String, String, String?, Int)] = [
                ("GET", "/api/v1/rssi.csv?device=nobody", nil, 400),
                ("GET", "/api/v1/rssi.csv?device=\(id)&device=48415241-4C44-8000-8001-C0000000000F", nil, 404),
                ("GET", "/api/v1/devices/nobody", nil, 404), ("GET", "/api/v1/devices?rssi=loud", nil, 400),
                ("GET", "/api/v1/devices?colour=red", nil, 400), ("DELETE", "/api/v1/devices", nil, 405),
                ("GET", "/api/v1/devices/\(id)/tree", nil, 409), ("POST", "/api/v1/devices/\(id)/connect", "{", 400),
                ("POST", "/api/v1/devices/\(id)/connect", #"{"timeout":"long"}"#, 400),
                ("POST", "/api/v1/devices/\(id)/attributes/3/write", #"{"response":true}"#, 400),
                ("POST", "/api/v1/devices/\(id)/attributes/3/write", #"{"value":"u8:300"}"#, 409),
                ("POST", "/api/v1/pairing/none", #"{"accept":true}"#, 404),
                ("POST", "/api/v1/pairing/none", #"{"accept":true,"refuse":true}"#, 400),
                ("POST", "/api/v1/air/devices", #"{"yaml":"name: [1"}"#, 409), ("GET", "/api/v1/nothing", nil, 404),
            ]
            for (method, path, body, status) in cases {
                let answer = try await rig.send(method, path, body)
                #expect(answer.status == status, "\(method) \(path): \(answer.text)")
                #expect(answer.type == "application/problem+json", "\(path)")
                for key in ["type", "title", "status", "detail", "advice"] {
                    #expect(answer.json[key] != nil, "\(path): \(key)")
                }
            }
            #expect(try await rig.send("GET", "/api/v1/devices", authorized: false).status == 401)
            #expect(try await rig.send("GET", "/health", authorized: false).json == ["status": "ok"])
            let foreign = try await rig.send("POST", "/api/v1/devices/\(id)/connect", viewer: "nobody")
            #expect(foreign.status == 409)
        }
    }

    @Test func theConnectOfAClientThatLeavesIsCancelled() async throws {
        try await APIRig.run { rig in
            let id = try await rig.lamp()
            let air = try await rig.get("/air")
            let device = try #require(air["devices"]?.elements.first?["id"]?.string)
            let faults = try await rig.send("PATCH", "/api/v1/air/devices/\(device)", #"{"faults":{"silent":true}}"#)
            #expect(faults.status == 200, "\(faults.text)")
            let events = await rig.model.events()
            let connecting = Task { try await rig.send("POST", "/api/v1/devices/\(id)/connect", #"{"timeout":300}"#) }
            try await within("the end of the attempt") {
                for await event in events {
                    guard case .connection(let report) = event else { continue }
                    if report.phase == .connecting { connecting.cancel() }
                    if report.phase == .disconnected { return }
                }
            }
        }
    }

    @Test func aReadOnlyServerReadsAndSubscribesOnly() async throws {
        try await APIRig.run(isReadOnly: true) { rig in
            let id = try await rig.lamp()
            try await rig.post("/devices/\(id)/connect")
            let handle = try await rig.handle("FFF1", of: id)
            try await rig.post("/devices/\(id)/attributes/\(handle)/read")
            for (method, path, body) in [
                ("POST", "/devices/\(id)/attributes/\(handle)/write", #"{"value":"00"}"#),
                ("POST", "/devices/\(id)/pair", nil), ("DELETE", "/bonds/\(id)", nil),
                ("POST", "/air/devices", #"{"twin":"polar-h7"}"#), ("POST", "/capture/start", nil),
            ] as [(String, String, String?)] {
                #expect(try await rig.send(method, "/api/v1" + path, body).status == 403, "\(path)")
            }
        }
    }

    @Test func onlyTheViewerThatStartedPairingAnswersTheQuestion() async throws {
        try await APIRig.run { rig in
            let id = try await rig.lamp()
            let events = try await rig.events(viewer: "page")
            _ = try await events.next("hello")
            let other = try await rig.events(viewer: "other")
            _ = try await other.next("hello")
            try await rig.post("/devices/\(id)/connect", viewer: "page")
            let handle = try await rig.handle("FFF3", of: id)
            let pairing = Task {
                try await rig.send("POST", "/api/v1/devices/\(id)/attributes/\(handle)/read", viewer: "page")
            }
            let question = try await events.next("pairing").data
            #expect(question["device"] == .string(id))
            #expect(question["question"] == "confirm")
            let key = try #require(question["id"]?.string)
            let refused = try await rig.send("POST", "/api/v1/pairing/\(key)", #"{"accept":true}"#, viewer: "other")
            #expect(refused.status == 403)
            try await rig.post("/pairing/\(key)", #"{"accept":true}"#, viewer: "page")
            #expect(try await pairing.value.json["hex"] == "05")
            let link = try await rig.get("/devices/\(id)/connection")
            #expect(link["security"] == "encrypted")
            #expect(link["bonded"] == true)
            let bonds = try await rig.get("/bonds")
            let bond = try #require(bonds["bonds"]?.elements.first?["id"]?.string)
            #expect(try await rig.send("DELETE", "/api/v1/bonds/\(bond)").status == 200)
            #expect(try await rig.send("DELETE", "/api/v1/bonds/\(bond)").status == 404)
            // The other viewer received the end of the bond, and no question before.
            let heard = try await other.next("log") { $0["kind"] == "bond" }
            #expect(!heard.id.isEmpty)
        }
    }

    @Test func aReconnectingClientResumesItsEvents() async throws {
        try await APIRig.run { rig in
            let id = try await rig.lamp()
            let first = try await rig.events(viewer: "page")
            let hello = try await first.next("hello")
            await rig.model.note(.scan, "one")
            let last = try await first.next("log") { $0["text"] == "one" }
            await rig.model.note(.scan, "two")
            let again = try await rig.events(viewer: "page", after: last.id)
            #expect(try await again.next("hello").data["boot"] == hello.data["boot"])
            #expect(try await again.next("log").data["text"] == "two")
            let stranger = try await rig.events(viewer: "page", after: "before-7")
            _ = try await stranger.next("hello")
            #expect(try await stranger.next("missed").data["count"]?.integer ?? 0 > 0)
            _ = id
        }
    }

    @Test func virtualDevicesAreManagedOverTheAPI() async throws {
        try await APIRig.run { rig in
            let lamp = try await rig.lamp()
            let air = try await rig.get("/air")
            #expect(air["available"] == true)
            #expect(air["devices"]?.elements.first?["device"] == .string(lamp))
            let checked = try await rig.post("/air/check", #"{"yaml":"name: A\nservice: 1"}"#)
            #expect(checked["valid"] == false)
            #expect(checked["errors"]?.elements.first?["line"] == 2)
            let added = try await rig.post("/air/devices", #"{"twin":"polar-h7","distance":3}"#)
            let id = try #require(added["id"]?.string)
            #expect(added["distance"] == 3)
            let moved = try await rig.send(
                "PATCH", "/api/v1/air/devices/\(id)", #"{"distance":9,"faults":{"silent":true,"loss":0.5}}"#)
            #expect(moved.json["distance"] == 9)
            #expect(moved.json["faults"]?["silent"] == true)
            let events = try await rig.events()
            try await rig.post("/devices/\(lamp)/connect")
            try await rig.post("/air/devices/1/cut")
            let lost = try await events.next("connection") { $0["reason"] != .null && $0["state"] == "disconnected" }
            #expect(lost.data["id"] == .string(lamp))
            #expect(try await rig.send("DELETE", "/api/v1/air/devices/\(id)").status == 200)
            #expect(try await rig.send("GET", "/api/v1/air/devices/\(id)").status == 404)
        }
    }

    @Test func aCaptureIsStartedStoppedAndDownloaded() async throws {
        try await APIRig.run { rig in
            #expect(try await rig.send("GET", "/api/v1/capture/file").status == 404)
            #expect(try await rig.post("/capture/start")["state"] == "running")
            let id = try await rig.lamp()
            try await rig.post("/devices/\(id)/connect")
            #expect(try await rig.post("/capture/stop")["packets"]?.integer ?? 0 > 0)
            let file = try await rig.send("GET", "/api/v1/capture/file")
            #expect(file.body.starts(with: Array("btsnoop".utf8)))
        }
    }

    /// An empty answer would be taken for an empty device: attributes are discovered, or the request is refused.
    @Test func whatIsNotKnownYetIsNoEmptyAnswer() async throws {
        try await APIRig.run { rig in
            let id = try await rig.lamp()
            for path in ["tree", "clone", "attributes/3/values"] {
                let answer = try await rig.send("GET", "/api/v1/devices/\(id)/\(path)")
                #expect(answer.status == 409, "\(path): \(answer.text)")
                #expect(answer.json["advice"] == "connect first", "\(path): \(answer.text)")
            }
            try await rig.post("/devices/\(id)/connect")
            let values = try await rig.send("GET", "/api/v1/devices/\(id)/attributes/999/values")
            #expect(values.status == 404, "\(values.text)")
        }
    }

    @Test func theLogAndTheCloneAreExported() async throws {
        try await APIRig.run { rig in
            let id = try await rig.lamp()
            try await rig.post("/devices/\(id)/connect")
            let handle = try await rig.handle("FFF1", of: id)
            try await rig.post("/devices/\(id)/attributes/\(handle)/read")
            let lines = try await rig.send("GET", "/api/v1/log.jsonl").text.split(separator: "\n")
            #expect(lines.allSatisfy { (try? JSONValue(parsing: Array($0.utf8))) != nil })
            let table = try await rig.send("GET", "/api/v1/log.csv").text
            #expect(table.hasPrefix("sequence,time,kind"))
            let entries = try await rig.get("/log?limit=2")["entries"]?.elements
            #expect(entries?.count == 2)
            let clone = try await rig.send("GET", "/api/v1/devices/\(id)/clone")
            #expect(clone.type == "application/yaml")
            let checked = try await rig.post("/air/check", JSONValue.object(["yaml": .string(clone.text)]).text)
            #expect(checked["valid"] == true, "\(clone.text)")
        }
    }

    @Test func theDocumentDescribesEveryOperation() async throws {
        try await APIRig.run { rig in
            let document = try await rig.get("/openapi.json")
            #expect(document["openapi"] == "3.1.0")
            #expect(document["paths"]?["/api/v1/devices/{id}/connect"]?["post"] != nil)
            var missing: [String] = []
            func walk(_ value: JSONValue) {
                switch value {
                case .object(let object):
                    if let name = object["$ref"]?.string?.split(separator: "/").last,
                        document["components"]?["schemas"]?[String(name)] == nil
                    {
                        missing.append(String(name))
                    }
                    object.values.forEach(walk)
                case .array(let elements): elements.forEach(walk)
                default: break
                }
            }
            walk(document)
            #expect(missing.isEmpty)
        }
    }
}
