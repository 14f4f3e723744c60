import Foundation
import TestSupport
import Testing

@testable import HealthHub

/// Batches that are parsed without `JSONDecoder` have its results.
@Suite(.blocksThread) struct SubmittedBatchTests {
    private struct Batch: Decodable { let readings: [SubmittedReading] }

    private static let usual = #"""
        {"readings":[{"device":{"serial":"A-1","systemID":"0011","address":"C0:00:00:00:00:01","id":"d","model":"M 3",
        "name":"cuff \u00e4"},"characteristic":"2A35","clockOffset":-12.5,"hex":"0E64003C","deviceTime":
        "2026-11-21T08:00:00","id":"q7","time":"2026-11-21T08:00:00Z","gateway":"gä","simulated":true,
        "fields":{"systolic":{"value":120.50,"unit":"mmHg"},"status":[1,null,false,"x\"y"],"none":{}},"new":[{}]},
        { "clockOffset" : 0 , "simulated":false, "device":{"serial":null,"more":1}, "id":null }, {}],"more":1}
        """#

    private static func decoded(_ octets: [UInt8]) -> [SubmittedReading]? {
        try? JSONDecoder().decode(Batch.self, from: Data(octets)).readings
    }

    @Test(arguments: [
        usual, #"{"readings":[]}"#, " {\n\"readings\" : [ ] } \r\t", #"{"readings":[{"clockOffset":1e3}]}"#,
        #"{"readings":[{"clockOffset":0.1234567890123456789},{"fields":{"a":0.12345678901234567890,"b":1e30}}]}"#,
    ])
    func equalsThatOfJSONDecoder(_ text: String) throws {
        let octets = Array(text.utf8)
        let readings = try #require(SubmittedReading.batch(octets))
        #expect(readings == Self.decoded(octets))
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"readings":{}}"#, #"{"readings":[]} x"#, #"{"readings":[],}"#, #"{"readings":[{}}"#,
        #"{"readings":[{},]}"#, #"{"readings":[1]}"#, #"{"readings":[null]}"#, #"{"readings":[{"id":1}]}"#,
        #"{"readings":[{"device":[]}]}"#, #"{"readings":[{"device":{"serial":1}}]}"#, #"{"readings":[{"hex":{}}]}"#,
        #"{"readings":[{"fields":[]}]}"#, #"{"readings":[{"clockOffset":"1"}]}"#,
        #"{"readings":[{"clockOffset":1e999}]}"#, #"{"readings":[{"clockOffset":01}]}"#,
        #"{"readings":[{"clockOffset":-}]}"#, #"{"readings":[{"simulated":1}]}"#,
        #"{"readings":[{"simulated":truefalse}]}"#, #"{"readings":[{"id":"\x"}]}"#,
    ])
    func leavesErrorsToJSONDecoder(_ text: String) { #expect(SubmittedReading.batch(Array(text.utf8)) == nil) }

    @Test func equalsThatOfJSONDecoderWhateverOctetIsReplacedOrRemoved() {
        let octets = Array(Self.usual.utf8)
        for place in octets.indices {
            #expect(SubmittedReading.batch(Array(octets[..<place])) == nil)
            for character in ["", "\0", " ", "\"", ",", "-", "0", "\\", "e", "{", "ä"] {
                let changed = Array(octets[..<place] + character.utf8 + octets[(place + 1)...])
                guard let readings = SubmittedReading.batch(changed) else { continue }
                #expect(readings == Self.decoded(changed), "octet \(place), \(character)")
            }
        }
    }
}
