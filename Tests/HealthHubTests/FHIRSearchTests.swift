import Foundation
import JSON
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("Searches for Observations", .blocksThread)
struct FHIRSearchTests {
    private func filled(_ store: HubStore) throws {
        for (name, serial) in [("Anna", "D-1"), ("Ben", "D-2")] {
            _ = try store.assign(serial, to: store.addPerson(name: name, born: "1961-04-30").id)
            for day in 1...4 {
                let pressure =
                    #"{"systolic":{"value":"14\#(day)","unit":"mmHg"},"diastolic":{"value":"88","unit":"mmHg"}}"#
                for json in [pressure, #"{"weight":{"value":"70.\#(day)","unit":"kg"}}"#] {
                    var reading = try SubmittedReading.ofOneDevice(json: json, time: nil)
                    reading.device = .init(serial: serial)
                    reading.time = "2026-11-0\(day)T08:00:00Z"
                    #expect(try store.store([reading], gateway: "g").results[0].status == .stored)
                }
            }
        }
    }

    private func search(
        _ store: HubStore, _ parameters: [(name: String, value: String)], scope: AccessScope? = nil
    ) throws -> (found: [String], next: String?) {
        let search = try FHIRSearch(parameters, zone: .gmt)
        let bundle = try store.search(search, at: "https://hub/fhir", scope: scope).bundle
        let found = (bundle["entry"]?.elements ?? []).map { entry in
            let resource = entry["resource"]
            let value =
                resource?["valueQuantity"]?["value"] ?? resource?["component"]?.elements[0]["valueQuantity"]?["value"]
            return "\(resource?["subject"]?["reference"]?.string ?? "") \(value?.text ?? "")"
        }
        let next = bundle["link"]?.elements.first { $0["relation"]?.string == "next" }
        return (found, next?["url"]?.string)
    }

    @Test("Observations are found by person, code and date", arguments: StoreKind.all)
    func finds(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        try filled(store)
        #expect(try search(store, []).found.count == 16)
        #expect(try search(store, [("patient", "1")]).found.count == 8)
        #expect(
            try search(store, [("subject", "Patient/2"), ("code", "29463-7"), ("date", "2026-11-03")]).found == [
                "Patient/2 70.3"
            ])
        #expect(
            try search(store, [("patient", "1"), ("code", "http://loinc.org|85354-9")]).found
                == ["Patient/1 144", "Patient/1 143", "Patient/1 142", "Patient/1 141"])
        // A component, and a code of MDC.
        #expect(try search(store, [("patient", "1"), ("code", "8480-6")]).found.count == 4)
        #expect(try search(store, [("patient", "1"), ("code", "urn:iso:std:iso:11073:10101|150020")]).found.count == 4)
        #expect(try search(store, [("patient", "1"), ("code", "http://loinc.org|150020")]).found.isEmpty)
        #expect(try search(store, [("patient", "1"), ("code", "29463-7,85354-9")]).found.count == 8)
        #expect(
            try search(store, [("code", "29463-7"), ("date", "ge2026-11-02"), ("date", "lt2026-11-04")]).found.count
                == 4)
        #expect(try search(store, [("patient", "9")]).found.isEmpty)
        // Parameters that occur twice must both hold (FHIR R4, 3.1.1.3.2).
        #expect(try search(store, [("code", "29463-7"), ("code", "85354-9")]).found.isEmpty)
        #expect(try search(store, [("code", "8480-6"), ("code", "8462-4")]).found.count == 8)
        #expect(try search(store, [("patient", "1"), ("patient", "2")]).found.isEmpty)
        // Any code of a system.
        #expect(try search(store, [("code", "http://loinc.org|"), ("patient", "1")]).found.count == 8)
        #expect(try search(store, [("code", "urn:other|")]).found.isEmpty)
        for parameter in [("_count", "0"), ("_summary", "count")] {
            let search = try FHIRSearch([("patient", "1"), ("code", "29463-7"), parameter], zone: .gmt)
            let bundle = try store.search(search, at: "https://hub/fhir", scope: nil).bundle
            #expect(bundle["total"] == .int(4) && bundle["entry"] == nil)
        }
        #expect(try search(store, [], scope: AccessScope(people: [2])).found.allSatisfy { $0.hasPrefix("Patient/2") })
        #expect(try search(store, [("patient", "1")], scope: AccessScope(people: [2])).found.isEmpty)
    }

    @Test("The links lead through all pages, each Observation once", arguments: StoreKind.all)
    func pages(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        try filled(store)
        var parameters: [(name: String, value: String)] = [("code", "http://loinc.org|29463-7"), ("_count", "3")]
        var (all, sizes): ([String], [Int]) = ([], [])
        while true {
            let (found, next) = try search(store, parameters)
            all += found
            sizes.append(found.count)
            guard let next else { break }
            let items = try #require(URLComponents(string: next)?.queryItems)
            #expect(next.hasPrefix("https://hub/fhir/Observation?"))
            parameters = items.map { ($0.name, $0.value ?? "") }
            try #require(sizes.count < 10)
        }
        #expect(sizes.prefix(2) == [3, 3] && all.count == 8 && Set(all).count == 8)
    }

    @Test("Dates have any precision, and the zone of the hub")
    func dates() throws {
        let zone = try #require(TimeZone(secondsFromGMT: 3600))
        func length(_ text: String) -> Int64? { FHIRSearch.interval(text, zone).map { $0.end - $0.start } }
        #expect(length("2026") == 365 * 86400 && length("2026-11") == 30 * 86400 && length("2026-11-20") == 86400)
        #expect(length("2026-11-20T08:00") == 60 && length("2026-11-20T08:00:01.5Z") == 1)
        #expect(
            FHIRSearch.interval("2026-11-20", zone)?.start == FHIRSearch.interval("2026-11-19T23:00:00Z", .gmt)?.start)
        #expect(
            FHIRSearch.interval("2026-11-20T08:00:00 01:00", .gmt)?.start
                == FHIRSearch.interval("2026-11-20T07:00:00Z", .gmt)?.start)
        for text in ["", "2026-13", "20-11", "2026-11-20T08"] { #expect(length(text) == nil, "\(text)") }
        for parameter in [
            ("date", "ne2026"), ("date", "x"), ("patient", "anna"), ("_count", "-1"), ("value", "1"), ("_page", "x"),
            ("date", "2026-11-20T25:00"), ("date", "2026-11-20T08:60Z"), ("code", ","), ("_format", "xml"),
            ("_summary", "text"),
        ] {
            #expect(throws: HubProblem.self) { try FHIRSearch([parameter], zone: .gmt) }
        }
    }

    @Test("An Observation and a Patient are read by their identifiers")
    func read() throws {
        let temporary = try TemporaryStore()
        try filled(temporary.store)
        let (resource, person) = try #require(try temporary.store.observation(1))
        #expect(resource["id"]?.string == "1" && person == 1 && resource["status"]?.string == "final")
        #expect(resource["device"]?["identifier"]?["value"]?.string == "device-D-1")
        let ben = try #require(try temporary.store.person(2))
        #expect(temporary.store.patient(ben)["id"]?.string == "2")
        #expect(try temporary.store.observation(99) == nil)
    }
}
