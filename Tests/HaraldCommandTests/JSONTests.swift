import Harald
import Testing

@testable import Explorer
@testable import HaraldCommand

@Suite struct JSONTests {
    @Test func keysAreSortedAndSlashesAreNotEscaped() {
        let value: JSONValue = ["b": "180F/2A19", "a": [1, .null, true, .number(1.5)]]
        #expect(value.text == #"{"a":[1,null,true,1.5],"b":"180F/2A19"}"#)
        #expect(JSONValue.string("a\nb\u{1B}").text == #""a\nb\u001b""#)
        #expect(JSONValue.number(.nan).text == #""nan""#)
    }

    @Test func roundingNoiseIsNotPrinted() {
        #expect(JSONValue.number(23.549541015625003).text == "23.549541015625")
        #expect(JSONValue.number(0.1 + 0.2).text == "0.3")
        #expect(JSONValue.number(0.7265625).text == "0.7265625")
    }

    @Test func aDeviceHasItsDocumentedKeys() throws {
        let row = DeviceRow(
            id: PeripheralID(high: 1, low: 2), name: "Polar",
            address: BluetoothAddress("E6:01:02:03:04:05", kind: .random),
            rssi: -48, isConnectable: true,
            advertisement: AdvertisingData(
                serviceUUIDs: ["180D", "FFF0"], manufacturerData: [ManufacturerData(company: 0x006B, data: [1, 2])],
                txPower: -4))
        guard case .object(let object) = row.json else {
            Issue.record("it is no object")
            return
        }
        #expect(object["id"] == "00000000-0000-0001-0000-000000000002")
        #expect(object["name"] == "Polar")
        #expect(object["rssi"] == -48)
        #expect(object["services"] == ["180D", "FFF0"])
        #expect(object["connectable"] == true)
        #expect(object["address"] == "E6:01:02:03:04:05")
        #expect(object["addressType"] == "random")
        #expect(object["txPower"] == -4)
        #expect(object["manufacturer"] == [["company": 107, "name": "Polar Electro OY", "data": "0102"]])
        #expect(!row.json.text.contains("\n"))
    }

    @Test func unknownValuesAreNull() {
        let row = DeviceRow(
            id: PeripheralID(high: 0, low: 0), name: nil, address: nil, rssi: nil, isConnectable: false,
            advertisement: AdvertisingData())
        guard case .object(let object) = row.json else {
            Issue.record("it is no object")
            return
        }
        #expect(object["name"] == .null)
        #expect(object["rssi"] == .null)
        #expect(object["services"] == [])
    }
}
