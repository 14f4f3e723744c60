import Foundation
import JSON
import TestSupport
import Testing

@testable import HealthHub

/// The readings of a request.
@Suite(.blocksThread) struct SubmittedBatchTests {
    private static let usual = #"""
        {"readings":[{"device":{"serial":"A-1","systemID":"0011","address":"C0:00:00:00:00:01","id":"d","model":"M 3",
        "name":"cuff \u00e4"},"characteristic":"2A35","clockOffset":-12.5,"hex":"0E64003C","deviceTime":
        "2026-11-21T08:00:00","id":"q7","time":"2026-11-21T08:00:00Z","gateway":"gä","simulated":true,
        "fields":{"systolic":{"value":120.50,"unit":"mmHg"},"status":[1,null,false,"x\"y"],"none":{}},"new":[{}]},
        { "clockOffset" : 0 , "simulated":false, "device":{"serial":null,"more":1}, "id":null }, {}],"more":1}
        """#

    @Test func allMembers() throws {
        var full = SubmittedReading()
        full.device = .init(
            id: "d", serial: "A-1", systemID: "0011", address: "C0:00:00:00:00:01", model: "M 3", name: "cuff ä")
        (full.characteristic, full.hex, full.clockOffset) = ("2A35", "0E64003C", -12.5)
        (full.deviceTime, full.time) = ("2026-11-21T08:00:00", "2026-11-21T08:00:00Z")
        (full.id, full.gateway, full.simulated) = ("q7", "gä", true)
        full.fields = [
            "systolic": ["value": .decimal("120.50"), "unit": "mmHg"], "status": [1, .null, false, "x\"y"],
            "none": [:],
        ]
        var sparse = SubmittedReading()
        (sparse.clockOffset, sparse.simulated, sparse.device) = (0, false, .init())
        #expect(try SubmittedReading.batch(Array(Self.usual.utf8)) == [full, sparse, SubmittedReading()])
        #expect(try SubmittedReading.batch(Array(" {\n\"readings\" : [ ] } \r\t".utf8)).isEmpty)
        #expect(try SubmittedReading.batch(Array(#"{"readings":[{"clockOffset":1e3}]}"#.utf8))[0].clockOffset == 1000)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"readings":{}}"#, #"{"readings":[]} x"#, #"{"readings":[],}"#, #"{"readings":[{}}"#,
        #"{"readings":[{},]}"#, #"{"readings":[{"clockOffset":01}]}"#, #"{"readings":[{"clockOffset":-}]}"#,
        #"{"readings":[{"simulated":truefalse}]}"#, #"{"readings":[{"id":"\x"}]}"#,
    ])
    func refusesWhatIsNoList(_ text: String) {
        #expect(throws: ReadingProblem.self) { try SubmittedReading.batch(Array(text.utf8)) }
    }

    @Test(arguments: [
        ("1", "a reading must be an object"), ("null", "a reading must be an object"),
        (#"{"id":1}"#, "id has another type"), (#"{"device":[]}"#, "device has another type"),
        (#"{"device":{"serial":1}}"#, "device.serial has another type"), (#"{"hex":{}}"#, "hex has another type"),
        (#"{"fields":[]}"#, "fields has another type"), (#"{"clockOffset":"1"}"#, "clockOffset has another type"),
        (#"{"clockOffset":1e999}"#, "clockOffset has another type"),
        (#"{"simulated":1}"#, "simulated has another type"),
    ])
    func anElementThatIsNoReadingIsRefusedIndividually(_ element: String, problem: String) throws {
        let readings = try SubmittedReading.batch(Array(#"{"readings":[{"id":"a"},\#(element)]}"#.utf8))
        #expect(readings.map(\.problem) == [nil, problem])
        #expect(readings[0].id == "a")
    }

    @Test func endsWithAnErrorWhateverOctetIsReplacedOrRemoved() {
        let octets = Array(Self.usual.utf8)
        for place in octets.indices {
            #expect(throws: ReadingProblem.self) { try SubmittedReading.batch(Array(octets[..<place])) }
            for character in ["", "\0", " ", "\"", ",", "-", "0", "\\", "e", "{", "ä"] {
                let changed = Array(octets[..<place] + character.utf8 + octets[(place + 1)...])
                #expect((try? SubmittedReading.batch(changed))?.count ?? 3 == 3, "octet \(place), \(character)")
            }
        }
    }
}
