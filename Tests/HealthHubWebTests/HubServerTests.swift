import AsyncHTTPClient
import Foundation
import HealthHub
import Hummingbird
import NIOCore
import TestSupport
import Testing
import WebServer

@testable import HealthHubWeb

@Suite("The hub server", .timeLimit(.minutes(2)), .blocksThread)
struct HubServerTests {
    /// Runs a hub on a store of its own.
    private func withHub(
        configure: (inout WebServerConfiguration) -> Void = { _ in },
        _ body: (_ url: String, _ store: String) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "h\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "hub.sqlite").path
        let server = try HubServer(
            store: path, listen: WebAddress(host: "127.0.0.1", port: 0), configure: configure)
        let (urls, url) = AsyncStream<String>.makeStream()
        let running = Task { try await server.run { url.yield($0.base) } }
        let base = try #require(await urls.first { _ in true })
        do {
            try await body(base, path)
        } catch {
            server.stop()
            _ = await running.result
            throw error
        }
        server.stop()
        try await running.value
    }

    /// Sends a request of a program, and returns the response with its JSON object.
    private func exchange(
        _ method: String, _ url: String, token: String?, body: String?, type: String
    ) async throws -> (response: HTTPClientResponse, json: [String: Any]?) {
        var request = HTTPClientRequest(url: url)
        request.method = .RAW(value: method)
        if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
        if let body {
            request.headers.add(name: "content-type", value: type)
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 1 << 22)
        return (response, try JSONSerialization.jsonObject(with: Data(bytes.readableBytesView)) as? [String: Any])
    }

    private func send(
        _ method: String, _ url: String, token: String?, body: String? = nil
    ) async throws -> (status: Int, json: [String: Any]) {
        let (response, json) = try await exchange(method, url, token: token, body: body, type: "application/json")
        return (Int(response.status.code), json ?? [:])
    }

    private func token(_ name: String, _ role: Role, _ store: String) async throws -> String {
        let answer = try await AdministrationSocket.perform(.addToken(name: name, role: role), store: store)
        let json = try #require(answer.items.first?.json)
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String]
        return try #require(object?["token"])
    }

    @Test("The OpenAPI document has every route, and no other one")
    func openAPI() async throws {
        try await withHub { url, store in
            #expect(
                try await exchange("GET", url + HubAPIDocument.path, token: nil, body: nil, type: "").response.status
                    == .unauthorized)
            let token = try String(contentsOfFile: store + ".web/harald-hub-token", encoding: .utf8)
            let json = try await exchange(
                "GET", url + HubAPIDocument.path, token: token.trimmingCharacters(in: .newlines), body: nil, type: ""
            ).json
            let paths = try #require(json?["paths"] as? [String: [String: [String: Any]]])
            let found = paths.flatMap { path, methods in methods.keys.map { "\($0) \(path)" } }
            // This hub can have no monitor.
            #expect(found.sorted() == HubAPIDocument.operations.keys.filter { !$0.hasSuffix("/monitor") }.sorted())
            #expect(paths.values.flatMap(\.values).allSatisfy { ($0["summary"] as? String)?.isEmpty == false })
        }
    }

    @Test("The hub reports health, readiness and metrics")
    func metrics() async throws {
        try await withHub { url, store in
            #expect(try await send("GET", url + "/health", token: nil).status == 200)
            #expect(try await send("GET", url + "/ready", token: nil).status == 200)
            let metadata = try await send("GET", url + "/fhir/metadata", token: nil)
            #expect(metadata.status == 200 && metadata.json["resourceType"] as? String == "CapabilityStatement")
            let token = try await token("kitchen", .gateway, store)
            _ = try await send("POST", url + "/api/v1/readings", token: token, body: reading)
            var request = HTTPClientRequest(url: url + "/metrics")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
            #expect(response.headers.first(name: "content-type")?.hasPrefix("text/plain; version=0.0.4") == true)
            for line in [
                "# TYPE harald_hub_requests_total counter", #"harald_hub_readings_total{status="stored"} 1"#,
                #"harald_hub_readings_total{status="refused"} 1"#, "harald_hub_store_up 1",
                #"harald_hub_requests_total{method="POST",status="200"} 1"#,
                #"harald_hub_request_duration_seconds_count{method="POST"} 1"#,
            ] {
                #expect(text.contains(line + "\n"), "\(text)")
            }
            // A proxy forwards requests of others.
            request.headers.add(name: "x-forwarded-for", value: "192.0.2.1")
            let forwarded = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            #expect(forwarded.status == .unauthorized)
        }
    }

    private let reading = """
        {"readings":[{"device":{"serial":"BP-1"},"characteristic":"2A35",
        "hex":"1E8E0058006900EA070B150506004800FF0000","clockOffset":0},{"device":{},"hex":"00"}]}
        """

    @Test("A bound token reads the data of its people only, and its reads are recorded")
    func bound() async throws {
        try await withHub { url, store in
            for name in ["Anna", "Ben"] {
                _ = try await AdministrationSocket.perform(
                    .addPerson(PersonChange(name: name, born: "1961-04-30")),
                    store: store)
            }
            let answer = try await AdministrationSocket.perform(
                .addToken(name: "anna", role: .editor, people: [1]), store: store)
            let json = try JSONSerialization.jsonObject(with: Data(try #require(answer.items.first).json.utf8))
            let token = try #require((json as? [String: Any])?["token"] as? String)
            func status(_ path: String, _ method: String = "GET", _ body: String? = nil) async throws -> Int {
                try await send(method, url + path, token: token, body: body).status
            }
            let people = try await send("GET", url + "/api/v1/people", token: token).json["people"] as? [[String: Any]]
            #expect(people?.map { $0["name"] as? String } == ["Anna"])
            #expect(try await send("GET", url + "/api/v1/session", token: token).json["people"] as? [String] == ["1"])
            for part in ["state", "readings", "fhir"] {
                #expect(try await status("/api/v1/people/1/\(part)") == 200)
                #expect(try await status("/api/v1/people/2/\(part)") == 403)
                #expect(try await status("/api/v1/people/9/\(part)") == 403)
            }
            for path in ["devices", "gateways", "readings/unassigned", "outboxes"] {
                #expect(try await status("/api/v1/" + path) == 403, "\(path)")
            }
            for path in ["rules", "kinds"] { #expect(try await status("/api/v1/" + path) == 200) }
            let ben = #"{"name":"Ben","born":"1961-04-30"}"#
            #expect(try await status("/api/v1/people", "POST", ben) == 403)
            #expect(try await status("/api/v1/assignments", "POST", #"{"device":"BP-1","person":"1"}"#) == 403)
            let reads = try await AdministrationSocket.perform(.listReads(person: nil), store: store).items
            #expect(!reads.isEmpty && reads.allSatisfy { $0.text.hasSuffix("token anna  person 1") }, "\(reads)")
        }
    }

    @Test("A gateway can only post readings and read the states of their people")
    func gateway() async throws {
        try await withHub { url, store in
            let token = try await token("kitchen", .gateway, store)
            _ = try await AdministrationSocket.perform(
                .addPerson(PersonChange(name: "Anna", born: "1961-04-30")),
                store: store)
            _ = try await AdministrationSocket.perform(
                .addPerson(PersonChange(name: "Ben", born: "1959-01-02")),
                store: store)
            let assigned = try await AdministrationSocket.perform(
                .assign(device: "BP-1", person: 1, user: nil), store: store)
            #expect(assigned.problem == nil)
            let (status, answer) = try await send("POST", url + "/api/v1/readings", token: token, body: reading)
            #expect(status == 200)
            let results = try #require(answer["results"] as? [[String: Any]])
            #expect(results.map { $0["status"] as? String } == ["stored", "refused"])
            #expect((results[0]["judgement"] as? [String: Any])?["code"] as? String == "hypertension")
            #expect((answer["states"] as? [String: Any])?.keys.sorted() == ["1"])
            #expect(try await send("GET", url + "/api/v1/people/1/state", token: token).status == 200)
            #expect(try await send("GET", url + "/api/v1/people/2/state", token: token).status == 403)
            #expect(try await send("GET", url + "/api/v1/people", token: token).status == 403)
            #expect(try await send("POST", url + "/api/v1/people", token: token, body: "{}").status == 403)
        }
    }

    @Test("An invalid element is refused individually, and every result has all keys")
    func wrongElements() async throws {
        try await withHub { url, store in
            let token = try await token("kitchen", .gateway, store)
            let good = #"{"id":"1","device":{"serial":"H"},"characteristic":"2A37","hex":"0648"}"#
            let wrong = [
                "5", "null", "[]", #"{"hex":5}"#, #"{"device":{"serial":7}}"#, #"{"clockOffset":"1"}"#,
                #"{"device":{"serial":"H"},"characteristic":"2A37","hex":"0648","clockOffset":1e12,"id":"2"}"#,
            ]
            let body = #"{"readings":[\#((wrong + [good]).joined(separator: ","))]}"#
            let (status, answer) = try await send("POST", url + "/api/v1/readings", token: token, body: body)
            #expect(status == 200)
            let results = try #require(answer["results"] as? [[String: Any]])
            #expect(results.map { $0["index"] as? Int } == Array(0...wrong.count))
            #expect(results.map { $0["status"] as? String } == wrong.map { _ in "refused" } + ["stored"])
            #expect(results[3]["problem"] as? String == "hex has another type")
            #expect(results[4]["problem"] as? String == "device.serial has another type")
            for result in results {
                #expect(Set(["index", "status", "id", "problem", "judgement"]).isSubset(of: result.keys))
            }
            let reader = try await self.token("r", .reader, store)
            let gateways = try await send("GET", url + "/api/v1/gateways", token: reader).json["gateways"]
            let first = try #require((gateways as? [[String: Any]])?.first)
            #expect(first["name"] as? String == "kitchen" && first["hasToken"] as? Bool == true)
            #expect(try await send("GET", url + "/api/v1/gateways", token: token).status == 403)
        }
    }

    @Test("A gateway trusts the certificate that the hub has made")
    func ownCertificate() async throws {
        try await withHub(configure: { $0.encryption = .selfSigned }) { url, store in
            let directory = store + ".web"
            let token = try await token("kitchen", .gateway, store)
            try token.write(toFile: directory + "/token", atomically: true, encoding: .utf8)
            let queue = try SendQueue(directory: directory + "/queue")
            try await queue.append(
                id: "a", body: #"{"id":"a","device":{"serial":"T-1"},"fields":{"temperature":36.6}}"#)
            let sender = try ReadingSender(
                queue: queue, address: HubAddress(url), tokenFile: directory + "/token",
                certificates: directory + "/harald-hub-certificate.pem"
            ) { _ in }
            #expect(await sender.flush(within: .seconds(60)) == .nothing)
            #expect(try await queue.count() == 0)
            await sender.close()
            try queue.close()
        }
    }

    @Test("A revoked token is refused immediately")
    func revoked() async throws {
        try await withHub { url, store in
            let token = try await token("kitchen", .reader, store)
            #expect(try await send("GET", url + "/api/v1/people", token: token).status == 200)
            _ = try await AdministrationSocket.perform(.revokeToken(name: "kitchen"), store: store)
            #expect(try await send("GET", url + "/api/v1/people", token: token).status == 401)
            #expect(try await send("GET", url + "/api/v1/people", token: nil).status == 401)
            #expect(try await send("GET", url + "/health", token: nil).status == 200)
        }
    }

    @Test("An editor adds and assigns; only an administrator deletes")
    func editor() async throws {
        try await withHub { url, store in
            let editor = try await token("e", .editor, store)
            let administrator = try await token("a", .administrator, store)
            let person = #"""
                {"name":"Anna","born":"1961-04-30","guideline":"acc-aha","setting":"office","pregnant":true,
                "diabetes":true,"height":1.72,"targets":["systolic=120..129 mmHg"],"every":["bloodPressure=1"]}
                """#
            let (status, added) = try await send("POST", url + "/api/v1/people", token: editor, body: person)
            #expect(status == 201 && added["id"] as? String == "1")
            #expect(added["guideline"] as? String == "acc-aha" && added["setting"] as? String == "office")
            #expect(added["pregnant"] as? Bool == true && added["diabetes"] as? Bool == true)
            #expect(added["targets"] as? [String] == ["systolic 120 to 129 mmHg"])
            #expect((added["every"] as? [String: Any])?.keys.first == "bloodPressure")
            for body in [#"{"name":"Ben"}"#, #"{"born":"1961-04-30"}"#, #"{"name":"Ben","born":"x"}"#] {
                #expect(try await send("POST", url + "/api/v1/people", token: editor, body: body).status == 400)
            }
            let height = try await send("PATCH", url + "/api/v1/people/1", token: editor, body: #"{"height":1.8}"#)
            #expect((height.json["height"] as? NSNumber)?.doubleValue == 1.8)
            let assignment = #"{"device":"BP-1","person":"1"}"#
            #expect(try await send("POST", url + "/api/v1/assignments", token: editor, body: assignment).status == 200)
            let path = url + "/api/v1/assignments/id%3A1"
            for (query, expected) in [("?user=x", 400), ("?user=255", 400), ("?user=2", 404), ("", 200), ("", 404)] {
                let ended = try await send("DELETE", path + query, token: editor)
                #expect(ended.status == expected, "\(ended)")
                if expected == 200 { #expect(ended.json["person"] as? String == "1") }
            }
            #expect(try await send("DELETE", url + "/api/v1/people/1", token: editor).status == 403)
            #expect(try await send("DELETE", url + "/api/v1/people/1", token: administrator).status == 200)
            #expect(try await send("GET", url + "/api/v1/people/1/state", token: editor).status == 404)
        }
    }

    @Test("An account has the rights of its role, and its removal ends its sessions")
    func accounts() async throws {
        try await withHub { url, store in
            for (name, role) in [("dr", Role.reader), ("ed", .editor)] {
                let hash = try WebPassword.hash("right password \(name)")
                let added = try await AdministrationSocket.perform(
                    .addUser(name: name, role: role, hash: hash), store: store)
                #expect(added.problem == nil)
            }
            func logIn(_ name: String, _ password: String) async throws -> String? {
                var request = HTTPClientRequest(url: url + "/login")
                request.method = .POST
                request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
                let secret = password.replacing(" ", with: "+")
                request.body = .bytes(ByteBuffer(string: "name=\(name)&secret=\(secret)"))
                // A login answers with a redirection, which has the cookie.
                let response = try await HTTPClient.direct.execute(request, timeout: .seconds(60))
                return response.headers.first(name: "set-cookie")?.split(separator: ";").first.map(String.init)
            }
            func status(_ method: String, _ path: String, _ cookie: String, _ body: String? = nil) async throws -> Int {
                var request = HTTPClientRequest(url: url + path)
                request.method = .RAW(value: method)
                request.headers.add(name: "cookie", value: cookie)
                request.headers.add(name: "origin", value: url)
                if let body {
                    request.headers.add(name: "content-type", value: "application/json")
                    request.body = .bytes(ByteBuffer(string: body))
                }
                return Int(try await HTTPClient.shared.execute(request, timeout: .seconds(30)).status.code)
            }
            #expect(try await logIn("dr", "wrong") == nil)
            #expect(try await logIn("nobody", "right password dr") == nil)
            let reader = try #require(try await logIn("dr", "right password dr"))
            let editor = try #require(try await logIn("ed", "right password ed"))
            let person = #"{"name":"Anna","born":"1961-04-30"}"#
            #expect(try await status("GET", "/api/v1/people", reader) == 200)
            #expect(try await status("POST", "/api/v1/people", reader, person) == 403)
            #expect(try await status("POST", "/api/v1/people", editor, person) == 201)
            #expect(try await status("DELETE", "/api/v1/people/1", editor) == 403)
            // A changed name in the cookie has no valid signature.
            #expect(try await status("GET", "/api/v1/people", reader.replacing("~", with: "")) == 401)
            let audit = try await AdministrationSocket.perform(.listAudit, store: store).items.map(\.text)
            #expect(audit.contains { $0.contains("dr  wrong password from 127.0.0.1") })
            #expect(audit.contains { $0.contains("ed  person add 1") })
            #expect(audit.contains { $0.contains("command line  user add dr reader") })
            #expect(audit.allSatisfy { !$0.contains("right password") })
            _ = try await AdministrationSocket.perform(.removeUser(name: "ed"), store: store)
            #expect(try await status("GET", "/api/v1/people", editor) == 401)
        }
    }

    @Test("The audit log has logins with the password of the hub, and retries")
    func auditLog() async throws {
        try await withHub(
            configure: { configuration in
                let path = configuration.store + "/password"
                try? Data("open sesame\n".utf8).write(to: URL(fileURLWithPath: path))
                configuration.passwordFile = path
            }
        ) { url, store in
            let editor = try await token("ed", .editor, store)
            #expect(try await send("POST", url + "/api/v1/outboxes/retry", token: editor, body: "{}").status == 200)
            for secret in ["wrong", "open+sesame"] {
                var request = HTTPClientRequest(url: url + "/login")
                request.method = .POST
                request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
                request.body = .bytes(ByteBuffer(string: "name=&secret=\(secret)"))
                _ = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            }
            let audit = try await AdministrationSocket.perform(.listAudit, store: store).items.map(\.text)
            for entry in [
                "token ed  forward retry", "a browser with the password  wrong password from 127.0.0.1",
                "a browser with the password  login from 127.0.0.1",
            ] {
                #expect(audit.contains { $0.contains(entry) }, "\(entry)")
            }
            #expect(audit.allSatisfy { !$0.contains("sesame") })
        }
    }

    @Test("Pages, readings and rules are served")
    func pages() async throws {
        try await withHub { url, store in
            let gateway = try await token("kitchen", .gateway, store)
            let reader = try await token("r", .reader, store)
            _ = try await send("POST", url + "/api/v1/readings", token: gateway, body: reading)
            let unassigned = try await send("GET", url + "/api/v1/readings/unassigned", token: reader).json
            let first = try #require((unassigned["readings"] as? [[String: Any]])?.first)
            #expect(first["text"] as? String == "142/88 mmHg" && first["gateway"] as? String == "kitchen")
            #expect(try await send("GET", url + "/api/v1/readings/unassigned", token: gateway).status == 403)
            _ = try await AdministrationSocket.perform(
                .addPerson(PersonChange(name: "Anna", born: "1961-04-30")),
                store: store)
            _ = try await AdministrationSocket.perform(.assign(device: "BP-1", person: 1, user: nil), store: store)
            let path = url + "/api/v1/people/1/readings"
            let readings = try await send("GET", path + "?kind=bloodPressure&days=36600", token: reader).json
            #expect((readings["readings"] as? [Any])?.count == 1)
            let state = try await send("GET", url + "/api/v1/people/1/state", token: reader).json
            #expect(state["timeZone"] as? String == TimeZone.current.identifier)
            let session = try await send("GET", url + "/api/v1/session", token: reader).json
            #expect(session["name"] as? String == "r" && session["role"] as? String == "reader")
            let devices = try await send("GET", url + "/api/v1/devices", token: reader).json
            let device = try #require((devices["devices"] as? [[String: Any]])?.first)
            let assignment = try #require((device["assignments"] as? [[String: Any]])?.first)
            #expect(assignment["person"] as? String == "1" && assignment["user"] == nil)
            #expect(try await send("GET", path + "?kind=pulse", token: reader).status == 400)
            #expect(try await send("GET", path + "?days=-1", token: reader).status == 400)
            #expect(try await send("GET", url + "/api/v1/people/9/readings", token: reader).status == 404)
            let rules = try await send("GET", url + "/api/v1/rules", token: reader).json
            #expect(((rules["rules"] as? [Any])?.count ?? 0) > 30)
            var request = HTTPClientRequest(url: url + "/people/1")
            request.headers.add(name: "authorization", value: "Bearer \(reader)")
            let page = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            let text = String(buffer: try await page.body.collect(upTo: 1 << 20))
            #expect(page.status == .ok && text.contains("hub/app.js"))
        }
    }

    @Test("Errors of FHIR requests are OperationOutcomes")
    func outcomes() async throws {
        try await withHub { url, store in
            let reader = try await token("r", .reader, store)
            let gateway = try await token("g", .gateway, store)
            func send(
                _ method: String, _ path: String, _ token: String?, _ body: String? = nil
            ) async throws -> (status: Int, type: String, code: String?) {
                let (response, json) = try await exchange(
                    method, url + path, token: token, body: body, type: "application/fhir+json")
                let issue = (json?["issue"] as? [[String: Any]])?.first
                return (
                    Int(response.status.code), response.headers.first(name: "content-type") ?? "",
                    json?["resourceType"] as? String == "OperationOutcome" ? issue?["code"] as? String : nil
                )
            }
            for (method, path, token, body, status, code) in [
                ("POST", "/fhir", nil, "{}", 401, "login"), ("POST", "/fhir", "wrong", "{}", 401, "login"),
                ("POST", "/fhir", reader, "{}", 403, "forbidden"),
                ("POST", "/fhir", gateway, String(repeating: " ", count: (4 << 20) + 1), 413, "too-long"),
                ("GET", "/fhir", gateway, nil, 405, "not-supported"),
                ("GET", "/fhir/Patient/1", gateway, nil, 403, "forbidden"),
                ("GET", "/fhir/Patient/1", reader, nil, 404, "not-found"),
                ("GET", "/fhir/Observation/1", reader, nil, 404, "not-found"),
                ("GET", "/fhir/Observation?value=1", reader, nil, 400, "processing"),
                ("GET", "/fhir/Group", reader, nil, 404, "not-found"),
                ("GET", "/api/v1/people/1/fhir", gateway, nil, 403, "forbidden"),
                ("GET", "/api/v1/people/9/fhir", reader, nil, 404, "not-found"),
            ] as [(String, String, String?, String?, Int, String)] {
                let answer = try await send(method, path, token, body)
                #expect(answer.status == status && answer.code == code, "\(method) \(path) \(status)")
                #expect(answer.type.hasPrefix("application/fhir+json"), "\(method) \(path) \(status)")
            }
            let empty = #"{"resourceType":"Bundle","type":"batch"}"#
            for (version, status) in [("4.0", 200), ("\"4.0\"", 200), ("5.0", 415), ("3.0", 415)] {
                let (response, _) = try await exchange(
                    "POST", url + "/fhir", token: gateway, body: empty,
                    type: "application/fhir+json; fhirVersion=\(version)")
                #expect(response.status.code == status, "\(version)")
            }
            // Other paths keep the form of their clients.
            #expect(try await send("GET", "/api/v1/people", nil).type == "application/problem+json")
        }
    }

    @Test("A FHIR client that has to wait is told when to send again")
    func throttled() {
        let response = Response.operationOutcome(Problem(HubProblem(.busy, "busy")))
        #expect(response.status == .tooManyRequests && response.headers[.retryAfter] == "1")
    }

    @Test("The advice of a problem is a sentence of its own")
    func advice() {
        let full = Problem(HubProblem(.full, "the disk is full; nothing was changed"))
        #expect(
            full.text == "the disk is full; nothing was changed. Try again later, and keep readings until then.")
        #expect(Problem.forbidden("The role is reader.", advice: "Ask.").text == "The role is reader. Ask.")
        #expect(Problem(HubProblem(.conflict, "there are two devices")).text == "there are two devices")
    }

    @Test("A batch with too many readings is too large, in the API as in FHIR")
    func largeBatch() async throws {
        try await withHub { url, store in
            let token = try await token("g", .gateway, store)
            let readings = Array(repeating: "{}", count: HubStore.largestBatch + 1).joined(separator: ",")
            let body = #"{"readings":[\#(readings)]}"#
            let answer = try await send("POST", url + "/api/v1/readings", token: token, body: body)
            #expect(answer.status == 413 && answer.json["title"] as? String == "Too many readings")
            let bundle = #"{"resourceType":"Bundle","type":"batch","entry":[\#(readings)]}"#
            #expect(try await send("POST", url + "/fhir", token: token, body: bundle).status == 413)
        }
    }

    @Test("A token that sends too much gets 429 with Retry-After; others are not affected")
    func flood() async throws {
        var rate = RequestRate(perSecond: 0.001)
        rate.burst = 10
        try await withHub(configure: { $0.limits.tokenRate = rate }) { url, store in
            let (loud, quiet) = (
                try await token("loud", .gateway, store), try await token("quiet", .gateway, store)
            )
            func post(_ token: String, _ id: Int) async throws -> (status: UInt, retryAfter: String?) {
                var request = HTTPClientRequest(url: url + "/api/v1/readings")
                request.method = .POST
                request.headers.add(name: "authorization", value: "Bearer \(token)")
                request.headers.add(name: "content-type", value: "application/json")
                request.body = .bytes(
                    ByteBuffer(
                        string: """
                            {"readings":[{"id":"\(id)","device":{"serial":"H"},"characteristic":"2A37","hex":"0648"}]}
                            """))
                let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
                _ = try await response.body.collect(upTo: 1 << 20)
                return (response.status.code, response.headers.first(name: "retry-after"))
            }
            var refused: [String?] = []
            for id in 0..<40 {
                let answer = try await post(loud, id)
                if answer.status == 429 { refused.append(answer.retryAfter) }
            }
            #expect(refused.count == 30 && refused.allSatisfy { Int($0 ?? "") ?? 0 >= 1 })
            #expect(try await post(quiet, 100).status == 200)
        }
    }

    /// Sends a GET with further fields, and returns the body.
    private func get(_ url: String, _ fields: [String: String], token: String?) async throws -> String {
        var request = HTTPClientRequest(url: url)
        if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
        for (name, value) in fields { request.headers.add(name: name, value: value) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        return String(buffer: try await response.body.collect(upTo: 1 << 22))
    }

    @Test("Pages, judgements and problems are in the language of the request; programs get English")
    func languages() async throws {
        try await withHub { url, store in
            let token = try await token("e", .editor, store)
            let anna = #"{"name":"Anna","born":"1961-04-30"}"#
            #expect(try await send("POST", url + "/api/v1/people", token: token, body: anna).status == 201)
            let reading = """
                {"values":{"systolic":{"value":"192","unit":"mmHg"},"diastolic":{"value":"88","unit":"mmHg"}},
                "time":"\(Date().formatted(.iso8601))"}
                """
            let path = url + "/api/v1/people/1"
            #expect(try await send("POST", path + "/readings", token: token, body: reading).status == 200)
            let german = ["accept-language": "de-CH, en;q=0.5"],
                chosen = ["accept-language": "en", "cookie": "a=b; harald-language=de"]
            let english = "in the range of severe hypertension at home, ESC 2024"
            for fields in [[:], ["accept-language": "en"], ["accept-language": "fr"]] {
                let state = try await get(path + "/state", fields, token: token)
                #expect(state.contains("192/88 mmHg: \(english). Rest five minutes"), "\(state)")
            }
            for fields in [german, chosen] {
                let state = try await get(path + "/state", fields, token: token)
                #expect(
                    state.contains("im Bereich „schwerer Bluthochdruck“ zu Hause, ESC 2024. Ruhen Sie"), "\(state)")
                #expect(state.contains("kein Medizinprodukt") && !state.contains("diagnose"), "\(state)")
                #expect(state.contains("McEvoy et al., 2024 ESC Guidelines"), "titles of sources stay")
            }
            #expect(try await get(path + "/readings", german, token: token).contains("Bluthochdruck"))
            #expect(try await get(url + "/api/v1/rules", german, token: token).contains("Unterzuckerung Stufe 2"))
            #expect(try await get(url + "/api/v1/kinds", german, token: token).contains(#""title":"Blutdruck""#))
            // A problem of the hub, one of the server, and the form.
            let unknown = try await get(url + "/api/v1/people/9/readings", german, token: token)
            #expect(unknown.contains("Nicht gefunden") && unknown.contains("es gibt keine Person 9"), "\(unknown)")
            let form = try await get(url + "/people", german.merging(["accept": "text/html"]) { $1 }, token: nil)
            #expect(form.contains(#"<html lang="de">"#) && form.contains(">Anmelden</button>"), "\(form)")
            let page = try await get(url + "/people", german, token: token)
            #expect(page.contains(#"<html lang="de">"#))
            #expect(try await get(url + "/people", [:], token: token).contains(#"<html lang="en">"#))
            let assets = try #require(page.firstMatch(of: /\/assets\/[0-9a-f]+/)).0
            #expect(
                try await get("\(url)\(assets)/hub/de.json", [:], token: token).contains(#""nav.people": "Personen""#))
        }
    }

    @Test("Concurrent posts are each stored once")
    func together() async throws {
        try await withHub { url, store in
            let token = try await token("kitchen", .gateway, store)
            let statuses = try await withThrowingTaskGroup(of: String?.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        let body = """
                            {"readings":[{"id":"\(index / 2)","device":{"serial":"H"},"characteristic":"2A37","hex":"0648"}]}
                            """
                        let answer = try await send("POST", url + "/api/v1/readings", token: token, body: body).json
                        return (answer["results"] as? [[String: Any]])?.first?["status"] as? String
                    }
                }
                return try await group.reduce(into: [String: Int]()) { $0[$1 ?? "", default: 0] += 1 }
            }
            #expect(statuses == ["stored": 50, "known": 50])
        }
    }
}

extension HTTPClient {
    /// A client that follows no redirection. It is never released: one that is released without its end stops the
    /// process.
    static let direct = HTTPClient(configuration: .init(redirectConfiguration: .disallow))
}
