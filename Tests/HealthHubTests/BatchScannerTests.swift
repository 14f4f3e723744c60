#if Programs
import Foundation
import Testing

@testable import HealthHub

/// The scanner of batches agrees with `JSONDecoder`, and leaves other forms to it.
@Suite struct BatchScannerTests {
    private struct Batch: Decodable { let readings: [SubmittedReading] }

    private static let usual = """
        {"readings":[{"device":{"serial":"A-1","systemID":"0011","address":"C0:00:00:00:00:01","id":"d","model":"M 3",\
        "name":"cuff"},"characteristic":"2A35","clockOffset":-12.5,"hex":"0E64003C","deviceTime":"2026-11-21T08:00:00",\
        "id":"q7","time":"2026-11-21T08:00:00Z","gateway":"g","simulated":true},
         { "clockOffset" : 0 , "simulated":false, "device":{} }, {}]}
        """

    private static func decoded(_ octets: [UInt8]) -> [SubmittedReading]? {
        try? JSONDecoder().decode(Batch.self, from: Data(octets)).readings
    }

    @Test(arguments: [usual, #"{"readings":[]}"#, " {\n\"readings\" : [ ] } \r\t"])
    func readsTheUsualForm(_ text: String) throws {
        let octets = Array(text.utf8)
        let readings = try #require(BatchScanner.readings(octets))
        #expect(readings == Self.decoded(octets))
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"readings":{}}"#, #"{"readings":[],"readings":[]}"#, #"{"readings":[],"more":1}"#,
        #"{"readings":[]} x"#, #"{"readings":[],}"#, #"{"readings":[{}}"#, #"{"readings":[{},]}"#, #"{"readings":[1]}"#,
        #"{"readings":[null]}"#, #"{"readings":[{"id":"a\"b"}]}"#, #"{"readings":[{"id":"ä"}]}"#,
        #"{"readings":[{"id":"a","id":"b"}]}"#, #"{"readings":[{"device":{},"device":{}}]}"#,
        #"{"readings":[{"id":null}]}"#, #"{"readings":[{"id":1}]}"#, #"{"readings":[{"fields":{}}]}"#,
        #"{"readings":[{"new":1}]}"#, #"{"readings":[{"clockOffset":1e3}]}"#, #"{"readings":[{"clockOffset":01}]}"#,
        #"{"readings":[{"clockOffset":-}]}"#, #"{"readings":[{"clockOffset":1.}]}"#,
        #"{"readings":[{"clockOffset":0.1234567890123456}]}"#, #"{"readings":[{"simulated":truefalse}]}"#,
    ])
    func leavesOtherForms(_ text: String) { #expect(BatchScanner.readings(Array(text.utf8)) == nil) }

    @Test func agreesWhateverOctetIsReplacedOrRemoved() {
        let octets = Array(Self.usual.utf8)
        for place in octets.indices {
            #expect(BatchScanner.readings(Array(octets[..<place])) == nil)
            for character in ["", "\0", " ", "\"", ",", "-", "0", "\\", "e", "{", "ä"] {
                let changed = octets[..<place] + character.utf8 + octets[(place + 1)...]
                guard let readings = BatchScanner.readings(Array(changed)) else { continue }
                #expect(readings == Self.decoded(Array(changed)), "octet \(place)")
            }
        }
    }
}
#endif
