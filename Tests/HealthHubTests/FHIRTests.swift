import Foundation
import GRDB
import JSON
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("FHIR R4", .blocksThread, .timeLimit(.minutes(5)))
struct FHIRTests {
    private func observation(
        identifier: String? = "a", systolic: String = "142", diastolic: String = "88", unit: String = "mm[Hg]",
        status: String = "final", subject: String = "Patient/1"
    ) -> String {
        func component(_ code: String, _ value: String) -> String {
            """
            {"code":{"coding":[{"system":"http://loinc.org","code":"\(code)"}]},
            "valueQuantity":{"value":\(value),"unit":"x","system":"http://unitsofmeasure.org","code":"\(unit)"}}
            """
        }
        let id = identifier.map { #""identifier":[{"system":"urn:test","value":"\#($0)"}],"# } ?? ""
        return """
            {"resourceType":"Observation","status":"\(status)",\(id)
            "code":{"coding":[{"system":"urn:iso:std:iso:11073:10101","code":"150020"}]},
            "subject":{"reference":"\(subject)"},"device":{"reference":"urn:uuid:d"},
            "effectiveDateTime":"2026-11-20T08:00:00+01:00",
            "component":[\(component("8480-6", systolic)),\(component("8462-4", diastolic))]}
            """
    }

    private static let device = """
        {"fullUrl":"urn:uuid:d","resource":{"resourceType":"Device","serialNumber":"BP-1","modelNumber":"M"},
        "request":{"method":"POST","url":"Device"}}
        """

    private func bundle(_ type: String, _ observations: [String]) -> [UInt8] {
        let entries = observations.map { #"{"resource":\#($0),"request":{"method":"POST","url":"Observation"}}"# }
        let text = """
            {"resourceType":"Bundle","type":"\(type)","entry":[\(([Self.device] + entries).joined(separator: ","))]}
            """
        return Array(text.utf8)
    }

    private func statuses(
        _ store: HubStore, _ observation: String, type: String = "batch", condition: String? = nil
    ) async throws -> [String?] {
        let ifNoneExist = condition.map { #","ifNoneExist":"\#($0)""# } ?? ""
        let text = """
            {"resourceType":"Bundle","type":"\(type)","entry":[\(Self.device),{"resource":\(observation),
            "request":{"method":"POST","url":"Observation"\(ifNoneExist)}}]}
            """
        let answer = try await store.storeFHIR(Array(text.utf8), gateway: "g", maySayPerson: false)
        guard answer.status == 200 else { return ["\(answer.status)"] }
        return (answer.resource["entry"]?.elements ?? []).dropFirst().map {
            $0["response"]?["status"]?.string.map { String($0.prefix(3)) }
        }
    }

    @Test("An identifier identifies a reading, and its stored values stay", arguments: StoreKind.all)
    func identifiers(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        #expect(try await statuses(store, observation(systolic: "142")) == ["201"])
        #expect(try await statuses(store, observation(systolic: "142.0")) == ["200"])
        // Other values are a conflict, unless the create is conditional.
        #expect(try await statuses(store, observation(systolic: "150")) == ["409"])
        #expect(try await statuses(store, observation(systolic: "150"), type: "transaction") == ["400"])
        #expect(try await statuses(store, observation(systolic: "150"), condition: "identifier=urn:test|a") == ["200"])
        #expect(try await statuses(store, observation(identifier: "b", systolic: "150")) == ["201"])
        #expect(try count(store) == 2)
    }

    @Test("An identifier with another time is a conflict, unless the create is conditional", arguments: StoreKind.all)
    func otherTime(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        for name in ["Anna", "Ben"] { _ = try store.addPerson(name: name, born: "1961-04-30") }
        #expect(try await statuses(store, observation()) == ["201"])
        let later = observation().replacing("2026-11-20T08:00:00+01:00", with: "2026-11-20T08:00:01+01:00")
        #expect(try await statuses(store, later) == ["409"])
        #expect(try await statuses(store, later, type: "transaction") == ["400"])
        #expect(try await statuses(store, later, condition: "identifier=urn:test|a") == ["200"])
        // The same instant, and another person.
        let same = observation(subject: "Patient/2").replacing("08:00:00+01:00", with: "07:00:00.00Z")
        for person: Int64 in [1, 2] {
            _ = try store.assign("BP-1", to: person)
            #expect(try await statuses(store, same) == ["200"])
        }
        #expect(try count(store) == 1)
    }

    /// The Observation with a second identifier, `urn:s2|q`, before or after that of the Observation.
    private func observation(identifier: String = "a", isSecondFirst: Bool) -> String {
        let (own, second) = (
            #"{"system":"urn:test","value":"\#(identifier)"}"#, #"{"system":"urn:s2","value":"q"}"#
        )
        return observation(identifier: identifier).replacing(
            own, with: isSecondFirst ? "\(second),\(own)" : "\(own),\(second)")
    }

    @Test("A conditional create finds each identifier of an Observation", arguments: StoreKind.all)
    func furtherIdentifiers(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let (condition, first) = ("identifier=urn:s2|q", observation(isSecondFirst: false))
        #expect(try await statuses(store, first) == ["201"])
        #expect(try await statuses(store, first, condition: condition) == ["200"])
        #expect(try await statuses(store, observation(isSecondFirst: true), condition: condition) == ["200"])
        #expect(try await statuses(store, observation(identifier: nil), condition: condition) == ["200"])
        #expect(try count(store) == 1)
        // Another gateway has not sent it.
        let entry = #"{"resource":\#(observation(identifier: nil)),"request":{"method":"POST","url":"Observation","#
        let text =
            #"{"resourceType":"Bundle","type":"batch","entry":[\#(Self.device),\#(entry)"#
            + #""ifNoneExist":"\#(condition)"}}]}"#
        let other = try await store.storeFHIR(Array(text.utf8), gateway: "h", maySayPerson: false)
        #expect(other.results.map(\.status) == [.stored])
        // Two readings have the identifier.
        #expect(try await statuses(store, observation(identifier: "b", isSecondFirst: false)) == ["201"])
        #expect(try await statuses(store, first, condition: condition) == ["412"])
    }

    @Test("Entries of a Bundle with the same identifier are one reading, or an error", arguments: StoreKind.all)
    func repeatedIdentifier(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let other = Self.device.replacing("urn:uuid:d", with: "urn:uuid:e").replacing("BP-1", with: "BP-2")
        func send(_ observations: [String], search: String, type: String) async throws -> [String?] {
            let entries = observations.map {
                #"{"resource":\#($0),"request":{"method":"POST","url":"Observation","ifNoneExist":"\#(search)"}}"#
            }
            let all = ([Self.device, other] + entries).joined(separator: ",")
            let text = #"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(all)]}"#
            let answer = try await store.storeFHIR(Array(text.utf8), gateway: "g", maySayPerson: false)
            guard answer.status == 200 else { return ["\(answer.status)"] }
            return (answer.resource["entry"]?.elements ?? []).dropFirst(2).map {
                $0["response"]?["status"]?.string.map { String($0.prefix(3)) }
            }
        }
        let (first, search) = (observation(), "identifier=urn:test|a")
        let second = first.replacing("urn:uuid:d", with: "urn:uuid:e")
        #expect(try await send([first, second], search: search, type: "transaction") == ["400"])
        #expect(try count(store) == 0)
        #expect(try await send([first, second], search: search, type: "batch") == ["201", "409"])
        #expect(try await send([first, second], search: search, type: "transaction") == ["200", "200"])
        // The second identifier of an earlier entry.
        let both = ["b", "c"].map { observation(identifier: $0, isSecondFirst: false) }
        #expect(try await send(both, search: "identifier=urn:s2|q", type: "batch") == ["201", "200"])
        #expect(try count(store) == 2)
    }

    @Test("A conditional create finds the identifier, or is an error", arguments: StoreKind.all)
    func conditionalCreate(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let bare = observation(identifier: nil)
        for (condition, status) in [
            ("identifier=urn:test|z", "201"), ("identifier=urn:test%7Cz", "200"),
            ("Observation?identifier=urn%3Atest|z", "200"), ("identifier=urn:test|y", "201"),
        ] {
            #expect(try await statuses(store, bare, condition: condition) == [status], "\(condition)")
        }
        for (condition, status) in [
            ("identifier=urn:test|a%5C,b%5C|c%5C$d%5C%5Ce", "201"),
            ("identifier=urn:test%7Ca%5C%2Cb%5C%7Cc%5C%24d%5C%5Ce", "200"),
        ] {
            #expect(try await statuses(store, bare, condition: condition) == [status], "\(condition)")
        }
        for condition in ["foo=bar", "", "identifier=", "identifier=a|b,a|c", "identifier=a|b&status=final"] {
            #expect(try await statuses(store, bare, condition: condition) == ["412"], "\(condition)")
        }
        // The search names another Observation.
        #expect(try await statuses(store, observation(), condition: "identifier=urn:test|b") == ["400"])
        #expect(try await statuses(store, observation(), condition: "identifier=a") == ["201"])
        #expect(try await statuses(store, observation()) == ["200"])
        #expect(try count(store) == 4)
    }

    @Test(
        "The separators of searches are escaped in identifiers, and found again",
        arguments: ["a,b", "a|b", "a$b", #"a\b"#, #"\,|$\\%5C%7Cä b"#, "a"])
    func escapes(_ value: String) throws {
        let search = "identifier=" + FHIRBundle.query("urn:harald:hub") + "|" + FHIRBundle.query(value)
        #expect(FHIRCondition(search: search) == FHIRCondition(system: "urn:harald:hub", value: value))
        // As a server decodes it.
        let decoded = search.removingPercentEncoding?.dropFirst("identifier=urn:harald:hub|".count)
        let escaped = value.replacing(#"\"#, with: #"\\"#).replacing(",", with: #"\,"#)
            .replacing("|", with: #"\|"#).replacing("$", with: #"\$"#)
        #expect(decoded.map(String.init) == escaped)
    }

    @Test("Units and values that a quantity cannot have are refused")
    func wrongValues() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        for (value, unit) in [
            ("120", "kg"), ("120", "mg/dL"), ("1e30", "mm[Hg]"), ("-5", "mm[Hg]"), ("-0", "mm[Hg]"),
        ] {
            let wrong = observation(systolic: value, unit: unit)
            #expect(try await statuses(store, wrong) == ["400"], "\(value) \(unit)")
        }
        for time in ["0000-01-01T08:00:00Z", "9999-01-01T08:00:00Z"] {
            let wrong = observation().replacing("2026-11-20T08:00:00+01:00", with: time)
            #expect(try await statuses(store, wrong) == ["400"], "\(time)")
        }
        #expect(try await statuses(store, observation(systolic: "16000", diastolic: "10000", unit: "Pa")) == ["201"])
        let stored = try await store.database.read { try $0.row("SELECT v1 FROM reading", [])?["v1"] as Double? }
        #expect(stored.map { $0.rounded() } == 120)
    }

    private func count(_ store: HubStore) throws -> Int {
        try store.database.read { try $0.value("SELECT count(*) FROM reading") ?? -1 }
    }

    @Test("A transaction is stored completely, and is recognized when sent again", arguments: StoreKind.all)
    func transaction(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("BP-1", to: anna.id)
        for status in ["201 Created", "200 OK"] {
            let answer = try await store.storeFHIR(
                bundle("transaction", [observation()]), gateway: "g", maySayPerson: false)
            #expect(answer.status == 200 && answer.people == [anna.id])
            #expect(answer.resource["type"]?.string == "transaction-response")
            let responses = answer.resource["entry"]?.elements.map { $0["response"] } ?? []
            #expect(responses.count == 2)
            #expect(responses.last??["status"]?.string == status)
            #expect(responses.last??["location"]?.string == "Observation/1/_history/1")
        }
        #expect(try count(store) == 1)
        let state = try #require(try store.state(of: anna.id))
        #expect(state.latest.first?.judgement.code == "hypertension")
        #expect(state.latest.first?.time == "2026-11-20T07:00:00Z")
    }

    @Test(
        "An invalid entry rejects a transaction, but only itself in a batch",
        arguments: [
            ("systolic", "status"), ("unit", "code"), ("value", "valueQuantity"), ("component", "component"),
        ])
    func oneWrong(kind: String, element: String) async throws {
        let wrong: String =
            switch kind {
            case "systolic": observation(identifier: "b", status: "preliminary")
            case "unit": observation(identifier: "b", unit: "bar")
            case "value": observation(identifier: "b", systolic: "\"142\"")
            default: observation(identifier: "b").replacing("8480-6", with: "0-0")
            }
        let temporary = try TemporaryStore()
        let store = temporary.store
        let refused = try await store.storeFHIR(
            bundle("transaction", [observation(), wrong]), gateway: "g", maySayPerson: false)
        #expect(refused.status == 400 && refused.resource["resourceType"]?.string == "OperationOutcome")
        let expression = refused.resource["issue"]?.elements.first?["expression"]?.elements.first?.string ?? ""
        #expect(expression.hasPrefix("Bundle.entry[2].resource") && expression.contains(element), "\(expression)")
        #expect(try count(store) == 0)
        let batch = try await store.storeFHIR(
            bundle("batch", [observation(), wrong]), gateway: "g", maySayPerson: false)
        let statuses = batch.resource["entry"]?.elements.map { $0["response"]?["status"]?.string?.prefix(3) }
        #expect(statuses?.prefix(2) == ["200", "201"] && statuses?.last??.first == "4")
        #expect(try count(store) == 1)
    }

    @Test("An entry refused by the store rolls the transaction back", arguments: StoreKind.all)
    func refusedLate(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let answer = try await store.storeFHIR(
            bundle("transaction", [observation(), observation(identifier: "b", subject: "Patient/9")]), gateway: "g",
            maySayPerson: true)
        #expect(answer.status == 400 && answer.resource.text.contains("there is no person 9"))
        #expect(try count(store) == 0)
    }

    @Test("Only an editor can assign a reading by its subject", arguments: StoreKind.all)
    func subject(_ kind: StoreKind) async throws {
        for (maySay, owner) in [(true, 1 as Int64?), (false, nil)] {
            let temporary = try TemporaryStore(kind)
            let store = temporary.store
            _ = try store.addPerson(name: "Anna", born: "1961-04-30")
            _ = try await store.storeFHIR(
                bundle("transaction", [observation()]), gateway: "g", maySayPerson: maySay)
            let person = try await store.database.read { try $0.value("SELECT person_id FROM reading") as Int64? }
            #expect(person == owner)
        }
    }

    @Test(
        "A body that is not a Bundle results in an OperationOutcome",
        arguments: ["", "{", "[]", "{}", #"{"resourceType":"Patient"}"#])
    func noBundle(text: String) async throws {
        let temporary = try TemporaryStore()
        let answer = try await temporary.store.storeFHIR(Array(text.utf8), gateway: "g", maySayPerson: false)
        #expect(answer.status == 400 && answer.resource["resourceType"]?.string == "OperationOutcome")
    }

    @Test(
        "An export has codes, units, digits and references, and imports as the same readings", arguments: StoreKind.all)
    func export(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        let empty = try #require(try store.fhirBundle(of: anna.id))
        #expect(empty["entry"]?.elements.map { $0["resource"]?["resourceType"]?.string } == ["Patient"])
        for device in ["BP-1", "T-1"] { _ = try store.assign(device, to: anna.id) }
        var cuff = SubmittedReading()
        cuff.device = .init(serial: "BP-1", systemID: "0011223344556677", address: "02:48:41:00:00:06")
        (cuff.characteristic, cuff.hex) = ("2A35", "1E8E0058006900EA070B140800004800010000")
        (cuff.clockOffset, cuff.simulated) = (3600, true)
        var thermometer = SubmittedReading()
        thermometer.device = .init(serial: "T-1")
        // 36.60 °C: mantissa 3660, exponent -2.
        (thermometer.characteristic, thermometer.hex, thermometer.id) = ("2A1C", "004C0E00FE", "t")
        _ = try store.store([cuff, thermometer], gateway: "kitchen")
        let text = try #require(try store.fhirBundle(of: anna.id)).text
        #expect(text.contains(#""value":36.60"#) && text.contains(#""code":"Cel""#))
        let resource = try JSONValue(parsing: Array(text.utf8))
        let observations =
            resource["entry"]?.elements.compactMap { $0["resource"] }
            .filter { $0["resourceType"]?.string == "Observation" } ?? []
        let panel = try #require(observations.first { $0["component"] != nil })
        let codes = panel["component"]?.elements.compactMap {
            $0["code"]?["coding"]?.elements.first?["code"]?.string
        }
        #expect(codes == ["150021", "150022", "150023", "149546"])
        #expect(panel["effectiveDateTime"]?.string == "2026-11-20T07:00:00Z")
        #expect(panel["meta"]?["security"]?.elements.first?["code"]?.string == "HTEST")
        #expect(
            panel["identifier"]?.elements.first?["value"]?.string?
                .hasPrefix("77-66-55-44-33-22-11-00-person-\(anna.identity ?? "")-150020-20261120T080000-") == true)
        let extensions = panel["extension"]?.elements.compactMap { $0["url"]?.string } ?? []
        #expect(extensions.filter { $0.hasSuffix("/CoincidentTimeStampReference") }.count == 1)
        #expect(panel["interpretation"]?.elements.first?["coding"]?.elements.first?["code"]?.string == "H")
        // Each reference is an entry of the Bundle.
        let urls = Set(resource["entry"]?.elements.compactMap { $0["fullUrl"]?.string } ?? [])
        for match in text.matches(of: /"reference":"([^"]*)"/) { #expect(urls.contains(String(match.1))) }
        // A hub recognizes its own export, although it arrives by another interface.
        let same = try await store.storeFHIR(Array(text.utf8), gateway: "g", maySayPerson: false)
        #expect(same.status == 200 && !same.resource.text.contains("201 Created"))
        let other = try TemporaryStore(kind)
        _ = try other.store.addPerson(name: "Anna", born: "1961-04-30")
        for status in ["201", "200"] {
            let answer = try await other.store.storeFHIR(Array(text.utf8), gateway: "g", maySayPerson: true)
            #expect(answer.status == 200, "\(answer.resource.text)")
            let created = answer.resource["entry"]?.elements.filter {
                $0["response"]?["outcome"] != nil && $0["response"]?["status"]?.string?.hasPrefix(status) == true
            }
            #expect(created?.count == 2)
        }
        // The person of another hub is not one of this hub, although both have the identifier 1.
        #expect(try other.store.state(of: 1)?.latest.isEmpty == true)
        for device in ["BP-1", "T-1"] { _ = try other.store.assign(device, to: 1) }
        let again = try #require(try other.store.state(of: 1))
        #expect(again.latest.map(\.text) == ["142/88 mmHg", "36.60 °C"])
    }

    @Test("Exports as CSV and JSON Lines contain no formulas", arguments: StoreKind.all)
    func files(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        // A combining mark makes a comma or a quote another character.
        let person = try store.addPerson(name: "=1+\"a\"\u{301},\u{301}b", born: "1961-04-30")
        _ = try store.assign("BP-1", to: person.id)
        var cuff = SubmittedReading()
        cuff.device = .init(serial: "BP-1")
        (cuff.characteristic, cuff.hex, cuff.clockOffset) = ("2A35", "1E8E0058006900EA070B140800004800010000", 0)
        _ = try store.store([cuff], gateway: "g")
        let csv = temporary.directory.appending(path: "a.csv").path
        #expect(try store.export(to: csv, format: .csv, person: nil).written == 1)
        let lines = try String(contentsOfFile: csv, encoding: .utf8).components(separatedBy: "\r\n")
        let name = "\"'=1+\"\"a\"\"\u{301},\u{301}b\""
        #expect(lines.count == 6 && lines[1].hasPrefix("1,1,\(name),bloodPressure,systolic,142,,mmHg,"))
        let jsonl = temporary.directory.appending(path: "a.jsonl").path
        #expect(try store.export(to: jsonl, format: .jsonl, person: person.id).written == 1)
        let text = try String(contentsOfFile: jsonl, encoding: .utf8)
        let reading = try SubmittedReading(JSONValue(parsing: Array(text.utf8)))
        #expect(try store.store([reading], gateway: "g").results.map(\.status) == [.known])
        #expect(throws: HubProblem.self) { try store.export(to: csv, format: .fhir, person: nil) }
        #expect(throws: HubProblem.self) {
            try store.export(to: csv + "2", format: .fhir, person: 99)
        }
        #expect(!FileManager.default.fileExists(atPath: csv + "2"))
    }

    /// Makes a backup of a store with a person, and a store from it.
    /// - Returns: the paths of both.
    private func restored(_ temporary: borrowing TemporaryStore) throws -> (backup: String, store: String) {
        _ = try temporary.store.addPerson(name: "Anna", born: "1961-04-30")
        let backup = temporary.directory.appending(path: "backup").path
        try temporary.store.backup(to: backup)
        let other = temporary.directory.appending(path: "other.sqlite").path
        #expect(try HubStore.restore(backup, to: other) == nil)
        return (backup, other)
    }

    @Test("A backup is restored, and the previous store is kept")
    func restore() throws {
        let temporary = try TemporaryStore()
        let (backup, other) = try restored(temporary)
        let earlier = try #require(try HubStore.restore(backup, to: other))
        #expect(FileManager.default.fileExists(atPath: earlier))
        let store = try HubStore(path: other, assessor: Assessor())
        #expect(try store.people().map(\.name) == ["Anna"])
        try store.close()
        // The name of a second restoration in the same second differs.
        let now = Date()
        let names = try (0..<2).map { _ in try HubStore.restore(backup, to: other, now: now) }
        #expect(Set(names).count == 2)
        try "no store".write(toFile: backup + "2", atomically: true, encoding: .utf8)
        #expect(throws: HubProblem.self) { try HubStore.restore(backup + "2", to: other) }
        try String(repeating: "no store", count: 1000).write(toFile: backup + "4", atomically: true, encoding: .utf8)
        #expect {
            try HubStore(path: backup + "4", assessor: Assessor())
        } throws: { error in
            (error as? HubProblem)?.description.contains("hub restore") == true
        }
        #expect(throws: HubProblem.self) { try HubStore.restore(backup + "3", to: other) }
        #expect(try HubStore(path: other, assessor: Assessor()).people().count == 1)
    }

    @Test("A backup of a newer version does not replace the store")
    func restoreOfNewerVersion() throws {
        let temporary = try TemporaryStore()
        let (backup, other) = try restored(temporary)
        let newer = try DatabaseQueue(path: backup)
        try newer.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('v999')") }
        try newer.close()
        let problem = #expect(throws: HubProblem.self) { try HubStore.restore(backup, to: other) }
        #expect(problem?.description == "\(backup) was written by a newer version of harald; update harald")
        let names = try FileManager.default.contentsOfDirectory(atPath: temporary.directory.path)
        #expect(!names.contains { $0.contains(".before-") || $0.contains(".restoring") }, "\(names)")
        #expect(try HubStore(path: other, assessor: Assessor()).people().map(\.name) == ["Anna"])
    }

    @Test("A backup that cannot be read is not called another file")
    func restoreOfUnreadableFile() throws {
        let temporary = try TemporaryStore()
        // A socket exists, but cannot be opened, also not by root.
        let name = "/tmp/harald-\(UInt32.random(in: 0...UInt32.max))"
        let descriptor = try #require(Self.socket(at: name))
        defer {
            _ = Foundation.close(descriptor)
            unlink(name)
        }
        let problem = #expect(throws: HubProblem.self) {
            try HubStore.restore(name, to: temporary.directory.appending(path: "other.sqlite").path)
        }
        #expect(problem?.code == .unavailable && problem?.description.hasPrefix("cannot read \(name): ") == true)
    }

    /// Creates a Unix socket; nil if that fails.
    private static func socket(at path: String) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let octets = Array(path.utf8)
        guard octets.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        #if canImport(Glibc)
        let descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = Foundation.socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        guard isBound else {
            _ = Foundation.close(descriptor)
            return nil
        }
        return descriptor
    }

    @Test("Commits that are only in the log of a store are restored")
    func restoreWithLog() throws {
        let temporary = try TemporaryStore()
        _ = try temporary.store.addPerson(name: "Anna", born: "1961-04-30")
        let other = temporary.directory.appending(path: "other.sqlite").path
        // The store is open, so its log has the person.
        #expect(try HubStore.restore(temporary.path, to: other) == nil)
        let store = try HubStore(path: other, assessor: Assessor())
        #expect(try store.people().map(\.name) == ["Anna"])
        _ = try store.addPerson(name: "Berta", born: "1970-01-01")
        try store.close()
        // Closed, the file alone has everything.
        let alone = temporary.directory.appending(path: "alone.sqlite").path
        try FileManager.default.copyItem(atPath: other, toPath: alone)
        let copy = try HubStore(path: alone, assessor: Assessor())
        #expect(try copy.people().map(\.name) == ["Anna", "Berta"])
        try copy.close()
    }

    @Test("The log of a store whose file is missing is not applied to the backup")
    func restoreBesideLog() throws {
        let temporary = try TemporaryStore()
        _ = try temporary.store.addPerson(name: "Anna", born: "1961-04-30")
        let backup = temporary.directory.appending(path: "backup").path
        try temporary.store.backup(to: backup)
        _ = try temporary.store.addPerson(name: "Berta", born: "1970-01-01")
        // A hub was killed, and its file, but not its log, was removed.
        let other = temporary.directory.appending(path: "other.sqlite").path
        try FileManager.default.copyItem(atPath: temporary.path + "-wal", toPath: other + "-wal")
        let earlier = try #require(try HubStore.restore(backup, to: other))
        #expect(FileManager.default.fileExists(atPath: earlier + "-wal"))
        let store = try HubStore(path: other, assessor: Assessor())
        #expect(try store.people().map(\.name) == ["Anna"])
        try store.close()
    }

    @Test("A backup is one file, and can be restored from a directory in which nothing can be written")
    func restoreFromReadOnlyDirectory() throws {
        let temporary = try TemporaryStore()
        let directory = temporary.directory.appending(path: "archive")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        let backup = directory.appending(path: "backup").path
        try temporary.store.backup(to: backup)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["backup"])
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: directory.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.path) }
        #expect(try HubStore.restore(backup, to: temporary.directory.appending(path: "other.sqlite").path) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["backup"])
    }

    @Test("JSON keeps all digits, and invalid JSON is refused")
    func json() throws {
        let text = #"{"a":[1.50,-0,1e3,true,null,"é\"\\"],"b":{}}"#
        #expect(try JSONValue(parsing: Array(text.utf8)).text == text)
        let wrong = [
            "01", "1.", "+1", "[1,]", "{\"a\"}", "\"", "tru", "[", "{\"a\":1,}", "1 2", "nul", "\"\u{1}\"", #""\x""#,
        ]
        let long = #expect(throws: JSONProblem.self) {
            try JSONValue(parsing: Array(("1." + String(repeating: "0", count: 64)).utf8))
        }
        #expect(long?.description == "a number of more than 64 characters at octet 66")
        for text in wrong + [String(repeating: "[", count: 100_000)] {
            #expect(throws: JSONProblem.self, "\(text.prefix(20))") { try JSONValue(parsing: Array(text.utf8)) }
        }
    }
}
